// Knows how to speak with an Ethereum node: the only file that uses viem, which is loaded when an L1 is first used.
import type { Address, Hash, Hex, PublicClient, TransactionReceipt } from 'viem';
import type { L1Message } from '../chain/l1-handler.js';
import type { InFlight, MessageToL1 } from '../chain/messages.js';
import { hex } from '../felt.js';
import { MESSAGING_ABI, MESSAGING_BYTECODE } from './messaging-contract.js';

/** The first account of the usual test nodes. Everybody knows it. */
export const DEFAULT_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

/** How long a message may be taken back after the wish to do so: a day. */
const CANCELLATION_DELAY_SECONDS = 86_400n;

/** An L1 that does not answer in this time is not there. */
const ANSWER_MILLISECONDS = 10_000;

/** How long a transaction may take to be mined before the one who waits is told. */
const MINING_MILLISECONDS = 60_000;

const TIP_WEI = 10n ** 9n;

/** A message to L2 and its place on L1. */
export interface Fetched {
  readonly block: number;
  readonly log: number;
  readonly message: L1Message & { readonly l1_transaction_hash: string };
}

export interface SeenBlock {
  readonly number: number;
  readonly hash: string;
}

type Viem = typeof import('viem');

/** An L1 failed to do what was asked, in words for the caller. */
export class L1Error extends Error {
  override readonly name = 'L1Error';
  /** Whether the node answered, with an error. */
  readonly isAnswer: boolean;
  readonly code: number | undefined;

  constructor(message: string, answer?: { readonly code: number | undefined }) {
    super(message);
    this.isAnswer = answer !== undefined;
    this.code = answer?.code;
  }
}

let loaded: Promise<Viem> | undefined;

function loadViem(): Promise<Viem> {
  loaded ??= import('viem');
  return loaded;
}

/** A node that has not been asked anything yet. */
export async function ethereumAt(url: string): Promise<Ethereum> {
  return new Ethereum(url, await loadViem());
}

/** One Ethereum node. */
export class Ethereum {
  readonly url: string;
  readonly #viem: Viem;
  readonly #client: PublicClient;

  constructor(url: string, viem: Viem) {
    this.url = url;
    this.#viem = viem;
    const transport = viem.http(url, { timeout: ANSWER_MILLISECONDS, retryCount: 0 });
    this.#client = viem.createPublicClient({ transport, cacheTime: 0 });
  }

