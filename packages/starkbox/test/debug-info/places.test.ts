// The place of every failure of our own contracts: the first line of its Cairo stack is the marked line.
import { type RetracedFrame, starknetKeccak, type TransactionValues } from '@starkbox/engine';
import { describe, expect, test } from 'vitest';
import { marks } from '../../../../contracts/classes.js';
import {
  bounds,
  type Call,
  contract,
  declareRequest,
  deployAccountRequest,
  hex,
  invokeRequest,
  newAccount,
  short,
} from '../../../e2e/support/signing.js';
import { cairoStack, failedPath } from '../../src/chain/retrace/cairo-stack.js';
import { DebugInfos } from '../../src/debug-info/debug-infos.js';
import { ACCOUNTS, CONTRACTS, MarkedContracts, type Name } from './marked-contracts.js';

const CALLEE = CONTRACTS.failing_callee;
const MAX = `0x${'f'.repeat(32)}`;
const MINUS_ONE = '0x800000000000011000000000000000000000000000000000000000000000000';
const LEAST_I32 = '0x800000000000010ffffffffffffffffffffffffffffffffffffffff80000001';
const TEXT = ['0x0', '0x616263', '0x3'];

const deployed = await MarkedContracts.create();
const hashOf = (name: string): string => deployed.hashOf(name);

/** The first lines of all frames that failed, outermost frame first. */
async function firstLines(frames: readonly RetracedFrame[]) {
  const failed = frames.filter((frame) => frame.failed);
  const stacks = await Promise.all(failed.map((frame) => deployed.stackOf(frame)));
  return stacks.map(([first]) => ({ file: first?.file, line: first?.line }));
}

const NO_LINE = { file: undefined, line: undefined };
const placesOf = (path: readonly string[]) => path.map((mark) => marks().get(mark) ?? NO_LINE);

async function stackOf(name: Name, entry: string, calldata: readonly string[]) {
  const failed = failedPath(await deployed.call(CONTRACTS[name], entry, calldata)).at(-1);
  if (!failed) throw new Error('nothing failed');
  return deployed.stackOf(failed);
}

/** Entry points of `failures`, which fail at the line with their name. */
const WITHIN: readonly (readonly [entry: string, calldata: readonly string[]])[] = [
  ['assert_short', ['0x1']],
  ['assert_formatted', ['0x1']],
  ['assert_plain', ['0x1']],
  ['assert_equal', ['0x1', '0x2']],
  ['panic_felt', ['0x1']],
  ['panic_felts', ['0x1']],
  ['panic_nothing', []],
  ['panic_text', TEXT],
  ['panic_unicode', []],
  ['panic_nested_text', TEXT],
  ['panic_two_texts', []],
  ['custom_error', ['0x0']],
  ['custom_error', ['0x5']],
  ['custom_error_with_values', ['0x1', '0x2']],
  ['unreachable_arm', ['0x1']],
  ['helper', ['0x1']],
  ['inlined', ['0x1']],
  ['generic', ['0x1']],
  ['closure', ['0x40']],
  ['looped', ['0x3', '0x1', '0x0', '0x2']],
  ['only_owner', []],
  ['add_u8', ['0xff', '0x1']],
  ['subtract_u8', ['0x0', '0x1']],
  ['multiply_u8', ['0xff', '0x2']],
  ['add_u64', ['0xffffffffffffffff', '0x1']],
  ['add_u128', [MAX, '0x1']],
  ['multiply_u128', [MAX, '0x2']],
  ['add_u256', [MAX, MAX, '0x1', '0x0']],
  ['subtract_u256', ['0x0', '0x0', '0x1', '0x0']],
  ['multiply_u256', [MAX, MAX, '0x2', '0x0']],
  ['add_i32', ['0x7fffffff', '0x1']],
  ['subtract_i32', [LEAST_I32, '0x1']],
  ['divide_u64', ['0x1', '0x0']],
  ['divide_u256', ['0x1', '0x0', '0x0', '0x0']],
  ['modulo_u128', ['0x1', '0x0']],
  ['divide_felt', ['0x1', '0x0']],
  ['array_index', ['0x1', '0x7', '0x1']],
  ['span_slice', ['0x1', '0x7', '0x1', '0x1']],
  ['text_index', [...TEXT, '0x9']],
  ['option_unwrap', ['0x0']],
  ['option_expect', ['0x0']],
  ['result_unwrap', ['0xa']],
  ['result_expect', ['0xa']],
  ['result_unwrap_err', ['0x1']],
  ['felt_to_address', [`0x8${'0'.repeat(62)}`]],
  ['felt_to_class_hash', [`0x8${'0'.repeat(62)}`]],
  ['felt_to_u8', ['0x100']],
  ['u256_to_felt', [MAX, MAX]],
  ['i32_to_u32', [MINUS_ONE]],
  ['dictionary_overflow', ['0x1', '0x64']],
];

