// The place of every failure of our own contracts: the first line of its Cairo stack is the marked line.
import type { SourceLine } from '@starkbox/abi';
import {
  Block,
  Class,
  type RetracedFrame,
  State,
  starknetKeccak,
  storageAddress,
} from '@starkbox/engine';
import { beforeAll, describe, expect, test } from 'vitest';
import { classTextWithPlaces, marks } from '../../../../contracts/classes.js';
import { cairoStack, failedFirst } from '../../src/chain/retrace/cairo-stack.js';
import { DebugInfos } from '../../src/debug-info/debug-infos.js';

const CONTRACTS = {
  failures: '0xf0',
  failing_calls: '0xca',
  failing_callee: '0xce',
  failing_library: '0x1b',
  backtrace: '0xba',
  prints: '0x9a',
} as const;
type Name = keyof typeof CONTRACTS;
const CALLEE = CONTRACTS.failing_callee;
const MAX = `0x${'f'.repeat(32)}`;
const MINUS_ONE = '0x800000000000011000000000000000000000000000000000000000000000000';
const LEAST_I32 = '0x800000000000010ffffffffffffffffffffffffffffffffffffffff80000001';
const TEXT = ['0x0', '0x616263', '0x3'];

const GWEI = { wei: '1000000000', fri: '1000000000' };
const BLOCK = new Block({
  number: 20,
  timestamp: 1_700_000_000,
  sequencer_address: '0x1000',
  chain_id: 'SN_SEPOLIA',
  fee_tokens: { strk: '0x1', eth: '0x2' },
  gas_prices: { l1_gas: GWEI, l1_data_gas: GWEI, l2_gas: GWEI },
});

const infos = new DebugInfos();
const hashes = new Map<string, string>();
let state: State;

beforeAll(async () => {
  const classes: Class[] = [];
  for (const name of Object.keys(CONTRACTS)) {
    const text = await classTextWithPlaces(name);
    const compiled = await Class.compile(text);
    infos.add(compiled.hash, JSON.parse(text));
    hashes.set(name, compiled.hash);
    classes.push(compiled);
  }
  const deployed = Object.entries(CONTRACTS).map(([name, address]) => ({
    address,
    class_hash: hashOf(name),
  }));
  const owner = {
    address: CONTRACTS.failures,
    storage_entries: [{ key: storageAddress('owner'), value: '0x1' }],
  };
  const diff = { deployed_contracts: deployed, storage_diffs: [owner] };
  state = await State.create({ version: 20 }).apply(diff, classes);
});

function hashOf(name: string): string {
  const hash = hashes.get(name);
  if (hash === undefined) throw new Error(`${name} was not compiled`);
  return hash;
}

async function framesOf(contract: Name, entry: string, calldata: readonly string[]) {
  const { frames } = await state.retraceCall(BLOCK, {
    contract_address: CONTRACTS[contract],
    entry_point_selector: starknetKeccak(entry),
    calldata,
  });
  return frames;
}

function stackOf(frame: RetracedFrame | undefined): Promise<readonly SourceLine[]> {
  if (!frame) throw new Error('nothing failed');
  return cairoStack(frame, infos, state);
}

function expectPlace(stack: readonly SourceLine[], mark: string): void {
  const [first] = stack;
  expect({ file: first?.file, line: first?.line }).toEqual(marks().get(mark));
}

describe('the first line of the stack is the one that failed', () => {
  const cases: readonly (readonly [entry: string, calldata: readonly string[]])[] = [
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
  test.each(cases)('%s', async (entry, calldata) => {
    const frames = await framesOf('failures', entry, calldata);
    const failed = failedFirst(frames);
    if (!failed) throw new Error('nothing failed');
    const stack = await stackOf(failed);
    expectPlace(stack, entry);
  });
});

describe('across contracts', () => {
  const cases: readonly (readonly [
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
    [
      'call_raw',
      () => [CALLEE, starknetKeccak('check'), '0x1', '0x1'],
      ['call_raw', 'callee_check'],
    ],
    ['library_check', () => [hashOf('failing_library'), '0x1'], ['library_call', 'library_check']],
    [
      'library_subtract',
      () => [hashOf('failing_library'), '0x1'],
      ['library_call_subtract', 'library_subtract'],
    ],
    ['deploy', () => [hashOf('failing_callee'), '0x1', '0x1', '0x1'], ['deploy', 'constructor']],
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
  test.each(cases)('%s', async (entry, calldata, path) => {
    const frames = await framesOf('failing_calls', entry, calldata());
    const failed = frames.filter((frame) => frame.failed);
    const lines = await Promise.all(failed.map(stackOf));
    const expected = path.map((mark) => marks().get(mark) ?? {});
    const got = lines.map(([first]) => (first ? { file: first.file, line: first.line } : {}));
    expect(got).toEqual(expected);
  });
});

test('out of gas: the function whose begin takes gas, and the line that called it', async () => {
  const stack = await stackOf(
    failedFirst(await framesOf('failing_calls', 'recurse_forever', ['0x1'])),
  );
  expect(stack[0]?.function).toMatch(/::endless$/);
  expectPlace(stack.slice(1), 'recurse_forever');
  expect(stack.length).toBeLessThanOrEqual(100);
});

test('functions around the line that failed follow, with what was inlined', async () => {
  const stack = await stackOf(failedFirst(await framesOf('failures', 'inlined', ['0x1'])));
  const name = (text: string) => text.replace(/^.*?(\w+)$/, '$1');
  expect(stack.map(({ function: one, inlined }) => [name(one), inlined])).toEqual([
    ['inlined_check', true],
    ['inlined', true],
  ]);
});

test('a panic with felts that the compiler kept no place of names the function alone', async () => {
  const stack = await stackOf(
    failedFirst(await framesOf('failures', 'panic_given', ['0x1', '0x7'])),
  );
  expect(stack.map(({ line }) => line)).toEqual([undefined]);
  expect(stack[0]?.function).toMatch(/panic_given$/);
});

test.each([
  ['backtrace', 'deep', ['0x1'], 'deep'],
  ['backtrace', 'shallow', ['0x1'], 'shallow'],
  ['prints', 'print_then_fail', ['0x1'], 'print_then_fail'],
] as const)(
  'a class with hints that networks refuse runs: %s, %s',
  async (contract, entry, calldata, mark) => {
    expectPlace(await stackOf(failedFirst(await framesOf(contract, entry, calldata))), mark);
  },
);

test('without debug information, entry points are named by the ABI and other functions by number', async () => {
  const failed = failedFirst(await framesOf('failures', 'helper', ['0x1']));
  if (!failed) throw new Error('nothing failed');
  const stack = await cairoStack(failed, new DebugInfos(), state);
  expect(stack.at(-1)).toEqual({ function: 'helper' });
  expect(stack[0]?.function).toMatch(/^Sierra function \d+$/);
});
