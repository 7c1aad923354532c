// Knows every option once: its names, its default, its meaning and which values it takes. Nothing else reads the environment.
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  bigNumber,
  blockGeneration,
  chainName,
  forkPoint,
  host,
  hostNames,
  methodNames,
  type Option,
  oneOf,
  origins,
  path,
  token,
  trueOrFalse,
  webUrl,
  webUrls,
  wholeNumber,
} from './option.js';

/** Settings of a node. Its keys are also those of a config file. */
export interface Config {
  readonly accounts: number;
  readonly accountClass: 'cairo0' | 'cairo1';
  /** A path. Takes the place of `accountClass`. */
  readonly accountClassCustom: string | undefined;
  readonly predeclareArgent: boolean;
  /** Of each account, in wei and in fri. */
  readonly initialBalance: bigint;
  readonly seed: number;
  /** As the chain itself writes it: `SN_SEPOLIA`. */
  readonly chainId: string;
  readonly liteMode: boolean;
  readonly proofMode: 'full' | 'devnet' | 'none';
  /** A number is an interval in seconds. */
  readonly blockGenerationOn: 'transaction' | 'demand' | number;
  /** Seconds since 1970. */
  readonly startTime: number | undefined;
  readonly gasPriceWei: bigint;
  readonly gasPriceFri: bigint;
  readonly dataGasPriceWei: bigint;
  readonly dataGasPriceFri: bigint;
  readonly l2GasPriceWei: bigint;
  readonly l2GasPriceFri: bigint;
  readonly stateArchive: 'full' | 'none';
  readonly dataDir: string | undefined;
  /** Blocks and transactions that stay in memory where there is a data directory. */
  readonly recentBlocks: number;
  readonly dumpOn: 'exit' | 'block' | 'request' | undefined;
  readonly dumpPath: string | undefined;
  readonly dumpFormat: 'journal' | 'image';
  /** Where callers may read and write files. */
  readonly dumpDir: string | undefined;
  /** One URL or several, separated by commas. */
  readonly forkNetwork: string | undefined;
  /** A number, a hash, or below zero how many blocks before the latest. */
  readonly forkBlock: number | string | undefined;
  readonly forkUpstreamCaching: boolean | undefined;
  /** A folder; see `defaultForkCache`. */
  readonly forkCacheDir: string | undefined;
  /** A file. */
  readonly forkLock: string | undefined;
  readonly offline: boolean;
  /** Seconds of silence. */
  readonly forkTimeout: number;
  /** The URL of an L1 node, or `anvil` for one of our own. */
  readonly l1: string | undefined;
  /** Of our own Anvil; 0 for any free one. */
  readonly l1Port: number;
  /** Milliseconds between two looks at L1. */
  readonly l1AutoRelay: number | undefined;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Seconds. */
  readonly timeout: number;
  /** Canonical names (`starknet_…`, `devnet_…`). */
  readonly restrictedMethods: readonly string[] | undefined;
  readonly allowedHosts: readonly string[] | undefined;
  readonly allowedOrigins: readonly string[] | undefined;
  readonly authToken: string | undefined;
  readonly ui: boolean;
  readonly exitWithParent: boolean;
  /** Bytes. */
  readonly requestBodySizeLimit: number;
  /** Bytes. */
  readonly maximumAnswerSize: number;
  /** Bytes, of all requests and answers together. */
  readonly memoryBudget: number;
  readonly maximumContractClassSize: number;
  readonly maximumContractBytecodeSize: number;
  readonly maximumSierraLength: number;
  /** Of one socket. */
  readonly maximumSubscriptions: number;
  readonly maximumFilterAddresses: number;
  readonly maximumFilterKeys: number;
  /** What may wait for a socket that does not read. */
  readonly maximumQueuedMessages: number;
  readonly maximumQueuedBytes: number;
  readonly maximumConnections: number;
  readonly maximumSockets: number;
  readonly maximumBatchLength: number;
  readonly maximumJsonDepth: number;
  readonly maximumJsonValues: number;
  readonly maximumCalldataLength: number;
  readonly maximumChunkSize: number;
  readonly maximumSimulationBatch: number;
  /** As many as the machine takes, where it is not given. */
  readonly maximumExecutions: number | undefined;
  readonly maximumWaitingExecutions: number;
  readonly maximumSnapshots: number;
  readonly metricsHost: string | undefined;
  readonly metricsPort: number;
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
  readonly logFormat: 'pretty' | 'json';
  readonly traceRequests: string | undefined;
  readonly banner: boolean;
}

