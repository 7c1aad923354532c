// Table of allowed imports, and the check of a set of source files against it.
import { dirname, join, normalize } from 'node:path/posix';
import { findCycles } from './cycles.js';
import { type Import, readFacts } from './facts.js';

export interface Violation {
  readonly file: string;
  readonly rule: Rule;
  readonly detail: string;
}

export type Rule =
  | 'folder' // imports a folder of its own package that its row does not list
  | 'types-only' // imports at run time what it may only use as types
  | 'external' // imports a package that belongs to other folders
  | 'door' // imports another package past its index, or one that its row does not list
  | 'cycle' // files import each other, if only as types
  | 'folder-cycle' // folders import each other, if only as types
  | 'barrel' // re-exports, but is not a package's index.ts
  | 'environment' // reads process.env outside of config/environment.ts
  | 'wall-clock' // reads the clock outside of chain/world/clock.ts
  | 'name' // has a name that says nothing
  | 'unplaced' // stands in no row of the table
  | 'syntax'; // could not be read

interface Folder {
  /** Folders, or single files of the root as `felt`, that it may import. Its own files always. */
  readonly may: readonly string[];
  /** The same, but with `import type` only. */
  readonly types?: readonly string[];
  /** Guarded packages that it may import. Packages that no folder lists are free to all. */
  readonly packages?: readonly string[];
}

/** Below everything else: no row above them is imported by them. */
const LEAVES = [
  'errors',
  'felt',
  'log',
  'probe',
  'immutable',
  'nearest-word',
  'block-generation',
  'bounded-map',
  'notification-feed',
  'terminal',
  'json',
  'files',
  'scheduling',
];
const WORLD = [...LEAVES, 'chain/history', 'chain/mempool', 'chain/world', 'chain/genesis', 'fork'];
const STEPS = [...WORLD, 'chain/steps'];
const CHAIN = [...STEPS, 'chain'];
const RPC = [...CHAIN, 'chain/queries', 'chain/reports', 'rpc/protocol'];

const SERVICE = [
  ...RPC,
  'rpc',
  'rpc/methods',
  'rpc/subscriptions',
  'rpc/request-log',
  'rpc/versions',
  'config',
  'debug-info',
  'dump',
  'fork/origin',
  'l1',
  'server',
  'server/http',
  'store',
  'telemetry',
];

