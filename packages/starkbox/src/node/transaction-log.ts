// Log lines about failed transactions and requests, and the trees of their calls.

import type { Chain } from '../chain/chain.js';
import { FAILS, isReverted } from '../chain/history/block-keys.js';
import type { Explainer } from '../chain/queries/explain.js';
import { diffWorlds } from '../chain/world/diff.js';
import type { World } from '../chain/world/world.js';
import type { Change } from '../chain/writer.js';
import { reasonOf } from '../errors.js';
import { type Log, silentLog } from '../log.js';
import type { OnFailed } from '../rpc/explain-errors.js';
import { SerialQueue } from '../scheduling/serial-queue.js';
import { type Output, painter, usesColour, visiblePainted, widthOf } from '../terminal.js';

/** Transactions that may wait to be explained; those beyond are counted only. */
const MAX_WAITING = 200;

/** Writes one line for each failure, and prints the calls with `--print-traces`. */
export class FailureLog {
  readonly #log: Log;
  readonly #traces: Output | undefined;
  readonly #prints = new SerialQueue();

  /** @param traces where calls are printed, if they are */
  constructor(log: Log, traces: Output | undefined) {
    this.#log = log;
    this.#traces = traces;
  }

  get printsTraces(): boolean {
    return this.#traces !== undefined;
  }

  get isSilent(): boolean {
    return this.#log === silentLog && !this.#traces;
  }

  /** For requests that fail without a transaction on the chain. */
  readonly onFailed: OnFailed = ({ method, hash, summary, text }) => {
    const subject = hash === undefined ? method : `transaction ${hash}`;
    this.failed(subject, summary, text);
    if (text !== undefined) this.print(subject, text);
  };

  failed(subject: string, summary: string, text: string | undefined): void {
    this.#log.info(`${subject} · ${summary}`);
    if (!this.#traces && text !== undefined) this.#log.debug(text);
  }

  /** Prints the calls, if they are to be printed. */
  print(subject: string, text: string): void {
    const traces = this.#traces;
    if (!traces) return;
    const isColoured = usesColour(traces);
    this.#prints
      .run(async () => {
        // Loaded already: it made the explanation.
        const { explanationOnTerminal } = await import('@starkbox/abi/internal');
        const paint = painter(isColoured);
        const options = { paint, width: widthOf(traces) };
        const output = visiblePainted(explanationOnTerminal(text, options), isColoured);
        traces.write(`${paint('bold', subject)}\n${output}\n\n`);
      })
      .catch((error) => this.#log.debug(`the calls of ${subject}: ${reasonOf(error)}`));
  }

  /** Resolves when everything is printed. */
  close(): Promise<void> {
    return this.#prints.idle();
  }
}

export function logTransactions(
  { chain, explainer }: { readonly chain: Chain; readonly explainer: Explainer },
  log: Log,
  failures: FailureLog,
): TransactionLog {
  const written = new TransactionLog({ explainer, log, failures });
  if (!failures.isSilent) written.watch(chain);
  return written;
}

interface TransactionLogOptions {
  readonly explainer: Explainer;
  readonly log: Log;
  readonly failures: FailureLog;
}

/**
 * Explains transactions after they are included, one after another. A successful one is looked at only if trees
 * are printed: the index of blocks says where transactions were reverted.
 */
class TransactionLog {
  readonly #explainer: Explainer;
  readonly #log: Log;
  readonly #failures: FailureLog;
  readonly #explanations = new SerialQueue();
  #waiting = 0;
  #skipped = 0;

  constructor({ explainer, log, failures }: TransactionLogOptions) {
    this.#explainer = explainer;
    this.#log = log;
    this.#failures = failures;
  }

  watch(chain: Chain): void {
    chain.watch((change) => this.#observe(change), 'logging transactions');
  }

  /** Resolves when all that was included so far is written. */
  async close(): Promise<void> {
    await this.#explanations.idle();
    await this.#failures.close();
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
      if (this.#failures.printsTraces || receipt.execution_status === 'REVERTED')
        this.#enqueue(record.hash);
    }
  }

  /** What is looked at of a closed block. */
  #hashesIn({ history }: World, block: number): readonly string[] {
    if (this.#failures.printsTraces) return history.hashes(block);
    if (history.newest(FAILS, block) !== block) return [];
    const receipts = history.receipts(block);
    return history.hashes(block).filter((_, at) => isReverted(receipts[at] ?? ''));
  }

  #enqueue(hash: string): void {
    if (this.#waiting >= MAX_WAITING) {
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
    const { status, summary, text } = await this.#explainer.transaction(hash);
    const subject = `transaction ${hash}`;
    if (status !== 'SUCCEEDED') this.#failures.failed(subject, summary, text);
    this.#failures.print(subject, text);
    if (this.#waiting === 0 && this.#skipped > 0) {
      this.#log.info(`${this.#skipped} more transactions came too fast to be explained`);
      this.#skipped = 0;
    }
  }
}
