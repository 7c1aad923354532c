// A debugger of a running node: breakpoints, conditions, storage as of a position, expressions, sources.
import { readFile } from 'node:fs/promises';
import { startFixture } from '@starkbox/test-support/fixture';
import { contract, hex, selector } from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';
import { classTextWithPlaces, marks } from '../../../contracts/classes.js';
import { type Caller, type Debugger, openDebugger } from '../src/index.js';

const { node, client, sender } = await startFixture();
const caller: Caller = (method, params) => node.requestRaw(method, params);

async function deploy(name: string, calldata: readonly string[]): Promise<string> {
  const address = await sender.deploy(await contract(name), calldata);
  const artifact: object = JSON.parse(await classTextWithPlaces(name));
  const file = [...marks().values()].find((mark) => mark.file.endsWith(`/${name}.cairo`))?.file;
  const path = file ?? `contracts/src/${name}.cairo`;
  const text = await readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
  await client.call('devnet_addArtifact', { artifact, sources: { [path]: text } });
  return address;
}

const counter = await deploy('counter', ['0x5']);
const ledger = await deploy('ledger', ['0x1']);
const reverter = await deploy('reverter', []);
const failures = await deploy('failures', ['0x0']);

const increase = (amount: number) => ({ to: counter, name: 'increase', calldata: [hex(amount)] });

async function opened(hash: string): Promise<Debugger> {
  return openDebugger(caller, { transactionHash: hash });
}

/** The name and line of the innermost function of user code. */
async function place(subject: Debugger): Promise<string> {
  const frame = (await subject.frames()).find(({ isLibrary }) => !isLibrary);
  return `${frame?.name.split('::').at(-1)}:${frame?.location?.line ?? ''}`;
}

const increased = await opened(await sender.invoke([increase(3), increase(4)]));
const COUNTER_FILE = 'counter.cairo';

