// Entry points that transactions called, by class.
import { buildTree, type Frame } from '@starkbox/abi';
import { nameOfClass } from '@starkbox/abi/internal';
import type { RetracedFrame } from '@starkbox/engine';
import type { COVERAGE, COVERED_CLASS } from '@starkbox/spec';
import type { TransactionRecord } from '../history/header.js';
import { readReceipt, readTrace, readTransaction } from '../history/stored-texts.js';
import type { World } from '../world/world.js';
import type { ClassFactsCache } from './class-facts.js';

interface Calls {
  calls: number;
  failed: number;
}

export class EntryPointCoverage {
  #transactions = 0;
  readonly #classes = new Map<string, Map<string, Calls>>();
  /** By contract, where a revert reason does not tell the class. */
  readonly #unknown = new Map<string, Map<string, Calls>>();

  add({ transaction, trace, receipt }: TransactionRecord): void {
    this.#transactions += 1;
    const values = readTransaction(transaction);
    // A class that is declared and never called counts as well.
    if (values.type === 'DECLARE') entriesOf(this.#classes, values.class_hash);
    const visit = (frame: Frame): void => {
      const isUnreached = frame.fate === 'not reached';
      if (!isUnreached) {
        const { classHash, contract, selector, failed } = frame;
        const entries =
          classHash === undefined
            ? entriesOf(this.#unknown, contract)
            : entriesOf(this.#classes, classHash);
        count(entries, selector, failed, 1);
      }
      frame.children.forEach(visit);
    };
    buildTree(values, readTrace(trace), readReceipt(receipt)).roots.forEach(visit);
  }

  /** Adds the frames of a call outside of transactions. */
  addFrames(frames: readonly RetracedFrame[], times: number): void {
    for (const { class_hash, entry_point_selector, failed } of frames) {
      count(entriesOf(this.#classes, class_hash), entry_point_selector, failed, times);
    }
  }

  async page(
    world: World,
    cache: ClassFactsCache,
  ): Promise<Pick<COVERAGE, 'transactions' | 'classes'>> {
    for (const [contract, entries] of this.#unknown) {
      const into = entriesOf(this.#classes, await world.pendingState.classHashAt(contract));
      for (const [selector, { calls, failed }] of entries) {
        const counts = into.get(selector) ?? { calls: 0, failed: 0 };
        into.set(selector, { calls: counts.calls + calls, failed: counts.failed + failed });
      }
    }
    this.#unknown.clear();
    const facts = await cache.of(world, this.#classes.keys());
    const classes = [...this.#classes].flatMap(([hash, entries]): COVERED_CLASS[] => {
      const classFacts = facts.get(hash);
      if (!classFacts) return [];
      const since = world.pendingState.classSince(hash) ?? world.archived?.classSince(hash);
      const name = nameOfClass(hash, {
        label: world.labels.get(hash),
        artifact: undefined,
        inAbi: classFacts.name,
      })?.name;
      return [
        {
          class_hash: hash,
          ...(name === undefined ? {} : { contract_name: name }),
          ...(since === undefined ? {} : { declared_in: since }),
          entry_points: classFacts.entryPoints.map(({ type, selector }) => {
            const functionName = classFacts.functionName(selector);
            return {
              type,
              selector,
              ...(functionName === undefined ? {} : { function_name: functionName }),
              ...(entries.get(selector) ?? { calls: 0, failed: 0 }),
            };
          }),
        },
      ];
    });
    return { transactions: this.#transactions, classes };
  }
}

function count(
  entries: Map<string, Calls>,
  selector: string,
  failed: boolean,
  times: number,
): void {
  const counts = entries.get(selector) ?? { calls: 0, failed: 0 };
  entries.set(selector, counts);
  counts.calls += times;
  if (failed) counts.failed += times;
}

function entriesOf(of: Map<string, Map<string, Calls>>, key: string): Map<string, Calls> {
  const entries = of.get(key) ?? new Map<string, Calls>();
  of.set(key, entries);
  return entries;
}
