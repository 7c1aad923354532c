// Tables of allowed imports between folders. Imports between packages follow from their package.json files.

export interface Folder {
  /** Folders, or single files of the root as `felt`, that it may import. Its own files always. */
  readonly may: readonly string[];
  /** The same, but with `import type` only. */
  readonly types?: readonly string[];
  /** Guarded packages that it may import. Packages that no folder lists are free to all. */
  readonly packages?: readonly string[];
  /** Whether it runs in browsers too: it imports nothing of Node. */
  readonly inBrowsers?: true;
}

export type FolderTable = Readonly<Record<string, Folder>>;

/** What every other row may import. They import only one another. */
export const LEAVES: readonly string[] = [
  'errors',
  'felt',
  'predeployed',
  'log',
  'probe',
  'immutable',
  'nearest-word',
  'starknet-versions',
  'block-settings',
  'bounded-map',
  'terminal',
  'json',
  'files',
  'scheduling',
];
const WORLD = [
  ...LEAVES,
  'chain/history',
  'chain/mempool',
  'chain/network',
  'chain/world',
  'chain/genesis',
  'fork',
];
const EXECUTION = [...WORLD, 'chain/execution'];
const STEPS = [...EXECUTION, 'chain/network/blocks', 'chain/steps', 'chain/network/rounds'];
const CHAIN = [...STEPS, 'chain'];
const RPC = [...CHAIN, 'chain/queries', 'chain/debugging', 'chain/reports', 'rpc/protocol'];

const SERVICE = [
  ...RPC,
  'rpc',
  'rpc/methods',
  'rpc/subscriptions',
  'rpc/request-log',
  'rpc/versions',
  'bundles/content',
  'config',
  'debug-info',
  'dump',
  'fork/origin',
  'l1',
  'server',
  'server/http',
  'store',
  'telemetry',
  'paymaster',
];

