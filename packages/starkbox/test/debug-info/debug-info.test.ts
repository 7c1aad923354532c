// Reading of debug information: what compilers write, and what is malformed.
import { describe, expect, test } from 'vitest';
import { classText, classTextWithPlaces } from '../../../../contracts/classes.js';
import { DebugInfo } from '../../src/debug-info/debug-info.js';
import { DebugInfos } from '../../src/debug-info/debug-infos.js';
import { GivenTexts } from '../../src/debug-info/source-texts.js';

const PROFILER = 'github.com/software-mansion/cairo-profiler';
const COVERAGE = 'github.com/software-mansion/cairo-coverage';
const range = (line: unknown, col: unknown) => ({ start: { line, col }, end: { line, col } });

function info(functions: unknown, places: unknown, names: unknown = []) {
  return {
    sierra_program_debug_info: {
      user_func_names: names,
      annotations: {
        [PROFILER]: { statements_functions: functions },
        [COVERAGE]: { statements_code_locations: places },
      },
    },
  };
}

test('a class of the compiler has lines for its statements', async () => {
  const read = DebugInfo.read(JSON.parse(await classTextWithPlaces('counter')));
  expect(read?.files).toContain('contracts/src/counter.cairo');
  expect(read?.linesAt(0).length).toBeGreaterThan(0);
  expect(read?.functionName(0)).toContain('counter');
});

test.each([
  ['a class that was compiled without', async () => JSON.parse(await classText('token'))],
  ['no object', async () => 7],
  ['null in its place', async () => ({ sierra_program_debug_info: null })],
])('%s has none', async (_, artifact) => {
  const read = DebugInfo.read(await artifact());
  expect(read?.files.size ?? 0).toBe(0);
});

test('lines begin with the innermost function; all but the outermost are inlined', () => {
  const read = DebugInfo.read(
    info(
      { '2': ['a::inner', 'a::outer'] },
      {
        '2': [
          ['a.cairo[array_inline_macro]', range(4, 0), true],
          ['a.cairo', range(9, 3)],
        ],
      },
    ),
  );
  expect(read?.linesAt(2)).toEqual([
    { function: 'a::inner', file: 'a.cairo', line: 5, column: 1, inlined: true },
    { function: 'a::outer', file: 'a.cairo', line: 10, column: 4 },
  ]);
  expect(read?.linesAt(1)).toEqual([]);
  expect(read?.linesAt(3)).toEqual([]);
  expect(read?.linesAt(-1)).toEqual([]);
});

describe('malformed', () => {
  test.each([
    ['a statement that is no number', info({ x: ['a'] }, {})],
    ['a statement that is too high', info({ '999999999': ['a'] }, {})],
    ['functions that are no list', info({ '1': 'a' }, {})],
    ['a function that is no text', info({ '1': [7] }, {})],
    ['a place that is no list', info({}, { '1': [7] })],
    ['a place without a begin', info({}, { '1': [['a.cairo', {}]] })],
    ['a line below 0', info({}, { '1': [['a.cairo', range(-1, 0)]] })],
    ['a line that is no integer', info({}, { '1': [['a.cairo', range(1.5, 0)]] })],
    ['a line that is too high', info({}, { '1': [['a.cairo', range(2 ** 40, 0)]] })],
    ['a file that is no text', info({}, { '1': [[{}, range(1, 0)]] })],
    ['names that are no pairs', info({}, {}, [[1]])],
    ['annotations that are no object', { sierra_program_debug_info: { annotations: [] } }],
  ])('%s', (_, artifact) => {
    expect(() => DebugInfo.read(artifact)).toThrow(TypeError);
  });
});

describe('debug information that was used longest ago makes room', () => {
  const MOST = 9 * 2 ** 17;
  const text = 'x'.repeat(2 ** 17);
  const places = { '1': [['a.cairo', range(1, 1)]] };

  test.each([
    ['texts of sources', info({ '1': ['a'] }, places), { 'a.cairo': text }],
    ['names of functions', info({ '1': [text] }, places), {}],
    ['names of variables', info({ '1': ['a'] }, places, [[1, text]]), {}],
  ])('for more %s', (_, artifact, sources) => {
    const infos = new DebugInfos(MOST);
    const add = (hash: string) =>
      infos.add(hash, artifact, (files) => new GivenTexts(sources, files));
    for (const hash of ['0x1', '0x2', '0x3', '0x4']) add(hash);
    expect(infos.get('0x1')).toBeDefined();
    add('0x5');
    expect(infos.get('0x1')).toBeDefined();
    expect(infos.get('0x2')).toBeUndefined();
    expect(infos.textOf('0x2')).toBeUndefined();
    expect(infos.get('0x5')).toBeDefined();
  });
});