describe('the first line of the stack is the one that failed', () => {
  test.each(WITHIN)('%s', async (entry, calldata) => {
    const frames = await deployed.call(CONTRACTS.failures, entry, calldata);
    expect(await firstLines(frames)).toEqual(placesOf([entry]));
  });
});

/** Entry points of `failing_calls`, and the marks of the frames that fail, outermost first. */
const ACROSS: readonly (readonly [
  entry: string,
  calldata: () => readonly string[],
  path: readonly string[],
])[] = [
  ['call_check', () => [CALLEE, '0x1'], ['call_check', 'callee_check']],
  ['call_subtract', () => [CALLEE, '0x1', '0x2'], ['call_subtract', 'callee_subtract']],
  ['call_panic', () => [CALLEE, '0x1', '0x7'], ['call_panic', 'callee_panic']],
  [
    'call_nested',
    () => [CALLEE, '0x2', CALLEE, CALLEE, '0x1'],
    ['call_nested', 'pass_on_call', 'pass_on_call', 'pass_on'],
  ],
  [
    'call_into_library',
    () => [CALLEE, hashOf('failing_library'), '0x1'],
    ['call_into_library', 'pass_to_library', 'library_check'],
  ],
  ['call_missing', () => [CALLEE], ['call_missing', '']],
  ['call_other_type', () => [CALLEE], ['call_other_type']],
  ['call_raw', () => [CALLEE, starknetKeccak('check'), '0x1', '0x1'], ['call_raw', 'callee_check']],
  ['call_caught', () => [CALLEE, '0x1'], ['call_caught', 'callee_check']],
  ['library_check', () => [hashOf('failing_library'), '0x1'], ['library_call', 'library_check']],
  [
    'library_subtract',
    () => [hashOf('failing_library'), '0x1'],
    ['library_call_subtract', 'library_subtract'],
  ],
  ['deploy', () => [hashOf('failing_callee'), '0x1', '0x1', '0x1'], ['deploy', 'constructor']],
  ['deploy', () => [hashOf('failures'), '0x1', '0x1', '0x1'], ['deploy', 'failures_constructor']],
  ['deploy_twice', () => [hashOf('failing_callee'), '0x1'], ['deploy_twice']],
  ['replace', () => ['0x1234'], ['replace']],
  ['reenter', () => [CALLEE], ['reenter_call', 'call_back', 'reenter']],
  ['block_hash', () => ['0x13'], ['block_hash']],
  ['keccak', () => ['0x1', '0x1'], ['keccak']],
  ['secp_k1_point', () => [MAX, MAX, MAX, MAX], ['secp_k1_point']],
  ['secp_r1_point', () => [MAX, MAX, MAX, MAX], ['secp_r1_point']],
  ['send_message', () => [`0x1${'0'.repeat(50)}`, '0x1'], ['send_message']],
  ['emit', () => ['0x64', '0x1'], ['emit']],
  ['storage_domain', () => ['0x1'], ['storage_domain']],
];

describe('across contracts', () => {
  test.each(ACROSS)('%s', async (entry, calldata, path) => {
    const frames = await deployed.call(CONTRACTS.failing_calls, entry, calldata());
    expect(await firstLines(frames)).toEqual(placesOf(path));
  });
});

