// Every marked failure of our own contracts opens at its mark.
import { describe, expect, test } from 'vitest';
import { marks } from '../../../contracts/classes.js';
import {
  ACROSS,
  invoke,
  LOOPS,
  limits,
  REFUSED,
  TRANSACTIONS,
  WITHIN,
} from '../../starkbox/test/debug-info/marked-cases.js';
import { CONTRACTS, MarkedContracts } from '../../starkbox/test/debug-info/marked-contracts.js';
import { type Debugger, openDebugger } from '../src/index.js';
import { type DebugTrace, engineCaller } from './support/engine-caller.js';

const deployed = await MarkedContracts.create();
const hashOf = (name: string): string => deployed.hashOf(name);

const opened = (trace: DebugTrace): Promise<Debugger> =>
  openDebugger(engineCaller(trace, deployed), { transactionHash: '0x1' });

/** The marked lines of the calls that are active where a failure opens, outermost first. */
async function linesAtFailure(trace: DebugTrace) {
  const subject = await opened(trace);
  await subject.goTo(subject.startOfInterest);
  const lines = new Map<number, { readonly file: string; readonly line: number }>();
  for (const { runIndex, location, isLibrary } of await subject.frames()) {
    if (!location || isLibrary || lines.has(runIndex)) continue;
    lines.set(runIndex, { file: location.file, line: location.line });
  }
  return [...lines.values()].reverse();
}

const marksOf = (path: readonly string[]) => path.flatMap((mark) => marks().get(mark) ?? []);

describe('a failure of a call opens at its mark', () => {
  test.each(WITHIN)('%s', async (entry, calldata) => {
    const trace = await deployed.recordCall(CONTRACTS.failures, entry, calldata);
    expect(await linesAtFailure(trace)).toEqual(marksOf([entry]));
  });

  test.each(ACROSS)('%s across contracts', async (entry, calldata, path) => {
    const trace = await deployed.recordCall(CONTRACTS.failing_calls, entry, calldata(hashOf));
    // The failure of the callee was caught.
    const uncaught = entry === 'call_caught' ? [entry] : path;
    expect(await linesAtFailure(trace)).toEqual(marksOf(uncaught));
  });

  test.each(REFUSED)('of a class with hints that networks refuse: %s, %s', async (name, mark) => {
    const trace = await deployed.recordCall(CONTRACTS[name], mark, ['0x1']);
    expect(await linesAtFailure(trace)).toEqual(marksOf([mark]));
  });
});

describe('a failure of a transaction opens at its mark', () => {
  test.each(TRANSACTIONS)('%s', async (_, transaction, path) => {
    const { values, ...options } = await transaction(hashOf);
    expect(await linesAtFailure(await deployed.record(values, options))).toEqual(marksOf(path));
  });

  test('calls without end', async () => {
    const trace = await deployed.record(
      invoke('nowhere', limits('call_forever', '0x1'), 10n ** 8n),
    );
    const lines = await linesAtFailure(trace);
    expect(lines.length).toBeGreaterThan(40);
    expect(lines).toEqual(marksOf(['account_call', ...lines.slice(1).map(() => 'call_forever')]));
  });

  test.each(LOOPS)('out of gas in a loop: its head, or the system call: %s', async (entry) => {
    const { file, line = 0 } = marks().get(entry) ?? {};
    const trace = await deployed.record(invoke('nowhere', limits(entry), 4_100_000n));
    const inner = (await linesAtFailure(trace)).at(-1);
    expect(inner?.file).toBe(file);
    expect([line - 1, line]).toContain(inner?.line);
  });
});

test('a failure that was caught is found backwards', async () => {
  const calldata = [CONTRACTS.failing_callee, '0x1'];
  const trace = await deployed.recordCall(CONTRACTS.failing_calls, 'call_caught', calldata);
  const subject = await opened(trace);
  await subject.goTo(subject.startOfInterest);
  const stop = await subject.run({ direction: 'backward', until: ['failure'] });
  expect(stop.reason).toBe('failure');
  const frame = (await subject.frames()).find(({ isLibrary }) => !isLibrary);
  expect(frame?.location).toMatchObject(marks().get('callee_check') ?? {});
});
