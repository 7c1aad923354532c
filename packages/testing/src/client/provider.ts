// starknet.js provider of a chain: transactions are awaited by notifications, and tips are not estimated.
import { trust } from '@starkbox/abi/basics';
import type { Chain } from 'starkbox';
import {
  type BigNumberish,
  type GetTransactionReceiptResponse,
  num,
  RpcError,
  RpcProvider,
  type RpcProviderOptions,
  type TipEstimate,
  type waitForTransactionOptions,
} from 'starknet';
import { keepError, rememberTransaction, shorten } from './failures.js';
import { rememberProvider } from './sent.js';
import { remoteFeed, type Status, type StatusFeed, subscriptionFeed } from './status-feed.js';

/** The parts of a chain that a provider needs. */
export type ProvidedChain = Pick<Chain, 'fetch' | 'rpcUrl' | 'subscribe'>;

/** Milliseconds that a transaction is waited for. */
const MAX_WAIT = 60_000;

const NO_TIP: TipEstimate = {
  minTip: 0n,
  maxTip: 0n,
  averageTip: 0n,
  medianTip: 0n,
  modeTip: 0n,
  recommendedTip: 0n,
  p90Tip: 0n,
  p95Tip: 0n,
};

/**
 * Returns a starknet.js provider of a chain, or of a node at a URL.
 *
 * @example
 * const provider = getProvider(chain);
 * await provider.waitForTransaction(transaction_hash); // resolves as soon as its block is closed
 */
export function getProvider(
  chain: ProvidedChain | string,
  options: RpcProviderOptions = {},
): ChainProvider {
  const isUrl = typeof chain === 'string';
  return new ChainProvider(
    {
      nodeUrl: isUrl ? chain : chain.rpcUrl,
      // The state that the next transaction is executed on.
      blockIdentifier: 'pre_confirmed',
      ...(isUrl ? {} : { baseFetch: chain.fetch }),
      ...options,
    },
    isUrl ? undefined : subscriptionFeed(chain),
  );
}

/** A starknet.js provider that waits for transactions by notifications, and sends no tip. */
export class ChainProvider extends RpcProvider {
  readonly #statuses: StatusFeed;

  /** @param statuses by default the WebSocket of the node, or polling */
  constructor(options: RpcProviderOptions, statuses?: StatusFeed) {
    super(options);
    this.#statuses =
      statuses ??
      remoteFeed(this.channel.nodeUrl, (hash) => ifKnown(this.getTransactionStatus(hash)));
  }

  /** No tip, and no calls to find one: a sandbox has no competition for its blocks. */
  override async getEstimateTip(): Promise<TipEstimate> {
    return NO_TIP;
  }

  override async getTransactionReceipt(hash: BigNumberish): Promise<GetTransactionReceiptResponse> {
    return rememberProvider(await super.getTransactionReceipt(hash), this);
  }

  override invokeFunction: RpcProvider['invokeFunction'] = (...params) =>
    this.#remembered(super.invokeFunction(...params));

  override declareContract: RpcProvider['declareContract'] = (...params) =>
    this.#remembered(super.declareContract(...params));

  override deployAccountContract: RpcProvider['deployAccountContract'] = (...params) =>
    this.#remembered(super.deployAccountContract(...params));

  override getEstimateFeeBulk: RpcProvider['getEstimateFeeBulk'] = (...params) =>
    this.#remembered(super.getEstimateFeeBulk(...params));

  override callContract: RpcProvider['callContract'] = (...params) =>
    this.#remembered(super.callContract(...params));

  override getSimulateTransaction: RpcProvider['getSimulateTransaction'] = (...params) =>
    this.#remembered(super.getSimulateTransaction(...params));

  override getNonceForAddress: RpcProvider['getNonceForAddress'] = (...params) =>
    super.getNonceForAddress(...params).catch(this.#rethrow);

  override getClassAt: RpcProvider['getClassAt'] = (...params) =>
    super.getClassAt(...params).catch(this.#rethrow);

  /** Failure messages use the recorded responses and errors of this provider. */
  async #remembered<T extends object>(answer: Promise<T>): Promise<T> {
    return rememberProvider(await answer.catch(this.#rethrow), this);
  }

  readonly #rethrow = (error: unknown): never => {
    if (error instanceof RpcError) shorten(error);
    throw error instanceof Error ? this.#keep(error) : error;
  };

  #keep(error: Error): Error {
    keepError(error);
    return rememberProvider(error, this);
  }

  /**
   * Resolves on a notification of the transaction's status. `retries` times `retryInterval`, if both are given,
   * is the longest wait.
   */
  override async waitForTransaction(
    txHash: BigNumberish,
    options: waitForTransactionOptions = {},
  ): Promise<GetTransactionReceiptResponse> {
    const hash = num.toHex(txHash);
    const present = await ifKnown(this.getTransactionReceipt(hash));
    if (present && this.#isAwaited(hash, statusIn(present), options)) return present;
    const { retries, retryInterval } = options;
    const limit =
      retries === undefined || retryInterval === undefined ? MAX_WAIT : retries * retryInterval;
    const timeout = AbortSignal.timeout(limit);
    let last: Status | undefined;
    for await (const status of this.#statuses(hash, timeout)) {
      last = status;
      if (this.#isAwaited(hash, status, options)) return this.getTransactionReceipt(hash);
    }
    if (!timeout.aborted) {
      throw new Error(
        `The chain was closed, restarted or loaded before the transaction ${hash} was accepted`,
      );
    }
    const state = last
      ? `is ${last.finality_status} and no block has included it: close one with chain.mine()`
      : 'is not known to the node';
    throw new Error(`After ${limit / 1000} s the transaction ${hash} ${state}`);
  }

  #isAwaited(hash: string, status: Status, options: waitForTransactionOptions): boolean {
    try {
      return isAwaited(status, options);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      rememberTransaction(error, hash);
      throw this.#keep(error);
    }
  }
}

/** Undefined for a transaction that the node does not have. */
function ifKnown<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof RpcError && error.isType('TXN_HASH_NOT_FOUND')) return undefined;
    throw error;
  });
}

function statusIn(receipt: GetTransactionReceiptResponse): Status {
  return trust(receipt.value);
}

const FINAL: readonly string[] = ['ACCEPTED_ON_L2', 'ACCEPTED_ON_L1'];

/** Whether a transaction has reached a state that is waited for; throws if it is one of the errors. */
function isAwaited(status: Status, options: waitForTransactionOptions): boolean {
  const { finality_status, execution_status = '' } = status;
  const isIn = (states: readonly string[]): boolean =>
    states.includes(finality_status) || states.includes(execution_status);
  if (isIn(options.errorStates ?? [])) {
    throw Object.assign(new Error(`${execution_status}: ${finality_status}`), { response: status });
  }
  return isIn(options.successStates ?? FINAL);
}
