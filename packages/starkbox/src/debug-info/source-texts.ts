// Texts of source files: given with an artifact, or read below the package that an artifact was built in.
import { constants } from 'node:fs';
import { access, open, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';

export interface SourceText {
  readonly text: string;
  /** Whether the file changed after the class was compiled. */
  readonly isNewer: boolean;
}

/** What has the texts of the files that the debug information of one class names. */
export interface SourceTexts {
  /** Characters that it keeps in memory. */
  readonly size: number;
  /** The text of a file by its name in the debug information; undefined if there is none. */
  read(file: string): Promise<SourceText | undefined>;
}

/** Longer than any source file that a person writes; in bytes of a file, in characters of a given text. */
export const MAX_TEXT_LENGTH: number = 2 ** 20;

/** The texts of an artifact, and the files that its debug information names. */
export interface TextsOfFiles {
  readonly texts: SourceTexts | undefined;
  readonly files: ReadonlySet<string>;
}

/** Texts that were given along with an artifact, or that an earlier artifact of the same class had. */
export class GivenTexts implements SourceTexts {
  readonly size: number;
  readonly #texts: ReadonlyMap<string, string>;
  /** An uploaded artifact must not choose the files of a package that are read. */
  readonly #package: TextsOfFiles | undefined;

  /**
   * @param files those that can be asked for; texts of others are not kept
   * @param earlier has the texts that are not given again
   */
  constructor(
    sources: Readonly<Record<string, string>>,
    files: ReadonlySet<string>,
    earlier?: TextsOfFiles,
  ) {
    const uploaded = earlier?.texts instanceof GivenTexts ? earlier.texts : undefined;
    const all = [...(uploaded ? uploaded.#texts : []), ...Object.entries(sources)];
    const texts = new Map(all.filter(([file]) => files.has(file)));
    this.#texts = texts;
    this.#package = uploaded ? uploaded.#package : earlier;
    this.size = [...texts.values()].reduce((sum, { length }) => sum + length, 0);
  }

  async read(file: string): Promise<SourceText | undefined> {
    const text = this.#texts.get(file);
    if (text !== undefined) return { text, isNewer: false };
    return this.#package?.files.has(file) ? this.#package.texts?.read(file) : undefined;
  }
}

/** A FIFO must not block a thread, and the last part of a resolved path is no link. */
const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Source files of a Scarb package, as they are now. Whatever path is asked for, only regular `.cairo` files whose real
 * path lies below the package's folder are opened. A path that is not written as one below it is not even looked up,
 * because on Windows that contacts the host of a network path.
 */
export class PackageTexts implements SourceTexts {
  readonly size = 0;
  readonly #root: string;
  /** Paths of the folder by which debug information can name it. */
  readonly #folders: readonly string[];
  readonly #time: number;

  /**
   * @param root the real path of the package's folder
   * @param time when the class was compiled, in milliseconds since 1970
   * @param folder another path of it
   */
  constructor(root: string, time: number, folder: string = root) {
    this.#root = root;
    this.#folders = [root, folder];
    this.#time = time;
  }

  /** The texts of the package that an artifact lies in: the nearest folder above with a `Scarb.toml`. */
  static async of(artifact: string, time: number): Promise<PackageTexts | undefined> {
    const root = await packageOf(dirname(resolve(artifact)));
    return root === undefined ? undefined : new PackageTexts(await realpath(root), time, root);
  }

  async read(file: string): Promise<SourceText | undefined> {
    if (!file.endsWith('.cairo') || file.includes('\0')) return undefined;
    // Scarb writes absolute paths; others begin at the package's folder, or above with its name.
    const paths = isAbsolute(file)
      ? [file]
      : [join(this.#root, file), join(dirname(this.#root), file)];
    for (const path of paths) {
      if (!this.#folders.some((folder) => isBelow(folder, path))) continue;
      const realPath = await realpath(path).catch(() => undefined);
      if (realPath?.endsWith('.cairo') && isBelow(this.#root, realPath))
        return this.#open(realPath);
    }
    return undefined;
  }

  /** What cannot be read is not shown. */
  async #open(path: string): Promise<SourceText | undefined> {
    const file = await open(path, READING).catch(() => undefined);
    if (!file) return undefined;
    try {
      const status = await file.stat();
      if (!status.isFile() || status.size > MAX_TEXT_LENGTH) return undefined;
      // It may grow meanwhile.
      const { buffer, bytesRead } = await file.read(Buffer.alloc(status.size), { position: 0 });
      const text = buffer.toString('utf8', 0, bytesRead);
      return { text, isNewer: status.mtimeMs > this.#time };
    } catch {
      return undefined;
    } finally {
      await file.close();
    }
  }
}

function isBelow(folder: string, path: string): boolean {
  return resolve(path).startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** The nearest folder with a `Scarb.toml`: the folder itself, or one above. */
export async function packageOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const isPackage = await access(join(at, 'Scarb.toml')).then(
      () => true,
      () => false,
    );
    if (isPackage) return at;
    if (at === dirname(at)) return undefined;
  }
}