describe('breakpoints', () => {
  test('of a line are reached in both directions', async () => {
    const breakpoint = { id: 'line', line: { file: COUNTER_FILE, line: 44 } };
    await increased.goTo(0);
    const stops: number[] = [];
    for (;;) {
      const stop = await increased.run({ breakpoints: [breakpoint] });
      if (stop.reason === 'end') break;
      expect(stop).toMatchObject({ reason: 'breakpoint', breakpoint });
      expect(await place(increased)).toBe('increase:44');
      stops.push(stop.position);
    }
    expect(stops).toHaveLength(2);
    const backwards: number[] = [];
    for (;;) {
      const stop = await increased.run({ direction: 'backward', breakpoints: [breakpoint] });
      if (stop.reason === 'start') break;
      backwards.push(stop.position);
    }
    expect(backwards).toEqual(stops.toReversed());
  });

  test('of a function are reached once for each call', async () => {
    for (const name of ['increase', 'counter::CounterImpl::increase']) {
      await increased.goTo(0);
      const lines: string[] = [];
      while ((await increased.run({ breakpoints: [{ id: '1', function: name }] })).reason !== 'end')
        lines.push(await place(increased));
      expect(lines).toEqual(['increase:40', 'increase:40']);
    }
  });

  test('of a contract are reached at its first line, and filter others', async () => {
    await increased.goTo(0);
    await increased.run({ breakpoints: [{ id: '1', contract: counter }] });
    expect(await place(increased)).toBe('increase:40');
    const line = { file: COUNTER_FILE, line: 44 };
    const other = await increased.run({ breakpoints: [{ id: '2', contract: ledger, line }] });
    expect(other.reason).toBe('end');
  });

  test('of an entry point without lines are reached at its start', async () => {
    await increased.goTo(0);
    const stop = await increased.run({ breakpoints: [{ id: '1', function: '__execute__' }] });
    expect(stop.reason).toBe('breakpoint');
    expect(await place(increased)).toBe('__execute__:');
  });

  test('hold only if their condition does', async () => {
    await increased.goTo(0);
    const line = { file: COUNTER_FILE, line: 46 };
    const stop = await increased.run({
      breakpoints: [{ id: '1', line, condition: 'storage.count == 12' }],
    });
    expect(stop.reason).toBe('breakpoint');
    expect(await increased.evaluate('storage.count')).toMatchObject({ value: { text: '12' } });
    const none = await increased.run({
      breakpoints: [{ id: '2', line, condition: 'storage.count > 100' }],
    });
    expect(none.reason).toBe('end');
    await increased.goTo(0);
    await expect(
      increased.run({ breakpoints: [{ id: '3', line, condition: 'storage.count >' }] }),
    ).rejects.toThrow('Expected a condition such as amount > 5');
  });

  test('compare variables of the line', async () => {
    await increased.goTo(0);
    const line = { file: COUNTER_FILE, line: 44 };
    const condition = 'amount == 4';
    const stop = await increased.run({ breakpoints: [{ id: '1', line, condition }] });
    expect(stop.reason).toBe('breakpoint');
    expect(await increased.evaluate('amount')).toMatchObject({ value: { text: '4' } });
    expect(await increased.evaluate('storage.count')).toMatchObject({ value: { text: '8' } });
    const again = await increased.run({ breakpoints: [{ id: '1', line, condition }] });
    expect(again.reason).toBe('end');
  });

  test('that can never stop are told from others', async () => {
    const line = { file: COUNTER_FILE, line: 44 };
    for (const place of [{ line }, { function: 'increase' }, { function: '__execute__' }]) {
      expect(await increased.checkBreakpoint({ id: '1', ...place })).toBeUndefined();
    }
    for (const place of [
      { line: { file: COUNTER_FILE, line: 100_000 } },
      { line: { file: 'nothing.cairo', line: 44 } },
      { function: 'nothing' },
      { contract: '0x99' },
      { line, contract: '0x99' },
      { line, condition: 'amount >' },
    ]) {
      expect(await increased.checkBreakpoint({ id: '1', ...place })).toMatch(/\.$/);
    }
  });

  test('that name an unknown variable are passed with a note', async () => {
    await increased.goTo(0);
    const line = { file: COUNTER_FILE, line: 46 };
    const breakpoints = [
      { id: '1', line, condition: 'nothing == 4' },
      { id: '2', line, condition: 'storage.nothing == 4' },
    ];
    const { reason, notes } = await increased.run({ breakpoints });
    expect(reason).toBe('end');
    expect(notes).toHaveLength(1);
    expect(notes?.[0]).toContain('counter.cairo:46 if nothing == 4');
    expect(notes?.[0]).toContain('skip-optimizations');
  });

  test('a run stops at marks, a position, or a signal', async () => {
    await increased.goTo(0);
    const write = await increased.run({ until: ['write'] });
    expect(write).toMatchObject({ reason: 'write', action: { name: 'StorageWrite' } });
    const event = await increased.run({ until: ['event', 'failure'] });
    expect(event).toMatchObject({ reason: 'event', action: { name: 'EmitEvent' } });
    const returned = await increased.run({ direction: 'backward', to: write.position });
    expect(returned).toMatchObject({ reason: 'goto', position: write.position });
    const line = { file: COUNTER_FILE, line: 46 };
    const aborted = await increased.run({
      breakpoints: [{ id: '1', line, condition: 'storage.count > 100' }],
      signal: { aborted: true },
    });
    expect(aborted.reason).toBe('aborted');
  });
});

test('variables of a class without the texts of its sources have a note', async () => {
  const prints = await sender.deploy(await contract('prints'));
  const artifact: object = JSON.parse(await classTextWithPlaces('prints'));
  await client.call('devnet_addArtifact', { artifact });
  const calldata = ['0x7', '0x8'];
  const subject = await opened(
    await sender.invoke([{ to: prints, name: 'print_values', calldata }]),
  );
  await subject.run({ breakpoints: [{ id: '1', function: 'print_values' }] });
  expect((await subject.scope()).note).toContain('prints.cairo');
});

