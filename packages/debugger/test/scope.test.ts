// Variables of small functions that are written by hand: which names they have, and which values at a step.
import type { DEBUG_CLASS, DEBUG_CODE, DEBUG_SOURCE } from '@starkbox/spec';
import { describe, expect, test } from 'vitest';
import type { Cell } from '../src/values/cells.js';
import { DebugClass } from '../src/values/debug-class.js';
import { matchNames } from '../src/values/names.js';
import { gasOf, type Registers, scopeOf } from '../src/values/scope.js';
import { VariableFlow } from '../src/values/variable-flow.js';

const FILE = 'a.cairo';
const TEXT = `fn f(x: felt252) -> felt252 {
    let mut y = x + x;
    y += 1;
    while y != 9 {
        y += 2;
        let z = y;
    }
    y
}`;
const FP = 10;

type Name = readonly [variable: number, name: string, line: number, column: number];

interface HandMade {
  /** Lines of statements, from 0; of inlined code, the innermost first. */
  readonly lines: readonly (number | readonly number[])[];
  readonly statements: DEBUG_CODE['statements'];
  readonly libfuncs?: readonly string[];
  readonly names?: readonly Name[];
  readonly starts?: readonly number[];
  readonly types?: DEBUG_CODE['types'];
  readonly parameters?: readonly number[];
  readonly references?: DEBUG_CODE['references'];
}

const felt = { id: 0, generic: 'felt252', size: 1, types: [], values: [] };
const cell = (text: string, type = 0) => ({ type, cells: [text] });
/** The argument, and the cell that a statement wrote. */
const REFERENCES = [cell('[fp + -3]'), cell('[ap + -1]')];
const X: Name = [0, 'x', 0, 5];
const Y: Name = [1, 'y', 1, 12];

function classOf({ lines, statements, names = [X, Y], ...code }: HandMade): DebugClass {
  const texts = [FILE, 'm::f', ...names.map(([, name]) => name)];
  const chains = lines.map((line) => (typeof line === 'number' ? [line] : line));
  const locationStarts = chains.map((_, at) => chains.slice(0, at).flat().length);
  const { starts = lines.map((_, at) => at), libfuncs = [], types = [felt] } = code;
  const source: DEBUG_SOURCE = {
    texts,
    location_starts: [...locationStarts, chains.flat().length],
    locations: chains.flat().flatMap((line) => [1, 0, line, 4, 0]),
    functions: [{ id: 0, name: 'm::f' }],
    types: types.map(({ id, generic }) => ({ id, name: generic })),
    variables: [
      {
        file: 0,
        span: [0, 0, 8, 1],
        names: names.flatMap(([variable, name, line, column]) => [
          ...[variable, texts.indexOf(name), line, column, line, column + name.length],
        ]),
      },
    ],
  };
  const wire: DEBUG_CLASS = {
    class_hash: '0x1',
    code: {
      starts: [...starts],
      end: (starts.at(-1) ?? 0) + 1,
      functions: [{ id: 0, first: 0, parameters: [...(code.parameters ?? [0, 0])], results: [] }],
      references: [...(code.references ?? REFERENCES)],
      statements,
      libfuncs: [...libfuncs],
      types,
    },
    source,
  };
  return new DebugClass(wire);
}

const MEMORY: Readonly<Record<number, Cell>> = { 7: 5n, 10: 100n, 11: 111n, 12: 122n, 13: 133n };
const memory = async (_: number, first: number, count: number): Promise<readonly Cell[]> =>
  Array.from({ length: count }, (_, at) => MEMORY[first + at]);

/** The steps of these instructions, of which each writes a cell. */
const stepsTo = (...pcs: readonly number[]): readonly Registers[] =>
  pcs.map((pc, at) => ({ pc, ap: FP + at, fp: FP }));

async function shown(
  debugClass: DebugClass,
  steps: readonly Registers[],
  text?: string,
  inlinedIndex = 0,
) {
  const { variables, unmapped, note } = await scopeOf({
    debugClass,
    activation: { fp: FP, steps: () => steps.toReversed() },
    memory,
    inlinedIndex,
    sourceText: async () => text,
  });
  const texts = variables.map(({ name, value, isParameter }) =>
    [isParameter ? 'parameter' : '', name, value.text].join(' ').trim(),
  );
  return { texts, unmapped, ...(note === undefined ? {} : { note }) };
}