/** The folders and root files of packages/starkbox/src; each row imports only rows above it. */
const STARKBOX: Readonly<Record<string, Folder>> = {
  felt: { may: [] },
  probe: { may: [] },
  immutable: { may: [] },
  'nearest-word': { may: [] },
  'block-generation': { may: [] },
  'bounded-map': { may: [] },
  'notification-feed': { may: [] },
  terminal: { may: [] },
  errors: { may: [] },
  log: { may: ['terminal'] },
  scheduling: { may: ['errors', 'probe'] },
  files: { may: ['errors'] },
  json: { may: ['scheduling'] },
  'debug-info': { may: ['bounded-map', 'json'] },
  config: { may: LEAVES },
  telemetry: { may: [...LEAVES, 'config'], packages: ['node:http'] },
  'fork/origin': { may: LEAVES, packages: ['@starkbox/engine', 'node:http'] },
  fork: { may: [...LEAVES, 'config', 'fork/origin'], packages: ['@starkbox/engine'] },
  'chain/history': { may: LEAVES, packages: ['@starkbox/engine'] },
  'chain/mempool': { may: LEAVES, packages: ['@starkbox/engine'] },
  'chain/world': {
    may: [...LEAVES, 'chain/history', 'chain/mempool'],
    packages: ['@starkbox/engine'],
  },
  'chain/genesis': {
    may: [...LEAVES, 'fork'],
    types: ['config'],
    packages: ['@starkbox/engine'],
  },
  'chain/steps': { may: WORLD, packages: ['@starkbox/engine'] },
  chain: { may: STEPS, packages: ['@starkbox/engine'] },
  'chain/retrace': { may: [...CHAIN, 'debug-info'], packages: ['@starkbox/engine'] },
  'chain/storage-names': { may: [...WORLD, 'debug-info'], packages: ['@starkbox/engine'] },
  'chain/queries': {
    may: [...CHAIN, 'chain/retrace', 'chain/storage-names', 'debug-info'],
    packages: ['@starkbox/engine'],
  },
  'chain/reports': {
    may: [...CHAIN, 'chain/queries', 'chain/retrace'],
    packages: ['@starkbox/engine'],
  },
  'store/database': { may: LEAVES, packages: ['lmdb'] },
  'store/directory': {
    may: [...LEAVES, 'config', 'store/database'],
    packages: ['@starkbox/engine'],
  },
  'store/blocks': { may: [...STEPS, 'store/database'], packages: ['@starkbox/engine'] },
  store: {
    may: [...STEPS, 'config', 'store/blocks', 'store/database', 'store/directory'],
    packages: ['@starkbox/engine'],
  },
  // Requests to S3 are signed with the time.
  'hosting/objects': {
    may: [...LEAVES, 'config', 'chain/world/clock'],
    packages: ['@starkbox/engine', 'node:http', 'node:https'],
  },
  'l1/ethereum': { may: STEPS, packages: ['viem'] },
  'l1/anvil': { may: [...LEAVES, 'config', 'l1/ethereum'] },
  l1: { may: [...CHAIN, 'l1/ethereum', 'l1/anvil'] },
  artifacts: { may: [...CHAIN, 'chain/queries', 'debug-info'], packages: ['@starkbox/engine'] },
  'rpc/protocol': { may: LEAVES, packages: ['ajv'] },
  'dump/image': { may: STEPS, packages: ['@starkbox/engine'] },
  dump: { may: [...CHAIN, 'dump/image', 'rpc/protocol'] },
  rpc: { may: [...CHAIN, 'chain/queries', 'rpc/protocol'] },
  // No chain: an older version is made from the answers of the newest.
  'rpc/versions': { may: [...LEAVES, 'rpc', 'rpc/protocol'] },
  'rpc/subscriptions': { may: [...RPC, 'rpc'] },
  'rpc/request-log': { may: [...LEAVES, 'rpc/protocol', 'rpc/subscriptions'] },
  'rpc/methods': {
    may: [...RPC, 'rpc', 'rpc/subscriptions', 'rpc/request-log', 'dump', 'l1', 'l1/ethereum'],
  },
  server: { may: [...LEAVES, 'rpc/protocol', 'rpc/request-log'], packages: ['node:http'] },
  'server/http': { may: [...LEAVES, 'rpc/protocol', 'server'], packages: ['node:http'] },
  'server/ws': { may: [...LEAVES, 'rpc/protocol', 'server'], packages: ['node:http', 'ws'] },
  service: { may: SERVICE },
  // Tables that were written long ago are not referred to newly.
  'hosting/layers': {
    may: [...LEAVES, 'chain/world/clock', 'store/database', 'hosting/objects'],
  },
  'hosting/tenants': { may: [...LEAVES, 'config', 'rpc/protocol', 'hosting/objects'] },
  hosting: {
    may: [
      ...SERVICE,
      'hosting/layers',
      'hosting/objects',
      'hosting/tenants',
      'service',
      'store/database',
      'store/directory',
    ],
  },
  library: {
    may: [...CHAIN, 'config', 'l1', 'rpc/protocol', 'rpc/subscriptions', 'rpc/versions', 'service'],
    packages: ['@starkbox/engine'],
  },
  node: {
    may: [
      ...SERVICE,
      'artifacts',
      'dump/image',
      'hosting',
      'library',
      'server/ws',
      'service',
      'store',
    ],
    packages: ['@starkbox/engine'],
  },
  // A client: it reaches a node over the wire, and finds a free port for one.
  devnet: { may: [...LEAVES, 'library'], packages: ['node:http'] },
  'cli/completions': { may: ['config'] },
  'cli/commands': {
    may: [
      ...STEPS,
      'chain/storage-names',
      'config',
      'cli/completions',
      'debug-info',
      'dump/image',
      'hosting',
      'node',
      'rpc/request-log',
    ],
    packages: ['@starkbox/engine', 'ws'],
  },
  cli: {
    may: [...LEAVES, 'config', 'library', 'node', 'cli/commands'],
    packages: ['node:http'],
  },
  index: { may: [...LEAVES, 'chain/genesis', 'config', 'library', 'node'] },
};

const GUARDED = new Set(Object.values(STARKBOX).flatMap((row) => row.packages ?? []));

interface Package {
  readonly name: string;
  /** The folder of its TypeScript sources. */
  readonly sources: string;
  /** Packages of ours, or entries of them, that it may import by name. */
  readonly doors: readonly string[];
  /** The same, but with `import type` only: it is published without them. */
  readonly types?: readonly string[];
  /** Files outside of its sources that it may import. */
  readonly files?: readonly string[];
}

const PACKAGES: Readonly<Record<string, Package>> = {
  spec: { name: '@starkbox/spec', sources: 'packages/spec/src', doors: [] },
  engine: {
    name: '@starkbox/engine',
    sources: 'packages/engine/js',
    doors: [],
    files: ['packages/engine/binding'],
  },
  abi: {
    name: '@starkbox/abi',
    sources: 'packages/abi/src',
    doors: [],
    types: ['@starkbox/spec'],
  },
  signing: {
    name: '@starkbox/signing',
    sources: 'packages/signing/src',
    doors: ['@starkbox/abi'],
  },
  wallet: {
    name: '@starkbox/wallet',
    sources: 'packages/wallet/src',
    doors: ['@starkbox/abi', '@starkbox/signing'],
  },
  starkbox: {
    name: 'starkbox',
    sources: 'packages/starkbox/src',
    doors: ['@starkbox/spec', '@starkbox/spec/documents', '@starkbox/engine', '@starkbox/abi'],
  },
  testing: {
    name: '@starkbox/testing',
    sources: 'packages/testing/src',
    doors: ['starkbox', '@starkbox/abi', '@starkbox/engine'],
  },
  // Bundled into starkbox, which loads it by its file.
  mcp: {
    name: '@starkbox/mcp',
    sources: 'packages/mcp/src',
    doors: ['starkbox', '@starkbox/abi', '@starkbox/engine', '@starkbox/signing'],
  },
  conformance: {
    name: '@starkbox/conformance',
    sources: 'packages/conformance/src',
    doors: ['@starkbox/spec', '@starkbox/spec/documents', 'starkbox', '@starkbox/engine'],
  },
  explorer: {
    name: '@starkbox/explorer',
    sources: 'packages/explorer/src',
    doors: ['@starkbox/spec', '@starkbox/abi', '@starkbox/signing'],
  },
};

