// Dapps with releases of starknet.js that have a paymaster client, and what they leave on the chain.
import { checkedFetch, type ListeningNode, startNode } from '@starkbox/test-support';
import { ETH, type NewAccount, selector } from '@starkbox/test-support/signing';
import type { Config } from 'starkbox';

/** The class of regular accounts of Argent. */
export const ARGENT = '0x36078334509b514626504edc9fb252328d1a240e4e948bef8d0c08dff45927f';

export interface Call {
  readonly contractAddress: string;
  readonly entrypoint: string;
  readonly calldata: string[];
}

export type FeeMode =
  | { readonly mode: 'sponsored' }
  | { readonly mode: 'default'; readonly gasToken: string };

export const SPONSORED: FeeMode = { mode: 'sponsored' };
export const paidIn = (gasToken: string): FeeMode => ({ mode: 'default', gasToken });

interface Details {
  readonly feeMode: FeeMode;
  readonly timeBounds?: { readonly executeAfter?: number; readonly executeBefore: number };
  readonly deploymentData?: DeploymentData;
}

export interface DeploymentData {
  readonly address: string;
  readonly class_hash: string;
  readonly salt: string;
  readonly calldata: string[];
  readonly version: 1;
}

type Amount = bigint | number | string;

export interface Fee {
  readonly gas_token_price_in_strk: Amount;
  readonly estimated_fee_in_strk: Amount;
  readonly suggested_max_fee_in_gas_token: Amount;
}

/** What all releases have in common. */
export interface PayingAccount {
  readonly address: string;
  estimatePaymasterTransactionFee(calls: Call[], details: Details): Promise<Fee>;
  executePaymasterTransaction(
    calls: Call[],
    details: Details,
    maxFee?: Amount,
  ): Promise<{ readonly transaction_hash: string }>;
}

export interface Paymaster {
  isAvailable(): Promise<boolean>;
  getSupportedTokens(): Promise<readonly { readonly token_address: string }[]>;
}

export interface Dapp {
  readonly paymaster: Paymaster;
  account(address: string, signer: string): PayingAccount;
}

interface Urls {
  readonly node: string;
  readonly paymaster: string;
  readonly headers?: Record<string, string>;
  readonly baseFetch: typeof fetch;
}

/** Each with the newest version of the specification that it speaks. */
export const LIBRARIES = {
  async 'starknet.js 8'({ node, paymaster: nodeUrl, ...options }: Urls): Promise<Dapp> {
    const { Account, logger, PaymasterRpc, RpcProvider } = await import('starknet-v8');
    logger.setLogLevel('OFF');
    const provider = await RpcProvider.create({ nodeUrl: `${node}/rpc/v0_9` });
    const paymaster = new PaymasterRpc({ nodeUrl, ...options });
    return {
      paymaster,
      account: (address, signer) => new Account({ provider, address, signer, paymaster }),
    };
  },
  async 'starknet.js 9'({ node, paymaster: nodeUrl, ...options }: Urls): Promise<Dapp> {
    const { Account, logger, PaymasterRpc, RpcProvider } = await import('starknet-v9');
    logger.setLogLevel('OFF');
    const provider = await RpcProvider.create({ nodeUrl: `${node}/rpc/v0_10` });
    const paymaster = new PaymasterRpc({ nodeUrl, ...options });
    return {
      paymaster,
      account: (address, signer) => new Account({ provider, address, signer, paymaster }),
    };
  },
  async 'starknet.js 10'({ node, paymaster: nodeUrl, ...options }: Urls): Promise<Dapp> {
    const { Account, logger, PaymasterRpc, RpcProvider } = await import('starknet');
    logger.setLogLevel('OFF');
    const provider = await RpcProvider.create({ nodeUrl: `${node}/rpc/v0_10` });
    const paymaster = new PaymasterRpc({ nodeUrl, ...options });
    return {
      paymaster,
      account: (address, signer) => new Account({ provider, address, signer, paymaster }),
    };
  },
};

export type Library = keyof typeof LIBRARIES;

/** A node with a paymaster, whose answers are checked against its document. */
export interface PaymasterNode extends ListeningNode {
  dapp(
    library: Library,
    options?: { headers?: Record<string, string>; path?: string },
  ): Promise<Dapp>;
  /** Of a token, at the newest state. */
  balance(token: string, address: string): Promise<bigint>;
  /** The fee that the relayer paid for a transaction that succeeded. */
  feeOf(transaction_hash: string): Promise<bigint>;
}

export async function startPaymaster(config: Partial<Config> = {}): Promise<PaymasterNode> {
  const started = await startNode({ listen: true, paymaster: true, ...config });
  const { client, url } = started;
  const violations: string[] = [];
  return {
    ...started,
    dapp: (library, { headers, path = '' } = {}) =>
      LIBRARIES[library]({
        node: `${url}${path}`,
        paymaster: `${url}${path}/paymaster`,
        baseFetch: checkedFetch(violations),
        ...(headers ? { headers } : {}),
      }),
    async balance(token, address) {
      const entry_point_selector = selector(token === ETH ? 'balanceOf' : 'balance_of');
      const request = { contract_address: token, entry_point_selector, calldata: [address] };
      const [low = '0x0'] = await client.call('starknet_call', {
        request,
        block_id: 'pre_confirmed',
      });
      return BigInt(low);
    },
    async feeOf(transaction_hash) {
      const receipt = await client.call('starknet_getTransactionReceipt', { transaction_hash });
      if (receipt.execution_status !== 'SUCCEEDED') throw new Error(receipt.revert_reason);
      return BigInt(receipt.actual_fee.amount);
    },
    async close() {
      await started.close();
      if (violations.length > 0) throw new Error(violations.join('\n'));
    },
  };
}

export function transfer(token: string, to: string, amount: bigint): Call {
  return {
    contractAddress: token,
    entrypoint: 'transfer',
    calldata: [to, `0x${amount.toString(16)}`, '0x0'],
  };
}

export function deploymentOf({
  address,
  classHash,
  salt,
  constructorCalldata,
}: NewAccount): DeploymentData {
  return {
    address,
    class_hash: classHash,
    salt,
    calldata: [...constructorCalldata],
    version: 1,
  };
}

/** The error of the paymaster that a client threw. */
export async function refusalOf(
  request: Promise<unknown>,
): Promise<{ readonly code: number; readonly data: unknown }> {
  try {
    await request;
  } catch (error) {
    const { baseError } = Object(error);
    if (baseError === undefined) throw error;
    return { code: baseError.code, data: baseError.data };
  }
  throw new Error('the paymaster did not refuse the request');
}
