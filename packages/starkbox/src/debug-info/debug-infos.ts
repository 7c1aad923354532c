// Debug information of many classes, by class hash, with the texts of their sources.

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { memberOf } from '@starkbox/abi/basics';
import { BoundedMap } from '../bounded-map.js';
import { stringify } from '../json/json.js';
import { contractIn, contractOfFile } from './contract-name.js';
import { DebugInfo } from './debug-info.js';
import type { SourceTexts, TextsOfFiles } from './source-texts.js';

/** Classes whose names are kept. */
const MAX_CLASSES = 1_000;
/** Bytes of debug information and texts that are kept, and of names. */
const MAX_BYTES = 256 * 2 ** 20;
const MAX_NAME_BYTES = 2 ** 20;

interface Known {
  readonly info: DebugInfo;
  readonly texts: SourceTexts | undefined;
  /** Debug information as the compiler wrote it, packed. */
  readonly packed: Buffer;
}

/** The fastest level: debug information repeats much, and is packed even if it is never read. */
const PACKING = { level: 1 };

/**
 * Shared by all chains of a node: it belongs to classes, and is no part of a chain. What was used longest ago is dropped
 * first.
 */
export class DebugInfos {
  readonly #known: BoundedMap<string, Known>;
  /** Names of contracts by class hash. */
  readonly #names = new BoundedMap<string, string>(MAX_CLASSES, {
    sizeOf: ({ length }) => 2 * length,
    most: MAX_NAME_BYTES,
  });

  constructor(maxBytes: number = MAX_BYTES) {
    this.#known = new BoundedMap(MAX_CLASSES, {
      sizeOf: ({ info, texts, packed }) => info.size + 2 * (texts?.size ?? 0) + packed.length,
      most: maxBytes,
    });
  }

  /**
   * @param artifact a class as a compiler writes it
   * @param textsOf what has the files that it names, from what an earlier artifact of the class had
   * @returns undefined if it carries no debug information
   * @throws TypeError if what it carries is malformed
   */
  add(
    classHash: string,
    artifact: unknown,
    textsOf?: (
      files: ReadonlySet<string>,
      earlier: TextsOfFiles | undefined,
    ) => SourceTexts | undefined,
  ): DebugInfo | undefined {
    const info = DebugInfo.read(artifact);
    if (!info) return undefined;
    const text = stringify(memberOf(artifact, 'sierra_program_debug_info'));
    const packed = deflateRawSync(text, PACKING);
    const earlier = this.#known.get(classHash);
    const texts = textsOf?.(
      info.files,
      earlier && { texts: earlier.texts, files: earlier.info.files },
    );
    this.#known.set(classHash, { info, texts, packed });
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
    const packed = this.#known.use(classHash)?.packed;
    return packed && inflateRawSync(packed).toString();
  }

  get(classHash: string): DebugInfo | undefined {
    return this.#known.use(classHash)?.info;
  }

  texts(classHash: string): SourceTexts | undefined {
    return this.#known.use(classHash)?.texts;
  }
}