/** `y` is made at line 1, and made again at line 2. */
const TWICE: HandMade = {
  lines: [1, 2, 3],
  statements: [
    [
      [0, 0, 0],
      [1, 1, 1],
    ],
    [
      [0, 1],
      [2, 2, 1],
    ],
    [[1, 2]],
  ],
  names: [X, Y, [2, 'y', 1, 12]],
};

describe('variables at a step', () => {
  test('have the latest value', async () => {
    const twice = classOf(TWICE);
    expect(await shown(twice, stepsTo(0), TEXT)).toEqual({ texts: ['parameter x 5'], unmapped: 0 });
    expect(await shown(twice, stepsTo(0, 1), TEXT)).toEqual({
      texts: ['parameter x 5', 'y 100'],
      unmapped: 0,
    });
    expect((await shown(twice, stepsTo(0, 1, 2), TEXT)).texts).toEqual(['parameter x 5', 'y 111']);
    // Without the text, those that were declared before the line.
    expect((await shown(twice, stepsTo(0, 1, 2))).texts).toEqual(['parameter x 5', 'y 111']);
    expect((await shown(twice, stepsTo(0))).texts).toEqual(['parameter x 5']);
  });

  test('are none where there is no code, frame or name', async () => {
    const twice = classOf(TWICE);
    const none = { texts: [], unmapped: 0 };
    expect(await shown(twice, [], TEXT)).toEqual(none);
    expect(await shown(twice, stepsTo(9), TEXT)).toEqual(none);
    expect(await shown(twice, stepsTo(0, 1), TEXT, 1)).toEqual(none);
    const { code } = twice;
    const unnamed = new DebugClass({ class_hash: '0x1', ...(code ? { code } : {}) });
    expect((await shown(unnamed, stepsTo(0, 1), TEXT)).note).toMatch(/add-functions-debug-info/);
    const wire = { class_hash: '0x1', ...(code ? { code } : {}) };
    const elsewhere = new DebugClass({
      ...wire,
      source: {
        ...{ texts: [], location_starts: [], locations: [], functions: [], types: [] },
        variables: [],
      },
    });
    expect(await shown(elsewhere, stepsTo(0, 1), TEXT)).toEqual(none);
  });

  test('are not shown with a value that may be outdated', async () => {
    // Line 2 changes `y`, but the annotation does not name the variable that has it then.
    const once = classOf({ ...TWICE, names: [X, Y] });
    expect((await shown(once, stepsTo(0, 1), TEXT)).texts).toEqual(['parameter x 5', 'y 100']);
    const outdated = await shown(once, stepsTo(0, 1, 2), TEXT);
    expect(outdated).toMatchObject({ texts: ['parameter x 5'], unmapped: 1 });
    expect(outdated.note).toContain('skip-optimizations');
    // Lines 4 and 5 are in a loop, which changes `y`: its head ran.
    const looping = classOf({ ...TWICE, names: [X, Y], lines: [1, 3, 7] });
    expect((await shown(looping, stepsTo(0, 1), TEXT)).texts).toEqual(['parameter x 5', 'y 100']);
    expect((await shown(looping, stepsTo(0, 1, 2), TEXT)).unmapped).toBe(1);
    const inside = classOf({ ...TWICE, names: [X, Y], lines: [1, 3, 5] });
    expect((await shown(inside, stepsTo(0, 1, 2), TEXT)).texts).toEqual(['parameter x 5', 'y 100']);
    // Other lines change nothing, and what the annotation lacks is counted.
    const unchanged = classOf({ ...TWICE, names: [X, Y], lines: [1, 1, 5] });
    expect(await shown(unchanged, stepsTo(0, 1, 2), TEXT)).toEqual({
      texts: ['parameter x 5', 'y 100'],
      unmapped: 0,
    });
    expect((await shown(classOf({ ...TWICE, names: [X] }), stepsTo(0, 1), TEXT)).unmapped).toBe(1);
  });

  test('are those of statements without instructions too', async () => {
    const renamed = classOf({
      lines: [1, 1, 2],
      starts: [0, 1, 1],
      libfuncs: ['add', 'rename', 'return'],
      statements: [
        [
          [0, 0, 0],
          [1, 1, 1],
        ],
        [
          [1, 1],
          [2, 2, 1],
        ],
        [[2, 2]],
      ],
      names: [X, [2, 'y', 1, 12]],
    });
    expect((await shown(renamed, stepsTo(0, 1), TEXT)).texts).toEqual(['parameter x 5', 'y 100']);
    const [twice] = [classOf(TWICE)];
    // The first steps were dropped.
    const late = stepsTo(0, 1, 2).slice(1);
    expect((await shown(twice, late, TEXT)).texts).toEqual(['parameter x 5', 'y 111']);
    expect((await shown(twice, late.slice(0, 1), TEXT)).unmapped).toBe(1);
  });

  test('of a branch are those of the branch that was taken', async () => {
    const branching = classOf({
      lines: [1, 5, 7],
      statements: [
        [
          [0, 0],
          [1, 1, 1],
          [2, 2, 1],
        ],
        [[1, 1]],
        [[1, 2]],
      ],
      names: [X, Y, [2, 'y', 1, 12]],
    });
    expect((await shown(branching, stepsTo(0, 2), TEXT)).texts).toEqual(['parameter x 5', 'y 100']);
  });

  test('have the gas of the latest check', async () => {
    const gas = { id: 1, generic: 'GasBuiltin', size: 1, types: [], values: [] };
    const checked = classOf({
      lines: [1, 2, 3],
      types: [felt, gas],
      references: [cell('[fp + -3]', 1), cell('[ap + -1]', 1), cell('[ap + -1]')],
      statements: [
        [
          [0, 0],
          [1, 1, 1],
        ],
        [
          [0, 1],
          [2, 2, 2],
        ],
        [[1, 2]],
      ],
    });
    const gasAt = (...pcs: readonly number[]) =>
      gasOf(checked, { fp: FP, steps: () => stepsTo(...pcs).toReversed() }, memory);
    expect(await gasAt(0)).toBe(5n);
    expect(await gasAt(0, 1)).toBe(100n);
    expect(await gasAt(0, 1, 2)).toBe(100n);
    expect(await gasAt(9)).toBeUndefined();
    const steps = () => stepsTo(0);
    expect(await gasOf(classOf(TWICE), { fp: FP, steps }, memory)).toBeUndefined();
    expect(
      await gasOf(checked, { fp: FP, steps }, async () => [{ segment: 2, offset: 0 }]),
    ).toBeUndefined();
  });
});

