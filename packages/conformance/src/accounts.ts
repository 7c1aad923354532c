// Connection of starknet.js to a node: a provider with checked answers, and predeployed accounts.
import type { Node } from 'starkbox';
import type { Account, ProviderOptions, RpcProvider } from 'starknet';
import { checkedFetch } from './checked-fetch.js';

/** By default starknet.js lets five seconds pass before it looks for a transaction. */
const RETRY_MILLISECONDS = 10;

/** starknet.js, connected. */
export interface Dapp {
  readonly provider: RpcProvider;
  /** Another provider, with other settings. */
  readonly connect: (options?: ProviderOptions) => RpcProvider;
  /** A predeployed account; the first one by default. */
  readonly account: (index?: number, through?: RpcProvider) => Account;
}

/**
 * Connects starknet.js to a node that listens. Answers that break a specification are thrown, and
 * kept in `violations`.
 */
export async function connectDapp(
  url: string,
  accounts: Node['accounts'],
  violations: string[],
): Promise<Dapp> {
  // Loaded late: it takes as long as a node does, and tests without it need not wait.
  const { Account, logger, RpcProvider } = await import('starknet');
  // It would warn before each transaction that a young chain has too few tips to estimate one.
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
      const found = accounts[index];
      if (!found) throw new RangeError(`there are ${accounts.length} accounts, and no ${index}`);
      return new Account({ provider: through, address: found.address, signer: found.privateKey });
    },
  };
}