/** The folders and root files of packages/starkbox/src. Each row imports only rows that precede it. */
const STARKBOX: FolderTable = {
  felt: { may: [] },
  predeployed: { may: [] },
  probe: { may: [] },
  immutable: { may: [] },
  'nearest-word': { may: [] },
  'starknet-versions': { may: [] },
  'block-settings': { may: ['starknet-versions'] },
  'bounded-map': { may: [] },
  terminal: { may: [] },
  errors: { may: [] },
  log: { may: ['terminal'] },
  scheduling: { may: ['errors', 'probe'] },
  files: { may: ['errors'] },
  json: { may: ['scheduling'] },
  client: {
    may: ['errors', 'felt', 'predeployed', 'json', 'scheduling'],
    inBrowsers: true,
  },
  'debug-info': { may: ['bounded-map', 'json'] },
  'chain/network': { may: LEAVES, packages: ['@starkbox/engine'] },
  config: { may: [...LEAVES, 'chain/network'] },
  'client-node': { may: ['client', 'config', 'files'], packages: ['ws'] },
  telemetry: { may: [...LEAVES, 'config'], packages: ['node:http'] },
  'fork/origin': { may: LEAVES, packages: ['@starkbox/engine', 'node:http'] },
  fork: { may: [...LEAVES, 'config', 'fork/origin'], packages: ['@starkbox/engine'] },
  'chain/history': { may: LEAVES, packages: ['@starkbox/engine'] },
  'chain/mempool': { may: LEAVES, packages: ['@starkbox/engine'] },
  'chain/world': {
    may: [...LEAVES, 'chain/history', 'chain/mempool', 'chain/network'],
    packages: ['@starkbox/engine'],
  },
  'chain/genesis': {
    may: [...LEAVES, 'fork'],
    types: ['config'],
    packages: ['@starkbox/engine'],
  },
  'chain/execution': { may: WORLD, packages: ['@starkbox/engine'] },
  // Blocks of an imitated network: room, load, prices.
  'chain/network/blocks': { may: EXECUTION, packages: ['@starkbox/engine'] },
  'chain/steps': {
    may: [...EXECUTION, 'chain/network/blocks'],
    packages: ['@starkbox/engine'],
  },
  // What an imitated network does between blocks: lost and late transactions, reorganisations.
  'chain/network/rounds': { may: [...EXECUTION, 'chain/steps'] },
  chain: { may: STEPS, packages: ['@starkbox/engine'] },
  'chain/retrace': { may: [...CHAIN, 'debug-info'], packages: ['@starkbox/engine'] },
  'chain/storage-names': { may: [...WORLD, 'debug-info'], packages: ['@starkbox/engine'] },
  'chain/queries': {
    may: [...CHAIN, 'chain/retrace', 'chain/storage-names', 'debug-info'],
    packages: ['@starkbox/engine'],
  },
  'chain/debugging': {
    may: [...CHAIN, 'chain/queries', 'chain/retrace', 'debug-info'],
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
  'l1/ethereum': { may: STEPS, packages: ['viem'] },
  'l1/anvil': { may: [...LEAVES, 'config', 'l1/ethereum'] },
  l1: { may: [...CHAIN, 'config', 'l1/ethereum', 'l1/anvil'] },
  artifacts: { may: [...CHAIN, 'chain/queries', 'debug-info'], packages: ['@starkbox/engine'] },
  'rpc/protocol': { may: LEAVES, packages: ['ajv'] },
  'dump/image': { may: STEPS, packages: ['@starkbox/engine'] },
  dump: { may: [...CHAIN, 'dump/image', 'rpc/protocol'] },
  rpc: { may: [...CHAIN, 'chain/queries', 'rpc/protocol'] },
  // No chain: an older version is made from the answers of the newest.
  'rpc/versions': { may: [...LEAVES, 'rpc', 'rpc/protocol'] },
  'rpc/subscriptions': { may: [...RPC, 'rpc'] },
  'rpc/request-log': { may: [...LEAVES, 'rpc/protocol', 'rpc/subscriptions'] },
  // What is written for an execution, and read by the folder above.
  'bundles/content': {
    may: [...CHAIN, 'chain/queries', 'chain/retrace', 'debug-info', 'dump/image', 'fork/origin'],
    packages: ['@starkbox/engine'],
  },
  'rpc/methods': {
    may: [
      ...RPC,
      'rpc',
      'rpc/subscriptions',
      'rpc/request-log',
      'bundles/content',
      'dump',
      'l1',
      'l1/ethereum',
    ],
  },
  server: { may: [...LEAVES, 'rpc/protocol', 'rpc/request-log'], packages: ['node:http'] },
  'server/http': { may: [...LEAVES, 'rpc/protocol', 'server'], packages: ['node:http'] },
  'server/ws': { may: [...LEAVES, 'rpc/protocol', 'server'], packages: ['node:http', 'ws'] },
  paymaster: {
    may: [...CHAIN, 'chain/queries'],
    types: ['rpc/methods'],
    packages: ['@starkbox/engine'],
  },
  service: { may: SERVICE },
  library: {
    may: [
      ...CHAIN,
      'client',
      'config',
      'debug-info',
      'l1',
      'rpc/protocol',
      'rpc/subscriptions',
      'rpc/versions',
      'service',
    ],
    packages: ['@starkbox/engine'],
  },
  node: {
    may: [...SERVICE, 'artifacts', 'dump/image', 'library', 'server/ws', 'service', 'store'],
    packages: ['@starkbox/engine'],
  },
  bundles: {
    may: [
      ...CHAIN,
      'bundles/content',
      'chain/queries',
      'debug-info',
      'dump/image',
      'fork/origin',
      'library',
      'node',
      'service',
    ],
    packages: ['@starkbox/engine'],
  },
  // What stands for Node in browsers. The bundle of the worker puts it into the place of Node's modules.
  'browser/host': { may: [], types: ['fork/origin'], inBrowsers: true },
  // The page's half of a chain in a Web Worker, and the worker's.
  browser: {
    may: [
      ...LEAVES,
      'browser/host',
      'chain',
      'chain/queries',
      'client',
      'config',
      'debug-info',
      'dump',
      'library',
      'node',
      'rpc/protocol',
      'service',
    ],
    types: ['telemetry'],
    packages: ['@starkbox/engine-wasm'],
    inBrowsers: true,
  },
  // A client: it reaches a node over the wire, and finds a free port for one.
  'cli/completions': { may: ['config'] },
  rehearsal: {
    may: [...CHAIN, 'chain/queries', 'chain/storage-names', 'config', 'debug-info', 'fork/origin'],
    packages: ['@starkbox/engine'],
  },
  'cli/commands': {
    may: [
      ...STEPS,
      'chain/queries',
      'rehearsal',
      'bundles',
      'bundles/content',
      'chain/storage-names',
      'config',
      'cli/completions',
      'debug-info',
      'dump/image',
      'node',
      'rpc/protocol',
      'rpc/request-log',
    ],
    packages: ['@starkbox/engine', 'ws'],
  },
  cli: {
    may: [...LEAVES, 'config', 'library', 'node', 'cli/commands'],
    packages: ['node:http'],
  },
  index: {
    may: [...LEAVES, 'bundles', 'bundles/content', 'client', 'config', 'library', 'node'],
    packages: ['@starkbox/engine'],
  },
};

const EXPLORER_BASE = ['format', 'state', 'navigation', 'rpc'];
const EXPLORER_PARTS = [
  'parts',
  'parts/table',
  'parts/forms',
  'parts/transaction',
  'parts/gas',
  'parts/debug',
  'parts/send',
];

/**
 * The folders of packages/explorer/src. Each row imports only rows that precede it. `features/*` stands for the
 * folder of each feature, which may import its own subfolders, but no other feature.
 */
const EXPLORER: FolderTable = {
  styles: { may: [] },
  format: { may: [] },
  state: { may: [] },
  // Addresses begin with the path of the chain, which the calls need as well.
  navigation: { may: ['format', 'state'] },
  // Used by the client, which hands long answers to the worker.
  rpc: { may: ['format', 'state'] },
  parts: { may: EXPLORER_BASE },
  'parts/table': { may: ['parts', ...EXPLORER_BASE] },
  'parts/forms': { may: ['parts', ...EXPLORER_BASE] },
  'parts/transaction': { may: ['parts', 'parts/table', ...EXPLORER_BASE] },
  'parts/gas': { may: ['parts', 'parts/table', ...EXPLORER_BASE] },
  // With styles of its own, which load with it.
  'parts/debug': { may: ['styles', 'parts', 'parts/transaction', ...EXPLORER_BASE] },
  'parts/send': {
    may: ['parts', 'parts/forms', 'parts/transaction', 'parts/debug', ...EXPLORER_BASE],
  },
  // With styles of its own, which load with it.
  'features/*': { may: ['styles', ...EXPLORER_PARTS, ...EXPLORER_BASE] },
  app: { may: ['features/*', ...EXPLORER_PARTS, ...EXPLORER_BASE, 'styles'] },
  // What the playground imports.
  index: { may: ['app', ...EXPLORER_PARTS, ...EXPLORER_BASE] },
};

/** Tables by the folder of their package. A package without a table has only the rules for all packages. */
export const FOLDERS: Readonly<Record<string, FolderTable>> = {
  starkbox: STARKBOX,
  explorer: EXPLORER,
};

/** Packages that run in a browser as well: they import nothing of Node. */
export const WITHOUT_NODE: readonly string[] = [
  'abi',
  'debugger',
  'signing',
  'wallet',
  'explorer',
  'playground',
];

/** Packages in which only these files read the environment and the clock. */
export const ENVIRONMENT_READERS: Readonly<Record<string, string>> = {
  starkbox: 'packages/starkbox/src/config/environment.ts',
};
export const CLOCK_READERS: Readonly<Record<string, readonly string[]>> = {
  starkbox: [
    'packages/starkbox/src/chain/world/clock.ts',
    // Gives browsers the monotonic clock of Node's `process.hrtime`.
    'packages/starkbox/src/browser/host/system.ts',
  ],
};

/** Files outside of the sources of a package that one of its files imports. */
export const OUTSIDE_SOURCES: readonly {
  readonly from: string;
  readonly to: string;
  readonly typesOnly: boolean;
}[] = [
  { from: 'packages/engine/js/', to: 'packages/engine/binding', typesOnly: false },
  // Texts of contracts that the page shows.
  ...[
    'contracts/src/counter.cairo?raw',
    'contracts/src/token.cairo?raw',
    'packages/create-starkbox/template/base/src/lib.cairo?raw',
  ].map((to) => ({ from: 'packages/playground/src/contracts.ts', to, typesOnly: false })),
];

/**
 * Private packages of ours that published packages import from their devDependencies. `starkbox` bundles them; of
 * others, only the types are copied into the declarations.
 */
export const PRIVATE_IMPORTS: readonly {
  readonly from: string;
  readonly name: string;
  readonly typesOnly: boolean;
}[] = [
  { from: 'starkbox', name: '@starkbox/spec', typesOnly: false },
  { from: 'abi', name: '@starkbox/spec', typesOnly: true },
  { from: 'debugger', name: '@starkbox/spec', typesOnly: true },
];
