// Files that commands read: images, and compiled classes in a folder of artifacts.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ARTIFACT } from '../../debug-info/artifact.js';
import { DebugInfos } from '../../debug-info/debug-infos.js';
import { PackageTexts } from '../../debug-info/source-texts.js';
import { type Source, sourceOfFile } from '../../dump/image/source.js';
import { codeOf, reasonOf } from '../../errors.js';
import { readRegularSync } from '../../files/regular-file.js';
import { parse } from '../../json/json.js';

/** Opens an image for a function, and closes it. */
export async function withImage<T>(path: string, use: (source: Source) => Promise<T>): Promise<T> {
  const source = sourceOfFile(path);
  try {
    return await use(source);
  } finally {
    source.close();
  }
}

/** Adds the path of a file to the error of reading it. */
export async function readingFrom<T>(path: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw new Error(`${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Where Scarb writes. */
export const ARTIFACTS = 'target/dev';

/** The texts of the classes in a folder and below, by the order of their names. */
export function* artifactsIn(folder: string): Generator<string> {
  for (const path of artifactPaths(folder)) yield readRegularSync(path);
}

/** The paths of the same classes. */
export function artifactPaths(folder: string): readonly string[] {
  return filesIn(folder).map((name) => join(folder, name));
}

function filesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => ARTIFACT.test(name)).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      throw new Error(`the folder ${folder} does not exist: run scarb build, or pass --artifacts`, {
        cause: error,
      });
    }
    throw new Error(
      `cannot read the artifacts: ${reasonOf(error)}. Pass their folder with --artifacts`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Debug information of classes.
 *
 * @param folder undefined for the usual one, which may be missing
 */
export async function debugInfosIn(
  folder: string | undefined,
  classHashes: ReadonlySet<string>,
): Promise<DebugInfos> {
  const infos = new DebugInfos();
  if (folder === undefined && !existsSync(ARTIFACTS)) return infos;
  const { Class } = await import('@starkbox/engine');
  for (const path of artifactPaths(folder ?? ARTIFACTS)) {
    const text = readRegularSync(path);
    const hash = await Class.hashOf(text).catch(() => '');
    if (!classHashes.has(hash)) continue;
    const texts = await PackageTexts.of(path, statSync(path).mtimeMs);
    infos.add(hash, parse(text), () => texts);
    infos.addFile(hash, path);
  }
  return infos;
}
