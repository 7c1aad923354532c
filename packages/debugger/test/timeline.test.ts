// Positions over nested runs, dropped steps and Cairo 0 code; activations of deep recursions.
import { expect, test } from 'vitest';
import { type Debugger, openDebugger } from '../src/index.js';
import { callerOf, classOf, type HandMade, runOf, type Step } from './support/hand-made.js';

const open = (trace: HandMade): Promise<Debugger> =>
  openDebugger(callerOf(trace), { transactionHash: '0x1' });

/** The index of the run and the pc, or the system call, of each position. */
async function walk(subject: Debugger): Promise<readonly string[]> {
  const places: string[] = [];
  for (let position = 0; position < subject.length; position += 1) {
    await subject.goTo(position);
    const runs = (await subject.frames()).map(({ runIndex }) => runIndex);
    places.push(`${runs.join('<')} ${subject.action?.name ?? ''}`.trim());
  }
  return places;
}

const plain = (count: number): readonly Step[] =>
  Array.from({ length: count }, (_, pc): Step => [pc, 10 + pc, 2]);

test('a nested run follows the step of the system call that made it', async () => {
  const subject = await open({
    runs: [runOf({ step_count: 4 }), runOf({ step_count: 2, parent: 0, parent_action: 0 })],
    actions: [
      { run: 0, step: 1, name: 'CallContract', failed: false, called_run: 1 },
      { run: 1, step: 0, name: 'EmitEvent', failed: false },
    ],
    steps: [plain(4), plain(2)],
  });
  expect(await walk(subject)).toEqual([
    '0',
    '0 CallContract',
    '1<0 EmitEvent',
    '1<0',
    '0',
    '0',
    '',
  ]);
  // A run ends at what comes first on its way.
  await subject.goTo(0);
  const until = ['call'] as const;
  expect(await subject.run({ to: 2, until })).toMatchObject({ position: 1, reason: 'call' });
  await subject.goTo(0);
  expect(await subject.run({ to: 1, until })).toMatchObject({ position: 1, reason: 'goto' });
  expect(await subject.run({ to: 0, until })).toMatchObject({ reason: 'end' });
  await subject.goTo(4);
  expect(await subject.run({ to: 3, direction: 'backward' })).toMatchObject({
    position: 3,
    reason: 'goto',
  });
  expect(await subject.run({ to: 0, until, direction: 'backward' })).toMatchObject({
    ...{ position: 1, reason: 'call' },
  });
});

test('code without recorded steps has a position for its start and each system call', async () => {
  const subject = await open({
    runs: [
      runOf({ code: 'cairo0' }),
      runOf({ code: 'none', parent: 0, parent_action: 0 }),
      runOf({ code: 'cairo0', parent: 0, parent_action: 1 }),
    ],
    actions: [
      { run: 0, step: 0, name: 'Deploy', failed: false, called_run: 1 },
      { run: 0, step: 1, name: 'CallContract', failed: false, called_run: 2 },
      { run: 0, step: 2, name: 'StorageRead', failed: false },
    ],
  });
  expect(await walk(subject)).toEqual([
    '0',
    '0 Deploy',
    '1<0',
    '0 CallContract',
    '2<0',
    '0 StorageRead',
    '',
  ]);
  await subject.goTo(0);
  const stops: number[] = [];
  for (let reason = ''; reason !== 'end'; ) {
    const stop = await subject.stepIn();
    stops.push(stop.position);
    reason = stop.reason;
  }
  expect(stops).toEqual([1, 2, 3, 4, 5, 6]);
});

test('steps that were dropped leave the system calls, and a note', async () => {
  const subject = await open({
    runs: [runOf({ step_count: 10, first_step: 7 })],
    actions: [
      { run: 0, step: 3, name: 'StorageRead', failed: false },
      { run: 0, step: 8, name: 'StorageWrite', failed: false },
    ],
    steps: [plain(3)],
    dropped: 7,
  });
  expect(await walk(subject)).toEqual(['0', '0 StorageRead', '0', '0 StorageWrite', '0', '']);
  expect(subject.notes[0]).toContain('lacks its first 7 steps');
  expect(subject.notes[0]).toContain('maxSteps');
});

/** `outer` calls `inner` at line 2; `inner` has the lines 11 and 12. */
const CODE = classOf(
  [
    ['m::outer', 0],
    ['m::inner', 4],
  ],
  [1, 2, 3, 3, 11, 12],
);

test('a function whose call was dropped has its caller once it returned', async () => {
  const steps: readonly Step[] = [
    [4, 20, 12],
    [5, 21, 12],
    [2, 22, 2],
    [3, 23, 2],
  ];
  const subject = await open({
    runs: [runOf({ step_count: 6, first_step: 2 })],
    steps: [steps],
    classes: [CODE],
    dropped: 2,
  });
  await subject.goTo(1);
  const frames = await subject.frames();
  expect(frames.map(({ name, location }) => [name, location?.line])).toEqual([
    ['m::inner', 11],
    ['m::outer', 2],
  ]);
  expect((await subject.stepOut()).position).toBe(3);
});

