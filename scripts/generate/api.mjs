// Generator of API reports: every exported declaration of a public package, and those that it refers to.
// It writes packages/*/api.txt.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { published, typedEntries } from '../packages/workspaces.mjs';

/**
 * @typedef {{ text: string, names: ReadonlySet<string> }} Declaration
 * @typedef {{
 *   declared: Map<string, Declaration>,
 *   imported: Map<string, { from: string, name: string }>,
 *   exported: Map<string, { from?: string, name: string }>,
 *   stars: string[],
 * }} Module
 */

/** @type {Map<string, Module>} */
const modules = new Map();

/** @param {string} file */
function moduleOf(file) {
  const cached = modules.get(file);
  if (cached) return cached;
  const source = readFileSync(file, 'utf8');
  const { program } = parseSync(file, source, { lang: 'dts', sourceType: 'module' });
  /** @type {Module} */
  const module = { declared: new Map(), imported: new Map(), exported: new Map(), stars: [] };
  modules.set(file, module);
  for (const node of program.body) readStatement(module, node, source, file);
  return module;
}

/**
 * @param {Module} module
 * @param {import('oxc-parser').Program['body'][number]} node
 * @param {string} source
 * @param {string} file
 */
function readStatement(module, node, source, file) {
  if (node.type === 'ImportDeclaration') {
    for (const specifier of node.specifiers) {
      const name = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : '*';
      module.imported.set(specifier.local.name, { from: target(file, node.source.value), name });
    }
  } else if (node.type === 'ExportAllDeclaration') {
    module.stars.push(target(file, node.source.value));
  } else if (node.type === 'ExportNamedDeclaration' && node.declaration) {
    const text = source.slice(node.start, node.end);
    for (const name of declaredBy(node.declaration)) {
      addDeclaration(module, name, text);
      module.exported.set(name, { name });
    }
  } else if (node.type === 'ExportNamedDeclaration') {
    for (const specifier of node.specifiers) {
      const from = node.source ? { from: target(file, node.source.value) } : {};
      module.exported.set(nameOf(specifier.exported), { ...from, name: nameOf(specifier.local) });
    }
  } else {
    const text = source.slice(node.start, node.end);
    for (const name of declaredBy(node)) addDeclaration(module, name, text);
  }
}

/**
 * Adds a declaration; overloads of a function follow each other.
 *
 * @param {Module} module
 * @param {string} name
 * @param {string} text
 */
function addDeclaration({ declared }, name, text) {
  const before = declared.get(name);
  const whole = before === undefined ? text : `${before.text}\n${text}`;
  declared.set(name, { text: whole, names: wordsOf(whole) });
}

/** @param {{ readonly name?: string, readonly value?: string }} node */
const nameOf = (node) => node.name ?? node.value ?? '';

/** @param {string} text */
const wordsOf = (text) =>
  new Set(text.replace(/\/\*[\s\S]*?\*\//g, '').match(/[A-Za-z_]\w*/g) ?? []);

/**
 * @param {object} node
 * @returns {string[]}
 */
function declaredBy(node) {
  if ('declarations' in node && Array.isArray(node.declarations)) {
    return node.declarations.map(({ id }) => nameOf(id));
  }
  const id = 'id' in node ? node.id : undefined;
  return typeof id === 'object' && id !== null ? [nameOf(id)] : [];
}

/**
 * A declaration file, or the name of another package, which is not followed: the wire types of @starkbox/spec are
 * reported by the OpenRPC documents.
 *
 * @param {string} file
 * @param {string} specifier
 */
function target(file, specifier) {
  return specifier.startsWith('.')
    ? join(dirname(file), specifier.replace(/\.js$/, '.d.ts'))
    : specifier;
}

/**
 * Where a name that a module exports is declared.
 *
 * @param {string} file
 * @param {string} name
 * @returns {{ file: string, name: string } | undefined}
 */
function resolve(file, name) {
  if (!existsSync(file)) return undefined;
  const { declared, exported, imported, stars } = moduleOf(file);
  const exportedName = exported.get(name);
  if (exportedName?.from !== undefined) return resolve(exportedName.from, exportedName.name);
  if (declared.has(exportedName?.name ?? name)) return { file, name: exportedName?.name ?? name };
  const origin = imported.get(exportedName?.name ?? name);
  if (origin) return resolve(origin.from, origin.name);
  for (const star of stars) {
    const declaration = resolve(star, name);
    if (declaration) return declaration;
  }
  return undefined;
}

/**
 * The names that a module exports, also by `export *`.
 *
 * @param {string} file
 * @returns {string[]}
 */
function exportsOf(file) {
  if (!existsSync(file)) return [];
  const { exported, stars } = moduleOf(file);
  return [...exported.keys(), ...stars.flatMap(exportsOf)];
}

/**
 * @param {string} folder of the package
 * @param {Readonly<Record<string, string>>} entries declaration files by the names of imports
 */
function reportOf(folder, entries) {
  const lines = [
    '# Public types. GENERATED by scripts/generate/api.mjs: a change here is a change of the API.',
  ];
  /** @type {Map<string, string>} */
  const referred = new Map();
  const queue = [];
  for (const [name, entry] of Object.entries(entries)) {
    const exported = exportsOf(entry).sort();
    if (!existsSync(entry)) throw new Error(`${entry} does not exist: build the packages first`);
    lines.push('', `## ${name}`, '', ...exported.map((symbol) => `- ${symbol}`));
    for (const symbol of exported) queue.push(resolve(entry, symbol));
  }
  while (queue.length > 0) {
    const at = queue.pop();
    if (!at) continue;
    const key = `${relative(join(folder, 'dist'), at.file).replace(/\.d\.ts$/, '')}: ${at.name}`;
    if (referred.has(key)) continue;
    const { declared, imported } = moduleOf(at.file);
    const declaration = declared.get(at.name);
    if (!declaration) continue;
    referred.set(key, declaration.text);
    for (const [, from = '', name = ''] of declaration.text.matchAll(/import\("(.+?)"\)\.(\w+)/g)) {
      queue.push(resolve(target(at.file, from), name));
    }
    for (const word of declaration.names) {
      const origin = imported.get(word);
      if (origin) queue.push(resolve(origin.from, origin.name));
      else if (declared.has(word) && word !== at.name) queue.push({ file: at.file, name: word });
    }
  }
  for (const [key, text] of [...referred].sort(([a], [b]) => (a < b ? -1 : 1))) {
    lines.push('', `### ${key}`, '', text);
  }
  return `${lines.join('\n')}\n`;
}

for (const [title, { folder, manifest }] of published()) {
  const entries = typedEntries(manifest).map(([path, types]) => [
    join(title, path),
    join(folder, types),
  ]);
  if (entries.length === 0) continue;
  writeFileSync(join(folder, 'api.txt'), reportOf(folder, Object.fromEntries(entries)));
}