test('texts stay until others are given', async () => {
  const infos = new DebugInfos();
  const artifact = info({}, { '1': [['a.cairo', range(1, 1)]], '2': [['b.cairo', range(1, 1)]] });
  const read = async (sources: Readonly<Record<string, string>>) => {
    infos.add('0x1', artifact, (files, earlier) => new GivenTexts(sources, files, earlier));
    const texts = infos.texts('0x1');
    return [(await texts?.read('a.cairo'))?.text, (await texts?.read('b.cairo'))?.text];
  };
  expect(await read({ 'a.cairo': '1', 'b.cairo': '2', 'c.cairo': '3' })).toEqual(['1', '2']);
  expect(await read({})).toEqual(['1', '2']);
  expect(await read({ 'b.cairo': '4' })).toEqual(['1', '4']);
  expect(infos.texts('0x1')?.size).toBe(2);
});

test('marks of macros behind a path are left out, also of a path that is long', () => {
  const marked = (path: string) => DebugInfo.read(info({}, { 0: [[path, range(1, 2)]] }))?.files;
  expect(marked('src/lib.cairo[derive][other]')).toEqual(new Set(['src/lib.cairo']));
  expect(marked('src/[a]/lib.cairo')).toEqual(new Set(['src/[a]/lib.cairo']));
  // Time that grows with the square of its length would be hours.
  const brackets = '['.repeat(2 ** 20);
  expect(marked(brackets)).toEqual(new Set([brackets]));
});

describe('names of variables and types', () => {
  const DEBUGGER = 'github.com/software-mansion-labs/cairo-debugger';
  const span = (line: number, end: number) => ({
    start: { line, col: 4 },
    end: { line: end, col: 5 },
  });
  const named = (functions: unknown, structs: unknown = {}) => ({
    sierra_program_debug_info: {
      user_func_names: [[0, 'a::sum']],
      type_names: [[3, 'a::Point']],
      annotations: {
        [DEBUGGER]: { functions_info: functions },
        [`${DEBUGGER}/user-types`]: { structs, enums: {} },
      },
    },
  });
  const sum = {
    function_file_path: 'a.cairo',
    function_code_span: span(1, 9),
    sierra_to_cairo_variable: { '12': ['total', span(3, 3)] },
  };

  test('are read by function and by type', () => {
    const structs = { '3': { name: 'a::Point', members: ['x', 'y'] } };
    const wire = DebugInfo.read(named({ '2636627': sum }, structs))?.wire;
    expect(wire?.types).toEqual([{ id: 3, name: 'a::Point', members: ['x', 'y'] }]);
    const [variables] = wire?.variables ?? [];
    expect(wire?.texts[variables?.file ?? -1]).toBe('a.cairo');
    expect(variables?.span).toEqual([1, 4, 9, 5]);
    const [variable, text = -1, ...declaration] = variables?.names ?? [];
    expect([variable, wire?.texts[text], ...declaration]).toEqual([12, 'total', 3, 4, 3, 5]);
  });

  test('are absent in an artifact that was compiled without them', () => {
    expect(DebugInfo.read(info({}, {}, [[0, 'a::sum']]))?.wire.variables).toBeUndefined();
  });

  test.each([
    ['a function that is no number', named({ x: sum })],
    ['a function that is no object', named({ '1': 7 })],
    ['a span without an end', named({ '1': { ...sum, function_code_span: { start: {} } } })],
    [
      'a variable that is no number',
      named({ '1': { ...sum, sierra_to_cairo_variable: { a: 1 } } }),
    ],
    ['a name without a span', named({ '1': { ...sum, sierra_to_cairo_variable: { '1': ['a'] } } })],
    ['members that are no list', named({}, { '3': { name: 'a::Point', members: 'x' } })],
  ])('that are malformed are rejected: %s', (_, artifact) => {
    expect(() => DebugInfo.read(artifact)).toThrow(TypeError);
  });
});
