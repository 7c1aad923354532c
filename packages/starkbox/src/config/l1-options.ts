// Options of the connection to L1.
import { inGroup, type OptionTable, suggesting, webUrl, wholeNumber } from './option.js';

const U16 = 2 ** 16 - 1;

export interface L1Config {
  /** The URL of an L1 node, or `anvil` for one of our own. */
  readonly l1: string | undefined;
  /** Of our own Anvil; 0 for any free one. */
  readonly l1Port: number;
  /** Milliseconds between two looks at L1. */
  readonly l1AutoRelay: number | undefined;
}

export const L1_OPTIONS: OptionTable<L1Config> = inGroup('L1', {
  l1: {
    flag: '--l1 <anvil|URL>',
    default: undefined,
    parse: suggesting(['anvil'], (text) =>
      text.toLowerCase() === 'anvil' ? 'anvil' : webUrl(text),
    ),
    help: 'Ethereum node to exchange messages with: anvil starts one whose snapshots follow those of this chain.',
  },
  l1Port: {
    flag: '--l1-port <PORT>',
    default: 8545,
    parse: wholeNumber(0, U16),
    help: 'Port of that Anvil; 0 picks a free one and prints it.',
  },
  l1AutoRelay: {
    flag: '--l1-auto-relay <MILLISECONDS>',
    default: undefined,
    parse: wholeNumber(1, 2 ** 31 - 1),
    help: 'Relay messages in both directions automatically, checking L1 at this interval.',
  },
});
