// Storage variables of classes, read from their programs and sources, by class hash.

import { readAbi } from '@starkbox/abi';
import { listOf } from '@starkbox/abi/basics';
import {
  type ClassVariables,
  type FoundSlot,
  type StorageHashes,
  variablesOf,
} from '@starkbox/abi/internal';
import { hades, pedersenPair, type State, starknetKeccak } from '@starkbox/engine';
import { BoundedMap } from '../../bounded-map.js';
import type { DebugInfo } from '../../debug-info/debug-info.js';
import type { DebugInfos } from '../../debug-info/debug-infos.js';
import { isFelt, objectText } from '../../json/reader.js';

/** Hashes of the engine. */
export const HASHES: StorageHashes = { pedersen: pedersenPair, hades, keccak: starknetKeccak };

/** Classes that are kept. */
const MAX_CLASSES = 100;
/** Slots whose names are kept, of each class. */
const MAX_SLOTS = 5_000;
/** Files of the sources of one class that are read. */
const MAX_FILES = 300;

/** What is kept of a class. */
export interface NamedClass {
  readonly hash: string;
  readonly variables: ClassVariables;
  /** Names by slot: they are the same in all contracts of the class. */
  readonly names: BoundedMap<string, FoundSlot>;
  /** Slots that were searched in vain, by their `searchMark`. */
  readonly unnamed: BoundedMap<string, true>;
}

interface Kept extends NamedClass {
  readonly info: DebugInfo | undefined;
}

export class NamedClasses {
  readonly #infos: DebugInfos | undefined;
  readonly #classes = new BoundedMap<string, Kept>(MAX_CLASSES);

  /** @param infos debug information, which leads to sources */
  constructor(infos: DebugInfos | undefined) {
    this.#infos = infos;
  }

  /** @returns undefined for a class that cannot be read */
  async of(hash: string, state: State): Promise<NamedClass | undefined> {
    const info = this.#infos?.get(hash);
    const cached = this.#classes.get(hash);
    // With an artifact that was added since, there is more to read.
    if (cached && cached.info === info) return cached;
    const text = await (await state.class(hash).catch(() => undefined))?.json();
    if (text === undefined) return undefined;
    const { abi, sierra_program } = objectText(text, 'class');
    const names = info === undefined ? [] : identifiers(info);
    const facts = {
      abi: readAbi(abi),
      program: sierra_program === undefined ? undefined : listOf(sierra_program).filter(isFelt),
      sources: info === undefined ? [] : await this.#sources(hash, info),
      names,
    };
    const read = {
      hash,
      info,
      variables: variablesOf(facts, HASHES),
      names: new BoundedMap<string, FoundSlot>(MAX_SLOTS),
      unnamed: new BoundedMap<string, true>(MAX_SLOTS),
    };
    this.#classes.set(hash, read);
    return read;
  }

  async #sources(hash: string, { files }: DebugInfo) {
    const texts = this.#infos?.texts(hash);
    const read: { readonly file: string; readonly text: string }[] = [];
    for (const file of [...files].slice(0, MAX_FILES)) {
      const sourceText = await texts?.read(file);
      if (sourceText) read.push({ file, text: sourceText.text });
    }
    return read;
  }
}

/** Names in the names of functions: older compilers put those of variables there. */
function identifiers({ functions }: DebugInfo): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [, name] of functions)
    for (const [word] of name.matchAll(/\b[a-z_]\w*/gi)) names.add(word);
  return names;
}
