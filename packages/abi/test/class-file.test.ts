// Classes read from untrusted JSON.
import { describe, expect, test } from 'vitest';
import { NoClass, readClass } from '../src/class-file.js';

const POINTS = { EXTERNAL: [], L1_HANDLER: [], CONSTRUCTOR: [] };
const sierra = (changes: object = {}) => ({
  sierra_program: ['0x1', `0x${'f'.repeat(64)}`],
  contract_class_version: '0.1.1',
  entry_points_by_type: { ...POINTS, EXTERNAL: [{ selector: '0x1', function_idx: 0 }] },
  abi: [],
  ...changes,
});
const casm = (changes: object = {}) => ({
  bytecode: ['0x1'],
  entry_points_by_type: POINTS,
  ...changes,
});

test('the ABI has spaces as it is hashed', () => {
  const abiOf = (abi: unknown) => {
    const read = readClass(sierra({ abi }));
    return read.kind === 'sierra' && read.sierra.abi;
  };
  const spaced = '[{"type": "function", "name": "a:b,\\"c"}, {}]';
  expect(abiOf(JSON.parse(spaced))).toBe(spaced);
  expect(abiOf(JSON.stringify(JSON.parse(spaced)))).toBe(spaced);
  expect(abiOf(spaced)).toBe(spaced);
  expect(abiOf(undefined)).toBe('[]');
  expect(abiOf(' [] ')).toBe(' [] ');
});

test('a Sierra class', () => {
  expect(readClass(sierra({ contract_class_version: 5 }))).toMatchObject({
    kind: 'sierra',
    functions: 1,
    sierra: {
      contract_class_version: '0.1.0',
      entry_points_by_type: { EXTERNAL: [{ function_idx: 0 }] },
    },
  });
});

describe('CASM', () => {
  const segmentsOf = (bytecode_segment_lengths: unknown) => {
    const read = readClass(casm({ bytecode_segment_lengths }));
    return read.kind === 'casm' ? read.casm.segments : 'none';
  };
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

  test('has segments of lengths', () => {
    for (const lengths of [0, 7, [1, [2, 3]], [], nested(32)]) {
      expect(segmentsOf(lengths)).toEqual(lengths);
    }
    for (const lengths of [undefined, -1, 1.5, ['1'], [1, [null]], nested(33), {}]) {
      expect(segmentsOf(lengths)).toBeUndefined();
    }
  });

  test('has entry points with builtins', () => {
    const EXTERNAL = [{ selector: '0x1', offset: 3, builtins: ['pedersen', 5] }];
    expect(readClass(casm({ entry_points_by_type: { EXTERNAL } }))).toEqual({
      kind: 'casm',
      casm: {
        bytecode: ['0x1'],
        segments: undefined,
        external: [{ selector: '0x1', offset: 3, builtins: ['pedersen'] }],
        l1Handler: [],
        constructor_: [],
      },
    });
  });
});

test.each<[string, unknown]>([
  ['a text', 'class'],
  ['a list', []],
  ['another object', { abi: [] }],
  ['a program that is no list of felts', sierra({ sierra_program: ['1'] })],
  ['a felt that is too long', sierra({ sierra_program: [`0x1${'0'.repeat(64)}`] })],
  ['no entry points', sierra({ entry_points_by_type: [] })],
  [
    'an entry point without selector',
    sierra({ entry_points_by_type: { EXTERNAL: [{ function_idx: 0 }] } }),
  ],
  [
    'an entry point without function',
    sierra({ entry_points_by_type: { L1_HANDLER: [{ selector: '0x1' }] } }),
  ],
  ['bytecode that is no list', casm({ bytecode: '0x1' })],
  ['CASM without entry points', casm({ entry_points_by_type: undefined })],
  [
    'an entry point of CASM without offset',
    casm({ entry_points_by_type: { CONSTRUCTOR: [{ selector: '0x1' }] } }),
  ],
])('no class: %s', (_, value) => {
  expect(() => readClass(value)).toThrow(NoClass);
});