const EMPTY_NAMES = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'types', 'misc']);
const ENVIRONMENT_READER = 'packages/starkbox/src/config/environment.ts';
const CLOCK_READER = 'packages/starkbox/src/chain/world/clock.ts';

/** Everything in `sources` (path from the repository's root → text) that breaks a rule. */
export function findViolations(sources: ReadonlyMap<string, string>): Violation[] {
  const found: Violation[] = [];
  const graph = new Map<string, string[]>();

  for (const [file, source] of sources) {
    const report = (rule: Rule, detail: string): void => void found.push({ file, rule, detail });
    const facts = readFacts(file, source);
    for (const error of facts.syntaxErrors) report('syntax', error);

    const home = Object.values(PACKAGES).find(({ sources }) => file.startsWith(`${sources}/`));
    if (!home) {
      report('unplaced', 'belongs to no package of the table');
      continue;
    }
    const isIndex = withoutExtension(file) === `${home.sources}/index`;
    const folder = home === PACKAGES['starkbox'] ? folderOf(file) : undefined;
    if (folder !== undefined && !STARKBOX[folder])
      report('unplaced', `${folder} is no row of the table`);

    if (EMPTY_NAMES.has(withoutExtension(file).split('/').at(-1) ?? '')) {
      report('name', 'name a file after what it holds');
    }
    if (!isIndex) for (const line of facts.reExports) report('barrel', `line ${line}`);
    if (folder !== undefined && file !== ENVIRONMENT_READER) {
      for (const line of facts.environment) report('environment', `line ${line}`);
    }
    if (folder !== undefined && file !== CLOCK_READER) {
      for (const line of facts.clock) report('wall-clock', `line ${line}`);
    }

    const edges: string[] = [];
    for (const entry of facts.imports) {
      const target = entry.specifier.startsWith('.')
        ? normalize(join(dirname(file), entry.specifier))
        : undefined;
      const rule =
        target === undefined
          ? judgePackage(entry, home, folder)
          : judgeFile(withoutExtension(target), entry, home, folder);
      if (rule) report(rule, `line ${entry.line} imports ${entry.specifier}`);
      if (target !== undefined) {
        const real = [target, ...candidates(target)].find((path) => sources.has(path));
        if (real !== undefined) edges.push(real);
      }
    }
    graph.set(file, edges);
  }

  for (const cycle of findCycles(graph)) {
    found.push({ file: cycle[0] ?? '', rule: 'cycle', detail: cycle.join(' → ') });
  }
  for (const cycle of findCycles(foldersOf(graph))) {
    found.push({ file: cycle[0] ?? '', rule: 'folder-cycle', detail: cycle.join(' → ') });
  }
  return found;
}

function judgePackage({ specifier, typeOnly }: Import, home: Package, folder: string | undefined) {
  const name = packageName(specifier);
  if (Object.values(PACKAGES).some((other) => other.name === name)) {
    if (home.types?.includes(specifier)) return typeOnly ? undefined : 'types-only';
    if (!home.doors.includes(specifier)) return 'door';
  }
  if (folder === undefined || !GUARDED.has(name)) return undefined;
  return STARKBOX[folder]?.packages?.includes(name) ? undefined : 'external';
}

function judgeFile(target: string, entry: Import, home: Package, folder: string | undefined) {
  if (!target.startsWith(`${home.sources}/`)) {
    if (home.files?.includes(target)) return undefined;
    return target.startsWith(dirname(home.sources)) && entry.specifier.endsWith('.json')
      ? undefined
      : 'door';
  }
  if (folder === undefined) return undefined;
  const part = folderOf(target);
  const path = target.slice(home.sources.length + 1);
  const listed = (row: readonly string[] = []): boolean => row.includes(part) || row.includes(path);
  if (part === folder || listed(STARKBOX[folder]?.may)) return undefined;
  if (!listed(STARKBOX[folder]?.types)) return 'folder';
  return entry.typeOnly ? undefined : 'types-only';
}

/** `packages/starkbox/src/chain/world/world.ts` → `chain/world`, `packages/starkbox/src/felt.ts` → `felt`. */
function folderOf(path: string): string {
  const inside = withoutExtension(path).split('/').slice(3);
  return inside.length === 1 ? (inside[0] ?? '') : inside.slice(0, -1).join('/');
}

function packageName(specifier: string): string {
  if (/^(node:)?(http|https|http2|net)$/.test(specifier)) return 'node:http';
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

function withoutExtension(path: string): string {
  return path.replace(/\.(d\.)?[jt]sx?$/, '');
}

function candidates(path: string): string[] {
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
