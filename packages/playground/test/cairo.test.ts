// Highlighting of Cairo source.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tokensOf } from '../src/cairo.js';

test('tokens have their kinds', () => {
  const line = "    fn get(self: @Token, n: u128) -> felt252 { 'a b' + 0x1f } // comment";
  const kinds = tokensOf(line).flatMap(({ kind, text }) =>
    kind === 'plain' ? [] : [[kind, text]],
  );
  expect(kinds).toEqual([
    ['keyword', 'fn'],
    ['function', 'get'],
    ['keyword', 'self'],
    ['type', 'Token'],
    ['type', 'u128'],
    ['type', 'felt252'],
    ['string', "'a b'"],
    ['number', '0x1f'],
    ['comment', '// comment'],
  ]);
  expect(tokensOf('#[abi(embed_v0)]')).toEqual([{ kind: 'attribute', text: '#[abi(embed_v0)]' }]);
});

test('the tokens of a line are the line', () => {
  const source = readFileSync(
    new URL('../../../contracts/src/token.cairo', import.meta.url),
    'utf8',
  );
  for (const line of source.split('\n')) {
    expect(
      tokensOf(line)
        .map(({ text }) => text)
        .join(''),
    ).toBe(line);
  }
});