/** Classes with hints that networks refuse. */
const REFUSED: readonly (readonly [name: Name, mark: string])[] = [
  ['backtrace', 'deep'],
  ['backtrace', 'shallow'],
  ['prints', 'print_then_fail'],
];

test.each(REFUSED)('a class with hints that networks refuse runs: %s, %s', async (name, mark) => {
  const frames = await deployed.call(CONTRACTS[name], mark, ['0x1']);
  expect(await firstLines(frames)).toEqual(placesOf([mark]));
});

/** No signature is checked, and a little gas is soon used. */
const changes = (l2_gas = 4_000_000n): TransactionValues => ({
  signature: [],
  resource_bounds: bounds({ l1_gas: 100_000n, l1_data_gas: 100_000n, l2_gas }),
});
const account = (failingStep: keyof typeof ACCOUNTS) => ({
  address: ACCOUNTS[failingStep],
  privateKey: '0x7',
});
const invoke = (failingStep: keyof typeof ACCOUNTS, call: Call, gas?: bigint): TransactionValues =>
  invokeRequest(account(failingStep), [call], 0, { changes: changes(gas) });
const FAILING = { to: CONTRACTS.failures, name: 'assert_short', calldata: ['0x1'] };
const limits = (name: string, ...calldata: readonly string[]) => ({
  to: CONTRACTS.failing_calls,
  name,
  calldata,
});
const deployment = (failingStep: string): TransactionValues =>
  deployAccountRequest(
    newAccount('0x7', {
      classHash: hashOf('failing_account'),
      constructorCalldata: [short(failingStep)],
    }),
    { changes: changes() },
  );
const message = (from: string, amount: string): TransactionValues => ({
  type: 'L1_HANDLER',
  version: '0x0',
  contract_address: CONTRACTS.failing_calls,
  entry_point_selector: starknetKeccak('handle'),
  calldata: [from, amount],
  nonce: '0x0',
  paid_fee_on_l1: '0xffffffffffffff',
});
const run = (values: TransactionValues) => deployed.run(values);

/** Transactions, and the marks of the frames that fail, outermost first. */
const TRANSACTIONS: readonly (readonly [
  title: string,
  run: () => Promise<readonly RetracedFrame[]>,
  path: readonly string[],
])[] = [
  ['an account that validates', () => run(invoke('validate', FAILING)), ['account_validate']],
  [
    'a system call of the validation',
    () => deployed.run(invoke('syscall', FAILING), { isEarly: true }),
    ['account_syscall'],
  ],
  ['a call of the validation', () => run(invoke('calls', FAILING)), ['account_calls']],
  ['a validation without end', () => run(invoke('endless', FAILING)), ['account_endless']],
  ['an account that executes', () => run(invoke('execute', FAILING)), ['account_execute']],
  ['arithmetic of an account', () => run(invoke('overflow', FAILING)), ['account_overflow']],
  ['a call of an account', () => run(invoke('nowhere', FAILING)), ['account_call', 'assert_short']],
  [
    'a declaration',
    async () => {
      const declared = await contract('slots');
      const request = declareRequest(account('declare'), declared, 0, { changes: changes() });
      return deployed.run(request, { declared: declared.class });
    },
    ['account_declare'],
  ],
  ['the validation of a deployment', () => run(deployment('deploy')), ['account_deploy']],
  ['the constructor of an account', () => run(deployment('constructor')), ['account_constructor']],
  ['the sender of a message', () => run(message('0x666', '0x1')), ['handle_sender']],
  ['the amount of a message', () => run(message('0x1', hex(1001))), ['handle_amount']],
  [
    'a recursion without end',
    () => run(invoke('nowhere', limits('recurse_forever', '0x1'))),
    ['account_call', 'recurse_forever'],
  ],
];

describe('in transactions', () => {
  test.each(TRANSACTIONS)('%s', async (_, frames, path) => {
    expect(await firstLines(await frames())).toEqual(placesOf(path));
  });

  test('calls without end: each frame at the call, and nothing in the one that was not begun', async () => {
    const lines = await firstLines(
      await run(invoke('nowhere', limits('call_forever', '0x1'), 10n ** 8n)),
    );
    expect(lines.length).toBeGreaterThan(40);
    const path = ['account_call', ...lines.slice(1).map(() => 'call_forever')];
    expect(lines).toEqual(placesOf(path));
  });
});

