// Log lines about reverted transactions, and trees of all transactions.

import type { PaintText, Style } from '@starkbox/abi';
import type { Chain } from '../chain/chain.js';
import { FAILS, isReverted } from '../chain/history/block-keys.js';
import { type Explainer, failureLine } from '../chain/queries/explain.js';
import { diffWorlds } from '../chain/world/diff.js';
import type { World } from '../chain/world/world.js';
import type { Change } from '../chain/writer.js';
import { reasonOf } from '../errors.js';
import { type Log, silentLog } from '../log.js';
import { SerialQueue } from '../scheduling/serial-queue.js';
import { type Colour, type Output, painter, usesColour, visiblePainted } from '../terminal.js';

/** Transactions that may wait to be explained; those beyond are counted only. */
const MOST_WAITING = 200;

const COLOURS: Readonly<Record<Style, Colour>> = {
  failed: 'red',
  succeeded: 'green',
  call: 'cyan',
  event: 'yellow',
  faint: 'dim',
};

/** @param traces where the trees of all transactions are printed, if they are */
export function logTransactions(
  { chain, explainer }: { readonly chain: Chain; readonly explainer: Explainer },
  log: Log,
  traces: Output | undefined,
): TransactionLog {
  const written = new TransactionLog({ explainer, log, traces });
  if (log !== silentLog || traces) written.watch(chain);
  return written;
}

interface TransactionLogOptions {
  readonly explainer: Explainer;
  readonly log: Log;
  /** Where the trees of all transactions are printed, if they are. */
  readonly traces?: Output | undefined;
}

/**
 * Explains transactions after they are included, one after another. A successful one is looked at only if trees
 * are printed: the index of blocks says where transactions were reverted.
 */
class TransactionLog {
  readonly #explainer: Explainer;
  readonly #log: Log;
  readonly #traces: Output | undefined;
  readonly #paint: PaintText | undefined;
  readonly #explanations = new SerialQueue();
  #waiting = 0;
  #skipped = 0;

  constructor({ explainer, log, traces }: TransactionLogOptions) {
    this.#explainer = explainer;
    this.#log = log;
    this.#traces = traces;
    const paint = painter(traces !== undefined && usesColour(traces));
    this.#paint = (style, text) => paint(COLOURS[style], text);
  }

  watch(chain: Chain): void {
    chain.watch((change) => this.#observe(change), 'logging transactions');
  }

  /** Resolves when all that was included so far is written. */
  close(): Promise<void> {
    return this.#explanations.idle();
  }

  #observe({ kind, before, after }: Change): void {
    if (kind !== 'step') return;
    const { added, pendingFrom } = diffWorlds(before, after);
    for (let block = added.from; block <= added.to; block += 1) {
      for (const hash of this.#hashesIn(after, block)) {
        // What waited in the block before is written already.
        if (!before.pending.positions.has(hash)) this.#enqueue(hash);
      }
    }
    for (const { record, receipt } of after.pending.transactions.slice(pendingFrom)) {
      if (this.#traces || receipt.execution_status === 'REVERTED') this.#enqueue(record.hash);
    }
  }

  /** What is looked at of a closed block. */
  #hashesIn({ history }: World, block: number): readonly string[] {
    if (this.#traces) return history.hashes(block);
    if (history.newest(FAILS, block) !== block) return [];
    const receipts = history.receipts(block);
    return history.hashes(block).filter((_, at) => isReverted(receipts[at] ?? ''));
  }

  #enqueue(hash: string): void {
    if (this.#waiting >= MOST_WAITING) {
      this.#skipped += 1;
      return;
    }
    this.#waiting += 1;
    this.#explanations
      .run(() => this.#write(hash))
      .catch((error) => this.#log.debug(`${hash} cannot be explained: ${reasonOf(error)}`));
  }

  async #write(hash: string): Promise<void> {
    this.#waiting -= 1;
    const paint = this.#traces ? this.#paint : undefined;
    const explained = await this.#explainer.transaction(hash, { paint });
    const { status, text } = explained;
    if (status !== 'SUCCEEDED') this.#log.info(failureLine(hash, explained));
    if (this.#traces) {
      const output = visiblePainted(text, usesColour(this.#traces));
      this.#traces.write(`transaction ${hash}\n${output}\n\n`);
    }
    if (!this.#traces && status !== 'SUCCEEDED') this.#log.debug(text);
    if (this.#waiting === 0 && this.#skipped > 0) {
      this.#log.info(`${this.#skipped} further transactions came too fast to be explained`);
      this.#skipped = 0;
    }
  }
}
