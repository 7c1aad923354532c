// Redaction of secrets: what is hidden, and how its cost grows.
import { expect, test } from 'vitest';
import { HIDDEN, Redaction } from '../../src/rpc/request-log/redaction.js';

const KEY = `0x${'a1'.repeat(31)}`;
const redaction = new Redaction([KEY], ['token-of-the-node']);

/** A call with many secrets. */
const callWith = (count: number, secret: (index: number) => string): object => ({
  method: 'starknet_call',
  params: { a: Array.from({ length: count }, (_, index) => ({ token: secret(index) })) },
});
const different = (index: number): string => `toke${index.toString(36)}`;

/** Milliseconds of processor time. */
function cost(work: () => void): number {
  const begin = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

test.each([
  // The search for it stops late at each name in the text.
  ['the same', () => 'tokex'],
  ['different', different],
])('the cost of %s secrets grows with the length of the text, not with its square', (_, secret) => {
  const calls = [1_000, 16_000].map((count) => callWith(count, secret));
  const costs: number[][] = [[], []];
  for (let round = 0; round < 5; round += 1) {
    for (const [index, call] of calls.entries()) {
      costs[index]?.push(cost(() => redaction.call('starknet_call', call)));
    }
  }
  const [small = 0, large = 0] = costs.map(median);
  // Sixteen times the length: a square would be 256 times the cost.
  expect(large / Math.max(small, 0.5)).toBeLessThan(64);
});

test('a text with many secrets is hidden as a whole, and so is an answer to it', () => {
  const { text, secrets } = redaction.call('starknet_call', callWith(1000, different));
  expect(text).toBe(`"${HIDDEN}"`);
  expect(secrets.length).toBeLessThan(100);
  const answer = `{"error":"${different(999)} is unknown"}`;
  expect(redaction.answer('starknet_call', answer, { secrets }).text).toBe(`"${HIDDEN}"`);
});

test('the same secret many times is one secret', () => {
  const params = Array.from({ length: 1000 }, () => ({ token: 'the-same' }));
  const { text, secrets } = redaction.call('starknet_call', { method: 'starknet_call', params });
  expect(secrets).toEqual(['the-same']);
  expect(text).not.toContain('the-same');
  expect(text).toContain(`{"token":"${HIDDEN}"}`);
});

test('keys of the node are hidden, however many a text names', () => {
  const keys = Array.from({ length: 255 }, (_, index) => `0x${'b2'.repeat(30)}${index + 1000}`);
  const accounts = keys.map((private_key) => ({ address: '0x1', private_key }));
  const { text } = new Redaction(keys, []).text(JSON.stringify({ result: accounts, note: keys }));
  expect(text).toContain(`{"address":"0x1","private_key":"${HIDDEN}"}`);
  expect(text).not.toContain('b2b2');
});

test('a secret that begins with another one is hidden to its end', () => {
  const call = { params: [{ token: 'abcdef' }, { password: 'abcdefgh' }], note: 'abcdefgh' };
  expect(redaction.text(JSON.stringify(call)).text).toContain(`"note":"${HIDDEN}"`);
});

test('a cut shows no part of a secret across it', () => {
  const longest = 1000;
  for (const secret of [KEY, 'token-of-the-node', 'https://u:p@example.org/path-with-a-key']) {
    for (let shift = 0; shift < secret.length + 20; shift += 1) {
      const text = `${'x'.repeat(longest - secret.length - 10 + shift)} ${secret} ${'y'.repeat(20_000)}`;
      const safe = redaction.text(text, { longest });
      expect(safe.isWhole).toBe(false);
      expect(safe.text.length).toBeLessThanOrEqual(longest);
      expect(safe.text).not.toMatch(/a1a1a1|token-of|u:p@|path-with/);
    }
  }
});

test('a text is cut before it is read', () => {
  const call = `{"token":"secret-word","list":"${'secret-word '.repeat(100)}`;
  const short = redaction.text(call + 'secret-word '.repeat(1_000), { longest: 500 });
  const long = redaction.text(call + 'secret-word '.repeat(1_000_000), { longest: 500 });
  expect(short.text.length).toBe(500);
  expect(long.text).toBe(short.text);
});
