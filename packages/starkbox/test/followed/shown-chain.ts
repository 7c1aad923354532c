// A chain as reads show it, compared with what was notified of it.
import type { BLOCK_HEADER, EMITTED_EVENT, Methods, TXN_STATUS_RESULT } from '../../src/spec.js';
import { agreeExactly } from '../model/agreement.js';
import type { NodeClient } from '../model/reading.js';
import { type Contents, type Replica, type Told, WAITING } from './replica.js';

export interface Shown {
  readonly headers: readonly BLOCK_HEADER[];
  readonly blocks: readonly Contents[];
  readonly waiting: Contents;
  /** All of them, also of what waits for a block. */
  readonly events: readonly EMITTED_EVENT[];
}

type Block = Methods['starknet_getBlockWithReceipts']['result'];

const CHUNK = 1000;
const UNKNOWN_TRANSACTION = 29;

export class ShownChain {
  readonly #door: NodeClient;

  constructor(door: NodeClient) {
    this.#door = door;
  }

  async read(): Promise<Shown> {
    const { block_number: latest } = await this.#door.ask('starknet_blockHashAndNumber');
    const events = await this.#events();
    const headers: BLOCK_HEADER[] = [];
    const blocks: Contents[] = [];
    for (let number = 0; number <= latest; number += 1) {
      const block = await this.#block({ block_number: number });
      if (!('block_hash' in block)) throw new Error(`block ${number} has no hash`);
      const { status: _, transactions, ...header } = block;
      headers.push(header);
      blocks.push(contentsOf(transactions, events, number));
    }
    const { transactions } = await this.#block('pre_confirmed');
    return { headers, blocks, waiting: contentsOf(transactions, events), events };
  }

  async status(transaction_hash: string): Promise<TXN_STATUS_RESULT | undefined> {
    const method = 'starknet_getTransactionStatus';
    const { result, error } = await this.#door.answer(method, { transaction_hash });
    if (error && error.code !== UNKNOWN_TRANSACTION) throw new Error(error.message);
    return error ? undefined : result;
  }

  /** Throws unless the replica is the chain. */
  async compare(replica: Replica, hashes: Iterable<string>): Promise<void> {
    const { headers, blocks, waiting } = await this.read();
    agreeExactly(replica.heads.list, headers, 'the heads that were told');
    for (const hash of hashes) {
      const [told, status] = [replica.statuses.get(hash), await this.status(hash)];
      agreeExactly(told, status, `the status that was told of ${hash}`);
    }
    const told = [...replica.blocks, replica.waiting].map((one) => settled(one, replica.statuses));
    agreeExactly(told, [...blocks, waiting], 'the blocks that were told');
  }

  /**
   * A notification says that something of what waited is gone, but not what; and of what waits again,
   * only its status is told. So the chain is read after it went back.
   */
  async look(replica: Replica, hashes: Iterable<string>): Promise<void> {
    replica.waiting = (await this.read()).waiting;
    for (const hash of hashes) {
      if (replica.statuses.get(hash)?.finality_status !== WAITING) continue;
      if ((await this.status(hash)) === undefined) replica.statuses.delete(hash);
    }
  }

  #block(block_id: Methods['starknet_getBlockWithReceipts']['params']['block_id']): Promise<Block> {
    return this.#door.ask('starknet_getBlockWithReceipts', { block_id });
  }

  async #events(): Promise<readonly EMITTED_EVENT[]> {
    const range = { from_block: { block_number: 0 }, to_block: 'pre_confirmed' };
    const filter = { ...range, chunk_size: CHUNK };
    const { events, continuation_token } = await this.#door.ask('starknet_getEvents', { filter });
    if (continuation_token) throw new Error('there are more events than are looked at');
    return events;
  }
}

function contentsOf(
  transactions: Block['transactions'],
  events: readonly EMITTED_EVENT[],
  block?: number,
): Contents {
  const each = (pick: (one: Block['transactions'][number]) => object): readonly Told[] =>
    transactions.map((one) => ({ hash: one.receipt.transaction_hash, body: pick(one) }));
  return {
    transactions: each(({ transaction }) => transaction),
    receipts: each(({ receipt }) => receipt),
    events: events.filter(({ block_number }) => block_number === block),
  };
}

/** A receipt is not told again when only its finality changes; the status is. */
function settled(contents: Contents, statuses: Replica['statuses']): Contents {
  const receipts = contents.receipts.map(({ hash, body }) => {
    return { hash, body: { ...body, finality_status: statuses.get(hash)?.finality_status } };
  });
  return { ...contents, receipts };
}
