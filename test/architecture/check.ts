// Check of a set of source files against the tables of rules.ts and the manifests of the packages.
import { isBuiltin } from 'node:module';
import { dirname, join, normalize } from 'node:path/posix';
import { findCycles } from './cycles.js';
import { COMPUTED, type Import, readFacts } from './facts.js';
import {
  CLOCK_READERS,
  ENVIRONMENT_READERS,
  FOLDERS,
  type FolderTable,
  OUTSIDE_SOURCES,
  PRIVATE_IMPORTS,
  WITHOUT_NODE,
} from './rules.js';
import type { Package } from './sources.js';

export interface Violation {
  readonly file: string;
  readonly rule: Rule;
  readonly detail: string;
}

export type Rule =
  | 'folder' // imports a folder of its own package that its row does not list
  | 'types-only' // imports at run time what it may only use as types
  | 'external' // imports a package that belongs to other folders
  | 'undeclared' // imports a package that its package.json does not list
  | 'door' // imports a file of another package that its package.json does not export
  | 'cycle' // files import each other, if only as types
  | 'folder-cycle' // folders import each other, if only as types
  | 'barrel' // re-exports, but is no entry of a package
  | 'environment' // reads process.env outside of the one file for it
  | 'wall-clock' // reads the clock outside of the one file for it
  | 'hidden-any' // calls `Object`: readers of `@starkbox/abi/basics` give members the type unknown
  | 'name' // has a name that says nothing
  | 'unplaced' // stands in no row of the table
  | 'syntax'; // could not be read

const EMPTY_FILE_NAMES = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'types', 'misc']);

/** Where a file is: its package, and there its folder and the row of that. */
interface Location {
  readonly file: string;
  readonly home: Package;
  readonly table: FolderTable | undefined;
  readonly folder: string;
  readonly row: string;
}

/** Everything in `sources` (path from the repository's root → text) that breaks a rule. */
export function findViolations(
  sources: ReadonlyMap<string, string>,
  packages: readonly Package[],
): Violation[] {
  const violations: Violation[] = [];
  const graph = new Map<string, string[]>();

  for (const [file, source] of sources) {
    const report = (rule: Rule, detail: string): void =>
      void violations.push({ file, rule, detail });
    const facts = readFacts(file, source);
    for (const error of facts.syntaxErrors) report('syntax', error);
    for (const line of facts.objectCalls) report('hidden-any', `line ${line}`);

    const home = packages.find(({ sources }) => file.startsWith(`${sources}/`));
    if (!home) {
      report('unplaced', 'belongs to no package');
      continue;
    }
    const location = locate(file, home);
    if (location.table && !location.table[location.row]) {
      report('unplaced', `${location.folder} is no row of the table`);
    }
    if (EMPTY_FILE_NAMES.has(withoutExtension(file).split('/').at(-1) ?? '')) {
      report('name', 'name a file after what it holds');
    }
    if (!isEntry(file, home)) {
      for (const line of facts.reExports) report('barrel', `line ${line}`);
    }
    if (![undefined, file].includes(ENVIRONMENT_READERS[home.folder])) {
      for (const line of facts.environment) report('environment', `line ${line}`);
    }
    if (CLOCK_READERS[home.folder]?.includes(file) === false) {
      for (const line of facts.clock) report('wall-clock', `line ${line}`);
    }

    const edges: string[] = [];
    for (const imported of facts.imports) {
      const target = imported.specifier.startsWith('.')
        ? normalize(join(dirname(file), imported.specifier))
        : undefined;
      const rule =
        target === undefined
          ? judgePackage(imported, location, packages)
          : judgeFile(withoutExtension(target), imported, location);
      if (rule) report(rule, `line ${imported.line} imports ${imported.specifier}`);
      if (target !== undefined) {
        const source = [target, ...sourceNames(target)].find((path) => sources.has(path));
        if (source !== undefined) edges.push(source);
      }
    }
    graph.set(file, edges);
  }

  for (const cycle of findCycles(graph)) {
    violations.push({ file: cycle[0] ?? '', rule: 'cycle', detail: cycle.join(' → ') });
  }
  for (const cycle of findCycles(foldersOf(graph))) {
    violations.push({ file: cycle[0] ?? '', rule: 'folder-cycle', detail: cycle.join(' → ') });
  }
  return violations;
}

/**
 * The index of a package, and the file of a subpath that it exports, such as `client.ts` for `./client`. Node has
 * `client-node.ts` for `./client`. `client/public-types.ts` lists the types that several of them export.
 */
