// Reads source files of the repository.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Names of folders that git ignores. */
const IGNORED = new Set(['node_modules', 'dist', 'patched', 'target']);

/** Path from the repository's root → text, of the files below `folders` whose path matches `wanted`. */
export function readSources(folders: readonly string[], wanted: RegExp): Map<string, string> {
  const files = folders.flatMap(listFiles).filter((file) => wanted.test(file));
  return new Map(files.map((file) => [file, readFileSync(ROOT + file, 'utf8')]));
}

function listFiles(folder: string): string[] {
  return readdirSync(ROOT + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return IGNORED.has(entry.name) ? [] : listFiles(path);
  });
}