describe('names belong to a function', () => {
  /** Functions of one file with a statement each, and annotations of spans. */
  const named = (
    functions: readonly {
      readonly line: number;
      readonly variable: number;
      readonly name?: string;
    }[],
    annotations: readonly { readonly span: readonly number[]; readonly names: readonly Name[] }[],
  ) => {
    const texts = [FILE, 'a', 'b', 'not a name', 'm::f'];
    return new DebugClass({
      class_hash: '0x1',
      code: {
        starts: functions.map((_, at) => at),
        end: functions.length,
        functions: functions.map((_, at) => ({
          id: at + 40,
          first: at,
          parameters: [],
          results: [],
        })),
        references: REFERENCES,
        statements: functions.map(({ variable }) => [[0], [0, variable, 0]]),
        libfuncs: [],
        types: [felt],
      },
      source: {
        texts,
        location_starts: [...functions.map((_, at) => at), functions.length],
        locations: functions.flatMap(({ line }) => [4, 0, line, 2, 0]),
        functions: functions.map(({ name = 'm::f' }, at) => ({ id: at + 40, name })),
        types: [],
        variables: annotations.map(({ span, names }) => ({
          file: 0,
          span: [...span],
          names: names.flatMap(([variable, name, line, column]) => [
            ...[variable, texts.indexOf(name), line, column, line, column + 1],
          ]),
        })),
      },
    });
  };
  const variablesOf = (debugClass: DebugClass) =>
    [...matchNames(debugClass)].map(([id, { variables }]) => [
      id,
      variables.map(({ name, variables: holders }) => `${name} ${holders.join(' ')}`),
    ]);
  const a = (variable: number, line: number): Name => [variable, 'a', line, 4];

  test('whose span has its lines', () => {
    const two = named(
      [
        { line: 2, variable: 1 },
        { line: 7, variable: 1 },
      ],
      [
        { span: [5, 0, 9, 1], names: [a(1, 7), [1, 'not a name', 7, 4]] },
        {
          span: [0, 0, 4, 1],
          names: [
            [1, 'b', 2, 4],
            [1, 'b', 2, 4],
          ],
        },
      ],
    );
    expect(variablesOf(two)).toEqual([
      [40, ['b 1 1']],
      [41, ['a 1']],
    ]);
    const [names] = matchNames(two).values();
    expect(names).toMatchObject({
      file: FILE,
      start: { line: 0, column: 0 },
      end: { line: 4, column: 1 },
    });
    // The end of a span is outside of it, and its begin inside.
    const spanAt = (span: readonly number[]) =>
      variablesOf(named([{ line: 2, variable: 1 }], [{ span, names: [a(1, 2)] }])).length;
    expect([spanAt([2, 2, 2, 3]), spanAt([2, 3, 4, 0]), spanAt([0, 0, 2, 2])]).toEqual([1, 0, 0]);
  });

  test('whose variables it defines, after they are declared', () => {
    const span = [0, 0, 9, 1];
    const one = [{ line: 3, variable: 1 }];
    expect(variablesOf(named(one, [{ span, names: [a(2, 3)] }]))).toEqual([]);
    expect(variablesOf(named(one, [{ span, names: [a(1, 3)] }]))).toEqual([[40, ['a 1']]]);
    const two = [
      { line: 3, variable: 1 },
      { line: 6, variable: 1 },
    ];
    // The first function defines its variable at line 3, so that one of line 6 is of the second.
    expect(
      variablesOf(
        named(two, [
          { span, names: [a(1, 3)] },
          { span, names: [a(1, 6)] },
        ]),
      ),
    ).toEqual([
      [40, ['a 1']],
      [41, ['a 1']],
    ]);
    // Without an annotation for each, none is sure.
    expect(variablesOf(named(two, [{ span, names: [a(1, 3)] }]))).toEqual([]);
    // What fits in two ways has no names, unless both ways have the same.
    const [same, other] = [a(1, 3), [1, 'b', 3, 4] as const];
    expect(
      variablesOf(
        named(
          [...one, ...one],
          [
            { span, names: [same] },
            { span, names: [other] },
          ],
        ),
      ),
    ).toEqual([]);
    expect(
      variablesOf(
        named(
          [...one, ...one],
          [
            { span, names: [same] },
            { span, names: [same] },
          ],
        ),
      ),
    ).toHaveLength(2);
  });
});

