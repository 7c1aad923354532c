// Options of the HTTP and WebSocket server.
import {
  host,
  hostNames,
  inGroup,
  methodNames,
  type OptionTable,
  origins,
  token,
  trueOrFalse,
  wholeNumber,
} from './option.js';

const U16 = 2 ** 16 - 1;

export interface ServerConfig {
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
  readonly wallet: boolean;
  readonly exitWithParent: boolean;
}

export const SERVER_OPTIONS: OptionTable<ServerConfig> = inGroup('Server', {
  host: {
    flag: '--host <HOST>',
    hasShortVariable: true,
    field: 'server_config.host',
    default: '127.0.0.1',
    parse: host,
    help: 'Address to listen on: IPv4, IPv6 or a host name.',
  },
  port: {
    flag: '--port <PORT>',
    hasShortVariable: true,
    field: 'server_config.port',
    default: 5050,
    parse: wholeNumber(0, U16),
    help: 'Port to listen on; 0 picks a free one and prints it.',
  },
  timeout: {
    flag: '--timeout <SECONDS>',
    hasShortVariable: true,
    field: 'server_config.timeout',
    default: 120,
    parse: wholeNumber(1, U16),
    help: 'Timeout of an HTTP request, at least 1.',
  },
  restrictedMethods: {
    flag: '--restrictive-mode [METHODS...]',
    hasShortVariable: true,
    field: 'server_config.restricted_methods',
    isPortable: true,
    default: undefined,
    parse: methodNames,
    help: 'Refuse these methods; without names, every devnet_ method that changes something, uses files or shows keys.',
  },
  allowedHosts: {
    flag: '--allowed-hosts <NAMES...>',
    default: undefined,
    defaultText: 'none if --host is a loopback address; else private names, or any with a token',
    parse: hostNames,
    help: 'Host names that requests may use, in addition to IP addresses and loopback names; * for any. A request with another name fails with status 403. Private names are names without a dot, such as that of a container, and names that end in .internal, .local, .test or .home.arpa.',
  },
  allowedOrigins: {
    flag: '--allowed-origins <SITES...>',
    default: undefined,
    defaultText: 'loopback sites and browser extensions',
    parse: origins,
    help: 'Further sites whose pages may use devnet_ methods, such as https://example.org; * for any.',
  },
  authToken: {
    flag: '--auth-token <TOKEN>',
    default: undefined,
    parse: token,
    isSecret: true,
    help: 'Require this token (Authorization: Bearer TOKEN). Prefer the environment variable.',
  },
  ui: {
    flag: '--ui',
    hasShortVariable: true,
    field: 'server_config.ui_enabled',
    default: false,
    parse: trueOrFalse,
    help: 'Serve the explorer under /ui.',
  },
  wallet: {
    flag: '--wallet',
    default: false,
    parse: trueOrFalse,
    help: 'Serve the script of a development wallet at /wallet.js, to this machine or with the token.',
  },
  exitWithParent: {
    flag: '--exit-with-parent',
    default: false,
    parse: trueOrFalse,
    help: 'Exit when the process that started this one has ended, for example when npx was killed.',
  },
});
