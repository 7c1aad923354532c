// Limits of requests, answers and connections.
import { type OptionTable, wholeNumber } from './option.js';

export interface LimitConfig {
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
}

export const LIMIT_OPTIONS: OptionTable<LimitConfig> = {
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
};
