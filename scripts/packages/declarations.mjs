// Declarations that the entries of a package reach, and the packages that they name.
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { manifestIn, unpublished } from './workspaces.mjs';

const SPECIFIER = /(?<=(?:from|import)\s*\(?\s*['"])[^'"]+(?=['"])/g;

/** Their declarations are copied into each package that names them. */
const PRIVATE = unpublished();

/**
 * @param {string} specifier of a private package
 * @returns {string | undefined} where its declarations are in a package that names it; undefined for other packages
 */
function copiedPath(specifier) {
  const workspace = PRIVATE.get(specifier);
  return workspace && join('dist', basename(workspace.folder), 'index.d.ts');
}

/**
 * @param {string} folder of a package
 * @returns {{ files: Map<string, string>, names: Map<string, string> }} paths in the package with the files that they
 *   are copies of; other packages, and a file that names each
 */
export function reachedTypes(folder) {
  const entries = Object.values(Object(manifestIn(folder)['exports'])).map(
    (entry) => Object(entry).types,
  );
  const files = new Map(
    entries
      .filter((path) => typeof path === 'string')
      .map((path) => [join(path), join(folder, path)]),
  );
  /** @type {Map<string, string>} */
  const names = new Map();
  // A map goes on to what is added while it is read.
  for (const [path, file] of files) {
    const code = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
    for (const [specifier] of code.matchAll(SPECIFIER)) {
      const copy = copiedPath(specifier);
      if (specifier.startsWith('.')) {
        const declaration = specifier.replace(/\.js$/, '.d.ts');
        files.set(join(dirname(path), declaration), join(dirname(file), declaration));
      } else if (copy !== undefined) {
        files.set(copy, join(PRIVATE.get(specifier)?.folder ?? '', 'dist', 'index.d.ts'));
      } else if (!isBuiltin(specifier)) {
        names.set(specifier, path);
      }
    }
  }
  return { files, names };
}

/**
 * A declaration as it is published: private packages are named by the paths of their copies.
 *
 * @param {string} path in the package
 * @param {string} file that has the declaration
 */
export function declarationText(path, file) {
  return readFileSync(file, 'utf8').replaceAll(SPECIFIER, (specifier) => {
    const copy = copiedPath(specifier);
    if (copy === undefined) return specifier;
    const target = relative(dirname(path), copy).replace(/\.d\.ts$/, '.js');
    return target.startsWith('.') ? target : `./${target}`;
  });
}

/**
 * Packages that the types of a package name without depending on them: a user's compiler would not find them.
 *
 * @param {string} folder of a package as it is published
 * @returns {string[]} faults
 */
export function undeclaredTypes(folder) {
  const manifest = manifestIn(folder);
  const declared = Object.keys({
    ...manifest.dependencies,
    ...Object(manifest['peerDependencies']),
  });
  return [...reachedTypes(folder).names]
    .filter(([name]) => !declared.some((each) => name === each || name.startsWith(`${each}/`)))
    .map(([name, file]) => `${file} names ${name}, which is no dependency`);
}
