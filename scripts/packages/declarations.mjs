// Declarations that the entries of a package reach, and the packages that they name.
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';

/** Entries for packages of ours alone, which are compiled in this repository: they are published without types. */
export const INTERNAL_ENTRIES = ['./registry'];

/**
 * @param {string} folder of a package
 * @returns {{ files: Set<string>, names: Map<string, string> }} paths in the package; other packages, and a file that
 *   names each
 */
export function reachedTypes(folder) {
  const manifest = Object(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  const entries = Object.entries(Object(manifest.exports)).flatMap(([name, entry]) =>
    INTERNAL_ENTRIES.includes(name) ? [] : [Object(entry).types],
  );
  const files = new Set(
    entries.filter((path) => typeof path === 'string').map((path) => join(path)),
  );
  /** @type {Map<string, string>} */
  const names = new Map();
  // A set goes on to what is added while it is read.
  for (const file of files) {
    const code = readFileSync(join(folder, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
    for (const [, name = ''] of code.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      if (name.startsWith('.')) files.add(join(dirname(file), name.replace(/\.js$/, '.d.ts')));
      else if (!isBuiltin(name)) names.set(name, file);
    }
  }
  return { files, names };
}

/**
 * Packages that the types of a package name without depending on them: a user's compiler would not find them.
 *
 * @param {string} folder of a package as it is published
 * @returns {string[]} faults
 */
export function undeclaredTypes(folder) {
  const manifest = Object(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  return [...reachedTypes(folder).names]
    .filter(([name]) => !declared.some((each) => name === each || name.startsWith(`${each}/`)))
    .map(([name, file]) => `${file} names ${name}, which is no dependency`);
}