test('a recursion of 100,000 calls is one frame, and moves within it are exact', async () => {
  const depth = 100_000;
  const code = classOf([['m::recurse', 0]], [1, 2, 3]);
  const calls = Array.from({ length: depth }, (_, index): readonly Step[] => [
    [0, 10 + 4 * index, 2 + 4 * index],
    [1, 11 + 4 * index, 2 + 4 * index],
  ]).flat();
  const returns = Array.from({ length: depth }, (_, index): Step => {
    const fp = 2 + 4 * (depth - 1 - index);
    return [2, 10 + 4 * depth, fp];
  });
  const subject = await open({
    runs: [runOf({ step_count: 3 * depth })],
    steps: [[...calls, ...returns]],
    classes: [code],
  });
  await subject.goTo(2 * depth - 2);
  const frames = await subject.frames();
  expect(frames.map(({ repetitions }) => repetitions)).toEqual([1, depth - 1]);
  await subject.goTo(0);
  expect((await subject.stepOver()).position).toBe(1);
  expect((await subject.stepOver()).position).toBe(3 * depth - 1);
  expect((await subject.stepOver('backward')).position).toBe(1);
  await subject.goTo(2 * depth - 1);
  expect((await subject.stepOut()).position).toBe(2 * depth + 1);
});

test('a loop of 100,000 turns is one frame of the function around it', async () => {
  const turns = 100_000;
  const code = classOf(
    [
      ['m::sum', 0],
      ['m::sum[1-9]', 2],
    ],
    [1, 5, 3, 4],
  );
  const body = Array.from({ length: turns }, (_, turn): readonly Step[] => [
    [2, 20 + 4 * turn, 12 + 4 * turn],
    [3, 21 + 4 * turn, 12 + 4 * turn],
  ]).flat();
  const subject = await open({
    runs: [runOf({ step_count: 2 * turns + 2 })],
    steps: [[[0, 10, 2], ...body, [1, 30, 2]]],
    classes: [code],
  });
  await subject.goTo(2 * turns);
  const frames = await subject.frames();
  expect(frames.map(({ name, repetitions }) => [name, repetitions])).toEqual([
    ['m::sum', turns],
    ['m::sum', 1],
  ]);
  await subject.goTo(0);
  expect((await subject.stepOver()).position).toBe(1);
  expect((await subject.stepOver()).position).toBe(2);
  expect((await subject.stepOver()).position).toBe(3);
  expect((await subject.stepOut()).reason).toBe('end');
});

test('functions that are inlined are stepped over, into and out of', async () => {
  const code = classOf(
    [['m::a', 0]],
    [
      1,
      [
        ['m::b', 11],
        ['m::a', 2],
      ],
      [
        ['m::b', 12],
        ['m::a', 2],
      ],
      2,
      [
        ['m::c', 21],
        ['m::a', 2],
      ],
      3,
    ],
  );
  const subject = await open({
    runs: [runOf({ step_count: 6 })],
    steps: [plain(6)],
    classes: [code],
  });
  const moves = ['stepIn', 'stepOver', 'stepOut'] as const;
  const leads = async (move: (typeof moves)[number], direction: 'forward' | 'backward') => {
    const ends: number[] = [];
    for (let position = 0; position < subject.length; position += 1) {
      await subject.goTo(position);
      ends.push((await subject[move](direction)).position);
    }
    return ends;
  };
  // Positions: a:1, b:11 in a:2, b:12 in a:2, a:2 after b, c:21 in a:2, a:3, the end.
  expect(await leads('stepIn', 'forward')).toEqual([1, 2, 3, 4, 5, 6, 6]);
  expect(await leads('stepIn', 'backward')).toEqual([0, 0, 1, 2, 3, 4, 5]);
  expect(await leads('stepOver', 'forward')).toEqual([1, 2, 3, 5, 5, 6, 6]);
  expect(await leads('stepOver', 'backward')).toEqual([0, 0, 1, 1, 1, 1, 5]);
  expect(await leads('stepOut', 'forward')).toEqual([6, 3, 3, 6, 5, 6, 6]);
  expect(await leads('stepOut', 'backward')).toEqual([0, 0, 1, 0, 1, 0, 5]);
  await subject.goTo(0);
  const breakpoint = (functionName: string) => [{ id: '1', function: functionName }];
  expect((await subject.run({ breakpoints: breakpoint('b') })).position).toBe(1);
  expect((await subject.run({ breakpoints: breakpoint('b') })).reason).toBe('end');
  const line = { file: 'a.cairo', line: 2 };
  expect(
    (await subject.run({ direction: 'backward', breakpoints: [{ id: '2', line }] })).position,
  ).toBe(1);
});
