// Options of the connection to L1.
import { accepting, inGroup, type OptionTable, webUrl, webUrlIn, wholeNumber } from './option.js';

const U16 = 2 ** 16 - 1;

export interface L1Config {
  /** The URL of an L1 node, or `anvil` for one of our own. */
  readonly l1: string | undefined;
  /** Of our own Anvil; 0 for any free one. */
  readonly l1Port: number;
  /** Milliseconds between two looks at L1. */
  readonly l1AutoRelay: number | undefined;
}

export const L1_OPTIONS: OptionTable<L1Config> = inGroup('l1', {
  l1: {
    flag: '--l1 <anvil|URL>',
    default: undefined,
    parse: accepting(
      `anvil, or ${webUrl.expects}`,
      (text) => (text.toLowerCase() === 'anvil' ? 'anvil' : webUrlIn(text)),
      ['anvil'],
    ),
    help: 'Exchange messages with this Ethereum node. With anvil, the node starts an Anvil whose snapshots follow this chain.',
    brief: 'Exchange messages with an Ethereum node',
  },
  l1Port: {
    flag: '--l1-port <PORT>',
    default: 8545,
    parse: wholeNumber(0, U16),
    help: 'Port of the Anvil that --l1 anvil starts. 0 picks a free port and prints it.',
  },
  l1AutoRelay: {
    flag: '--l1-auto-relay <MILLISECONDS>',
    default: undefined,
    parse: wholeNumber(1, 2 ** 31 - 1),
    help: 'Relay messages in both directions automatically. The node checks L1 at this interval.',
  },
});
