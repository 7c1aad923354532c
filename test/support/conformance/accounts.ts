// Connection of starknet.js to a node: a provider with checked answers, and predeployed accounts.
import type { LocalChain } from 'starkbox';
import type { Account, ProviderOptions, RpcProvider } from 'starknet';
import { checkedFetch } from './checked-fetch.js';

/** Polling interval; the default of starknet.js is five seconds. */
const RETRY_MILLISECONDS = 10;

/** A connection of starknet.js. */
export interface Dapp {
  readonly provider: RpcProvider;
  /** Another provider, with other settings. */
  readonly connect: (options?: ProviderOptions) => RpcProvider;
  /** A predeployed account; the first one by default. */
  readonly account: (index?: number, through?: RpcProvider) => Account;
}

/**
 * Connects starknet.js to a listening node. Answers that violate a specification throw, and are
 * collected in `violations`.
 */
export async function connectDapp(
  url: string,
  accounts: LocalChain['accounts'],
  violations: string[],
): Promise<Dapp> {
  // Imported on demand, because it loads as slowly as a node starts.
  const { Account, logger, RpcProvider } = await import('starknet');
  // Suppresses its warning that a short chain has too few tips for an estimate.
  logger.setLogLevel('ERROR');
  const connect = (options: ProviderOptions = {}): RpcProvider =>
    new RpcProvider({
      nodeUrl: url,
      baseFetch: checkedFetch(violations),
      transactionRetryIntervalFallback: RETRY_MILLISECONDS,
      ...options,
    });
  const provider = connect();
  return {
    provider,
    connect,
    account(index = 0, through = provider) {
      const account = accounts[index];
      if (!account) throw new RangeError(`there are ${accounts.length} accounts, and no ${index}`);
      return new Account({
        provider: through,
        address: account.address,
        signer: account.privateKey,
      });
    },
  };
}
