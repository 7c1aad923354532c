// A node in this process whose chain grows by transfers, and the reads of its old blocks.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type StateDiff, starknetKeccak, storageAddress } from '@starkbox/engine';
import { type Config, createChain, type LocalChain } from 'starkbox';
import { hex, STRK } from '../../packages/engine/test/fixtures/chain.js';
import { rpcBody } from './rpc-client.js';
import { numberedTransfer, receiver } from './signed-requests.js';

const ACCOUNTS = 100;
const TRANSFER_EVENT = starknetKeccak('Transfer');
/** Events on a page. */
const CHUNK = 10;
/** Slots in one state difference, unless it is chosen. */
export const SLOTS_PER_DIFF = 20_000;

export function mustBeAccepted(answer: string | undefined): void {
  if (answer === undefined || answer.includes('"error":')) throw new Error(`answered ${answer}`);
}

interface Slots {
  readonly first?: number;
  readonly address?: string;
  readonly perDiff?: number;
}

/** Key and value of a slot that no transaction made. */
export const slotAt = (index: number): { readonly key: string; readonly value: string } => ({
  key: hex(0x1000_0000 + index * 7919),
  value: hex(index + 1),
});

/** State differences that write such slots of a contract, from an index on. */
export function* slotDiffs(
  count: number,
  { first = 0, address = STRK, perDiff = SLOTS_PER_DIFF }: Slots = {},
): Generator<Pick<StateDiff, 'storage_diffs'>> {
  for (let written = 0; written < count; written += perDiff) {
    const length = Math.min(perDiff, count - written);
    const storage_entries = Array.from({ length }, (_, index) => slotAt(first + written + index));
    yield { storage_diffs: [{ address, storage_entries }] };
  }
}

export async function writeSlots(node: LocalChain, count: number, slots?: Slots): Promise<void> {
  for (const state_diff of slotDiffs(count, slots)) {
    await node.request('devnet_applyStateDiff', { state_diff });
  }
}

/** A chain with the blocks of its transfers. */
export class GrowingChain {
  readonly node: LocalChain;
  readonly #isSigned: boolean;
  /** The block of each transfer. */
  readonly #blocks: number[] = [];
  #latest = 0;

  constructor(node: LocalChain, isSigned: boolean) {
    this.node = node;
    this.#isSigned = isSigned;
  }

  /** Transfers as users send them. */
  static async signed(config: Partial<Config> = {}): Promise<GrowingChain> {
    return new GrowingChain(await createChain({ seed: 0, accounts: ACCOUNTS, ...config }), true);
  }

  /** Unsigned transfers: a quarter faster, otherwise the same. */
  static async impersonated(config: Partial<Config> = {}): Promise<GrowingChain> {
    const node = await createChain({ seed: 0, accounts: ACCOUNTS, ...config });
    await node.request('devnet_autoImpersonate');
    return new GrowingChain(node, false);
  }

  get latest(): number {
    return this.#latest;
  }

  /** How many transfers it has; the first is 1. */
  get transfers(): number {
    return this.#blocks.length;
  }

  blockOf(transfer: number): number {
    return this.#blocks[transfer - 1] ?? Number.NaN;
  }

  /** The request of a further transfer, which closes a block. It must be sent. */
  nextTransfer(): string {
    this.#latest += 1;
    this.#blocks.push(this.#latest);
    return numberedTransfer(this.node.accounts, this.#blocks.length, this.#isSigned);
  }

  nextTransfers(count: number): readonly string[] {
    return Array.from({ length: count }, () => this.nextTransfer());
  }

  /** Grows to a length by transfers, or until the deadline. */
  async growTo(length: number, deadline: number = Number.POSITIVE_INFINITY): Promise<void> {
    let body = this.#latest < length ? this.nextTransfer() : undefined;
    while (body !== undefined) {
      const answer = this.node.handle(body);
      // Signing overlaps with execution.
      await nextTurn();
      const hasEnded = this.#latest >= length || performance.now() >= deadline;
      body = hasEnded ? undefined : this.nextTransfer();
      mustBeAccepted(await answer);
    }
    await this.#mustHaveSucceeded();
  }

  /** Grows to a length by empty blocks, and a transfer in each of so many. */
  async growSparsely(length: number, every: number): Promise<void> {
    while (this.#latest < length) {
      const empty = Math.min(every, length - this.#latest) - 1;
      if (empty > 0) await this.node.mine(empty);
      this.#latest += empty;
      mustBeAccepted(await this.node.handle(this.nextTransfer()));
    }
  }

  /** A reverted transfer would be accepted too, but costs less. */
  async #mustHaveSucceeded(): Promise<void> {
    const transaction_hash = await this.hashIn(this.#latest);
    const { execution_status } = await this.node.request('starknet_getTransactionStatus', {
      transaction_hash,
    });
    if (execution_status !== 'SUCCEEDED') throw new Error(`a transfer ${execution_status}`);
  }

  async hashIn(number: number): Promise<string> {
    const block_id = { block_number: number };
    const block = await this.node.request('starknet_getBlockWithTxHashes', { block_id });
    const [hash] = block.transactions;
    if (hash === undefined) throw new Error(`block ${number} is empty`);
    return hash;
  }
}

/** The request of a read that concerns a transfer. Its answer has the same size for all of them. */
export type Read = (chain: GrowingChain, transfer: number) => string | Promise<string>;

const blockId = (number: number) => ({ block_id: { block_number: number } });

export const readTransaction: Read = async (chain, transfer) => {
  const transaction_hash = await chain.hashIn(chain.blockOf(transfer));
  return rpcBody('starknet_getTransactionByHash', { transaction_hash });
};

export const readBlock: Read = (chain, transfer) =>
  rpcBody('starknet_getBlockWithReceipts', blockId(chain.blockOf(transfer)));

/** The balance of the transfer's receiver, in its block. */
export const readSlot: Read = (chain, transfer) =>
  rpcBody('starknet_getStorageAt', {
    contract_address: STRK,
    key: storageAddress('ERC20_balances', [receiver(transfer)]),
    ...blockId(chain.blockOf(transfer)),
  });

export const readEventsByKey: Read = (_, transfer) =>
  rpcBody('starknet_getEvents', {
    filter: { keys: [[TRANSFER_EVENT], [], [receiver(transfer)]], chunk_size: CHUNK },
  });
