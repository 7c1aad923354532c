// Files of the editor for the files that debug information names.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import type { Debugger } from '@starkbox/debugger';
import type { DebugProtocol } from '@vscode/debugprotocol';

/** A file of a class. */
interface ClassFile {
  readonly classHash: string;
  readonly file: string;
}

/** Debug information has paths of the machine that compiled the class. */
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
    const name = basename(file);
    const text = await this.#debug.sourceText(classHash, file);
    const path = localPath(file, this.#roots, text);
    if (path !== undefined) return { name, path };
    if (text === undefined) return { name, presentationHint: 'deemphasize' };
    this.#referenced.push({ classHash, file });
    return {
      name,
      path: file,
      sourceReference: this.#referenced.length,
      origin: 'debug information',
    };
  }

  /** The text behind a reference. */
  async text(reference: number): Promise<string | undefined> {
    const referenced = this.#referenced[reference - 1];
    return referenced && this.#debug.sourceText(referenced.classHash, referenced.file);
  }

  async all(): Promise<readonly DebugProtocol.Source[]> {
    const byPath = new Map<string, DebugProtocol.Source>();
    for (const file of await this.#debug.sources()) {
      const source = await this.sourceOf(file);
      if (source.path !== undefined) byPath.set(source.path, source);
    }
    return [...byPath.values()];
  }

  /** The names in the debug information of a source of the editor. */
  async filesOf({ path, sourceReference }: DebugProtocol.Source): Promise<readonly string[]> {
    const referenced = this.#referenced[(sourceReference ?? 0) - 1];
    if (referenced) return [referenced.file];
    const files = new Set<string>();
    for (const file of await this.#debug.sources()) {
      if ((await this.sourceOf(file)).path === path) files.add(file.file);
    }
    return [...files];
  }
}

/**
 * The file of this machine: the same path, or the longest end of it below a root. An end of a path can belong to another
 * package, so its text must be equal where the node has one.
 */
export function localPath(
  file: string,
  roots: readonly string[],
  text: string | undefined,
): string | undefined {
  if (isAbsolute(file) && isFile(file)) return file;
  const parts = file.split(/[\\/]/).filter((part) => part !== '' && part !== '.' && part !== '..');
  for (let first = 0; first < parts.length; first += 1) {
    const end = join(...parts.slice(first));
    for (const root of roots) {
      const path = resolve(root, end);
      if (!isFile(path)) continue;
      const isWhole = first === 0 && !isAbsolute(file);
      const fits = text === undefined ? isWhole || parts.length - first > 1 : isText(path, text);
      if (fits) return path;
    }
  }
  return undefined;
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function isText(path: string, text: string): boolean {
  return readFileSync(path, 'utf8') === text;
}
