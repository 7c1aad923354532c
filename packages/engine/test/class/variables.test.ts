// The cells where Sierra statements leave their variables.
import { Class } from '@starkbox/engine';
import { describe, expect, test } from 'vitest';
import { classText } from '../../../../contracts/classes.js';

const REFERENCE =
  /^(-?\d+|\[(ap|fp) \+ -?\d+\]( [-+*/] (-?\d+|\[(ap|fp) \+ -?\d+\]))?|\[\[(ap|fp) \+ -?\d+\] \+ -?\d+\])$/;

describe('variables of statements', async () => {
  const counter = await Class.compile(await classText('counter'));
  const { starts, end, functions, references, libfuncs, statements, types } =
    await counter.variables();

  test('belong to the statements and functions of the class', async () => {
    expect(functions.map(({ id, first }) => ({ id, first }))).toEqual(await counter.functions());
    expect(statements).toHaveLength(starts.length);
    expect(starts.every((start, index) => start <= (starts[index + 1] ?? end))).toBe(true);
  });

  test('have a reference whose cells are of its type', () => {
    const sizes = new Map(types.map(({ id, size }) => [id, size]));
    for (const { type, cells } of references) {
      expect(cells).toHaveLength(sizes.get(type) ?? -1);
      for (const cell of cells) expect(cell).toMatch(REFERENCE);
    }
  });

  test('name statements, library functions and references that exist', () => {
    for (const [head, ...branches] of statements) {
      expect(head === undefined || (head[0] ?? -1) < libfuncs.length).toBe(true);
      for (const [next = -1, ...pairs] of branches) {
        expect(next).toBeLessThan(statements.length);
        expect(pairs.length % 2).toBe(0);
        expect(pairs.every((pair, at) => at % 2 === 0 || pair < references.length)).toBe(true);
      }
    }
  });

  test('of a function begin with its parameters, which end three cells before the frame', () => {
    for (const { parameters } of functions) {
      const last = references[parameters.at(-1) ?? -1];
      if (last && last.cells.length > 0) expect(last.cells.at(-1)).toBe('[fp + -3]');
    }
    expect(functions.some(({ parameters }) => parameters.length > 0)).toBe(true);
  });
});

test('code of another compiler has none', async () => {
  const text = await classText('counter');
  const casm = JSON.parse(await (await Class.compile(text)).casm());
  const other = {
    ...casm,
    bytecode: [...casm.bytecode, '0x1'],
    bytecode_segment_lengths: undefined,
  };
  const changed = await Class.withCasm(text, JSON.stringify(other));
  await expect(changed.variables()).rejects.toThrow('another compiler version');
});
