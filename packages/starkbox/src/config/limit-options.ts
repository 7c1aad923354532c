// Limits of requests, answers and connections.
import { inGroup, type OptionTable, wholeNumber } from './option.js';

export interface LimitConfig {
  /** Bytes. */
  readonly requestBodySizeLimit: number;
  /** Bytes. */
  readonly maximumResponseSize: number;
  readonly maximumContractClassSize: number;
  readonly maximumContractBytecodeSize: number;
  readonly maximumSierraLength: number;
  /** Of one socket. */
  readonly maximumSubscriptions: number;
  readonly maximumBatchLength: number;
  readonly maximumChunkSize: number;
  /** As many as the machine takes, where it is not given. */
  readonly maximumExecutions: number | undefined;
  readonly maximumWaitingExecutions: number;
  readonly maximumSnapshots: number;
  /** Of one debug trace. */
  readonly maximumDebugSteps: number;
  /** Bytes, of the debug traces of a chain together. */
  readonly maximumDebugBytes: number;
  readonly maximumMempoolSize: number;
  readonly maximumInstances: number;
  /** Zero keeps them. */
  readonly instanceIdleSeconds: number;
}

export const LIMIT_OPTIONS: OptionTable<LimitConfig> = inGroup('limits', {
  requestBodySizeLimit: {
    flag: '--request-body-size-limit <BYTES>',
    field: 'server_config.request_body_size_limit',
    default: 16 * 1024 * 1024,
    parse: wholeNumber(1),
    help: 'Maximum size of an HTTP request body and of a WebSocket message.',
  },
  maximumResponseSize: {
    flag: '--maximum-response-size <BYTES>',
    default: 64 * 1024 * 1024,
    parse: wholeNumber(1024, 2 ** 29 - 2 ** 16),
    help: 'Maximum size of a response, even of a batch. Calls beyond it get an error.',
  },
  maximumContractClassSize: {
    flag: '--maximum-contract-class-size <BYTES>',
    hasShortVariable: true,
    field: 'class_size_config.maximum_contract_class_size',
    default: 4_089_446,
    parse: wholeNumber(0),
    help: 'Maximum size of a declared class.',
  },
  maximumContractBytecodeSize: {
    flag: '--maximum-contract-bytecode-size <FELTS>',
    hasShortVariable: true,
    field: 'class_size_config.maximum_contract_bytecode_size',
    default: 81_920,
    parse: wholeNumber(0),
    help: 'Maximum length of the compiled code of a declared class.',
  },
  maximumSierraLength: {
    flag: '--maximum-sierra-length <FELTS>',
    hasShortVariable: true,
    field: 'class_size_config.maximum_sierra_length',
    default: 81_920,
    parse: wholeNumber(0),
    help: 'Maximum length of the Sierra program of a declared class.',
  },
  maximumSubscriptions: {
    flag: '--maximum-subscriptions <NUMBER>',
    default: 1024,
    parse: wholeNumber(0),
    help: 'Maximum number of subscriptions of a WebSocket.',
  },
  maximumBatchLength: {
    flag: '--maximum-batch-length <NUMBER>',
    default: 1000,
    parse: wholeNumber(1),
    help: 'Maximum number of calls in a batch.',
  },
  maximumChunkSize: {
    flag: '--maximum-chunk-size <NUMBER>',
    default: 10_000,
    parse: wholeNumber(1),
    help: 'Maximum number of events in a response. A continuation token gives the rest.',
  },
  maximumExecutions: {
    flag: '--maximum-executions <NUMBER>',
    default: undefined,
    defaultText:
      'one less than the number of cores, or 4 to 64 on a fork; fewer if memory is short',
    parse: wholeNumber(1),
    help: 'Maximum number of calls, estimates and simulations that run at the same time. Others wait. Each may take half a GB.',
  },
  maximumWaitingExecutions: {
    flag: '--maximum-waiting-executions <NUMBER>',
    default: 4096,
    parse: wholeNumber(0),
    help: 'Maximum number of calls, estimates and simulations that wait. The node rejects further ones.',
  },
  maximumSnapshots: {
    flag: '--maximum-snapshots <NUMBER>',
    default: 10_000,
    parse: wholeNumber(0),
    help: 'Maximum number of snapshots.',
  },
  maximumDebugSteps: {
    flag: '--maximum-debug-steps <NUMBER>',
    default: 4_000_000,
    parse: wholeNumber(1, 2 ** 32 - 1),
    help: 'Maximum number of steps in a debug trace. Beyond it, the node keeps the last steps.',
  },
  maximumDebugBytes: {
    flag: '--maximum-debug-bytes <BYTES>',
    default: 256 * 1024 * 1024,
    parse: wholeNumber(1024 * 1024),
    help: 'Maximum memory of the debug traces of a chain. The node closes the oldest traces first.',
  },
  maximumMempoolSize: {
    flag: '--maximum-mempool-size <NUMBER>',
    default: 10_000,
    parse: wholeNumber(0),
    help: 'Maximum number of transactions in the mempool. The node rejects further ones.',
  },
  maximumInstances: {
    flag: '--maximum-instances <COUNT>',
    default: 10_000,
    parse: wholeNumber(0),
    help: 'Maximum number of instances that devnet_createInstance creates.',
  },
  instanceIdleSeconds: {
    flag: '--instance-idle-seconds <SECONDS>',
    default: 3600,
    parse: wholeNumber(0, 2 ** 31),
    help: 'Delete an instance after this many seconds without a request; 0 keeps all instances.',
  },
});
