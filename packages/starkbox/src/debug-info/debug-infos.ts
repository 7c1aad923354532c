// Debug information of many classes, by class hash, with the texts of their sources.
import { BoundedMap } from '../bounded-map.js';
import { DebugInfo } from './debug-info.js';
import type { SourceTexts } from './source-texts.js';

/** Classes whose debug information is kept; the one that was added first goes first. */
const MOST_CLASSES = 1_000;
/** Characters of source texts that are kept. */
const MOST_TEXT = 64 * 2 ** 20;

interface Known {
  readonly info: DebugInfo;
  readonly texts: SourceTexts | undefined;
}

/** Shared by all chains of a node: it belongs to classes, and is no part of a chain. */
export class DebugInfos {
  readonly #known = new BoundedMap<string, Known>(MOST_CLASSES, {
    sizeOf: ({ texts }) => texts?.size ?? 0,
    most: MOST_TEXT,
  });

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
    if (info) this.#known.set(classHash, { info, texts: textsOf?.(info.files) });
    return info;
  }

  get(classHash: string): DebugInfo | undefined {
    return this.#known.get(classHash)?.info;
  }

  texts(classHash: string): SourceTexts | undefined {
    return this.#known.get(classHash)?.texts;
  }
}
