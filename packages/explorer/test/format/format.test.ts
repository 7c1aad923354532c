// Formats of numbers, times, JSON and untrusted texts.

import { expect, test } from 'vitest';
import {
  amountText,
  changeText,
  columnAmount,
  counted,
  ETH,
  grouped,
  percentText,
  priceText,
  readAmount,
  STRK,
  shortPriceText,
} from '../../src/format/amount.js';
import { parseJson, writeJson } from '../../src/format/json.js';
import {
  ageText,
  generationText,
  intervalText,
  momentText,
  offsetText,
} from '../../src/format/time.js';
import { escapeText } from '../../src/format/untrusted-text.js';

test.each([
  [0n, '0 STRK'],
  [25n, '25 fri'],
  [10n ** 18n, '1 STRK'],
  [1_500_000_000_000_000_000n, '1.5 STRK'],
  [10n ** 30n, '1,000,000,000,000 STRK'],
  [999_999_999_999n, '999,999,999,999 fri'],
  [1_000_000_000_000n, '0.000001 STRK'],
  [-15n * 10n ** 17n, '−1.5 STRK'],
])('%d fri reads %s', (value, text) => {
  expect(amountText(value, STRK)).toBe(text);
});

test('amounts other than zero are never shown as zero', () => {
  expect(columnAmount(25n, STRK)).toBe('25 fri');
  expect(columnAmount(0n, STRK)).toBe('0.000000');
  expect(columnAmount(10n ** 18n, ETH)).toBe('1.000000');
});

test.each([
  [0n, '0 gfri'],
  [25n, '25 fri'],
  [8_000_000_000n, '8 gfri'],
  [8_169_444_444n, '8.169 gfri'],
  [512_345_678_901n, '512.3 gfri'],
  [12_345_678_901_234n, '12,346 gfri'],
])('a moving price of %d fri reads %s', (price, text) => {
  expect(shortPriceText(price, STRK)).toBe(text);
});

test('changes of prices and shares are in percent', () => {
  expect(changeText(8_000_000_000n, 8_000_000_000n)).toBeUndefined();
  expect(changeText(8_000_000_000n, 8_166_666_666n)).toBe('+2.08 %');
  expect(changeText(10_000n, 9_900n)).toBe('−1 %');
  expect(changeText(10n ** 12n, 10n ** 12n + 1n)).toBe('+0.0000000001 %');
  expect([0, 0.0789, 0.179, 1, 1.8].map(percentText)).toEqual([
    '0 %',
    '7.9 %',
    '18 %',
    '100 %',
    '180 %',
  ]);
});

test('prices keep their significant digits', () => {
  expect(priceText(1_000_000_000n, STRK)).toBe('1.00 gfri');
  expect(priceText(987_654_321n, STRK)).toBe('0.987654321 gfri');
  expect(priceText(25n, ETH)).toBe('25 wei');
});

test('a count of one has the singular', () => {
  expect(counted(0, 'block')).toBe('0 blocks');
  expect(counted(1, 'block')).toBe('1 block');
  expect(counted(1234, 'block')).toBe('1,234 blocks');
  expect(counted(1, 'message waits', 'messages wait')).toBe('1 message waits');
  expect(counted(2, 'message waits', 'messages wait')).toBe('2 messages wait');
});

test.each([
  ['1.5', 1_500_000_000_000_000_000n],
  ['1,000 STRK', 1000n * 10n ** 18n],
  ['25 fri', 25n],
  ['1e3', 1000n * 10n ** 18n],
  ['0.1 gfri', 100_000_000n],
  ['1.5 fri', undefined],
  ['-1', undefined],
  ['1 ETH', undefined],
  ['much', undefined],
])('the input %s is read as %s fri', (text, value) => {
  expect(readAmount(text, STRK)).toBe(value);
});

test('ages are never negative', () => {
  expect(ageText(100, 100)).toBe('now');
  expect(ageText(100, 99)).toBe('now');
  expect(ageText(100, 190)).toBe('1 min');
  expect(ageText(86_500, 100)).toBe('in 1 d');
  for (const at of [0, 1, 59, 3_600, 10 ** 9]) expect(ageText(at, 1000)).not.toMatch(/[-−]/);
});

test('offsets of the clock are rounded over a difference of a second', () => {
  expect(offsetText(86_399)).toBe('+1 d');
  expect(offsetText(-3_599)).toBe('−1 h');
  expect(offsetText(1)).toBeUndefined();
});

test('times beyond the range of dates are shown in seconds', () => {
  expect(momentText(2 ** 53 - 1)).toBe('9007199254740991 s');
  expect(momentText(0, 1970)).toBe('1 Jan 00:00:00');
});

test('integers of any size survive parsing and writing', () => {
  const text = '{"a":123456789012345678901234567890,"b":12,"c":"123456789012345678901"}';
  // Older engines do not pass the source of a number.
  const hasSource = JSON.parse(
    '1',
    (_key, _value, ...[context]: unknown[]) =>
      context !== undefined && (context as { source?: string }).source === '1',
  );
  if (hasSource) expect(writeJson(parseJson(text))).toBe(text);
  expect(writeJson({ amount: 10n ** 30n })).toBe(`{"amount":${10n ** 30n}}`);
  expect(grouped(10n ** 30n)).toBe('1,000,000,000,000,000,000,000,000,000,000');
});

test('untrusted texts cannot hide, reorder or overflow', () => {
  expect(escapeText('a\u202Eb\u200Bc\u0007').text).toBe('a⟨U+202E⟩b⟨U+200B⟩c⟨U+0007⟩');
  expect(escapeText('x\ue000').text).toBe('x⟨U+E000⟩');
  expect(escapeText(`e${'\u0301'.repeat(50)}`).text).toBe(`e${'\u0301'.repeat(3)}`);
  const long = escapeText('a'.repeat(48_210));
  expect(long).toEqual({ text: 'a'.repeat(200), cutFrom: 48_210 });
});

test('the block interval has a unit', () => {
  expect(intervalText('5')).toBe('5 s');
  expect(intervalText('500ms')).toBe('500 ms');
  expect(generationText('mempool')).toBe('transactions wait in the mempool');
  expect(generationText('mempool:2')).toBe('a block every 2 s from the mempool');
  expect(generationText('mempool:250ms')).toBe('a block every 250 ms from the mempool');
});