function isEntry(file: string, { sources, exports }: Package): boolean {
  const name = withoutExtension(file).slice(sources.length + 1);
  return (
    ['index', 'client/public-types'].includes(name) ||
    exports.includes(`./${name.replace(/-node$/, '')}`)
  );
}

/** Which rows of a package import which, as its files do. */
export function importedRows(
  sources: ReadonlyMap<string, string>,
  home: Package,
): ReadonlyMap<string, ReadonlySet<string>> {
  const rows = new Map<string, Set<string>>();
  for (const [file, source] of sources) {
    if (!file.startsWith(`${home.sources}/`)) continue;
    const { row } = locate(file, home);
    const imported = rows.get(row) ?? new Set();
    rows.set(row, imported);
    for (const { specifier } of readFacts(file, source).imports) {
      const target = normalize(join(dirname(file), specifier));
      if (!specifier.startsWith('.') || !target.startsWith(`${home.sources}/`)) continue;
      imported.add(locate(target, home).row);
    }
    imported.delete(row);
  }
  return rows;
}

function judgePackage(
  { specifier, typeOnly }: Import,
  { home, table, row }: Location,
  packages: readonly Package[],
): Rule | undefined {
  if (specifier === COMPUTED) return undefined;
  const name = packageName(specifier);
  if (isBuiltin(specifier)) {
    if (WITHOUT_NODE.includes(home.folder) || table?.[row]?.inBrowsers) return 'external';
  } else if (!home.dependencies.includes(name)) {
    return 'undeclared';
  }
  const other = packages.find((candidate) => candidate.name === name);
  if (other && !other.exports.includes(specifier.replace(name, '.'))) return 'door';
  const privateImport = PRIVATE_IMPORTS.find(
    (row) => row.from === home.folder && row.name === name,
  );
  if (privateImport?.typesOnly && !typeOnly) return 'types-only';
  const isGuarded = Object.values(table ?? {}).some(({ packages }) => packages?.includes(name));
  if (!isGuarded || table?.[row]?.packages?.includes(name)) return undefined;
  return 'external';
}

function judgeFile(
  target: string,
  { typeOnly, specifier }: Import,
  { file, home, table, folder, row }: Location,
): Rule | undefined {
  if (!target.startsWith(`${home.sources}/`)) {
    const isInPackage = target.startsWith(`${dirname(home.sources)}/`);
    if (isInPackage && specifier.endsWith('.json')) return undefined;
    const outside = OUTSIDE_SOURCES.find(({ from, to }) => to === target && file.startsWith(from));
    if (!outside) return 'door';
    return outside.typesOnly && !typeOnly ? 'types-only' : undefined;
  }
  if (!table) return undefined;
  const other = locate(target, home);
  if (other.folder === folder) return undefined;
  if (row.endsWith('/*') && dirname(other.folder) === folder) return undefined;
  const path = target.slice(home.sources.length + 1);
  const isListed = (rows: readonly string[] = []): boolean =>
    rows.includes(other.row) || rows.includes(path);
  if (isListed(table[row]?.may)) return undefined;
  if (!isListed(table[row]?.types)) return 'folder';
  return typeOnly ? undefined : 'types-only';
}

/** `packages/starkbox/src/chain/world/world.ts` is in `chain/world`, `packages/starkbox/src/felt.ts` is `felt`. */
function locate(file: string, home: Package): Location {
  const table = FOLDERS[home.folder];
  const inside = withoutExtension(file).slice(home.sources.length + 1);
  const folder = inside.includes('/') ? dirname(inside) : inside;
  const pattern = Object.keys(table ?? {}).find(
    (row) => row.endsWith('/*') && folder.startsWith(row.slice(0, -1)),
  );
  return { file, home, table, folder, row: pattern ?? folder };
}

function packageName(specifier: string): string {
  if (/^(node:)?(http|https|http2|net)$/.test(specifier)) return 'node:http';
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

function withoutExtension(path: string): string {
  return path.replace(/\.(d\.)?[jt]sx?$/, '');
}

function sourceNames(path: string): string[] {
  return ['.ts', '.tsx'].map((extension) => withoutExtension(path) + extension);
}

/** Which folder imports which; a folder does not import itself. */
function foldersOf(
  graph: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, string[]>();
  for (const [file, edges] of graph) {
    const from = unitOf(file);
    const others = edges.map(unitOf).filter((to) => to !== from);
    folders.set(from, [...new Set([...(folders.get(from) ?? []), ...others])]);
  }
  return folders;
}

/** The folder of a file; a file in the root of its package's sources counts as a folder of its own. */
function unitOf(file: string): string {
  return file.split('/').length === 4 ? file : dirname(file);
}
