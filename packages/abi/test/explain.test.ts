// Explanations of made failures: what the rules say at the edges of times, balances, calldata and lines.
import { describe, expect, test } from 'vitest';
import { type Abi, readAbi } from '../src/abi.js';
import { explain } from '../src/explain/explain.js';
import type { Sources } from '../src/explain/view.js';
import { encodeShortString } from '../src/felt.js';
import { STRK_ADDRESS } from '../src/names.js';
import { selectorOf } from '../src/selector.js';
import type { Invocation } from '../src/trace.js';

const ACCOUNT = '0xacc';
const CONTRACT = '0xc0';

const call = (
  contract: string,
  name: string,
  calldata: readonly string[] = [],
  changes: Partial<Invocation> = {},
): Invocation => ({
  contract_address: contract,
  class_hash: `${contract}c`,
  entry_point_selector: selectorOf(name),
  entry_point_type: 'EXTERNAL',
  call_type: 'CALL',
  caller_address: ACCOUNT,
  calldata: [...calldata],
  result: [],
  is_reverted: false,
  execution_resources: { l2_gas: 7 },
  events: [],
  calls: [],
  ...changes,
});

const outer = (calls: readonly Invocation[], isReverted: boolean): Invocation =>
  call(ACCOUNT, '__execute__', [], { calls: [...calls], is_reverted: isReverted });

/** An account that calls a function, which fails with a panic. */
function failing(
  failed: Invocation,
  panic: string,
  sources: Partial<Sources> = {},
): ReturnType<typeof explain> {
  const result = [encodeShortString(panic)];
  const calls = [{ ...failed, result, is_reverted: true }];
  return explain(
    {
      transaction: { type: 'INVOKE', sender_address: ACCOUNT, calldata: [] },
      trace: { type: 'INVOKE', execute_invocation: outer(calls, true) },
      status: 'REVERTED',
      reason: panic,
    },
    { abi: async () => undefined, names: new Map(), ...sources },
  );
}

/** A contract with a function of these parameters. */
const abiOf = (name: string, ...types: readonly string[]): Abi =>
  readAbi([
    {
      type: 'function',
      name,
      inputs: types.map((type, at) => ({ name: `p${at}`, type })),
      outputs: [],
      state_mutability: 'external',
    },
  ]);

describe('a contract that waits for a time', () => {
  const NOW = 1_700_000_000;
  const TEN_YEARS = 10 * 365 * 86_400;
  const dueAfter = async (...stored: readonly number[]) => {
    const storedAt = async () => stored.map((time) => `0x${time.toString(16)}`);
    const { actions } = await failing(call(CONTRACT, 'release'), 'too early', {
      time: NOW,
      storedAt,
    });
    return actions?.map(({ method, params }) => [method, params]);
  };
  const noTime = [['devnet_increaseTime', { time: 86_400 }]];
  const due = (time: number) => [['devnet_setTime', { time, generate_block: true }]];

  test('is moved to the next stored time', async () => {
    expect(await dueAfter(7, NOW + 9, NOW + 1, NOW)).toEqual(due(NOW + 1));
    expect(await dueAfter(NOW + TEN_YEARS - 1)).toEqual(due(NOW + TEN_YEARS - 1));
  });

  test('is moved by a day where no stored value is a time to come', async () => {
    expect(await dueAfter()).toEqual(noTime);
    expect(await dueAfter(NOW)).toEqual(noTime);
    expect(await dueAfter(NOW + TEN_YEARS)).toEqual(noTime);
  });
});

describe('a transfer of more than the balance', () => {
  const TRANSFER = abiOf(
    'transfer',
    'core::starknet::contract_address::ContractAddress',
    'core::integer::u256',
  );
  const transfer = (token: string, balance: readonly string[] | undefined) =>
    failing(call(token, 'transfer', ['0x2', '0x64', '0x0']), 'ERC20: insufficient balance', {
      abi: async () => TRANSFER,
      read: async (_, name) => (name === 'balance_of' ? balance : undefined),
    });
  const missingIn = async (token: string, balance?: readonly string[]) => {
    const { actions } = await transfer(token, balance);
    return actions?.map(({ method, params }) => [method, params]);
  };

  test('is given what is missing', async () => {
    expect(await missingIn(CONTRACT, ['0x63', '0x0'])).toEqual([
      ['devnet_deal', { token: CONTRACT, address: ACCOUNT, amount: '100' }],
    ]);
    expect(await missingIn(CONTRACT, ['0x63'])).toHaveLength(1);
    expect(await missingIn(STRK_ADDRESS, ['0x63', '0x0'])).toMatchObject([
      ['devnet_mint', { address: ACCOUNT }],
    ]);
  });

  test('is given nothing where the balance was enough before, or is not known', async () => {
    for (const balance of [['0x64', '0x0'], ['0x0', '0x1'], undefined]) {
      expect(await missingIn(CONTRACT, balance)).toBeUndefined();
    }
  });
});

describe('calldata that does not fit', () => {
  const cutAt = async (types: readonly string[], parameter: number, felts: number) => {
    const calldata = Array.from({ length: felts }, (_, at) => `0x${at + 1}`);
    const failed = call(CONTRACT, 'set', calldata);
    const { summary } = await failing(failed, `Failed to deserialize param #${parameter}`, {
      abi: async () => abiOf('set', ...types),
    });
    return /too short/.test(summary);
  };

  test('is too short where a parameter has no felt left', async () => {
    const types = ['core::integer::u256', '(core::felt252, core::bool)', 'core::integer::u8', '()'];
    expect(await cutAt(types, 2, 2)).toBe(true);
    expect(await cutAt(types, 2, 3)).toBe(false);
    expect(await cutAt(types, 3, 4)).toBe(true);
    expect(await cutAt(types, 3, 5)).toBe(false);
    expect(await cutAt(types, 4, 5)).toBe(true);
  });

  test('of a list before it may be of any length', async () => {
    const types = ['core::array::Array::<core::felt252>', 'core::felt252'];
    expect(await cutAt(types, 2, 0)).toBe(false);
  });
});

test.each([
  ['u8_add Overflow', 'sum'],
  ['u8_sub Overflow', 'minimum'],
  ['u8_mul Overflow', 'product'],
])('%s is told by the operation', async (panic, word) => {
  const { hint } = await failing(call(CONTRACT, 'count'), panic);
  expect(hint).toContain(word);
});

test('a tree has at most 400 lines', async () => {
  const linesOf = async (count: number) => {
    const calls = Array.from({ length: count }, (_, at) => call(`0x${at + 1}`, 'step'));
    const { text } = await explain(
      {
        transaction: { type: 'INVOKE', sender_address: ACCOUNT, calldata: [] },
        trace: { type: 'INVOKE', execute_invocation: outer(calls, false) },
        status: 'SUCCEEDED',
      },
      { abi: async () => undefined, names: new Map() },
    );
    // Below the summary and an empty line.
    return text.split('\n').slice(2);
  };
  const whole = await linesOf(399);
  expect(whole).toHaveLength(400);
  expect(whole.at(-1)).toContain('✓');
  const cut = await linesOf(400);
  expect(cut).toHaveLength(401);
  expect(cut.at(-1)).toBe('… 1 more lines');
});
