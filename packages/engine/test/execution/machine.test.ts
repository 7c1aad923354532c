// What the machine did in each call of a transaction: registers, resources, and calls of Cairo 0 code.

import { type RetracedFrame, starknetKeccak } from '@starkbox/engine';
import { expect, test } from 'vitest';
import { GENERATION } from '../../../../contracts/classes.js';
import {
  accountClass,
  block,
  contractClass,
  firstAccount,
  genesis,
  invoke,
  LEGACY_UDC,
  place,
} from '../fixtures/chain.js';
import { applied } from '../fixtures/transactions.js';

const REVERTER = '0xe0';
const COUNTER = '0xc0';
const MAX_STEPS = 1_000_000;

const started = await genesis(await accountClass());
const account = firstAccount(started);
const declared = await started.state.apply({}, [
  await contractClass('counter'),
  await contractClass('reverter'),
]);
const state = await place(await place(declared, 'counter', COUNTER), 'reverter', REVERTER);
const chain = { ...started, state };

/** Triples of program counter, allocation pointer and frame pointer. */
function registersOf({ machine }: RetracedFrame): readonly (readonly number[])[] {
  const bytes = Buffer.from(machine?.registers ?? '', 'base64');
  return Array.from({ length: bytes.length / 12 }, (_, step) =>
    [0, 4, 8].map((at) => bytes.readUInt32LE(step * 12 + at)),
  );
}

async function framesOf(
  calls: Parameters<typeof invoke>[1],
  machine = MAX_STEPS,
): Promise<readonly RetracedFrame[]> {
  const [traced] = await chain.state.retrace(block(), [invoke(account, calls, 0)], {}, { machine });
  return traced?.frames ?? [];
}

const forward = {
  to: REVERTER,
  name: 'forward',
  calldata: [COUNTER, starknetKeccak('get'), '0x0'],
};

test('every step of a call has its registers, and each address is in the program of its class', async () => {
  const frames = await framesOf([forward]);
  expect(
    frames.map(({ contract_address, depth }) => [contract_address, depth]).slice(1, 4),
  ).toEqual([
    [account.address, 0],
    [REVERTER, 1],
    [COUNTER, 2],
  ]);
  for (const [frame, name] of [
    [frames[2], 'reverter'],
    [frames[3], 'counter'],
  ] as const) {
    if (!frame) throw new Error('a call is missing');
    const { bytecode } = JSON.parse(await (await contractClass(name)).casm());
    const registers = registersOf(frame);
    expect(registers).toHaveLength(frame.steps);
    // A return instruction and a pointer follow the bytecode; the stack begins behind them.
    const stack = bytecode.length + 3;
    for (const [pc = 0, ap = 0, fp = 0] of registers) {
      expect(pc >= 1 && pc <= bytecode.length + 1 && ap >= stack && fp >= stack).toBe(true);
    }
  }
});

test('gas with that of inner calls is what the trace has, or none where steps are paid', async () => {
  const frames = await framesOf([forward]);
  const execution = await applied(chain.state, invoke(account, [forward], 0));
  const { execute_invocation } = JSON.parse(execution.trace);
  const [called] = execute_invocation.calls;
  const expected = [called, called.calls[0]].map(({ execution_resources }) =>
    GENERATION === '2.8' ? undefined : execution_resources.l2_gas,
  );
  expect(frames.slice(2, 4).map(({ machine }) => machine?.gas_consumed)).toEqual(expected);
});

test('calls of Cairo 0 code are told, with what they used, and a deployment without a constructor', async () => {
  const deployment = (hash: string, calldata: readonly string[]) => ({
    to: LEGACY_UDC,
    name: 'deployContract',
    calldata: [hash, '0x5', '0x0', `0x${calldata.length.toString(16)}`, ...calldata],
  });
  const [counter, reverter] = [await contractClass('counter'), await contractClass('reverter')];
  const frames = await framesOf([
    deployment(counter.hash, ['0x2a']),
    deployment(reverter.hash, []),
  ]);
  const summaries = frames
    .slice(1, 6)
    .map(({ depth, machine, failed }) => [depth, machine?.code, failed, machine?.calldata_length]);
  expect(summaries).toEqual([
    [0, 'cairo1', false, 16],
    [1, 'cairo0', false, 5],
    [2, 'cairo1', false, 1],
    [1, 'cairo0', false, 4],
    [2, 'none', false, 0],
  ]);
  const udc = frames[2];
  expect(udc?.steps).toBeGreaterThan(50);
  expect(udc?.syscalls).toMatchObject({ Deploy: 1, EmitEvent: 1 });
  expect(udc?.machine).toMatchObject({ events: [[1, 7]], messages: [] });
  expect(udc?.machine).not.toHaveProperty('registers');
});

test('frames beyond the number of steps have no registers, and without the option nothing is added', async () => {
  const frames = await framesOf([forward], 1);
  expect(frames.some(({ machine }) => machine?.registers)).toBe(false);
  expect(frames.every(({ machine }) => machine !== undefined)).toBe(true);
  const [plain] = await chain.state.retrace(block(), [invoke(account, [forward], 0)]);
  expect(plain?.frames.some(({ machine }) => machine)).toBe(false);
});

test('a run reports the memory holes of its own code', async () => {
  const frames = await framesOf([forward]);
  const holes = frames.map(({ machine }) => machine?.memory_holes ?? 0);
  expect(holes.some((count) => count > 0)).toBe(true);
});