  /** The newest block. */
  async head(): Promise<SeenBlock> {
    return this.#asking(async () => {
      const { number, hash } = await this.#client.getBlock({ blockTag: 'latest' });
      return { number: Number(number), hash };
    });
  }

  /** The hash of a block; undefined if there is none. */
  blockHash(number: number): Promise<string | undefined> {
    return this.#asking(async () => {
      const block: { hash: string } | null = await this.#client.request({
        method: 'eth_getBlockByNumber',
        params: [`0x${number.toString(16)}`, false],
      });
      return block?.hash;
    });
  }

  async hasCode(address: string): Promise<boolean> {
    const code = await this.#asking(() => this.#client.getCode({ address: asHex(address) }));
    return code !== undefined && code !== '0x';
  }

  /** Deploys a messaging contract; its address. */
  async deployMessaging(key: string): Promise<string> {
    const data = this.#viem.encodeDeployData({
      abi: MESSAGING_ABI,
      bytecode: MESSAGING_BYTECODE,
      args: [CANCELLATION_DELAY_SECONDS],
    });
    const { hash, signed } = await this.#sign(key, { data });
    await this.submit(signed);
    const { status, contractAddress } = await this.waitFor(hash);
    if (status !== 'success' || !contractAddress) throw new L1Error(`${hash} was reverted`);
    return contractAddress.toLowerCase();
  }

  /** The messages that a contract sent to L2 in these blocks, in order. */
  fetchMessages(contract: string, fromBlock: number, toBlock: number): Promise<readonly Fetched[]> {
    return this.#asking(async () => {
      const address = asHex(contract);
      const logs = await this.#client.getContractEvents({
        address,
        abi: MESSAGING_ABI,
        eventName: 'LogMessageToL2',
        fromBlock: BigInt(fromBlock),
        toBlock: BigInt(toBlock),
        strict: true,
      });
      const sorted = logs.toSorted(
        (a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex,
      );
      return sorted.map(({ args, blockNumber, logIndex, transactionHash }) => ({
        block: Number(blockNumber),
        log: logIndex,
        message: {
          l1_transaction_hash: transactionHash,
          l2_contract_address: hex(args.toAddress),
          entry_point_selector: hex(args.selector),
          l1_contract_address: args.fromAddress.toLowerCase(),
          payload: args.payload.map(hex),
          paid_fee_on_l1: hex(args.fee),
          nonce: hex(args.nonce),
        },
      }));
    });
  }

  /** Whether a message was taken back by its sender before it arrived. */
  async isCancelled(contract: string, message: L1Message): Promise<boolean> {
    const { l1_contract_address, l2_contract_address, nonce, entry_point_selector } = message;
    const words = [l1_contract_address, l2_contract_address, nonce, entry_point_selector];
    const { payload } = message;
    const hash = this.#hash([...words, hex(payload.length), ...payload].map(BigInt));
    const fee = await this.#asking(() =>
      this.#client.readContract({
        address: asHex(contract),
        abi: MESSAGING_ABI,
        functionName: 'l1ToL2Messages',
        args: [hash],
      }),
    );
    return fee === 0n;
  }

  /** Signs the transaction that hands a message to a messaging contract, and sends nothing. */
  async signMessage(
    key: string,
    contract: string,
    message: MessageToL1,
  ): Promise<Omit<InFlight, 'id'>> {
    const data = this.#viem.encodeFunctionData({
      abi: MESSAGING_ABI,
      functionName: 'mockSendMessageFromL2',
      args: [
        BigInt(message.from_address),
        BigInt(message.to_address),
        message.payload.map((felt) => BigInt(felt)),
      ],
    });
    return this.#sign(key, { data, to: asHex(contract) });
  }

  async #sign(
    key: string,
    { data, to }: { readonly data: Hex; readonly to?: Address },
  ): Promise<Omit<InFlight, 'id'>> {
    const account = await accountOf(key);
    const { address } = account;
    return this.#asking(async () => {
      const [chainId, nonce, fees, gas] = await Promise.all([
        this.#client.getChainId(),
        this.#client.getTransactionCount({ address, blockTag: 'pending' }),
        this.#fees(),
        this.#client.estimateGas({ account: address, data, ...(to ? { to } : {}) }),
      ]);
      // The state may be another one when it is mined.
      const call = { chainId, nonce, data, gas: (gas * 3n) / 2n, ...(to ? { to } : {}) };
      const signed = await account.signTransaction(
        'gasPrice' in fees
          ? { ...call, ...fees, type: 'legacy' }
          : { ...call, ...fees, type: 'eip1559' },
      );
      return { nonce, hash: this.#viem.keccak256(signed), signed };
    });
  }

  /** A tip of our own: test nodes suggest what others gave, and that would go up with each message. */
  async #fees(): Promise<
    { readonly gasPrice: bigint } | { readonly maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }
  > {
    const { baseFeePerGas } = await this.#client.getBlock({ blockTag: 'latest' });
    if (baseFeePerGas === null) return { gasPrice: await this.#client.getGasPrice() };
    return { maxFeePerGas: 2n * baseFeePerGas + TIP_WEI, maxPriorityFeePerGas: TIP_WEI };
  }

  /** Hands a signed transaction to the node. */
  async submit(signed: string): Promise<void> {
    await this.#asking(() =>
      this.#client.sendRawTransaction({ serializedTransaction: asHex(signed) }),
    );
  }

  /** What became of a transaction; undefined while it is not mined. */
  receipt(hash: string): Promise<TransactionReceipt | undefined> {
    return this.#asking(() =>
      this.#client.getTransactionReceipt({ hash: asHex(hash) }).catch((error: unknown) => {
        if (error instanceof this.#viem.TransactionReceiptNotFoundError) return undefined;
        throw error;
      }),
    );
  }

  /** Whether the node knows of a transaction, mined or not. */
  async knows(hash: string): Promise<boolean> {
    const found = await this.#ask<object | null>('eth_getTransactionByHash', [hash]);
    return found !== null;
  }

  /** Waits until a transaction is mined. */
  async waitFor(hash: string): Promise<TransactionReceipt> {
    const late = AbortSignal.timeout(MINING_MILLISECONDS);
    for (let pause = 4; !late.aborted; pause = Math.min(pause * 1.5, 500)) {
      const receipt = await this.receipt(hash);
      if (receipt) return receipt;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    throw new L1Error(`transaction ${hash} is not mined after ${MINING_MILLISECONDS / 1000} s`);
  }

  /** The nonce of the next transaction that can be mined. */
  async minedNonce(key: string): Promise<number> {
    const { address } = await accountOf(key);
    return this.#asking(() => this.#client.getTransactionCount({ address, blockTag: 'latest' }));
  }

  /** The whole chain of an Anvil, as it can be loaded again. */
  dumpState(): Promise<string> {
    return this.#ask('anvil_dumpState', []);
  }

  /** Keeps the state of a test node; its name. */
  snapshot(): Promise<string> {
    return this.#ask('evm_snapshot', []);
  }

  /** Brings that state back, once. */
  async revert(id: string): Promise<void> {
    const done: boolean = await this.#ask('evm_revert', [id]);
    if (!done) throw new L1Error(`the L1 node has no snapshot ${id}`);
  }

  #ask<T>(method: string, params: readonly unknown[]): Promise<T> {
    return this.#asking(() =>
      this.#client.request<{ Method: string; Parameters: readonly unknown[]; ReturnType: T }>({
        method,
        params,
      }),
    );
  }

  #hash(words: readonly bigint[]): Hash {
    const { concatHex, keccak256, toHex } = this.#viem;
    return keccak256(concatHex(words.map((word) => toHex(word, { size: 32 }))));
  }

  /** Turns what viem throws into one sentence. */
  async #asking<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): Error {
    const { BaseError, HttpRequestError, TimeoutError } = this.#viem;
    if (!(error instanceof BaseError))
      return error instanceof Error ? error : new Error(`${error}`);
    const unreachable = error.walk((one) => one instanceof HttpRequestError);
    if (unreachable instanceof HttpRequestError) {
      const { status, details } = unreachable;
      const why = status === undefined ? details : `HTTP status ${status}`;
      return new L1Error(`the L1 node at ${this.url} cannot be reached: ${why}`);
    }
    if (error.walk((one) => one instanceof TimeoutError)) {
      return new L1Error(
        `the L1 node at ${this.url} has not answered for ${ANSWER_MILLISECONDS / 1000} s`,
      );
    }
    const answer = error.walk(hasCode);
    const code = hasCode(answer) ? answer.code : undefined;
    const shown = code === undefined ? '' : ` error code ${code}:`;
    const words = error.details || error.shortMessage;
    return new L1Error(`server returned an error response:${shown} ${words}`, { code });
  }
}

/** Throws if the key is none. */
export async function checkKey(key: string): Promise<void> {
  await accountOf(key);
}

async function accountOf(key: string): Promise<ReturnType<Accounts['privateKeyToAccount']>> {
  const { privateKeyToAccount } = await import('viem/accounts');
  const digits = key.replace(/^0x/, '');
  if (!/^[0-9a-fA-F]{64}$/.test(digits))
    throw new L1Error('a private key has 64 hexadecimal digits');
  try {
    return privateKeyToAccount(`0x${digits}`);
  } catch {
    throw new L1Error('this is not a private key');
  }
}

type Accounts = typeof import('viem/accounts');

function hasCode(error: unknown): error is { readonly code: number } {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}

function asHex(text: string): Hex {
  return `0x${text.slice(2)}`;
}
