// Felts that may be keys of maps: what a transaction mentions, and what every chain has.
import { listOf, membersOf, toFelt } from '@starkbox/abi/basics';
import { FIXTURE_NAMES, type KeyWords } from '@starkbox/abi/internal';
import { isFelt } from '../../json/reader.js';

/** Felts that are tried of one transaction. */
const MAX_FELTS = 400;
/** Integers that are tried as keys, from zero on. */
const SMALL_INTEGERS = 256;

/** Collects felts in the order in which they are likely. */
class Words {
  readonly #felts = new Set<string>();
  readonly #pairs = new Map<string, readonly [string, string]>();

  add(felts: readonly string[]): void {
    for (const [at, felt] of felts.entries()) {
      if (this.#felts.size < MAX_FELTS) this.#felts.add(felt);
      const next = felts[at + 1];
      if (next !== undefined && this.#pairs.size < MAX_FELTS) {
        this.#pairs.set(`${felt} ${next}`, [felt, next]);
      }
    }
  }

  get all(): KeyWords {
    return { felts: [...this.#felts], pairs: [...this.#pairs.values()] };
  }
}

/** A call of a trace. */
interface Call {
  readonly contract: unknown;
  readonly classHash: unknown;
  readonly parts: readonly (readonly string[])[];
  readonly caller: readonly string[];
}

export interface Mentioned {
  readonly words: KeyWords;
  /** Classes whose code ran as the contract. */
  readonly classes: ReadonlySet<string>;
}

/**
 * What a transaction mentions, that of a contract first.
 *
 * @param trace as JSON
 */
export function mentionedIn(trace: unknown, contract: string): Mentioned {
  const calls: Call[] = [];
  for (const invocation of Object.values(membersOf(trace))) collect(invocation, calls);
  const isOwn = (call: Call): boolean => call.contract === contract;
  const ordered = [...calls.filter(isOwn), ...calls.filter((call) => !isOwn(call))];
  const words = new Words();
  for (const call of ordered.filter(isOwn)) words.add(call.caller);
  for (const { parts } of ordered) for (const part of parts) words.add(part);
  for (const call of ordered) words.add([...call.caller, call.contract].filter(isFelt));
  const classes = new Set(ordered.filter(isOwn).map(({ classHash }) => classHash));
  return { words: words.all, classes: new Set([...classes].filter(isFelt)) };
}

function collect(value: unknown, calls: Call[]): void {
  const { contract_address, class_hash, caller_address, ...rest } = membersOf(value);
  if (!isFelt(contract_address)) return;
  const felts = (list: unknown): readonly string[] => listOf(list).filter(isFelt);
  const events = listOf(rest['events']).map(membersOf);
  calls.push({
    contract: contract_address,
    classHash: class_hash,
    caller: [caller_address].filter(isFelt),
    parts: [
      felts(rest['calldata']),
      ...events.map(({ keys, data }) => [...felts(keys).slice(1), ...felts(data)]),
      felts(rest['result']),
    ],
  });
  for (const inner of listOf(rest['calls'])) collect(inner, calls);
}

/** Accounts, contracts that every chain has, labelled ones, small numbers, and constants of the class. */
export function commonWords(
  addresses: Iterable<string>,
  constants: readonly string[],
  before: KeyWords,
): KeyWords {
  const integers = Array.from({ length: SMALL_INTEGERS }, (_, at) => toFelt(at));
  const felts = new Set([
    ...before.felts,
    ...addresses,
    ...FIXTURE_NAMES.keys(),
    ...integers,
    ...constants,
  ]);
  return { felts: [...felts], pairs: before.pairs };
}
