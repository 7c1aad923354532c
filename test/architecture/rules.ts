// Who may import whom, and the function that holds a set of source files against it.
import { dirname, join, normalize } from 'node:path/posix';
import { type Import, readFacts } from './facts.js';

export interface Violation {
  readonly file: string;
  readonly rule: Rule;
  readonly detail: string;
}

export type Rule =
  | 'layer' // imports a part of its own package that its row does not list
  | 'types-only' // imports at run time what it may only use as types
  | 'external' // imports a package that belongs to another layer
  | 'door' // reaches into another package past its public door, or imports one it must not know
  | 'cycle' // files import each other, if only as types
  | 'barrel' // re-exports, but is not a package's index.ts
  | 'environment' // reads process.env outside of config.ts
  | 'wall-clock' // asks for the time outside of chain/clock.ts
  | 'name' // has a name that says nothing
  | 'unplaced' // stands in no row of the table
  | 'syntax'; // could not be read

interface Layer {
  /** Layers, or single files as `rpc/dispatch`, that it may import. Its own files always. */
  readonly may: readonly string[];
  /** The same, but with `import type` only. */
  readonly types?: readonly string[];
  /** Guarded packages that it may import. Packages that no layer lists are free to all. */
  readonly packages?: readonly string[];
}

const LEAVES = [
  'spec',
  'errors',
  'json',
  'json-slices',
  'felt',
  'log',
  'probe',
  'turns',
  'budget',
  'metrics',
  'confinement',
  'regular-file',
  'draft',
  'nearest',
  'slices',
];

/** The rows of packages/starkbox/src: a file of its root or a folder. */
const NODE: Readonly<Record<string, Layer>> = {
  spec: { may: [] },
  errors: { may: ['spec'] },
  json: { may: [] },
  'json-slices': { may: ['json', 'turns'] },
  turns: { may: [] },
  budget: { may: ['errors'] },
  felt: { may: [] },
  colour: { may: [] },
  log: { may: ['colour'] },
  nearest: { may: [] },
  probe: { may: [] },
  confinement: { may: [] },
  'regular-file': { may: [] },
  draft: { may: ['errors'] },
  slices: { may: ['probe'] },
  metrics: { may: ['probe'] },
  traces: { may: ['probe'] },
  telemetry: { may: [...LEAVES, 'config', 'traces', 'server/metrics-page'] },
  option: { may: ['spec'] },
  config: { may: [...LEAVES, 'option'] },
  'config-rules': { may: [...LEAVES, 'option', 'config'] },
  'config-source': { may: [...LEAVES, 'option', 'config'] },
  'config-file': { may: [...LEAVES, 'option', 'config-source'] },
  'command-line': {
    may: [...LEAVES, 'colour', 'option', 'config', 'config-rules', 'config-source', 'config-file'],
  },
  banner: { may: [...LEAVES, 'colour'], types: ['config'] },
  'parent-process': { may: [] },
  'port-socket': { may: [], packages: ['node:http'] },
  progress: { may: ['colour'] },
  origin: { may: LEAVES },
  upstream: { may: LEAVES, packages: ['@starkbox/engine'] },
  chain: { may: LEAVES, types: ['config', 'origin', 'upstream'], packages: ['@starkbox/engine'] },
  store: {
    may: [...LEAVES, 'option', 'config', 'chain'],
    packages: ['@starkbox/engine', 'lmdb'],
  },
  l1: { may: [...LEAVES, 'chain'], packages: ['viem'] },
  rpc: { may: [...LEAVES, 'chain', 'l1'], packages: ['ajv'] },
  server: {
    may: [...LEAVES, 'rpc/dispatch', 'rpc/envelope', 'rpc/redaction'],
    packages: ['node:http', 'ws'],
  },
  settings: { may: [...LEAVES, 'config', 'forking'], types: ['chain'] },
  node: {
    may: [
      ...LEAVES,
      'settings',
      'config',
      'config-rules',
      'config-source',
      'origin',
      'upstream',
      'forking',
      'chain',
      'store',
      'l1',
      'rpc',
      'server',
      'telemetry',
    ],
    packages: ['@starkbox/engine', 'viem', 'ajv', 'node:http', 'ws'],
  },
  forking: { may: [...LEAVES, 'option', 'config', 'config-rules', 'chain', 'upstream'] },
  commands: {
    may: [...LEAVES, 'colour', 'option', 'config', 'chain', 'node'],
    packages: ['@starkbox/engine', 'ws'],
  },
  cli: {
    may: [
      ...LEAVES,
      'colour',
      'option',
      'config',
      'config-rules',
      'command-line',
      'banner',
      'parent-process',
      'port-socket',
      'progress',
      'commands',
      'node',
    ],
  },
  index: { may: [...LEAVES, 'option', 'config', 'config-rules', 'node'] },
};

