// Debug information of many classes, by class hash, with the texts of their sources.

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { memberOf } from '@starkbox/abi/basics';
import { BoundedMap } from '../bounded-map.js';
import { stringify } from '../json/json.js';
import { contractIn, contractOfFile } from './contract-name.js';
import { DebugInfo } from './debug-info.js';
import type { SourceTexts } from './source-texts.js';

/** Classes whose debug information is kept; the one that was added first goes first. */
const MAX_CLASSES = 1_000;
/** Characters of source texts that are kept. */
const MAX_TEXT = 64 * 2 ** 20;
/** Bytes of packed debug information that are kept. */
const MAX_PACKED = 64 * 2 ** 20;

interface Known {
  readonly info: DebugInfo;
  readonly texts: SourceTexts | undefined;
}

/** The fastest level: debug information repeats much, and is packed even if it is never read. */
const PACKING = { level: 1 };

/** Shared by all chains of a node: it belongs to classes, and is no part of a chain. */
export class DebugInfos {
  readonly #known = new BoundedMap<string, Known>(MAX_CLASSES, {
    sizeOf: ({ texts }) => texts?.size ?? 0,
    most: MAX_TEXT,
  });
  /** Debug information as the compiler wrote it, packed. */
  readonly #written = new BoundedMap<string, Buffer>(MAX_CLASSES, {
    sizeOf: ({ length }) => length,
    most: MAX_PACKED,
  });

  /** Names of contracts by class hash. */
  readonly #names = new BoundedMap<string, string>(MAX_CLASSES);

  /**
   * @param artifact a class as a compiler writes it
   * @param textsOf what has the files that it names; that of an earlier artifact of the class is not asked any more
   * @returns undefined if it carries no debug information
   * @throws TypeError if what it carries is malformed
   */
  add(
    classHash: string,
    artifact: unknown,
    textsOf?: (files: ReadonlySet<string>) => SourceTexts | undefined,
  ): DebugInfo | undefined {
    const info = DebugInfo.read(artifact);
    if (!info) return undefined;
    const text = stringify(memberOf(artifact, 'sierra_program_debug_info'));
    this.#written.set(classHash, deflateRawSync(text, PACKING));
    this.#known.set(classHash, { info, texts: textsOf?.(info.files) });
    const name = contractIn(info);
    if (name !== undefined) this.#names.set(classHash, name);
    return info;
  }

  /** Takes the name of a contract from the name of its artifact, unless debug information has it. */
  addFile(classHash: string, file: string): void {
    const name = this.#names.get(classHash) ?? contractOfFile(file);
    if (name !== undefined) this.#names.set(classHash, name);
  }

  /** The name of the contract that an artifact of the class has. */
  contractName(classHash: string): string | undefined {
    return this.#names.get(classHash);
  }

  /** The debug information of a class as the compiler wrote it, as JSON text. */
  textOf(classHash: string): string | undefined {
    const packed = this.#written.get(classHash);
    return packed && inflateRawSync(packed).toString();
  }

  get(classHash: string): DebugInfo | undefined {
    return this.#known.get(classHash)?.info;
  }

  texts(classHash: string): SourceTexts | undefined {
    return this.#known.get(classHash)?.texts;
  }
}
