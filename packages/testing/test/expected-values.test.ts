// Decoded values that are compared with what a test expects, values that executions have shown, and requests that failed.
import type { Decoded } from '@starkbox/abi';
import { encodeShortString, PRIME } from '@starkbox/abi/basics';
import { RpcError } from 'starknet';
import { expect, test } from 'vitest';
import { failedRequest } from '../src/client/failures.js';
import {
  type Expected,
  type ExpectedMembers,
  expectedText,
  membersMatch,
  textOf,
} from '../src/matchers/values.js';
import { NOTHING_SEEN, SeenCollector } from '../src/properties/values/seen.js';

const matches = (value: Decoded, ...expected: readonly Expected[]): readonly boolean[] =>
  expected.map((one) => membersMatch([{ name: 'v', type: '', value }], { v: one }));
const number = (value: bigint): Decoded => ({ kind: 'number', value, type: 'u8' });
const record = (type: string): Decoded => ({
  kind: 'record',
  type,
  members: [
    { name: 'x', type: 'u8', value: number(1n) },
    { name: 'y', type: 'u8', value: number(2n) },
  ],
});

test.each<[string, Decoded, readonly Expected[], readonly Expected[]]>([
  [
    'a felt',
    { kind: 'felt', felt: '0x6162' },
    [0x6162, 24930n, '0x6162', '24930', 'ab'],
    ['a', 1, true, '0x', []],
  ],
  ['an address', { kind: 'address', felt: '0xa' }, [10, '0x0A', 10n], ['0xb', '', { a: 1 }]],
  ['a class', { kind: 'class', felt: '0xa' }, [10], [11]],
  ['a number', number(7n), [7, 7n, '7', '0x7'], [8, '8', '7n', true, [7]]],
  ['a truth value', { kind: 'bool', value: true }, [true], [false, 1, 'true']],
  ['a text', { kind: 'text', text: 'ab' }, ['ab'], ['a', 0x6162]],
  [
    'a list',
    { kind: 'list', items: [number(1n), number(2n)] },
    [[1, 2]],
    [[1], [1, 2, 3], [2, 1], { 0: 1, 1: 2 }, 1],
  ],
  ['a record', record('P'), [{ x: 1 }, { y: 2, x: 1 }, {}], [{ x: 2 }, { z: 1 }, [1, 2], 1]],
  ['a tuple', record(''), [[1, 2], { x: 1 }], [[1], [2, 1], 1]],
  [
    'a variant',
    { kind: 'choice', type: 'C', variant: 'Some', value: number(3n) },
    ['Some', { Some: 3 }],
    ['None', { Some: 4 }, { None: 3 }, 3, [3]],
  ],
  [
    'a variant without value',
    { kind: 'choice', type: 'C', variant: 'None' },
    ['None'],
    [{ None: 0 }, 'Some'],
  ],
  ['nothing', { kind: 'unit' }, [], ['', 0, {}, []]],
])('%s', (_, value, equal, other) => {
  expect(matches(value, ...equal)).toEqual(equal.map(() => true));
  expect(matches(value, ...other)).toEqual(other.map(() => false));
});

test('a member without an expected value is a mistake', () => {
  const members = [{ name: 'v', type: '', value: number(1n) }];
  expect(membersMatch(members, { v: undefined })).toBe(false);
  expect(membersMatch(members, {})).toBe(true);
  const expected: ExpectedMembers = { a: 1n, b: [true, 'x'], c: { d: 5 }, e: undefined };
  expect(expectedText(expected)).toBe('a: 1, b: [true, x], c: { d: 5 }, e: undefined');
  expect(textOf({ kind: 'felt', felt: encodeShortString('abc') })).toBe("'abc'");
  expect(textOf({ kind: 'felt', felt: '0x1' })).toBe('0x1');
});