describe('variables of one value', () => {
  const flowOf = (debugClass: DebugClass): VariableFlow => {
    const [sierra] = debugClass.functions;
    if (!sierra) throw new Error('there is a function');
    return new VariableFlow(debugClass, sierra);
  };
  const named = (...variables: readonly number[]) => ({
    name: 'y',
    line: 1,
    column: 12,
    variables,
  });

  test('have one root, unless branches join in them', () => {
    const flow = flowOf(
      classOf({
        lines: [1, 1, 1, 1],
        libfuncs: ['dup', 'store_local', 'add', 'rename'],
        statements: [
          [
            [0, 0],
            [1, 1, 1, 2, 1],
          ],
          [
            [1, 9, 1],
            [2, 3, 1],
          ],
          [
            [2, 1],
            [3, 4, 1],
            [3, 5, 1],
          ],
          [
            [3, 4],
            [4, 5, 1],
          ],
        ],
      }),
    );
    expect([1, 2, 3].map((variable) => flow.rootOf(variable))).toEqual([0, 0, 0]);
    expect([4, 5].map((variable) => flow.rootOf(variable))).toEqual([4, 5]);
    expect(flow.definersOf(5)).toEqual([2, 3]);
    expect(flow.definersOf(0)).toEqual([]);
    expect(flow.holdersOf(named(1, 3))).toEqual([1, 3]);
    expect(flow.holdersOf(named(8))).toBeUndefined();
  });

  test('are of its whole type: no builtins, members, conditions or results before their check', () => {
    const type = (id: number, generic: string, types: readonly number[] = []) => ({
      ...{ id, generic, size: 1, types: [...types], values: [] },
    });
    const flow = flowOf(
      classOf({
        lines: [1, 1],
        types: [
          felt,
          type(1, 'RangeCheck'),
          type(2, 'Struct', [0, 3]),
          type(3, 'Snapshot', [4]),
          type(4, 'u8'),
          type(5, 'Unit'),
        ],
        references: [0, 1, 2, 3, 4, 5].map((id) => cell('[ap + -1]', id)),
        statements: [
          [[0], [1, 1, 1, 2, 2, 3, 3, 5, 5]],
          [[0], [2, 4, 0]],
        ],
      }),
    );
    expect(flow.holdersOf(named(1, 2))).toEqual([2]);
    expect(flow.holdersOf(named(2, 5))).toEqual([2]);
    expect(flow.holdersOf(named(4, 2))).toEqual([2]);
    expect(flow.typeOf(3)?.generic).toBe('u8');
    // Results of one statement are not all the variable.
    expect(flow.holdersOf(named(2, 3))).toBeUndefined();
    expect(flow.holdersOf(named(0, 4))).toEqual([0, 4]);
    expect(flow.holdersOf(named(0, 2))).toEqual([0]);
  });
});
