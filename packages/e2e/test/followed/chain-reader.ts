// Reads of a whole chain, and their comparison with a replica.
import type { BLOCK_HEADER, EMITTED_EVENT, Methods, TXN_STATUS_RESULT } from '@starkbox/spec';
import { agreeExactly } from '@starkbox/test-support/model/agreement';
import type { NodeClient } from '@starkbox/test-support/model/reading';
import { type Contents, type Notified, type Replica, WAITING } from './replica.js';

export interface ChainContents {
  readonly headers: readonly BLOCK_HEADER[];
  readonly blocks: readonly Contents[];
  readonly waiting: Contents;
  /** All of them, with those of the pending block. */
  readonly events: readonly EMITTED_EVENT[];
}

type Block = Methods['starknet_getBlockWithReceipts']['result'];

const CHUNK = 1000;
const UNKNOWN_TRANSACTION = 29;

export class ChainReader {
  readonly #client: NodeClient;

  constructor(client: NodeClient) {
    this.#client = client;
  }

  async read(): Promise<ChainContents> {
    const { block_number: latest } = await this.#client.ask('starknet_blockHashAndNumber');
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
    const { result, error } = await this.#client.answer(method, { transaction_hash });
    if (error && error.code !== UNKNOWN_TRANSACTION) throw new Error(error.message);
    return error ? undefined : result;
  }

  /** Throws unless the replica equals the chain. */
  async compare(replica: Replica, hashes: Iterable<string>): Promise<void> {
    const { headers, blocks, waiting } = await this.read();
    agreeExactly(replica.heads.list, headers, 'the heads that were notified');
    for (const hash of hashes) {
      const [notified, status] = [replica.statuses.get(hash), await this.status(hash)];
      agreeExactly(notified, status, `the status that was notified of ${hash}`);
    }
    const notified = [...replica.blocks, replica.waiting].map((contents) =>
      settled(contents, replica.statuses),
    );
    agreeExactly(notified, [...blocks, waiting], 'the blocks that were notified');
  }

  /**
   * A notification says that the pending block has changed, but not which transactions are gone. So the pending block
   * is read.
   */
  async refresh(replica: Replica, hashes: Iterable<string>): Promise<void> {
    replica.waiting = (await this.read()).waiting;
    for (const hash of hashes) {
      if (replica.statuses.get(hash)?.finality_status !== WAITING) continue;
      if ((await this.status(hash)) === undefined) replica.statuses.delete(hash);
    }
  }

  #block(block_id: Methods['starknet_getBlockWithReceipts']['params']['block_id']): Promise<Block> {
    return this.#client.ask('starknet_getBlockWithReceipts', { block_id });
  }

  async #events(): Promise<readonly EMITTED_EVENT[]> {
    const range = { from_block: { block_number: 0 }, to_block: 'pre_confirmed' };
    const filter = { ...range, chunk_size: CHUNK };
    const { events, continuation_token } = await this.#client.ask('starknet_getEvents', { filter });
    if (continuation_token) throw new Error('there are more events than one page holds');
    return events;
  }
}

function contentsOf(
  transactions: Block['transactions'],
  events: readonly EMITTED_EVENT[],
  block?: number,
): Contents {
  const each = (pick: (included: Block['transactions'][number]) => object): readonly Notified[] =>
    transactions.map((included) => ({
      hash: included.receipt.transaction_hash,
      body: pick(included),
    }));
  return {
    transactions: each(({ transaction }) => transaction),
    receipts: each(({ receipt }) => receipt),
    events: events.filter(({ block_number }) => block_number === block),
  };
}

/** A change of finality alone sends a new status, but no new receipt. */
function settled(contents: Contents, statuses: Replica['statuses']): Contents {
  const receipts = contents.receipts.map(({ hash, body }) => {
    return { hash, body: { ...body, finality_status: statuses.get(hash)?.finality_status } };
  });
  return { ...contents, receipts };
}