export type ConfigKey = keyof Config;

/** Settings as a program gives them: large numbers may also be texts, or numbers while they are exact. */
export type ConfigInput = {
  readonly [K in ConfigKey]?:
    | Config[K]
    | (bigint extends Config[K] ? number | string : never)
    | undefined;
};

export type Environment = Readonly<Record<string, string | undefined>>;

const U16 = 2 ** 16 - 1;
const U32 = 2 ** 32 - 1;
const GAS_PRICE = {
  group: 'Gas prices',
  default: 10n ** 9n,
  parse: bigNumber(1n, 2n ** 128n - 1n),
};

/** In the order in which help and docs show them. */
export const OPTIONS: { readonly [K in ConfigKey]: Option<Config[K]> } = {
  accounts: {
    flag: '--accounts <NUMBER>',
    field: 'total_accounts',
    group: 'Accounts',
    default: 10,
    parse: wholeNumber(0, 255),
    help: 'How many accounts are deployed from the start.',
  },
  accountClass: {
    flag: '--account-class <ACCOUNT_CLASS>',
    field: 'account_contract_class_hash',
    group: 'Accounts',
    default: 'cairo1',
    parse: oneOf('cairo0', 'cairo1'),
    help: 'Their class: cairo1 or cairo0, both by OpenZeppelin.',
  },
  accountClassCustom: {
    flag: '--account-class-custom <PATH>',
    field: 'account_contract_class_hash',
    group: 'Accounts',
    default: undefined,
    parse: path,
    help: 'A Sierra class in a JSON file to use instead; it must be able to execute and to validate.',
  },
  predeclareArgent: {
    flag: '--predeclare-argent',
    group: 'Accounts',
    default: false,
    parse: trueOrFalse,
    help: 'Declare the classes of Argent accounts, regular 0.4.0 and multisig 0.2.0.',
  },
  initialBalance: {
    flag: '--initial-balance <DECIMAL_VALUE>',
    field: 'predeployed_accounts_initial_balance',
    short: '-e',
    group: 'Accounts',
    default: 10n ** 21n,
    parse: bigNumber(0n),
    help: 'What each account owns, in wei of ETH and in fri of STRK.',
  },
  seed: {
    flag: '--seed <SEED>',
    field: 'seed',
    group: 'Accounts',
    get default() {
      return Math.floor(Math.random() * (U32 + 1));
    },
    defaultText: 'random',
    parse: wholeNumber(0, U32),
    help: 'The same seed gives the same accounts.',
  },
  chainId: {
    flag: '--chain-id <CHAIN_ID>',
    field: 'chain_id',
    group: 'Chain',
    default: 'SN_SEPOLIA',
    defaultText: 'TESTNET',
    parse: chainName,
    help: 'MAINNET (SN_MAIN), TESTNET (SN_SEPOLIA) or a name of your own, of up to 31 characters, kept in its case.',
  },
  liteMode: {
    flag: '--lite-mode',
    field: 'lite_mode',
    group: 'Chain',
    default: false,
    parse: trueOrFalse,
    help: 'Save time: blocks get a simple hash and no commitments.',
  },
  proofMode: {
    flag: '--proof-mode <PROOF_MODE>',
    field: 'proof_mode',
    group: 'Chain',
    default: 'devnet',
    parse: oneOf('full', 'devnet', 'none'),
    help: 'How proofs that come with transactions are treated: devnet (mock proofs) or none. full is not available yet.',
  },
  blockGenerationOn: {
    flag: '--block-generation-on <BLOCK_GENERATION_ON>',
    field: 'block_generation_on',
    group: 'Blocks and time',
    default: 'transaction',
    parse: blockGeneration,
    fraction: (seconds) => `${seconds * 1000}ms`,
    help: 'When a block is made: after each transaction, on demand, or every N seconds (a number such as 5, or 500ms).',
  },
  startTime: {
    flag: '--start-time <SECONDS>',
    field: 'start_time',
    group: 'Blocks and time',
    default: undefined,
    defaultText: 'now',
    parse: wholeNumber(0),
    help: 'When the chain begins, in seconds since 1970.',
  },
  gasPriceWei: {
    ...GAS_PRICE,
    flag: '--gas-price <WEI_PER_GAS_UNIT>',
    field: 'gas_price_wei',
    help: 'L1 gas, in wei.',
  },
  gasPriceFri: {
    ...GAS_PRICE,
    flag: '--gas-price-fri <FRI_PER_GAS_UNIT>',
    field: 'gas_price_fri',
    help: 'L1 gas, in fri.',
  },
  dataGasPriceWei: {
    ...GAS_PRICE,
    flag: '--data-gas-price <WEI_PER_GAS_UNIT>',
    field: 'data_gas_price_wei',
    help: 'L1 data gas, in wei.',
  },
  dataGasPriceFri: {
    ...GAS_PRICE,
    flag: '--data-gas-price-fri <FRI_PER_GAS_UNIT>',
    field: 'data_gas_price_fri',
    help: 'L1 data gas, in fri.',
  },
  l2GasPriceWei: {
    ...GAS_PRICE,
    flag: '--l2-gas-price <WEI_PER_GAS_UNIT>',
    field: 'l2_gas_price_wei',
    help: 'L2 gas, in wei.',
  },
  l2GasPriceFri: {
    ...GAS_PRICE,
    flag: '--l2-gas-price-fri <FRI_PER_GAS_UNIT>',
    field: 'l2_gas_price_fri',
    help: 'L2 gas, in fri.',
  },
  stateArchive: {
    flag: '--state-archive-capacity <STATE_ARCHIVE_CAPACITY>',
    field: 'state_archive',
    group: 'State',
    default: 'full',
    parse: oneOf('none', 'full'),
    help: 'full keeps the state of every block; none keeps only the newest, and so memory flat.',
  },
  dataDir: {
    flag: '--data-dir <DIR>',
    group: 'State',
    default: undefined,
    parse: path,
    help: 'Keep the chain in this directory: every answered change is on disk, and the next start goes on.',
  },
  recentBlocks: {
    flag: '--recent-blocks <NUMBER>',
    group: 'State',
    default: 2048,
    parse: wholeNumber(1, 10 ** 6),
    help: 'With --data-dir, about so many blocks and transactions stay in memory; older ones are read from disk.',
  },
  dumpOn: {
    flag: '--dump-on <EVENT>',
    field: 'dump_on',
    group: 'State',
    default: undefined,
    parse: oneOf('exit', 'block', 'request'),
    help: 'When the chain is written to a file: at exit, on request, or (only its calls) after each call.',
  },
  dumpPath: {
    flag: '--dump-path <DUMP_PATH>',
    field: 'dump_path',
    group: 'State',
    default: undefined,
    parse: path,
    help: 'The file to write; if it is there at the start, it is loaded.',
  },
  dumpFormat: {
    flag: '--dump-format <FORMAT>',
    group: 'State',
    default: 'journal',
    parse: oneOf('journal', 'image'),
    help: 'What that file is to be: journal, the calls that made the chain, or image, all that it is.',
  },
  dumpDir: {
    flag: '--dump-dir <DIR>',
    group: 'State',
    default: undefined,
    parse: path,
    help: 'Callers may dump to and load from files in this directory only, by paths relative to it.',
  },
  forkNetwork: {
    flag: '--fork-network <URL>',
    field: 'fork_config.url',
    group: 'Forking',
    default: undefined,
    parse: webUrls,
    help: 'A node of the network that this chain continues; several, separated by commas, replace each other.',
  },
  forkBlock: {
    flag: '--fork-block <BLOCK>',
    field: 'fork_config.block_number',
    group: 'Forking',
    default: undefined,
    defaultText: 'the latest',
    parse: forkPoint,
    help: 'The last block taken from that network: a number, a hash, or -N for N before the latest.',
  },
  forkUpstreamCaching: {
    flag: '--fork-upstream-caching <BOOL>',
    field: 'fork_config.caching_enabled',
    group: 'Forking',
    default: undefined,
    defaultText: 'true',
    parse: trueOrFalse,
    help: 'Whether answers of that network are kept on disk for later runs: true or false.',
  },
  forkCacheDir: {
    flag: '--fork-cache-dir <PATH>',
    group: 'Forking',
    default: undefined,
    defaultText: '~/.cache/starkbox/fork',
    parse: path,
    help: 'The folder to keep them in.',
  },
  forkLock: {
    flag: '--fork-lock <PATH>',
    group: 'Forking',
    default: undefined,
    parse: path,
    help: 'The file to record every read of that network in; its block is forked again.',
  },
  offline: {
    flag: '--offline',
    group: 'Forking',
    default: false,
    parse: trueOrFalse,
    help: 'Do not ask that network: answer from the lock file alone.',
  },
  forkTimeout: {
    flag: '--fork-timeout <SECONDS>',
    group: 'Forking',
    default: 10,
    parse: wholeNumber(1, U16),
    help: 'How long that network may be silent before it has failed.',
  },
  l1: {
    flag: '--l1 <anvil|URL>',
    group: 'L1',
    default: undefined,
    parse: (text) => (text.toLowerCase() === 'anvil' ? 'anvil' : webUrl(text)),
    help: 'The Ethereum to exchange messages with: anvil starts one that goes back in time with this chain.',
  },
  l1Port: {
    flag: '--l1-port <PORT>',
    group: 'L1',
    default: 8545,
    parse: wholeNumber(0, U16),
    help: 'The port of that Anvil; 0 takes a free one and prints it.',
  },
  l1AutoRelay: {
    flag: '--l1-auto-relay <MILLISECONDS>',
    group: 'L1',
    default: undefined,
    parse: wholeNumber(1, 2 ** 31 - 1),
    help: 'Carry messages both ways without being asked to, and look at L1 this often.',
  },
  host: {
    flag: '--host <HOST>',
    field: 'server_config.host',
    group: 'Server',
    default: '127.0.0.1',
    parse: host,
    help: 'The address to listen on: IPv4, IPv6 or a host name.',
  },
  port: {
    flag: '--port <PORT>',
    field: 'server_config.port',
    group: 'Server',
    default: 5050,
    parse: wholeNumber(0, U16),
    help: 'The port to listen on; 0 takes a free one and prints it.',
  },
  timeout: {
    flag: '--timeout <SECONDS>',
    field: 'server_config.timeout',
    group: 'Server',
    default: 120,
    parse: wholeNumber(1, U16),
    help: 'How long an HTTP request may take, at least 1.',
  },
  restrictedMethods: {
    flag: '--restrictive-mode [METHODS...]',
    field: 'server_config.restricted_methods',
    group: 'Server',
    default: undefined,
    parse: methodNames,
    help: 'Refuse these methods; without names, every devnet_ method that changes something, uses files or shows keys.',
  },
  allowedHosts: {
    flag: '--allowed-hosts <NAMES...>',
    group: 'Server',
    default: undefined,
    defaultText: 'loopback names if --host is one, else any',
    parse: hostNames,
    help: 'Names that clients may call this node by, besides numbers and loopback names; * for any.',
  },
  allowedOrigins: {
    flag: '--allowed-origins <SITES...>',
    group: 'Server',
    default: undefined,
    defaultText: 'loopback sites and browser extensions',
    parse: origins,
    help: 'More sites whose pages may use the devnet_ methods, such as https://example.org; * for any.',
  },
  authToken: {
    flag: '--auth-token <TOKEN>',
    group: 'Server',
    default: undefined,
    parse: token,
    isSecret: true,
    help: 'Answer only those who send this token (Authorization: Bearer TOKEN). Better given as a variable.',
  },
  ui: {
    flag: '--ui',
    field: 'server_config.ui_enabled',
    group: 'Server',
    default: false,
    parse: trueOrFalse,
    help: 'Serve the explorer under /ui.',
  },
  exitWithParent: {
    flag: '--exit-with-parent',
    group: 'Server',
    default: false,
    parse: trueOrFalse,
    help: 'End when the process that started this one has ended, as after a kill of npx.',
  },
  requestBodySizeLimit: {
    flag: '--request-body-size-limit <BYTES>',
    field: 'server_config.request_body_size_limit',
    group: 'Limits',
    default: 16 * 1024 * 1024,
    parse: wholeNumber(1),
    help: 'How large the body of an HTTP request or a WebSocket message may be.',
  },
  maximumAnswerSize: {
    flag: '--maximum-answer-size <BYTES>',
    group: 'Limits',
    default: 64 * 1024 * 1024,
    parse: wholeNumber(1024, 2 ** 29 - 2 ** 16),
    help: 'How large one answer may be, that of a batch included; calls beyond it get an error.',
  },
  memoryBudget: {
    flag: '--memory-budget <BYTES>',
    group: 'Limits',
    default: 256 * 1024 * 1024,
    parse: wholeNumber(1024 * 1024),
    help: 'How much all requests and answers together may hold; more get an error, or HTTP 503.',
  },
  maximumContractClassSize: {
    flag: '--maximum-contract-class-size <BYTES>',
    field: 'class_size_config.maximum_contract_class_size',
    group: 'Limits',
    default: 4_089_446,
    parse: wholeNumber(0),
    help: 'How large a declared class may be.',
  },
  maximumContractBytecodeSize: {
    flag: '--maximum-contract-bytecode-size <FELTS>',
    field: 'class_size_config.maximum_contract_bytecode_size',
    group: 'Limits',
    default: 81_920,
    parse: wholeNumber(0),
    help: 'How long its compiled code may be.',
  },
  maximumSierraLength: {
    flag: '--maximum-sierra-length <FELTS>',
    field: 'class_size_config.maximum_sierra_length',
    group: 'Limits',
    default: 81_920,
    parse: wholeNumber(0),
    help: 'How long its Sierra program may be.',
  },
  maximumSubscriptions: {
    flag: '--maximum-subscriptions <NUMBER>',
    group: 'Limits',
    default: 1024,
    parse: wholeNumber(0),
    help: 'How many subscriptions one WebSocket may have.',
  },
  maximumFilterAddresses: {
    flag: '--maximum-filter-addresses <NUMBER>',
    group: 'Limits',
    default: 1024,
    parse: wholeNumber(0),
    help: 'How many addresses the filter of a subscription may have.',
  },
  maximumFilterKeys: {
    flag: '--maximum-filter-keys <NUMBER>',
    group: 'Limits',
    default: 1024,
    parse: wholeNumber(0),
    help: 'How many keys a filter for events may have.',
  },
  maximumQueuedMessages: {
    flag: '--maximum-queued-messages <NUMBER>',
    group: 'Limits',
    default: 4096,
    parse: wholeNumber(1),
    help: 'How many messages may wait for a WebSocket that does not read; then it is closed.',
  },
  maximumQueuedBytes: {
    flag: '--maximum-queued-bytes <BYTES>',
    group: 'Limits',
    default: 64 * 1024 * 1024,
    parse: wholeNumber(1),
    help: 'How many bytes may wait for such a WebSocket.',
  },
  maximumConnections: {
    flag: '--maximum-connections <NUMBER>',
    group: 'Limits',
    default: 10_000,
    parse: wholeNumber(1),
    help: 'How many connections may be open; more are closed at once.',
  },
  maximumSockets: {
    flag: '--maximum-sockets <NUMBER>',
    group: 'Limits',
    default: 4096,
    parse: wholeNumber(0),
    help: 'How many of them may be WebSockets.',
  },
  maximumBatchLength: {
    flag: '--maximum-batch-length <NUMBER>',
    group: 'Limits',
    default: 1000,
    parse: wholeNumber(1),
    help: 'How many calls a batch may have.',
  },
  maximumJsonDepth: {
    flag: '--maximum-json-depth <NUMBER>',
    group: 'Limits',
    default: 1000,
    parse: wholeNumber(8, 1000),
    help: 'How deep the JSON of a request may be nested.',
  },
  maximumJsonValues: {
    flag: '--maximum-json-values <NUMBER>',
    group: 'Limits',
    default: 600_000,
    parse: wholeNumber(100),
    help: 'How many values the JSON of a request may have, names of members included.',
  },
  maximumCalldataLength: {
    flag: '--maximum-calldata-length <FELTS>',
    group: 'Limits',
    default: 10_000,
    parse: wholeNumber(1),
    help: 'How long the calldata, the signature or any other list of a transaction or message may be.',
  },
  maximumChunkSize: {
    flag: '--maximum-chunk-size <NUMBER>',
    group: 'Limits',
    default: 10_000,
    parse: wholeNumber(1),
    help: 'How many events one answer may have; where more are asked for, a token continues.',
  },
  maximumSimulationBatch: {
    flag: '--maximum-simulation-batch <NUMBER>',
    group: 'Limits',
    default: 1000,
    parse: wholeNumber(1),
    help: 'How many transactions may be simulated or estimated at once.',
  },
  maximumExecutions: {
    flag: '--maximum-executions <NUMBER>',
    group: 'Limits',
    default: undefined,
    defaultText: 'cores less one, fewer where memory is short; on a fork 4 to 64 by memory',
    parse: wholeNumber(1),
    help: 'How many calls, estimates and simulations may run at once; others wait. Each may take half a GB.',
  },
  maximumWaitingExecutions: {
    flag: '--maximum-waiting-executions <NUMBER>',
    group: 'Limits',
    default: 4096,
    parse: wholeNumber(0),
    help: 'How many calls, estimates and simulations may wait for that; more are refused.',
  },
  maximumSnapshots: {
    flag: '--maximum-snapshots <NUMBER>',
    group: 'Limits',
    default: 10_000,
    parse: wholeNumber(0),
    help: 'How many snapshots may be kept.',
  },
  metricsHost: {
    flag: '--metrics-host <METRICS_HOST>',
    group: 'Metrics',
    default: undefined,
    parse: host,
    help: 'The address to serve metrics on; without it there are none.',
  },
  metricsPort: {
    flag: '--metrics-port <METRICS_PORT>',
    group: 'Metrics',
    default: 9090,
    parse: wholeNumber(0, U16),
    help: 'The port to serve metrics on.',
  },
  logLevel: {
    flag: '--log-level <LEVEL>',
    group: 'Output',
    default: 'info',
    parse: oneOf('silent', 'error', 'warn', 'info', 'debug', 'trace'),
    help: 'How much is logged, to stderr: silent, error, warn, info, debug or trace.',
  },
  logFormat: {
    flag: '--log-format <FORMAT>',
    group: 'Output',
    default: 'pretty',
    parse: oneOf('pretty', 'json'),
    help: 'pretty is for people, json has one object a line.',
  },
  traceRequests: {
    flag: '--trace-requests <FILE>',
    group: 'Output',
    default: undefined,
    parse: path,
    help: 'Record requests and answers in this file, without private keys; `starkbox replay FILE` repeats them.',
  },
  banner: {
    flag: '--no-banner',
    group: 'Output',
    default: true,
    parse: trueOrFalse,
    help: 'Do not print accounts and tokens at the start.',
  },
};

