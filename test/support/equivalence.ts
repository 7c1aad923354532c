// Equivalence of answers: times, and what depends on them, may differ.
import { isObject, toFelt } from '@starkbox/abi/basics';
import { canonicalName, methodFacts } from '@starkbox/spec';

/** Hashes and commitments of a block depend on its time. */
const OF_A_BLOCK =
  /^(block_hash(es)?|parent_hash|l1_transaction_hash|aborted|accepted|\w+_commitment)$/;
/** Options that belong to a machine. */
const OF_THE_PLACE: ReadonlySet<string> = new Set([
  'server_config',
  'dump_on',
  'dump_path',
  'private_key',
]);
/** Numbers in the range of times that are not times. */
const OF_AN_AMOUNT = /gas|amount|price|fee|balance|resources|steps/;
const [EARLIEST, LATEST] = [10 ** 9, 5 * 10 ** 9];

/** Maps names of a recording to those of the replay. */
export class Equivalence {
  readonly #names = new Map<string, string>();
  readonly #slack: number;
  #isRenaming = false;

  /** @param slack seconds by which times may differ */
  constructor(slack: number) {
    this.#slack = slack;
  }

  /** Adds two names of the same thing; false if the old one is mapped to another. */
  addNames(old: string, now: string): boolean {
    const counterpart = this.#names.get(old);
    if (counterpart === undefined) this.#names.set(old, now);
    return counterpart === undefined || counterpart === now;
  }

  /** A text of the recording with the names of the replay. */
  translate(text: string): string {
    return text.replaceAll(/"([^"\\]{4,80})"/g, (whole, word: string) => {
      const name = this.#names.get(word);
      return name === undefined ? whole : `"${name}"`;
    });
  }

  /**
   * The path of the first difference; undefined if the answers are equivalent. A block that a change makes again
   * within a second has the hash of the one before, and in a slower replay another one: the newest counterpart counts.
   *
   * @param methods that were called
   */
  difference(methods: readonly string[], old: unknown, now: unknown): string | undefined {
    this.#isRenaming = methods.some((name) => methodFacts(canonicalName(name))?.writes);
    return this.#differenceAt(old, now);
  }

  #differenceAt(old: unknown, now: unknown, path = '', key = ''): string | undefined {
    if (Object.is(old, now) || OF_THE_PLACE.has(key)) return undefined;
    if (Array.isArray(old) && Array.isArray(now)) {
      if (old.length !== now.length) return path;
      return first(old.keys(), (at) => this.#differenceAt(old[at], now[at], `${path}/${at}`, key));
    }
    if (isObject(old) && isObject(now)) {
      const names = new Set([...Object.keys(old), ...Object.keys(now)]);
      return first(names, (name) =>
        name in old && name in now
          ? this.#differenceAt(old[name], now[name], `${path}/${name}`, name)
          : `${path}/${name}`,
      );
    }
    return this.#isSame(old, now, key) ? undefined : path;
  }

  #isSame(old: unknown, now: unknown, key: string): boolean {
    if (typeof old === 'string' && typeof now === 'string') {
      if (this.#names.get(old) === now) return true;
      if (OF_A_BLOCK.test(key)) {
        if (this.#isRenaming) this.#names.set(old, now);
        return this.addNames(old, now);
      }
    }
    if (OF_AN_AMOUNT.test(key)) return false;
    const [then, later] = [timeOf(old), timeOf(now)];
    if (then === undefined || later === undefined) return false;
    return Math.abs(later - then) <= this.#slack;
  }
}

/** A number that can be a time of a block, also as contracts see it. */
function timeOf(value: unknown): number | undefined {
  const isHex = typeof value === 'string' && /^0x[0-9a-f]{1,9}$/.test(value);
  const number = isHex ? Number(value) : value;
  if (typeof number !== 'number' || number < EARLIEST || number > LATEST) return undefined;
  return !isHex || toFelt(BigInt(number)) === value ? number : undefined;
}

/** Looks at all items, since those after a difference have names to add too. */
function first<T>(items: Iterable<T>, look: (item: T) => string | undefined): string | undefined {
  let difference: string | undefined;
  for (const item of items) {
    const different = look(item);
    difference ??= different;
  }
  return difference;
}