describe('storage', () => {
  const countAt = async (subject: Debugger): Promise<unknown> => {
    const [entry] = await subject.storage(counter);
    return entry && { name: entry.name, value: entry.value, initial: entry.initial };
  };

  test('is as of the position', async () => {
    await increased.goTo(0);
    expect(await countAt(increased)).toBeUndefined();
    const values: unknown[] = [];
    for (;;) {
      const stop = await increased.run({ until: ['write'] });
      if (stop.reason === 'end') break;
      values.push(await countAt(increased));
    }
    expect(values).toEqual([
      { name: 'count', value: '0x8', initial: '0x5' },
      { name: 'count', value: '0xc', initial: '0x5' },
    ]);
    expect(await countAt(increased)).toEqual(values.at(-1));
  });

  test('has no writes of a call that failed, once it has ended', async () => {
    const hash = await sender.invoke([
      {
        to: reverter,
        name: 'catch',
        calldata: [reverter, selector('write_then_fail'), '0x2', '0x7', '0x0'],
      },
    ]);
    const subject = await opened(hash);
    await subject.run({ until: ['write'] });
    expect(await subject.storage(reverter)).toMatchObject([{ value: '0x7', initial: '0x0' }]);
    const writtenAt = subject.position;
    await subject.run({ until: ['failure'] });
    expect(await subject.storage(reverter)).toMatchObject([{ value: '0x7', writtenAt }]);
    await subject.goTo(subject.length - 1);
    const [entry] = await subject.storage(reverter);
    expect(entry).toMatchObject({ value: '0x0' });
    expect(entry?.writtenAt).toBeUndefined();
    const isReverted = subject.marks.filter(({ kind }) => kind === 'write');
    expect(isReverted.map((mark) => mark.isReverted)).toEqual([true]);
    await subject.close();
  });

  test('is found by names, keys and members', async () => {
    const hash = await sender.invoke([
      { to: ledger, name: 'approve', calldata: ['0x1234', '0x9', '0x0'] },
      { to: ledger, name: 'fund', calldata: ['0x77', '0x3', '0x0', '0x2'] },
    ]);
    const subject = await opened(hash);
    await subject.run({ breakpoints: [{ id: '1', function: 'fund' }] });
    const spender = `storage.allowances[${sender.account.address}, 0x1234]`;
    expect(await subject.evaluate(spender)).toMatchObject({ value: { text: '9', type: 'u256' } });
    expect(await subject.evaluate(`${spender}.low`)).toMatchObject({ value: { text: '0x9' } });
    const fee = 'storage.pools[0x77].fee';
    expect((await subject.evaluate(fee)).note).toContain('has not used the slot storage.pools');
    await subject.goTo(subject.length - 1);
    await subject.stepIn('backward');
    expect(await subject.evaluate('storage.nothing')).toMatchObject({ note: expect.any(String) });
    await subject.close();
  });
});

test('a failure opens at its line, with the arguments of its call', async () => {
  const hash = await sender.invoke([{ to: failures, name: 'helper', calldata: ['0x1'] }]);
  const subject = await opened(hash);
  const stop = await subject.goTo(subject.startOfInterest);
  expect(stop.reason).toBe('goto');
  const frame = (await subject.frames()).find(({ isLibrary }) => !isLibrary);
  expect(frame?.location).toMatchObject(marks().get('helper') ?? {});
  const [argument] = await subject.callArguments(frame?.runIndex ?? 0);
  expect(argument).toMatchObject({ name: 'value', isParameter: true, value: { text: '1' } });
  expect(subject.marks.some(({ kind }) => kind === 'failure')).toBe(true);
  // The usual account is charged by steps, and so is all that it calls.
  expect(await subject.gas()).toBeUndefined();
  await subject.close();
});

test('a view call and a simulated transaction are recorded too', async () => {
  const call = { contract_address: counter, entry_point_selector: selector('get'), calldata: [] };
  const view = await openDebugger(caller, { call });
  expect(view.trace.runs.map(({ function_name }) => function_name)).toEqual(['get']);
  await view.goTo(view.length - 2);
  const [left = 0, initial = 0] = [await view.gas(), view.trace.runs[0]?.initial_gas];
  expect(left > 0 && left < initial).toBe(true);
  const request = await sender.invokeRequest([increase(0)]);
  const simulated = await openDebugger(caller, { transactions: [request] });
  await simulated.goTo(simulated.startOfInterest);
  expect(await place(simulated)).toBe('increase:41');
  await view.close();
  await simulated.close();
});

test('files have texts and lines with code, and steps have instructions', async () => {
  const { classHash, file } =
    (await increased.sources()).find((source) => source.file.endsWith(COUNTER_FILE)) ?? {};
  expect(file).toBe('contracts/src/counter.cairo');
  const lines = await increased.codeLines(COUNTER_FILE);
  expect(lines).toEqual(expect.arrayContaining([40, 43, 44, 45, 46]));
  const text = await increased.sourceText(classHash ?? '', file ?? '');
  expect(text?.split('\n')[43]).toContain('before + amount');
  await increased.goTo(0);
  await increased.run({ breakpoints: [{ id: '1', line: { file: COUNTER_FILE, line: 44 } }] });
  const [frame] = await increased.frames();
  const instructions = await increased.disassemble(frame?.runIndex ?? 0, 20, 3, 4);
  expect(instructions).toHaveLength(7);
  expect(instructions[3]?.pc).toBe(20);
  expect(instructions.map(({ text: instruction }) => instruction).join('\n')).toContain(', ap++');
});
