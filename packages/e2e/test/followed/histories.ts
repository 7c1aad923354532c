// Random histories in which blocks and their transactions are often removed and made again.

import { type Command, sequences } from '@starkbox/test-support/model/commands';
import fc from 'fast-check';

const account = fc.nat(1);
const target = fc.record({ back: fc.nat(3), by: fc.constant<'number'>('number') });

/** Few variants, so that undone transfers are repeated. */
const transfer = fc.record({
  does: fc.constant<'transfer'>('transfer'),
  from: account,
  to: fc.constant(4),
  amount: fc.constantFrom<number | 'half'>(1, 'half'),
  flaw: fc.constant<'none'>('none'),
  tip: fc.constant(0),
});

const COMMANDS: readonly (readonly [number, fc.Arbitrary<Command>])[] = [
  [6, fc.constant({ does: 'createBlock' })],
  [6, transfer],
  [7, fc.record({ does: fc.constant<'resend'>('resend'), which: fc.nat(2) })],
  [2, fc.constant({ does: 'mint', to: 0, amount: 1n, unit: 'FRI' })],
  [2, fc.constant({ does: 'deposit', user: 0, amount: 1 })],
  [2, fc.constant({ does: 'count', from: 0, by: 0, pays: false, flaw: 'none' })],
  [
    2,
    fc.record({
      does: fc.constant<'setBalance'>('setBalance'),
      of: account,
      amount: fc.constantFrom(10n ** 18n, 10n ** 21n),
    }),
  ],
  [
    2,
    fc.record({
      does: fc.constant<'setGasPrice'>('setGasPrice'),
      changes: fc.constantFrom({ gas_price_wei: 7 }, { gas_price_wei: 8 }),
      generate: fc.boolean(),
    }),
  ],
  [
    6,
    fc.record({
      does: fc.constant<'abort'>('abort'),
      target: fc.oneof(
        { weight: 3, arbitrary: target },
        fc.constant<'pre_confirmed'>('pre_confirmed'),
      ),
    }),
  ],
  [4, fc.record({ does: fc.constant<'acceptOnL1'>('acceptOnL1'), target: target })],
  [6, fc.constant({ does: 'snapshot' })],
  [7, fc.record({ does: fc.constant<'revert'>('revert'), which: fc.nat(2) })],
  [1, fc.constant({ does: 'restart' })],
  // Any command of the model.
  [20, sequences(1).map(([anyCommand = { does: 'createBlock' }]) => anyCommand)],
];

const command = fc.oneof(...COMMANDS.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Histories of so many commands, which shrink to shorter ones. */
export function histories(length: number): fc.Arbitrary<readonly Command[]> {
  const rarelyNothing = fc.option(command, { nil: undefined, freq: 1000 });
  return fc
    .array(rarelyNothing, { minLength: length, maxLength: length })
    .map((commands) => commands.filter((step) => step !== undefined));
}
