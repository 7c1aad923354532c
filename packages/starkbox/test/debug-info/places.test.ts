// The place of every failure of our own contracts: the first line of its Cairo stack is the marked line.
import type { RetracedFrame } from '@starkbox/engine';
import { hex } from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';
import { classTextWithPlaces, marks } from '../../../../contracts/classes.js';
import { cairoStack, failedPath } from '../../src/chain/retrace/cairo-stack.js';
import { DebugInfos } from '../../src/debug-info/debug-infos.js';
import { ACROSS, invoke, LOOPS, limits, REFUSED, TRANSACTIONS, WITHIN } from './marked-cases.js';
import { CONTRACTS, MarkedContracts, type Name } from './marked-contracts.js';

const CALLEE = CONTRACTS.failing_callee;

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

describe('the first line of the stack is the one that failed', () => {
  test.each(WITHIN)('%s', async (entry, calldata) => {
    const frames = await deployed.call(CONTRACTS.failures, entry, calldata);
    expect(await firstLines(frames)).toEqual(placesOf([entry]));
  });
});

describe('across contracts', () => {
  test.each(ACROSS)('%s', async (entry, calldata, path) => {
    const frames = await deployed.call(CONTRACTS.failing_calls, entry, calldata(hashOf));
    expect(await firstLines(frames)).toEqual(placesOf(path));
  });
});

test.each(REFUSED)('a class with hints that networks refuse runs: %s, %s', async (name, mark) => {
  const frames = await deployed.call(CONTRACTS[name], mark, ['0x1']);
  expect(await firstLines(frames)).toEqual(placesOf([mark]));
});

describe('in transactions', () => {
  test.each(TRANSACTIONS)('%s', async (_, transaction, path) => {
    const { values, ...options } = await transaction(hashOf);
    expect(await firstLines(await deployed.run(values, options))).toEqual(placesOf(path));
  });

  test('calls without end: each frame at the call, and nothing in the one that was not begun', async () => {
    const lines = await firstLines(
      await deployed.run(invoke('nowhere', limits('call_forever', '0x1'), 10n ** 8n)),
    );
    expect(lines.length).toBeGreaterThan(40);
    const path = ['account_call', ...lines.slice(1).map(() => 'call_forever')];
    expect(lines).toEqual(placesOf(path));
  });
});

test.each(LOOPS)('out of gas in a loop: its head, or the system call: %s', async (entry) => {
  const { file, line = 0 } = marks().get(entry) ?? {};
  const lines = new Set<number | undefined>();
  // Steps smaller than what one turn takes.
  for (let gas = 4_000_000n; gas < 4_200_000n; gas += 8_001n) {
    const [, inner] = await firstLines(await deployed.run(invoke('nowhere', limits(entry), gas)));
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
  const frames = await deployed.run(invoke('nowhere', limits('recurse_forever', '0x1')));
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

test('calls at two columns of one line are two lines of the stack', async () => {
  const frames = await deployed.run(invoke('nowhere', limits('recurse_forever', '0x1')));
  const failed = failedPath(frames).at(-1);
  const text = await classTextWithPlaces('failing_calls');
  const { line = 0 } = marks().get('recurse_forever') ?? {};
  // As if the call, four lines below the head, stood behind it.
  const artifact = JSON.parse(text, (_, value) =>
    value?.line === line + 3 ? { ...value, line: line - 1 } : value,
  );
  const infos = new DebugInfos();
  infos.add(hashOf('failing_calls'), artifact);
  const stack = failed ? await cairoStack(failed, infos, deployed.state) : [];
  const [first, second] = stack;
  expect(stack).toHaveLength(2);
  expect(second).toMatchObject({ function: first?.function, file: first?.file, line });
  expect(first?.line).toBe(line);
  expect(first?.column).not.toBe(second?.column);
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
