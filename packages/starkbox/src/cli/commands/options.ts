// Options of commands whose functions take them as they were typed.

export const NODE = {
  url: ['URL', 'The running node (default: STARKBOX_URL, or http://127.0.0.1:5050).'],
  'auth-token': ['TOKEN', 'The token of the node (default: STARKBOX_AUTH_TOKEN).'],
} as const;
export const RANGE = {
  from: ['BLOCK', 'The oldest block (default: the first).'],
  to: ['BLOCK', 'The newest block (default: the latest).'],
} as const;

export const GAS = {
  ...NODE,
  file: ['FILE', 'Read the gas.json of a test run instead of a node.'],
  ...RANGE,
  by: ['class|contract', 'One row for each function of a class (default) or of a contract.'],
  resources: ['', 'Add steps, storage writes and builtins. This runs every transaction again.'],
  flame: ['FILE', 'Write a flame graph: SVG if the name ends in .svg, else collapsed stacks.'],
  'flame-resource': [
    'NAME',
    'Resource of the flame graph: l2_gas (default), l1_gas, l1_data_gas or, with --resources, steps.',
    async () => (await import('@starkbox/abi/internal')).RESOURCES,
  ],
  'save-baseline': ['FILE', 'Write the median gas of each function.'],
  baseline: ['FILE', 'Print differences from this baseline, and fail if a median grew.'],
  tolerance: ['PERCENT', 'How much a median may grow (default: 0).'],
} as const;
export const COVERAGE = {
  lcov: ['FILE', 'Write the coverage of source lines. This runs every transaction again.'],
  artifacts: ['FOLDER', 'Compiled classes with code locations, for --lcov (default: target/dev).'],
  ...NODE,
  file: ['FILE', 'Read the coverage.json of a test run instead of a node.'],
  ...RANGE,
  all: ['', 'Include predeclared classes and classes of a forked network.'],
} as const;
export const DEBUG = {
  ...NODE,
  artifacts: [
    'FOLDER',
    'Compiled classes with debug information (default: target/dev, if it exists).',
  ],
  'stop-on-entry': ['', 'Stop at the first line instead of the failing line.'],
  'max-steps': ['NUMBER', 'Steps to record (default: 4000000). The node keeps the last ones.'],
  'max-bytes': ['NUMBER', 'Bytes to record (default: 268435456).'],
  port: ['PORT', 'Serve editors on this port of this machine; 0 chooses one.'],
  stdio: ['', 'Serve an editor on stdin and stdout, even on a terminal.'],
} as const;
export const BUNDLE = {
  out: ['FILE', 'The file (default: the contract, the function and the hash).'],
  ...NODE,
} as const;
export const DIFF = {
  names: [
    'FILE',
    'JSON file with names of addresses and storage variables: {"addresses": {"0x1234": "alice"}, "variables": ["count", "held[address]"]}. In brackets, "address" stands for every known address.',
  ],
  artifacts: [
    'FOLDER',
    'Compiled classes with names of contracts and variables (default: target/dev, if it exists).',
  ],
} as const;
export const FUZZ = {
  seed: ['NUMBER', 'The same seed repeats the search (default: 0).'],
  runs: ['NUMBER', 'Histories to run (default: 256, or no limit with --seconds or --calls).'],
  depth: ['NUMBER', 'Steps of a history (default: 32).'],
  seconds: ['SECONDS', 'Stop after this time.'],
  calls: ['NUMBER', 'Stop after so many calls.'],
  workers: ['NUMBER', 'Threads (default: one for each core).'],
  corpus: [
    'FOLDER',
    'Folder of violations, which are tried first (default: in node_modules/.cache/starkbox).',
  ],
} as const;
export const REHEARSE = {
  contract: ['ADDRESS', 'The contract.'],
  class: ['FILE', 'The new class, as the compiler wrote it.'],
  'old-class': ['FILE', 'The artifact of the present class, for the types of its storage.'],
  'fork-network': [
    'URL',
    'The network: mainnet, sepolia or a URL (default: STARKBOX_FORK_NETWORK).',
  ],
  'fork-lock': ['FILE', 'Record responses here. Later runs read them instead of the network.'],
  last: ['NUMBER', 'Run this many transactions, up to the latest block (default: 100).'],
  from: ['BLOCK', 'Run all transactions from this block on instead.'],
  to: ['BLOCK', 'The newest block, with --from (default: the latest).'],
  carry: ['', 'Carry the writes of the new class to later transactions.'],
  tolerance: ['PERCENT', 'How much gas may grow (default: 0; less gas is then a difference too).'],
  page: ['FILE', 'Write the report as an HTML page.'],
} as const;