test('what executions have shown is kept by kind, the newest last', () => {
  const seen = new SeenCollector(4);
  const [largest, first] = [2n ** 128n - 1n, 2n ** 128n];
  for (const value of [0n, 1n, 2n, -5n, largest]) seen.addNumber(value);
  expect(seen.numbers).toEqual([2n, 5n, largest]);
  // The prefix and 32 digits are a number.
  for (const value of [first - 2n, first]) seen.addFelt(`0x${value.toString(16)}`);
  expect([seen.numbers, seen.felts]).toEqual([[2n, 5n, largest, first - 2n], [first]]);
  // The older half leaves.
  seen.addNumber(9n);
  expect(seen.numbers).toEqual([largest, first - 2n, 9n]);
  seen.addNumber(9n);
  expect(seen.numbers).toHaveLength(3);
  for (const value of [largest, first, PRIME - 1n, PRIME]) seen.addLarge(value);
  expect(seen.felts).toEqual([first, PRIME - 1n]);
  const bound = 2n ** 251n;
  for (const text of [
    '0x0',
    '0x00A',
    '0xa',
    'no',
    `0x${bound.toString(16)}`,
    `0x${(bound - 1n).toString(16)}`,
  ]) {
    seen.addAddress(text);
  }
  expect(seen.addresses).toEqual(['0xa', `0x${(bound - 1n).toString(16)}`]);
});

test('values have parts, types and callers', () => {
  const seen = new SeenCollector(3);
  seen.addValue([5n, { to: '0xb', name: 'text' }, [6n], true]);
  expect([seen.numbers, seen.addresses]).toEqual([[5n, 6n], ['0xb']]);
  seen.addTyped('u8', 5n);
  seen.addTyped('u8', 'text');
  seen.addTyped('u8', 1n);
  expect([seen.ofType('u8'), seen.ofType('u16')]).toEqual([[5n, 1n], []]);
  seen.addCaller('0xc', 'f', '0x1');
  seen.addCaller('0xc', 'f', '0x1');
  seen.addCaller('0xc', 'f', '0x2');
  seen.addCaller('0xc', 'g', '0x1');
  seen.addCaller('0xc', 'h', '0x1');
  const values = seen.values();
  expect(values.callers).toEqual(['0xc f 0x1', '0xc f 0x2', '0xc g 0x1']);
  const copy = new SeenCollector(3);
  copy.addAll(values);
  copy.addAll({ ...NOTHING_SEEN, felts: [77n] });
  expect(copy.values()).toEqual({ ...values, felts: [77n] });
});

test('a value that is among the newest 32 is not added again', () => {
  const seen = new SeenCollector(100);
  for (let value = 100n; value < 140n; value += 1n) seen.addNumber(value);
  seen.addNumber(108n);
  expect(seen.numbers).toHaveLength(40);
  seen.addNumber(107n);
  expect(seen.numbers.at(-1)).toBe(107n);
  expect(seen.values().numbers).toHaveLength(40);
});

test('the execution that failed is the one that its request asked for', () => {
  const execution_error = 'why';
  const failed = (method: string, params: object, transaction_index?: number) =>
    failedRequest(
      new RpcError(
        transaction_index === undefined
          ? { code: 20, message: 'Contract not found' }
          : {
              code: 41,
              message: 'Transaction execution error',
              data: { transaction_index, execution_error },
            },
        method,
        params,
      ),
    );
  const [call, block] = [{ contract_address: '0x1' }, { block_number: 5 }];
  expect(failed('starknet_call', { request: call, block_id: block })).toEqual({
    call,
    block_id: block,
  });
  expect(failed('starknet_call', { request: call })).toEqual({ call });
  const list = ['first', 'second', 'third'];
  const skipping = { simulation_flags: ['SKIP_VALIDATE'], block_id: block };
  expect(failed('starknet_estimateFee', { request: list, ...skipping }, 1)).toEqual({
    ...{ transactions: ['first', 'second'], block_id: block, skip_validate: true },
  });
  expect(failed('starknet_simulateTransactions', { transactions: list })).toEqual({
    ...{ transactions: ['first'], skip_validate: false },
  });
  expect(failed('starknet_estimateFee', { request: 5 })).toBeUndefined();
  expect(failed('starknet_addInvokeTransaction', { invoke_transaction: 'sent' })).toEqual({
    transactions: ['sent'],
  });
  expect(failed('starknet_addDeclareTransaction', { declare_transaction: 'sent' })).toBeDefined();
  expect(failed('starknet_getNonce', {})).toBeUndefined();
  expect(failedRequest(new Error('other'))).toBeUndefined();
});