export function isConfigKey(name: string): name is ConfigKey {
  return Object.hasOwn(OPTIONS, name);
}

export const CONFIG_KEYS: readonly ConfigKey[] = Object.keys(OPTIONS).filter(isConfigKey);

/**
 * A whole config: what is not given, or `undefined`, is as by default.
 *
 * @example
 * defaultConfig({ port: 0, seed: 0 })
 */
export function defaultConfig(overrides: Partial<Config> = {}): Config {
  const draft: Draft = {};
  for (const key of CONFIG_KEYS) settle(draft, key, overrides);
  if (!isComplete(draft)) throw new Error('an option has got no value');
  givenTo.set(draft, keysIn(overrides));
  return Object.freeze(draft);
}

/** A whole config does not show any more what of it was given. */
const givenTo = new WeakMap<object, ReadonlySet<ConfigKey>>();

/** The keys that were given a value: in a config of `defaultConfig`, those of its overrides. */
export function givenIn(values: object): ReadonlySet<ConfigKey> {
  return givenTo.get(values) ?? keysIn(values);
}

function keysIn(values: object): ReadonlySet<ConfigKey> {
  const given = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [key],
  );
  return new Set(given.filter(isConfigKey));
}

/** Where answers of a network are kept unless a folder is named. */
export function defaultForkCache(): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'starkbox', 'fork');
}

/** The surroundings, for those who hand them to `readConfig`. */
export function environment(): Environment {
  return process.env;
}

/** Whether the standard variables of OpenTelemetry ask for traces; its SDK reads the rest of them. */
export function wantsTraces(env: Environment = process.env): boolean {
  const isOff =
    env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  const place = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  return !isOff && place !== undefined && place !== '';
}

type Draft = { -readonly [K in ConfigKey]?: Config[K] };

/** Generic in the key, so that the checker sees one option's value go to that option. */
function settle<K extends ConfigKey>(draft: Draft, key: K, overrides: Partial<Config>): void {
  draft[key] = overrides[key] ?? OPTIONS[key].default;
}

function isComplete(draft: Draft): draft is Config {
  return CONFIG_KEYS.every((key) => key in draft);
}

/**
 * Seconds after which work is given up that has not begun, or that still waits for the origin of a fork:
 * whoever is answered must have been waiting for less than the timeout, with time left for the work.
 */
export function patienceOf({ timeout }: Config): number {
  return Math.max(1, timeout / 2);
}
