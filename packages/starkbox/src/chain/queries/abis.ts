// ABIs of classes that were read last, by class hash, and facts from them.

import type { Abi } from '@starkbox/abi';
import { isObject } from '@starkbox/abi/basics';
import type { State } from '@starkbox/engine';
import { BoundedMap } from '../../bounded-map.js';

/** ABIs that are kept. */
const MAX_ABIS = 200;
/** Classes whose facts are kept. */
const MAX_FACTS = 10_000;
/** ABIs that are kept as texts, and their characters together. */
const MAX_TEXTS = 1_000;
const MAX_TEXT_CHARACTERS = 16 * 2 ** 20;

/** What names and searches need of a class. */
export interface AbiFacts {
  /** The name of the contract, or of an interface. */
  readonly name: string | undefined;
  /** Whether it has a function `decimals`. */
  readonly isToken: boolean;
  /** Names by selector. */
  readonly functions: ReadonlyMap<string, string>;
  /** Names by the first key of the event. */
  readonly events: ReadonlyMap<string, string>;
}

/** Shared by all chains of a node: a class never changes. */
export class Abis {
  readonly #abis = new BoundedMap<string, Abi>(MAX_ABIS);
  readonly #facts = new BoundedMap<string, AbiFacts>(MAX_FACTS);
  readonly #texts = new BoundedMap<string, string>(MAX_TEXTS, {
    sizeOf: ({ length }) => length,
    most: MAX_TEXT_CHARACTERS,
  });

  /** @returns undefined for a class that is not found or has no functions */
  async of(hash: string, state: State): Promise<Abi | undefined> {
    const abi = this.#abis.get(hash) ?? (await this.#read(hash, state));
    // The one that was used last is the last one to go.
    if (abi) this.#abis.set(hash, abi);
    return abi;
  }

  /** @returns undefined for a class that is not found */
  async factsOf(hash: string, state: State): Promise<AbiFacts | undefined> {
    const facts = this.#facts.get(hash) ?? (await this.#readFacts(hash, state));
    if (facts) this.#facts.set(hash, facts);
    return facts;
  }

  /** The ABI as a JSON list of objects; undefined for a class that is not found. */
  async textOf(hash: string, state: State): Promise<string | undefined> {
    const text = this.#texts.get(hash) ?? textOf(await entriesOf(hash, state));
    if (text !== undefined) this.#texts.set(hash, text);
    return text;
  }

  async #read(hash: string, state: State): Promise<Abi | undefined> {
    const { readAbi } = await import('@starkbox/abi');
    const abi = readAbi(await entriesOf(hash, state));
    return abi.functions.size > 0 ? abi : undefined;
  }

  async #readFacts(hash: string, state: State): Promise<AbiFacts | undefined> {
    const entries = await entriesOf(hash, state);
    if (!entries) return undefined;
    const { nameInAbi } = await import('@starkbox/abi/internal');
    const { readAbi, selectorOf } = await import('@starkbox/abi');
    const abi = readAbi(entries);
    const functions = new Map(
      Array.from(abi.functions, ([selector, { name }]): [string, string] => [selector, name]),
    );
    const events = new Map<string, string>();
    for (const { name, kind } of abi.events.values()) {
      const shortName = name.slice(name.lastIndexOf(':') + 1);
      if (kind === 'struct') events.set(selectorOf(shortName), shortName);
    }
    return {
      name: nameInAbi(abi),
      isToken: functions.has(selectorOf('decimals')),
      functions,
      events,
    };
  }
}

/** Undefined for a class that is not found; a fork's origin may not answer. */
async function entriesOf(hash: string, state: State): Promise<readonly unknown[] | undefined> {
  return (await state.class(hash).catch(() => undefined))?.abi();
}

function textOf(entries: readonly unknown[] | undefined): string | undefined {
  return entries && JSON.stringify(entries.filter((entry) => isObject(entry)));
}
