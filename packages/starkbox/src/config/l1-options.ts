// Options of the connection to L1.
import { accepting, inGroup, webUrl, webUrlIn } from './option.js';

const MAX_PORT = 2 ** 16 - 1;
/** As Anvil has it where no port is given. */
const ANVIL_PORT = 8545;

/** The port of the Anvil that the node starts for this value of `l1`; undefined for any other value. */
export function anvilPort(l1: string): number | undefined {
  const [word, digits = ANVIL_PORT] = /^anvil(?::(\d{1,5}))?$/i.exec(l1) ?? [];
  const port = Number(digits);
  return word !== undefined && port <= MAX_PORT ? port : undefined;
}

/** Timers of Node hold 31 bits of milliseconds. */
const MAX_TIMER_SECONDS = Math.floor((2 ** 31 - 1) / 1000);

export const L1_OPTIONS = inGroup('l1', {
  /** The URL of an L1 node; `anvil`, or `anvil:PORT`, for one of our own. */
  l1: {
    flag: '--l1 <anvil|URL>',
    default: undefined,
    parse: accepting(
      `anvil, anvil: and a port up to ${MAX_PORT}, or ${webUrl.expects}`,
      (text) => (anvilPort(text) === undefined ? webUrlIn(text) : text.toLowerCase()),
      ['anvil'],
    ),
    help: 'Exchange messages with this Ethereum node. With anvil, the node starts an Anvil on port 8545, or anvil:PORT, whose snapshots follow this chain. anvil:0 picks a free port and prints it.',
    brief: 'Exchange messages with an Ethereum node',
  },
  /** Seconds between two polls of L1. */
  l1AutoRelay: {
    flag: '--l1-auto-relay <SECONDS>',
    default: undefined,
    parse: accepting('a number of seconds from 0.001 to 2147483, such as 0.5', (text) => {
      const seconds = /^\d{1,7}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
      return seconds > 0 && seconds <= MAX_TIMER_SECONDS ? seconds : undefined;
    }),
    help: 'Relay messages in both directions automatically. The node checks L1 at this interval.',
  },
});
