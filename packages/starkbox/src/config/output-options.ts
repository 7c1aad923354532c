// Options of metrics, logs and recordings.
import { host, inGroup, oneOf, path, trueOrFalse, wholeNumber } from './option.js';
import { logBodiesIn, logLevelIn } from './rust-log.js';

const U16 = 2 ** 16 - 1;

export const OUTPUT_OPTIONS = inGroup('output', {
  metricsHost: {
    flag: '--metrics-host <METRICS_HOST>',
    hasShortVariable: true,
    group: 'metrics',
    default: undefined,
    parse: host,
    help: 'Serve metrics on this address. Without this option, the node serves no metrics.',
  },
  metricsPort: {
    flag: '--metrics-port <METRICS_PORT>',
    hasShortVariable: true,
    group: 'metrics',
    default: 9090,
    parse: wholeNumber(0, U16),
    help: 'Port of the metrics.',
  },
  logLevel: {
    flag: '--log-level <LEVEL>',
    default: 'info',
    parse: oneOf('silent', 'error', 'warn', 'info', 'debug', 'trace'),
    fallback: { variable: 'RUST_LOG', read: logLevelIn },
    help: 'Least level of the log on stderr.',
    brief: 'silent, error, warn, info, debug or trace',
  },
  logFormat: {
    flag: '--log-format <FORMAT>',
    default: 'pretty',
    parse: oneOf('pretty', 'json'),
    help: 'Format of the log: pretty for people, or json with one object per line.',
  },
  logBodies: {
    flag: '--log-bodies <WHICH>',
    default: 'none',
    parse: oneOf('none', 'request', 'response', 'both'),
    fallback: { variable: 'RUST_LOG', read: logBodiesIn },
    help: 'Log JSON-RPC bodies at level info, without private keys.',
  },
  printTraces: {
    flag: '--print-traces',
    default: false,
    parse: trueOrFalse,
    help: 'Print the calls of every transaction as a tree, with arguments, results, events, gas and failures.',
    brief: 'Print the calls of every transaction as a tree',
  },
  recordCalls: {
    flag: '--record-calls',
    default: false,
    parse: trueOrFalse,
    help: 'Record the last 1,000 distinct calls outside of transactions (starknet_call). Coverage counts them.',
  },
  configOut: {
    flag: '--config-out <FILE>',
    default: undefined,
    parse: path,
    help: 'Write the URL, the chain id and the accounts with their private keys to this JSON file when the node listens.',
  },
  banner: {
    flag: '--no-banner',
    default: true,
    parse: trueOrFalse,
    help: 'Do not print the banner with accounts and tokens.',
  },
  /** Sets `banner` and `logLevel` unless they are given. */
  quiet: {
    flag: '--quiet',
    short: '-q',
    default: false,
    parse: trueOrFalse,
    help: 'Print only the line that the node listens, warnings and errors. Short for --no-banner --log-level warn.',
    brief: 'Print no banner, and log only warnings and errors',
  },
});
