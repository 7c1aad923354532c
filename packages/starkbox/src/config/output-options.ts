// Options of metrics, logs and recordings.
import {
  host,
  inGroup,
  type OptionTable,
  oneOf,
  path,
  trueOrFalse,
  wholeNumber,
} from './option.js';
import { logBodiesIn, logLevelIn } from './rust-log.js';

const U16 = 2 ** 16 - 1;

export interface OutputConfig {
  readonly metricsHost: string | undefined;
  readonly metricsPort: number;
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
  readonly logFormat: 'pretty' | 'json';
  readonly logBodies: 'none' | 'request' | 'response' | 'both';
  readonly printTraces: boolean;
  readonly recordCalls: boolean;
  readonly recordRequests: string | undefined;
  readonly configOut: string | undefined;
  readonly banner: boolean;
}

export const OUTPUT_OPTIONS: OptionTable<OutputConfig> = inGroup('Output', {
  metricsHost: {
    flag: '--metrics-host <METRICS_HOST>',
    hasShortVariable: true,
    group: 'Metrics',
    default: undefined,
    parse: host,
    help: 'Address to serve metrics on; without it there are no metrics.',
  },
  metricsPort: {
    flag: '--metrics-port <METRICS_PORT>',
    hasShortVariable: true,
    group: 'Metrics',
    default: 9090,
    parse: wholeNumber(0, U16),
    help: 'Port to serve metrics on.',
  },
  logLevel: {
    flag: '--log-level <LEVEL>',
    default: 'info',
    parse: oneOf('silent', 'error', 'warn', 'info', 'debug', 'trace'),
    fallback: { variable: 'RUST_LOG', read: logLevelIn },
    help: 'Level of the log on stderr: silent, error, warn, info, debug or trace.',
  },
  logFormat: {
    flag: '--log-format <FORMAT>',
    default: 'pretty',
    parse: oneOf('pretty', 'json'),
    help: 'Format of the log: pretty for people, json with one object per line.',
  },
  logBodies: {
    flag: '--log-bodies <WHICH>',
    default: 'none',
    parse: oneOf('none', 'request', 'response', 'both'),
    fallback: { variable: 'RUST_LOG', read: logBodiesIn },
    help: 'Log JSON-RPC bodies at the level info, without private keys: none, request, response or both.',
  },
  printTraces: {
    flag: '--print-traces',
    default: false,
    parse: trueOrFalse,
    help: 'Print the calls of every transaction as a tree: arguments, results, events, gas, and what failed.',
  },
  recordCalls: {
    flag: '--record-calls',
    isPortable: true,
    default: false,
    parse: trueOrFalse,
    help: 'Keep the last 1,000 distinct calls outside of transactions (starknet_call): the coverage counts them.',
  },
  recordRequests: {
    flag: '--record-requests <FILE>',
    default: undefined,
    parse: path,
    help: 'Record requests and answers in this file, without private keys; `starkbox replay FILE` repeats them.',
  },
  configOut: {
    flag: '--config-out <FILE>',
    default: undefined,
    parse: path,
    help: 'Write addresses, accounts with their private keys, and chain id as JSON to this file once the node listens.',
  },
  banner: {
    flag: '--no-banner',
    default: true,
    parse: trueOrFalse,
    help: 'Do not print accounts and tokens at the start.',
  },
});
