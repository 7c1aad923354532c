// Files of the editor for the files that debug information names.
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Debugger } from '@starkbox/debugger';
import type { DebugProtocol } from '@vscode/debugprotocol';

/** A file of a class. */
interface ClassFile {
  readonly classHash: string;
  readonly file: string;
}

/** Debug information has paths of the machine that compiled the class, and a bundle can name any path. */
export class SourceFiles {
  readonly #debug: Debugger;
  readonly #roots: readonly string[];
  /** By file name and class. */
  readonly #sources = new Map<string, DebugProtocol.Source>();
  /** Files without a path, by their reference less one. */
  readonly #referenced: ClassFile[] = [];

  /** @param roots folders that hold sources */
  constructor(debug: Debugger, roots: readonly string[]) {
    this.#debug = debug;
    this.#roots = roots;
  }

  /** The source of a file: a path of this machine, or a reference to a text of the node. */
  async sourceOf({ classHash, file }: ClassFile): Promise<DebugProtocol.Source> {
    const key = `${classHash} ${file}`;
    const cached = this.#sources.get(key);
    if (cached) return cached;
    const source = await this.#find({ classHash, file });
    this.#sources.set(key, source);
    return source;
  }

  async #find({ classHash, file }: ClassFile): Promise<DebugProtocol.Source> {
    const name = partsOf(file).at(-1) ?? file;
    const text = await this.#debug.sourceText(classHash, file);
    const path = localPath(file, this.#roots, text);
    if (path !== undefined) return { name, path };
    if (text === undefined) return { name, presentationHint: 'deemphasize' };
    this.#referenced.push({ classHash, file });
    // Without a path, which an editor could open.
    const origin = `debug information: ${file}`;
    return { name, sourceReference: this.#referenced.length, origin };
  }

  /** The text behind a reference. */
  async text(reference: number): Promise<string | undefined> {
    const referenced = this.#referenced[reference - 1];
    return referenced && this.#debug.sourceText(referenced.classHash, referenced.file);
  }

  async all(): Promise<readonly DebugProtocol.Source[]> {
    const sources = new Map<unknown, DebugProtocol.Source>();
    for (const file of await this.#debug.sources()) {
      const source = await this.sourceOf(file);
      const { path, sourceReference } = source;
      const key = path ?? sourceReference;
      if (key !== undefined) sources.set(key, source);
    }
    return [...sources.values()];
  }

  /** The names in the debug information of a source of the editor. */
  async filesOf({ path, sourceReference }: DebugProtocol.Source): Promise<readonly string[]> {
    const referenced = this.#referenced[(sourceReference ?? 0) - 1];
    if (referenced) return [referenced.file];
    if (path === undefined) return [];
    const files = new Set<string>();
    for (const file of await this.#debug.sources()) {
      if ((await this.sourceOf(file)).path === path) files.add(file.file);
    }
    return [...files];
  }
}

/**
 * The file of this machine: the longest end of the path below a root. Only a file with the same text is taken, because
 * an end of a path can belong to another package, and lines of an edited file are others.
 */
export function localPath(
  file: string,
  roots: readonly string[],
  text: string | undefined,
): string | undefined {
  if (text === undefined) return undefined;
  const parts = partsOf(file);
  for (let first = 0; first < parts.length; first += 1) {
    for (const root of roots) {
      // `resolve` would leave the root for a part such as C:.
      const path = join(resolve(root), ...parts.slice(first));
      if (isText(path, text)) return path;
    }
  }
  return undefined;
}

function partsOf(file: string): readonly string[] {
  return file.split(/[\\/]/).filter((part) => part !== '' && part !== '.' && part !== '..');
}

function isText(path: string, text: string): boolean {
  try {
    return statSync(path).isFile() && readFileSync(path, 'utf8') === text;
  } catch {
    return false;
  }
}