/** Loops that take gas at their head, and more by a system call in their body. */
const LOOPS: readonly string[] = ['read_forever', 'write_forever'];

test.each(LOOPS)('out of gas in a loop: its head, or the system call: %s', async (entry) => {
  const { file, line = 0 } = marks().get(entry) ?? {};
  const lines = new Set<number | undefined>();
  // Steps smaller than what one turn takes.
  for (let gas = 4_000_000n; gas < 4_200_000n; gas += 8_001n) {
    const [, inner] = await firstLines(await run(invoke('nowhere', limits(entry), gas)));
    expect(inner?.file).toBe(file);
    lines.add(inner?.line);
  }
  expect([...lines].sort()).toEqual([line - 1, line]);
});

test('every marked line has a case', () => {
  const hit = new Set([
    ...WITHIN.map(([entry]) => entry),
    ...[...ACROSS, ...TRANSACTIONS].flatMap(([, , path]) => path),
    ...REFUSED.map(([, mark]) => mark),
    ...LOOPS,
    'call_forever',
  ]);
  expect([...marks().keys()].filter((mark) => !hit.has(mark))).toEqual([]);
});

test('a failure that was caught is not the one that a run failed by', async () => {
  const frames = await deployed.call(CONTRACTS.failing_calls, 'call_caught', [CALLEE, '0x1']);
  const [outer, inner] = frames;
  const frameName = (frame: RetracedFrame | undefined) => ({
    contract: frame?.contract_address ?? '',
    classHash: frame?.class_hash ?? '',
    selector: frame?.entry_point_selector ?? '',
  });
  expect(failedPath(frames, frameName(outer)).at(-1)).toBe(outer);
  expect(failedPath(frames, frameName(inner)).at(-1)).toBe(inner);
  expect(failedPath(frames).at(-1)).toBe(inner);
});

test('turns of a loop and calls of a recursion are one line each', async () => {
  const frames = await run(invoke('nowhere', limits('recurse_forever', '0x1')));
  const failed = failedPath(frames).at(-1);
  expect(failed?.stack?.length).toBeGreaterThan(50);
  const stack = failed ? await deployed.stackOf(failed) : [];
  // The outermost functions of a very deep stack are not kept.
  const names = stack.map(({ function: name }) => name.split('::').at(-1));
  expect(names).toEqual(['endless', 'endless']);
  expect((stack[1]?.line ?? 0) - (stack[0]?.line ?? 0)).toBe(4);
  const turns = ['0x1', '0x1', '0x1', '0x1', '0x1', '0x1', '0x0'];
  const looped = await stackOf('failures', 'looped', [hex(turns.length), ...turns]);
  expect(looped).toEqual(await stackOf('failures', 'looped', ['0x3', '0x1', '0x1', '0x0']));
});

test('functions around the line that failed follow, with what was inlined', async () => {
  const stack = await stackOf('failures', 'inlined', ['0x1']);
  const name = (text: string) => text.replace(/^.*?(\w+)$/, '$1');
  expect(stack.map(({ function: functionName, inlined }) => [name(functionName), inlined])).toEqual(
    [
      ['inlined_check', true],
      ['inlined', true],
    ],
  );
});

test('a panic with felts that the compiler kept no place of names the function alone', async () => {
  const stack = await stackOf('failures', 'panic_given', ['0x1', '0x7']);
  expect(stack.map(({ line }) => line)).toEqual([undefined]);
  expect(stack[0]?.function).toMatch(/::PanicsImpl::panic_given$/);
});

test('without debug information, entry points are named by the ABI and other functions by number', async () => {
  const failed = failedPath(await deployed.call(CONTRACTS.failures, 'helper', ['0x1'])).at(-1);
  if (!failed) throw new Error('nothing failed');
  const stack = await cairoStack(failed, new DebugInfos(), deployed.state);
  expect(stack.at(-1)).toEqual({ function: 'helper' });
  expect(stack[0]?.function).toMatch(/^Sierra function \d+$/);
});
