import { isObject } from '@starkbox/abi/basics';
// Which value of this run stands for which recorded one: block hashes, subscription ids, paths and times.

export interface RunValues {
  /** Unix time at which the conversation was recorded. */
  readonly recordedAt: number;
  /** Unix time at which this run began. */
  readonly startedAt: number;
  readonly port: number;
  /** The folder that `{tmp}` stands for. */
  readonly folder: string;
}

const NO_RUN: RunValues = { recordedAt: 0, startedAt: 0, port: 0, folder: '' };

export class Correspondence {
  readonly run: RunValues;
  readonly subscriptions: Map<string, string> = new Map();
  readonly #actualOf = new Map<string, { readonly actual: string; readonly epoch: number }>();
  readonly #recordedOf = new Map<string, string>();
  #epoch = 0;

  constructor(run: RunValues = NO_RUN) {
    this.run = run;
  }

  /** From here on a recorded block hash may stand for another one, as after a restart. */
  beginEpoch(): void {
    this.#epoch += 1;
  }

  /** Pairs two block hashes; the reason if one of them is paired otherwise. */
  pairHashes(recordedText: string, actualText: string): string | undefined {
    const [recorded, actual] = [canonical(recordedText), canonical(actualText)];
    if (recorded === '0x0' || actual === '0x0') {
      return recorded === actual ? undefined : 'zero against non-zero block hash';
    }
    const pair = this.#actualOf.get(recorded);
    if (pair && pair.actual !== actual) {
      if (pair.epoch === this.#epoch) return `recorded hash already stands for ${pair.actual}`;
      this.#recordedOf.delete(pair.actual);
    }
    const other = this.#recordedOf.get(actual);
    if (other !== undefined && other !== recorded) {
      if (this.#actualOf.get(other)?.epoch === this.#epoch) {
        return `actual hash already stands for recorded ${other}`;
      }
      this.#actualOf.delete(other);
    }
    this.#actualOf.set(recorded, { actual, epoch: this.#epoch });
    this.#recordedOf.set(actual, recorded);
    return undefined;
  }

  /** A recorded request with the values of this run in it. */
  translate(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return this.#translateText(value, key);
    if (Array.isArray(value)) return value.map((item) => this.translate(item, key));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, this.translate(member, name)]),
    );
  }

  /** The recorded text as it reads in this run. */
  expand(text: string): string {
    return this.run.folder === '' ? text : text.replaceAll('{tmp}', this.run.folder);
  }

  #translateText(text: string, key: string): string {
    const subscription = this.subscriptions.get(text);
    if (subscription !== undefined) return subscription;
    if (key === 'block_hash' && isFelt(text)) {
      return this.#actualOf.get(canonical(text))?.actual ?? text;
    }
    return this.expand(text);
  }
}

export function isFelt(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value);
}

/** A felt without leading zeros; any other value as text. */
export function canonical(value: unknown): string {
  return isFelt(value) ? `0x${BigInt(value).toString(16)}` : String(value);
}
