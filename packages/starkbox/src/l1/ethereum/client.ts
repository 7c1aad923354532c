// Client of an Ethereum node. It is loaded when an L1 is first used, because viem is large.
import { toFelt } from '@starkbox/abi/basics';
import {
  type Address,
  concatHex,
  decodeEventLog,
  encodeDeployData,
  encodeEventTopics,
  encodeFunctionData,
  type Hash,
  type Hex,
  keccak256,
  type PrivateKeyAccount,
  toHex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { L1Message } from '../../chain/steps/l1-handler.js';
import type { InFlight, MessageToL1 } from '../../chain/world/messages.js';
import {
  BLOCK,
  BLOCK_HASH,
  BOOLEAN,
  COUNT,
  DATA,
  HASH,
  type L1Receipt,
  logsOf,
  QUANTITY,
  type RawLog,
  RECEIPT,
  TEXT,
  TRANSACTION,
} from './answer-shapes.js';
import { Endpoint } from './endpoint.js';
import { L1Error } from './l1-error.js';
import { MESSAGING_ABI, MESSAGING_BYTECODE } from './messaging-contract.js';

/** Delay between the request and the cancellation of a message: a day. */
const CANCELLATION_DELAY_SECONDS = 86_400n;

/** Timeout of waiting for a transaction to be mined. */
const MINING_MILLISECONDS = 60_000;

const TIP_WEI = 10n ** 9n;

/** A message to L2 and its position on L1. */
export interface Fetched {
  readonly block: number;
  readonly log: number;
  readonly message: L1Message & { readonly l1_transaction_hash: string };
}

export interface SeenBlock {
  readonly number: number;
  readonly hash: string;
}

const EVENT = 'LogMessageToL2';

/** One Ethereum node. */
export class Ethereum {
  readonly #endpoint: Endpoint;

  /** Sends no request yet. */
  constructor(url: string) {
    this.#endpoint = new Endpoint(url);
  }

  get url(): string {
    return this.#endpoint.url;
  }

  /** The newest block. */
  async head(): Promise<SeenBlock> {
    const { number, hash } = await this.#latest();
    return { number, hash };
  }

  #latest() {
    return this.#endpoint.ask('eth_getBlockByNumber', ['latest', false], BLOCK);
  }

  /** The hash of a block; undefined if there is none. */
  async blockHash(number: number): Promise<string | undefined> {
    const hash = await this.#endpoint.ask(
      'eth_getBlockByNumber',
      [quantity(number), false],
      BLOCK_HASH,
    );
    return hash ?? undefined;
  }

  async hasCode(address: string): Promise<boolean> {
    return (await this.#endpoint.ask('eth_getCode', [address, 'latest'], DATA)) !== '0x';
  }

  /** Deploys a messaging contract. @returns its address */
  async deployMessaging(key: string): Promise<string> {
    const data = encodeDeployData({
      abi: MESSAGING_ABI,
      bytecode: MESSAGING_BYTECODE,
      args: [CANCELLATION_DELAY_SECONDS],
    });
    const { hash, signed } = await this.#sign(key, { data });
    await this.submit(signed);
    const { isSuccess, contractAddress } = await this.waitFor(hash);
    if (!isSuccess || contractAddress === undefined) throw new L1Error(`${hash} was reverted`);
    return contractAddress;
  }

  /** The messages that a contract sent to L2 in these blocks, in order. */
  async fetchMessages(
    contract: string,
    fromBlock: number,
    toBlock: number,
  ): Promise<readonly Fetched[]> {
    const [topic] = encodeEventTopics({ abi: MESSAGING_ABI, eventName: EVENT });
    const range = { fromBlock: quantity(fromBlock), toBlock: quantity(toBlock) };
    const filter = { address: contract, topics: [topic], ...range };
    const logs = await this.#endpoint.ask(
      'eth_getLogs',
      [filter],
      logsOf(fromBlock, toBlock),
      fromBlock === toBlock,
    );
    return logs
      .filter(({ address, topics }) => address === contract.toLowerCase() && topics[0] === topic)
      .toSorted((a, b) => a.block - b.block || a.index - b.index)
      .map((log) => this.#messageIn(log));
  }

  #messageIn({ data, topics, block, index, transactionHash }: RawLog): Fetched {
    const [signature, ...rest] = topics;
    try {
      const { args } = decodeEventLog({
        abi: MESSAGING_ABI,
        eventName: EVENT,
        data,
        topics: signature === undefined ? [] : [signature, ...rest],
      });
      return {
        block,
        log: index,
        message: {
          l1_transaction_hash: transactionHash,
          l2_contract_address: toFelt(args.toAddress),
          entry_point_selector: toFelt(args.selector),
          l1_contract_address: args.fromAddress.toLowerCase(),
          payload: args.payload.map(toFelt),
          paid_fee_on_l1: toFelt(args.fee),
          nonce: toFelt(args.nonce),
        },
      };
    } catch {
      throw this.#endpoint.malformedAnswer('eth_getLogs', { data, topics }, `a log of ${EVENT}`);
    }
  }

  /** Whether a message was cancelled by its sender. */
  async isCancelled(contract: string, message: L1Message): Promise<boolean> {
    const { l1_contract_address, l2_contract_address, nonce, entry_point_selector } = message;
    const words = [l1_contract_address, l2_contract_address, nonce, entry_point_selector];
    const { payload } = message;
    const hash = this.#hash([...words, toFelt(payload.length), ...payload].map(BigInt));
    const data = encodeFunctionData({
      abi: MESSAGING_ABI,
      functionName: 'l1ToL2Messages',
      args: [hash],
    });
    const fee = await this.#endpoint.ask('eth_call', [{ to: contract, data }, 'latest'], QUANTITY);
    return fee === 0n;
  }

  /** Signs the transaction that delivers a message to a messaging contract, without sending it. */
  async signMessage(
    key: string,
    contract: string,
    message: MessageToL1,
  ): Promise<Omit<InFlight, 'id'>> {
    const data = encodeFunctionData({
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
    const account = accountOf(key);
    const call = { data, ...(to ? { to } : {}) };
    const [chainId, nonce, fees, gas] = await Promise.all([
      this.#endpoint.ask('eth_chainId', [], COUNT),
      this.#nonce(account.address, 'pending'),
      this.#fees(),
      this.#endpoint.ask('eth_estimateGas', [{ from: account.address, ...call }], QUANTITY),
    ]);
    // The state may have changed by the time it is mined.
    const transaction = { ...call, chainId, nonce, gas: (gas * 3n) / 2n };
    const signed = await account.signTransaction(
      'gasPrice' in fees
        ? { ...transaction, ...fees, type: 'legacy' }
        : { ...transaction, ...fees, type: 'eip1559' },
    );
    return { nonce, hash: keccak256(signed), signed };
  }

  /** A fixed tip: the tip that test nodes suggest rises with each message. */
  async #fees(): Promise<
    { readonly gasPrice: bigint } | { readonly maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }
  > {
    const { baseFeePerGas } = await this.#latest();
    if (baseFeePerGas === undefined) {
      return { gasPrice: await this.#endpoint.ask('eth_gasPrice', [], QUANTITY) };
    }
    return { maxFeePerGas: 2n * baseFeePerGas + TIP_WEI, maxPriorityFeePerGas: TIP_WEI };
  }

  #nonce(address: string, at: 'latest' | 'pending'): Promise<number> {
    return this.#endpoint.ask('eth_getTransactionCount', [address, at], COUNT);
  }

  /** Sends a signed transaction. */
  async submit(signed: string): Promise<void> {
    await this.#endpoint.ask('eth_sendRawTransaction', [signed], HASH);
  }

  /** The receipt of a transaction; undefined while it is not mined. */
  async receipt(hash: string): Promise<L1Receipt | undefined> {
    return (await this.#endpoint.ask('eth_getTransactionReceipt', [hash], RECEIPT)) ?? undefined;
  }

  /** Whether the node has a transaction, mined or pending. */
  hasTransaction(hash: string): Promise<boolean> {
    return this.#endpoint.ask('eth_getTransactionByHash', [hash], TRANSACTION);
  }

  /** Waits until a transaction is mined. */
  async waitFor(hash: string): Promise<L1Receipt> {
    const late = AbortSignal.timeout(MINING_MILLISECONDS);
    for (let pause = 4; !late.aborted; pause = Math.min(pause * 1.5, 500)) {
      const receipt = await this.receipt(hash);
      if (receipt) return receipt;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    throw new L1Error(`transaction ${hash} was not mined within ${MINING_MILLISECONDS / 1000} s`);
  }

  /** The next nonce, by mined or by pending transactions. */
  async nonceOf(key: string, at: 'latest' | 'pending'): Promise<number> {
    return this.#nonce(accountOf(key).address, at);
  }

  /** The whole state of an Anvil, in the form that it loads. */
  dumpState(): Promise<string> {
    return this.#endpoint.ask('anvil_dumpState', [], DATA, true);
  }

  /** Takes a snapshot of a test node. @returns its id */
  snapshot(): Promise<string> {
    return this.#endpoint.ask('evm_snapshot', [], TEXT);
  }

  /** Reverts to a snapshot; each id is valid once. */
  async revert(id: string): Promise<void> {
    const isReverted = await this.#endpoint.ask('evm_revert', [id], BOOLEAN);
    if (!isReverted) throw new L1Error(`the L1 node has no snapshot ${id}`);
  }

  #hash(words: readonly bigint[]): Hash {
    return keccak256(concatHex(words.map((word) => toHex(word, { size: 32 }))));
  }
}

/** Throws if the key is not a private key. */
export function accountOf(key: string): PrivateKeyAccount {
  const digits = key.replace(/^0x/, '');
  if (!/^[0-9a-fA-F]{64}$/.test(digits))
    throw new L1Error('a private key has 64 hexadecimal digits');
  try {
    return privateKeyToAccount(`0x${digits}`);
  } catch {
    throw new L1Error('this is not a private key');
  }
}

function quantity(value: number): Hex {
  return `0x${value.toString(16)}`;
}

function asHex(text: string): Hex {
  return `0x${text.slice(2)}`;
}
