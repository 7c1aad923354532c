// Debug information of many classes, by class hash.
import { BoundedMap } from '../bounded-map.js';
import { DebugInfo } from './debug-info.js';

/** Classes whose debug information is kept; the one that was added first goes first. */
const MOST_CLASSES = 1_000;

/** Shared by all chains of a node: it belongs to classes, and is no part of a chain. */
export class DebugInfos {
  readonly #infos = new BoundedMap<string, DebugInfo>(MOST_CLASSES);

  /**
   * @param artifact a class as a compiler writes it
   * @returns undefined if it carries no debug information
   * @throws TypeError if what it carries is malformed
   */
  add(classHash: string, artifact: unknown): DebugInfo | undefined {
    const info = DebugInfo.read(artifact);
    if (!info) return undefined;
    this.#infos.set(classHash, info);
    return info;
  }

  get(classHash: string): DebugInfo | undefined {
    return this.#infos.get(classHash);
  }
}
