// Revert reasons: the path to the failure and the panic message.
import { describe, expect, test } from 'vitest';
import { readFailure, selectorOf } from '../src/index.js';

describe('a revert reason', () => {
  const frame = (contract: string, selector: string) =>
    `(contract address: ${contract}, class hash: 0x0c, selector: ${selector}):\n`;
  const reason = [
    'Transaction execution has failed:\n',
    `0: Error in the called contract ${frame('0x01', '0x0e')}`,
    'Execution failed. Failure reason:\n',
    `Error in contract ${frame('0x01', '0x0e')}`,
    `Error in contract ${frame('0x02', '0x0f')}`,
    "0x45524332303a20696e73756666696369656e742062616c616e6365 ('ERC20: insufficient balance').\n",
  ].join('');

  test('gives the path and the panic message', () => {
    expect(readFailure(reason)).toEqual({
      path: [
        { kind: 'call', contract: '0x1', classHash: '0xc', selector: '0xe' },
        { kind: 'call', contract: '0x2', classHash: '0xc', selector: '0xf' },
      ],
      message: 'ERC20: insufficient balance',
      panic: {
        felts: ['0x45524332303a20696e73756666696369656e742062616c616e6365'],
        text: 'ERC20: insufficient balance',
      },
    });
  });

  test('tells constructors and library calls from calls', () => {
    const kinds = (text: string) => readFailure(text).path.map(({ kind }) => kind);
    const constructor_ = selectorOf('constructor');
    const first = frame('0x01', '0x0e');
    expect(kinds(`Error in the contract class constructor ${first}"no"`)).toEqual(['constructor']);
    expect(kinds(`Error in contract ${frame('0x01', constructor_)}"no"`)).toEqual(['constructor']);
    expect(kinds(`Error in a library call ${first}"no"`)).toEqual(['library_call']);
    const other = first.replace('0x0c', '0x0d').replace('0x0e', '0x0f');
    expect(kinds(`Error in contract ${first}Error in contract ${other}"no"`)).toEqual([
      'call',
      'library_call',
    ]);
  });

  test('of an estimate, which lists the felts again, gives the panic message', () => {
    const felt = '0x45524332303a20696e73756666696369656e742062616c616e6365';
    expect(readFailure(`${reason} ["${felt}"]`).message).toBe('ERC20: insufficient balance');
  });

  test('of which only the end is left gives the panic message', () => {
    const end = reason.slice(reason.lastIndexOf('address: 0x02'));
    expect(readFailure(end)).toMatchObject({ path: [], message: 'ERC20: insufficient balance' });
  });

  test('has the letters that an engine writes as bytes', () => {
    const end = reason.slice(0, reason.lastIndexOf('0x4552'));
    expect(readFailure(`${end}"caf\\xc3\\xa9, \\"b\\"\\n1".\n`).panic?.text).toBe('café, "b"\n1');
  });

  test('of any other form gives its last line', () => {
    expect(readFailure('Something else happened.\nOut of gas.').message).toBe('Out of gas');
    expect(readFailure('').message).toBe('');
  });

  test('made to be slow is read about as fast as a plain one of the same length', () => {
    const time = (text: string): number => {
      const start = performance.now();
      for (let round = 0; round < 5; round++) readFailure(text);
      return performance.now() - start;
    };
    const plain = time('x'.repeat(600_000));
    const bound = 500 * Math.max(plain, 1);
    expect(time(`Error in contract ${"0x1 ('".repeat(100_000)}`)).toBeLessThan(bound);
    expect(time(`"${'\\'.repeat(200_000)}`)).toBeLessThan(bound);
  });
});
