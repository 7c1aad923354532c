// Hints of contracts that the sequencer writes to the standard output or refuses.

import { expect, test } from 'vitest';
import {
  accountClass,
  block,
  contractClass,
  firstAccount,
  genesis,
  invoke,
  place,
} from '../fixtures/chain.js';
import { applied } from '../fixtures/transactions.js';

const PRINTS = '0xa0';
const BACKTRACE = '0xb0';
/** Bytes of text that a report has at most. */
const MAX_PRINTED = 65_536;

const started = await genesis(await accountClass());
const state = await place(await place(started.state, 'prints', PRINTS), 'backtrace', BACKTRACE);
const chain = { ...started, state };

test('texts that a contract prints are in its report, with their contract', async () => {
  const call = { to: PRINTS, name: 'print_values', calldata: ['0x7', '0x8'] };
  const { printed } = await applied(chain.state, invoke(firstAccount(chain), [call], 0));
  const prints = { contract_address: PRINTS, class_hash: (await contractClass('prints')).hash };
  expect(printed).toEqual([
    { ...prints, text: 'number 7, felt 8\n' },
    { ...prints, text: 'second line\n' },
  ]);
});

test('a report has at most 64 KiB of printed text, and the next transaction has its own', async () => {
  const call = { to: PRINTS, name: 'print_text', calldata: [] };
  const account = firstAccount(chain);
  const calls = Array.from({ length: 1_300 }, () => call);
  const flags = { validate: false, chargeFee: false, unboundedGas: true };
  const { printed } = await applied(chain.state, invoke(account, calls, 0), flags);
  const line = 'prints: a line that is longer than one felt can hold\n';
  expect(printed.length).toBe(Math.floor(MAX_PRINTED / line.length));
  expect(new Set(printed.map(({ text }) => text))).toEqual(new Set([line]));
  const next = await applied(chain.state, invoke(account, [call], 0));
  expect(next.printed.length).toBe(1);
});

test('a contract with hints of a panic backtrace runs', async () => {
  const call = { to: BACKTRACE, name: 'deep', calldata: ['0x1'] };
  const execution = await chain.state.execute(block(), invoke(firstAccount(chain), [call], 0));
  expect(execution).toMatchObject({ outcome: 'reverted', fault: { panic: expect.any(Array) } });
});
