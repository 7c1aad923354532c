// Short histories that are easily notified wrongly, and rarely come by chance.
import type { Command } from '../model/commands.js';

const transfer = (amount: number | 'half'): Command => {
  return { does: 'transfer', from: 0, to: 4, amount, flaw: 'none', tip: 0 };
};
/** After this a transfer of half of what an account had at first fails. */
const impoverish: Command = { does: 'setBalance', of: 0, amount: 10n ** 18n };
const createBlock: Command = { does: 'createBlock' };
const snapshot: Command = { does: 'snapshot' };
const revert: Command = { does: 'revert', which: 0 };
const resend: Command = { does: 'resend', which: 0 };
const abort: Command = { does: 'abort', target: 'latest' };
const dropWaiting: Command = { does: 'abort', target: 'pre_confirmed' };
const acceptOnL1: Command = { does: 'acceptOnL1', target: 'latest' };
const closeAt = (gas_price_wei: number): Command => {
  return { does: 'setGasPrice', changes: { gas_price_wei }, generate: true };
};

export const KNOWN: readonly (readonly [name: string, commands: readonly Command[]])[] = [
  [
    'a block that was accepted on L1 comes back',
    [transfer(1), createBlock, acceptOnL1, snapshot, abort, abort, revert],
  ],
  [
    'acceptance on L1 is undone',
    [transfer(1), createBlock, transfer(1), createBlock, snapshot, acceptOnL1, revert],
  ],
  [
    'a block takes the place of one with other prices',
    [closeAt(7), snapshot, abort, closeAt(8), revert],
  ],
  [
    'a block takes the place of one with another state',
    [impoverish, createBlock, snapshot, abort, createBlock, revert],
  ],
  [
    'a block takes the place of one where its transaction failed',
    [
      transfer('half'),
      createBlock,
      snapshot,
      abort,
      abort,
      impoverish,
      resend,
      createBlock,
      revert,
    ],
  ],
  ['what was in a block waits again', [transfer(1), snapshot, createBlock, revert, createBlock]],
  [
    'what waits went well in the past',
    [transfer('half'), snapshot, dropWaiting, impoverish, resend, revert],
  ],
  [
    'what waits went well in the past, and more waited',
    [
      transfer('half'),
      transfer(1),
      snapshot,
      dropWaiting,
      impoverish,
      { ...resend, which: 1 },
      revert,
    ],
  ],
  [
    'what waits for a block waited for an earlier one in the past',
    [transfer(1), snapshot, createBlock, abort, closeAt(7), resend, revert],
  ],
];
