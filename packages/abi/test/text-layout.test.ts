// Tables, wrapped lines and explanations within the columns of a terminal.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { explanationOnTerminal } from '../src/explain/terminal-text.js';
import { fitText, shortenMiddle, table, textWidth, wrapLine } from '../src/text-layout.js';

const HASH = `0x${'1234567890abcdef'.repeat(4)}`;
const widest = (lines: readonly string[]): number => Math.max(...lines.map(textWidth));

describe('a table', () => {
  const rows = [
    ['name', 'hash', 'min', 'total'],
    ['Contract.a_function_with_a_long_name', HASH, '1', '1,000'],
    ['b', HASH, '10,000', '2'],
  ];
  const columns = [
    { isShortened: true },
    {},
    { align: 'right', omitted: 1 },
    { align: 'right' },
  ] as const;

  test('aligns numbers to the right, and shows all of it without a width', () => {
    const { lines, omitted } = table(rows, { columns });
    expect(omitted).toEqual([]);
    expect(lines[1]).toContain(HASH);
    expect(lines.map((line) => line.length)).toEqual(
      [lines[0], lines[0], lines[0]].map((line) => line?.length),
    );
    expect(lines[2]).toMatch(/ {2}10,000 {6}2$/);
  });

  test('shortens hashes first, then omits columns, then shortens names', () => {
    const whole = table(rows, { columns }).lines;
    expect(table(rows, { columns, width: widest(whole) }).lines).toEqual(whole);
    expect(table(rows, { columns, width: widest(whole) - 1 }).lines).not.toEqual(whole);
    expect(table(rows, { columns, width: 80 })).toMatchObject({ omitted: [] });
    expect(table(rows, { columns, width: 80 }).lines[1]).toContain('0x123456…cdef');
    expect(table(rows, { columns, width: 60 })).toMatchObject({ omitted: [2] });
    const narrow = table(rows, { columns, width: 50 }).lines;
    expect(widest(narrow)).toBeLessThanOrEqual(50);
    expect(narrow[1]).toMatch(/^Contract\.a.*…\w+name {2}0x/);
  });

  test('measures without colours', () => {
    const red = '\u001b[31mred\u001b[0m';
    expect(
      table([
        [red, 'a'],
        ['green', 'b'],
      ]).lines,
    ).toEqual([`${red}    a`, 'green  b']);
  });
});

describe('a line', () => {
  test('is cut in the middle', () => {
    expect(shortenMiddle('abcdefghij', 5)).toBe('ab…ij');
    expect(shortenMiddle('abc', 5)).toBe('abc');
  });

  test('keeps its words, whatever the width', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1 }), (words) => {
        const lines = wrapLine(words.join(' '), 20, '  ');
        expect(widest(lines)).toBeLessThanOrEqual(20);
        expect(lines.map((line) => line.trim()).join(' ')).toBe(words.join(' '));
      }),
    );
  });

  test('is broken inside of a word that is longer than the terminal', () => {
    expect(wrapLine('x'.repeat(25), 10, '  ')).toEqual([
      'x'.repeat(10),
      `  ${'x'.repeat(8)}`,
      `  ${'x'.repeat(7)}`,
    ]);
    expect(fitText('a b', undefined)).toBe('a b');
  });
});

describe('an explanation', () => {
  const text = [
    "Reverted: token.transfer panicked with 'too much'",
    '',
    '✗ account 0.__execute__(…)',
    '├─ ✓ token.approve(spender: account 1, amount: 5) → true [1,000 gas]',
    '│     emits Approval(owner: account 0, spender: account 1, value: 5)',
    '└─ ✗ token.transfer(recipient: account 1, amount: 1000000000000000000000 [1e21])',
    "      panicked with 'too much'",
    '      at token::transfer (src/lib.cairo:12:5)',
    '        12 |     assert(amount < 5, "too much");',
    '',
    'hint: Send less.',
  ].join('\n');
  const plain = { paint: (_: string, part: string) => part };

  test('is the same text without a terminal', () => {
    expect(explanationOnTerminal(text, { ...plain, width: undefined })).toBe(text);
  });

  test('is wrapped inside of its branches', () => {
    const lines = explanationOnTerminal(text, { ...plain, width: 50 }).split('\n');
    expect(widest(lines)).toBeLessThanOrEqual(50);
    expect(lines).toContain('│       → true [1,000 gas]');
    expect(lines).toContain('        amount: 1000000000000000000000 [1e21])');
  });

  test('marks with a colour what a sign already says', () => {
    const paint = (colour: string, part: string): string =>
      part === '' ? '' : `<${colour}:${part}>`;
    const lines = explanationOnTerminal(text, { paint, width: 80 }).split('\n');
    expect(lines[0]).toBe("<red:Reverted: token.transfer panicked with 'too much'>");
    expect(lines[3]).toBe(
      '<dim:├─ ><green:✓> <cyan:token.approve>(spender: account 1, amount: 5) → true<dim: [1,000 gas]>',
    );
    expect(lines[4]).toMatch(/^<dim:│ {5}><yellow:emits /);
    expect(lines).toContain("<dim:      ><red:panicked with 'too much'>");
    expect(lines.at(-1)).toBe('<bold:hint:> Send less.');
  });
});