const GUARDED = new Set(Object.values(NODE).flatMap((layer) => layer.packages ?? []));

interface Package {
  readonly name: string;
  /** The folder of its TypeScript sources. */
  readonly sources: string;
  /** Packages of ours whose door it may use. */
  readonly doors: readonly string[];
  /** Files outside of its sources that it may import. */
  readonly files?: readonly string[];
  /** Files of other packages that it may import as types. */
  readonly types?: readonly string[];
}

const PACKAGES: Readonly<Record<string, Package>> = {
  engine: {
    name: '@starkbox/engine',
    sources: 'packages/engine/js',
    doors: [],
    files: ['packages/engine/binding'],
  },
  abi: { name: '@starkbox/abi', sources: 'packages/abi/src', doors: [] },
  starkbox: {
    name: 'starkbox',
    sources: 'packages/starkbox/src',
    doors: ['@starkbox/engine', '@starkbox/abi'],
  },
  testing: { name: '@starkbox/testing', sources: 'packages/testing/src', doors: ['starkbox'] },
  conformance: {
    name: '@starkbox/conformance',
    sources: 'packages/conformance/src',
    doors: ['starkbox', '@starkbox/engine', '@starkbox/testing'],
  },
  explorer: {
    name: '@starkbox/explorer',
    sources: 'packages/explorer/src',
    doors: ['@starkbox/abi'],
    types: ['packages/starkbox/src/spec'],
  },
};

const EMPTY_NAMES = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'types', 'misc']);
const ENVIRONMENT_READER = 'packages/starkbox/src/config/options.ts';
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
    const isDoor = withoutExtension(file) === `${home.sources}/index`;
    const layer = home === PACKAGES['starkbox'] ? layerOf(file) : undefined;
    if (layer !== undefined && !NODE[layer]) report('unplaced', `${layer} is no row of the table`);

    if (EMPTY_NAMES.has(withoutExtension(file).split('/').at(-1) ?? '')) {
      report('name', 'a file is named for what it knows');
    }
    if (!isDoor) for (const line of facts.reExports) report('barrel', `line ${line}`);
    if (layer !== undefined && file !== ENVIRONMENT_READER) {
      for (const line of facts.environment) report('environment', `line ${line}`);
    }
    if (layer !== undefined && file !== CLOCK_READER) {
      for (const line of facts.clock) report('wall-clock', `line ${line}`);
    }

    const edges: string[] = [];
    for (const entry of facts.imports) {
      const target = entry.specifier.startsWith('.')
        ? normalize(join(dirname(file), entry.specifier))
        : undefined;
      const rule =
        target === undefined
          ? judgePackage(entry.specifier, home, layer)
          : judgeFile(withoutExtension(target), entry, home, layer);
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
  return found;
}

function judgePackage(specifier: string, home: Package, layer: string | undefined) {
  const name = packageName(specifier);
  if (Object.values(PACKAGES).some((other) => other.name === name)) {
    if (specifier !== name || !home.doors.includes(name)) return 'door';
  }
  if (layer === undefined || !GUARDED.has(name)) return undefined;
  return NODE[layer]?.packages?.includes(name) ? undefined : 'external';
}

function judgeFile(target: string, entry: Import, home: Package, layer: string | undefined) {
  if (!target.startsWith(`${home.sources}/`)) {
    if (home.files?.includes(target)) return undefined;
    if (home.types?.includes(target)) return entry.typeOnly ? undefined : 'types-only';
    return target.startsWith(dirname(home.sources)) && entry.specifier.endsWith('.json')
      ? undefined
      : 'door';
  }
  if (layer === undefined) return undefined;
  const part = layerOf(target);
  const path = target.slice(home.sources.length + 1);
  const listed = (row: readonly string[] = []): boolean => row.includes(part) || row.includes(path);
  if (part === layer || listed(NODE[layer]?.may)) return undefined;
  if (!listed(NODE[layer]?.types)) return 'layer';
  return entry.typeOnly ? undefined : 'types-only';
}

/** `packages/starkbox/src/chain/world/world.ts` → `chain`, `packages/starkbox/src/felt.ts` → `felt`. */
function layerOf(path: string): string {
  return withoutExtension(path).split('/')[3] ?? '';
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

/** One closed walk for each knot of files that import each other. */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      cycles.push([...path.slice(start), file]);
      return;
    }
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of [...graph.keys()].sort()) walk(file, []);
  return cycles;
}
