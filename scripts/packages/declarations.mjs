// Declarations that the entries of a package reach, and the packages that they name.
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { manifestIn, typedEntries, unpublished } from './workspaces.mjs';

const SPECIFIER = /(?<=(?:from|import)\s*\(?\s*['"])[^'"]+(?=['"])/g;
const PRIVATE = unpublished();

/**
 * @param {string} specifier
 * @returns {string | undefined} where a package that names this private one has the declarations that it uses;
 *   undefined for what is no private package
 */
function copyOf(specifier) {
  const workspace = PRIVATE.get(specifier);
  return workspace && join('dist', `${basename(workspace.folder)}.d.ts`);
}

/**
 * @param {string} folder of a package
 * @returns {{ files: Map<string, string>, names: Map<string, string> }} texts by their paths in the package, in which
 *   private packages are named by the paths of their copies; other packages, and a file that names each
 */
export function reachedTypes(folder) {
  const paths = new Set(typedEntries(manifestIn(folder)).map(([, types]) => join(types)));
  /** @type {Map<string, string>} */
  const files = new Map();
  /** @type {Map<string, string>} */
  const names = new Map();
  /** @type {Map<string, Set<string>>} */
  const copied = new Map();
  // A set goes on to what is added while it is read.
  for (const path of paths) {
    const text = readFileSync(join(folder, path), 'utf8');
    const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '');
    for (const [specifier] of code.matchAll(SPECIFIER)) {
      if (specifier.startsWith('.')) {
        paths.add(join(dirname(path), specifier.replace(/\.js$/, '.d.ts')));
      } else if (PRIVATE.has(specifier)) {
        const types = copied.get(specifier) ?? new Set();
        copied.set(specifier, new Set([...types, ...importedNames(code, specifier)]));
      } else if (!isBuiltin(specifier)) {
        names.set(specifier, path);
      }
    }
    const published = text.replaceAll(SPECIFIER, (specifier) => {
      const copy = copyOf(specifier);
      if (copy === undefined) return specifier;
      const target = relative(dirname(path), copy).replace(/\.d\.ts$/, '.js');
      return target.startsWith('.') ? target : `./${target}`;
    });
    files.set(path, published);
  }
  for (const [name, types] of copied) files.set(copyOf(name) ?? '', declarationsOf(name, types));
  return { files, names };
}

/**
 * @param {string} code of a declaration file
 * @param {string} specifier of a package that it imports
 * @returns {string[]} the names that it imports of the package, or exports again
 */
function importedNames(code, specifier) {
  const lists = [...code.matchAll(/\{([^{}]*)\}\s*from\s*['"]([^'"]+)['"]/g)].filter(
    ([, , source]) => source === specifier,
  );
  return lists
    .flatMap(([, list = '']) => list.split(','))
    .map((name) =>
      name
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*$/, ''),
    )
    .filter((name) => name !== '');
}

/**
 * The declarations of a private package that some names need.
 *
 * @param {string} name of the package
 * @param {ReadonlySet<string>} types
 */
function declarationsOf(name, types) {
  const index = join(PRIVATE.get(name)?.folder ?? '', 'dist', 'index.d.ts');
  const parts = [...readFileSync(index, 'utf8').matchAll(SPECIFIER)].map(([part]) =>
    readFileSync(join(dirname(index), part.replace(/\.js$/, '.d.ts')), 'utf8'),
  );
  const declarations = parts
    .flatMap((text) => text.split(/^(?=\/\*\*)|(?<!\*\/\n)^(?=export )/m))
    .map((text) => ({
      text,
      name: /^export .*?(?:type|interface|const|function) (\w+)/m.exec(text)?.[1],
    }));
  const needed = new Set(types);
  for (const type of needed) {
    const declaration = declarations.find((candidate) => candidate.name === type);
    if (declaration === undefined) throw new Error(`${name} declares no ${type}`);
    const words = new Set(declaration.text.match(/\w+/g));
    for (const { name } of declarations) if (name && words.has(name)) needed.add(name);
  }
  const texts = declarations.filter(({ name }) => name && needed.has(name));
  return texts.map(({ text }) => text.replace(/^\/\/#.*\n?/m, '')).join('');
}

/**
 * Packages that the types of a package name without depending on them: a user's compiler would not find them.
 *
 * @param {string} folder of a package as it is published
 * @returns {string[]} faults
 */
export function undeclaredTypes(folder) {
  const manifest = manifestIn(folder);
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  return [...reachedTypes(folder).names]
    .filter(
      ([name]) =>
        !declared.some((dependency) => name === dependency || name.startsWith(`${dependency}/`)),
    )
    .map(([name, file]) => `${file} names ${name}, which is no dependency`);
}
