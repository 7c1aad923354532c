// Short histories with difficult notifications, which random histories rarely contain.
import type { Command } from '@starkbox/test-support/model/commands';

const transfer = (amount: number | 'half'): Command => {
  return { does: 'transfer', from: 0, to: 4, amount, flaw: 'none', tip: 0 };
};
/** After this a transfer of half of the initial balance fails. */
const lowerBalance: Command = { does: 'setBalance', of: 0, amount: 10n ** 18n };
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

export const FIXED: readonly (readonly [name: string, commands: readonly Command[]])[] = [
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
    [lowerBalance, createBlock, snapshot, abort, createBlock, revert],
  ],
  [
    'a block takes the place of one where its transaction failed',
    [
      transfer('half'),
      createBlock,
      snapshot,
      abort,
      abort,
      lowerBalance,
      resend,
      createBlock,
      revert,
    ],
  ],
  [
    'a transaction of a block is pending again',
    [transfer(1), snapshot, createBlock, revert, createBlock],
  ],
  [
    'a pending transaction had succeeded before',
    [transfer('half'), snapshot, dropWaiting, lowerBalance, resend, revert],
  ],
  [
    'a pending transaction had succeeded before, with another pending',
    [
      transfer('half'),
      transfer(1),
      snapshot,
      dropWaiting,
      lowerBalance,
      { ...resend, which: 1 },
      revert,
    ],
  ],
  [
    'a pending transaction was pending for an earlier block before',
    [transfer(1), snapshot, createBlock, abort, closeAt(7), resend, revert],
  ],
];
