// Options of the HTTP and WebSocket server.
import {
  host,
  hostNames,
  inGroup,
  ipAddress,
  methodNames,
  origins,
  token,
  trueOrFalse,
  wholeNumber,
} from './option.js';

const U16 = 2 ** 16 - 1;

export const SERVER_OPTIONS = inGroup('server', {
  host: {
    flag: '--host <HOST>',
    hasShortVariable: true,
    // Shells such as tcsh set HOST to the name of the machine.
    parseShortVariable: ipAddress,
    field: 'server_config.host',
    default: '127.0.0.1',
    parse: host,
    help: 'Listen on this address. 0.0.0.0 listens on all IPv4 addresses.',
    brief: 'Address to listen on',
  },
  /** 0 for any free one. */
  port: {
    flag: '--port <PORT>',
    hasShortVariable: true,
    field: 'server_config.port',
    default: 5050,
    parse: wholeNumber(0, U16),
    help: 'Listen on this port. 0 picks a free port and prints it.',
    brief: 'Port to listen on; 0 picks a free port',
  },
  /** Seconds. */
  timeout: {
    flag: '--timeout <SECONDS>',
    hasShortVariable: true,
    field: 'server_config.timeout',
    default: 120,
    parse: wholeNumber(1, U16),
    help: 'Timeout of an HTTP request, in seconds.',
  },
  /** Canonical names (`starknet_…`, `devnet_…`). */
  restrictedMethods: {
    flag: '--restrictive-mode [METHODS...]',
    hasShortVariable: true,
    field: 'server_config.restricted_methods',
    default: undefined,
    parse: methodNames,
    help: 'Reject these methods. Without names, reject every devnet_ method that changes something, uses files or shows keys.',
  },
  allowedHosts: {
    flag: '--allowed-hosts <NAMES...>',
    default: undefined,
    defaultText: 'none if --host is a loopback address; else private names, or any with a token',
    parse: hostNames,
    help: 'Accept requests with these host names, in addition to IP addresses and loopback names; * accepts any. Other requests fail with HTTP status 403. Private names have no dot, or end in .internal, .local, .test or .home.arpa.',
  },
  allowedOrigins: {
    flag: '--allowed-origins <SITES...>',
    default: undefined,
    defaultText: 'pages of this machine and browser extensions',
    parse: origins,
    help: 'Let pages of these sites call the node; * allows any site. Other pages get HTTP status 403.',
  },
  authToken: {
    flag: '--auth-token <TOKEN>',
    default: undefined,
    parse: token,
    isSecret: true,
    help: 'Require this token (Authorization: Bearer TOKEN). Prefer the variable, because other users can see arguments.',
    brief: 'Require this token from clients',
  },
  ui: {
    flag: '--ui',
    hasShortVariable: true,
    field: 'server_config.ui_enabled',
    default: false,
    parse: trueOrFalse,
    help: 'Serve the explorer at /ui.',
    brief: 'Serve the explorer at /ui',
  },
  wallet: {
    flag: '--wallet',
    default: false,
    parse: trueOrFalse,
    help: 'Serve the script of a development wallet at /wallet.js, to this machine or with the token.',
    brief: 'Serve a development wallet for pages',
  },
  paymaster: {
    flag: '--paymaster',
    default: false,
    parse: trueOrFalse,
    help: 'Serve a paymaster (SNIP-29) at /paymaster. It sponsors transactions, or takes fees in STRK, ETH and tokens that you set.',
  },
  exitWithParent: {
    flag: '--exit-with-parent',
    default: false,
    parse: trueOrFalse,
    help: 'Exit when the process that started this node has ended, for example when npx was killed.',
  },
});
