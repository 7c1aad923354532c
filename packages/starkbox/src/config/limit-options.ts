// Limits of requests, answers and connections.
import { inGroup, type OptionTable, wholeNumber } from './option.js';

export interface LimitConfig {
  /** Bytes. */
  readonly requestBodySizeLimit: number;
  /** Bytes. */
  readonly maximumResponseSize: number;
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
  readonly maximumMempoolSize: number;
  readonly maximumInstances: number;
  /** Zero keeps them. */
  readonly instanceIdleSeconds: number;
}

export const LIMIT_OPTIONS: OptionTable<LimitConfig> = inGroup('Limits', {
  requestBodySizeLimit: {
    flag: '--request-body-size-limit <BYTES>',
    field: 'server_config.request_body_size_limit',
    isPortable: true,
    default: 16 * 1024 * 1024,
    parse: wholeNumber(1),
    help: 'Largest body of an HTTP request, and largest WebSocket message.',
  },
  maximumResponseSize: {
    flag: '--maximum-response-size <BYTES>',
    isPortable: true,
    default: 64 * 1024 * 1024,
    parse: wholeNumber(1024, 2 ** 29 - 2 ** 16),
    help: 'Largest answer, also of a batch; calls beyond it get an error.',
  },
  memoryBudget: {
    flag: '--memory-budget <BYTES>',
    default: 256 * 1024 * 1024,
    parse: wholeNumber(1024 * 1024),
    help: 'Memory of all requests and answers together; requests beyond it get an error, or HTTP 503.',
  },
  maximumContractClassSize: {
    flag: '--maximum-contract-class-size <BYTES>',
    hasShortVariable: true,
    field: 'class_size_config.maximum_contract_class_size',
    isPortable: true,
    default: 4_089_446,
    parse: wholeNumber(0),
    help: 'Largest declared class.',
  },
  maximumContractBytecodeSize: {
    flag: '--maximum-contract-bytecode-size <FELTS>',
    hasShortVariable: true,
    field: 'class_size_config.maximum_contract_bytecode_size',
    isPortable: true,
    default: 81_920,
    parse: wholeNumber(0),
    help: 'Longest compiled code of a declared class.',
  },
  maximumSierraLength: {
    flag: '--maximum-sierra-length <FELTS>',
    hasShortVariable: true,
    field: 'class_size_config.maximum_sierra_length',
    isPortable: true,
    default: 81_920,
    parse: wholeNumber(0),
    help: 'Longest Sierra program of a declared class.',
  },
  maximumSubscriptions: {
    flag: '--maximum-subscriptions <NUMBER>',
    isPortable: true,
    default: 1024,
    parse: wholeNumber(0),
    help: 'Most subscriptions of one WebSocket.',
  },
  maximumFilterAddresses: {
    flag: '--maximum-filter-addresses <NUMBER>',
    isPortable: true,
    default: 1024,
    parse: wholeNumber(0),
    help: 'Most addresses in the filter of a subscription.',
  },
  maximumFilterKeys: {
    flag: '--maximum-filter-keys <NUMBER>',
    isPortable: true,
    default: 1024,
    parse: wholeNumber(0),
    help: 'Most keys in a filter for events.',
  },
  maximumQueuedMessages: {
    flag: '--maximum-queued-messages <NUMBER>',
    default: 4096,
    parse: wholeNumber(1),
    help: 'Most messages queued for a WebSocket that does not read; beyond it the WebSocket is closed.',
  },
  maximumQueuedBytes: {
    flag: '--maximum-queued-bytes <BYTES>',
    default: 64 * 1024 * 1024,
    parse: wholeNumber(1),
    help: 'Most bytes queued for such a WebSocket.',
  },
  maximumConnections: {
    flag: '--maximum-connections <NUMBER>',
    default: 10_000,
    parse: wholeNumber(1),
    help: 'Most open connections, fewer if the process may open few files (ulimit -n); further ones are closed at once.',
  },
  maximumSockets: {
    flag: '--maximum-sockets <NUMBER>',
    default: 4096,
    parse: wholeNumber(0),
    help: 'Most open WebSockets.',
  },
  maximumBatchLength: {
    flag: '--maximum-batch-length <NUMBER>',
    isPortable: true,
    default: 1000,
    parse: wholeNumber(1),
    help: 'Most calls in a batch.',
  },
  maximumJsonDepth: {
    flag: '--maximum-json-depth <NUMBER>',
    isPortable: true,
    default: 1000,
    parse: wholeNumber(8, 1000),
    help: 'Deepest nesting of the JSON of a request.',
  },
  maximumJsonValues: {
    flag: '--maximum-json-values <NUMBER>',
    isPortable: true,
    default: 600_000,
    parse: wholeNumber(100),
    help: 'Most values in the JSON of a request, including names of members.',
  },
  maximumCalldataLength: {
    flag: '--maximum-calldata-length <FELTS>',
    isPortable: true,
    default: 10_000,
    parse: wholeNumber(1),
    help: 'Longest calldata, signature or other list of a transaction or message.',
  },
  maximumChunkSize: {
    flag: '--maximum-chunk-size <NUMBER>',
    isPortable: true,
    default: 10_000,
    parse: wholeNumber(1),
    help: 'Most events in one answer; a continuation token gives the rest.',
  },
  maximumSimulationBatch: {
    flag: '--maximum-simulation-batch <NUMBER>',
    isPortable: true,
    default: 1000,
    parse: wholeNumber(1),
    help: 'Most transactions in one simulation or estimate.',
  },
  maximumExecutions: {
    flag: '--maximum-executions <NUMBER>',
    default: undefined,
    defaultText: 'cores less one, fewer where memory is short; on a fork 4 to 64 by memory',
    parse: wholeNumber(1),
    help: 'Most calls, estimates and simulations that run at once; others wait. Each may take half a GB.',
  },
  maximumWaitingExecutions: {
    flag: '--maximum-waiting-executions <NUMBER>',
    default: 4096,
    parse: wholeNumber(0),
    help: 'Most calls, estimates and simulations that wait; further ones are refused.',
  },
  maximumSnapshots: {
    flag: '--maximum-snapshots <NUMBER>',
    isPortable: true,
    default: 10_000,
    parse: wholeNumber(0),
    help: 'Most snapshots.',
  },
  maximumMempoolSize: {
    flag: '--maximum-mempool-size <NUMBER>',
    isPortable: true,
    default: 10_000,
    parse: wholeNumber(0),
    help: 'Most transactions that wait in the mempool; further ones are refused.',
  },
  maximumInstances: {
    flag: '--maximum-instances <COUNT>',
    isPortable: true,
    default: 10_000,
    parse: wholeNumber(0),
    help: 'Most instances at a time, as devnet_createInstance makes them; not with --instance-store, where tenants have quotas.',
  },
  instanceIdleSeconds: {
    flag: '--instance-idle-seconds <SECONDS>',
    default: 3600,
    parse: wholeNumber(0, 2 ** 31),
    help: 'Delete an instance after so many seconds without a request; 0 keeps them all. Not with --instance-store, where each has its own ttl.',
  },
});
