// Links: the state that they hold, their size, and what is refused.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differenceOf, imageOf } from '../src/image-difference.js';
import { fragmentOf, InvalidLink, isStateFragment, readFragment } from '../src/link.js';

const bytesOf = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(parts));

/** The matcher for arrays is slow for so many bytes. */
const isEqual = (bytes: Uint8Array | undefined, expected: Uint8Array): boolean =>
  bytes !== undefined && Buffer.compare(bytes, expected) === 0;

/** As large as the image of a new chain. */
const BASE = bytesOf(randomBytes(800_000));
/** The base with another head, and with two insertions. */
const IMAGE = bytesOf(
  randomBytes(1_000),
  BASE.subarray(1_000, 300_000),
  randomBytes(12_000),
  BASE.subarray(300_000, 500_000),
  randomBytes(20),
  BASE.subarray(500_000),
);

describe('the difference of two images', () => {
  test('holds the changed parts and little around them', () => {
    const difference = differenceOf(IMAGE, BASE);
    expect(difference.literals.length).toBeGreaterThan(13_020);
    expect(difference.literals.length).toBeLessThan(60_000);
    expect(isEqual(imageOf(difference, BASE), IMAGE)).toBe(true);
  });

  test('does not depend on the head of the base, which differs in every chain', () => {
    const other = bytesOf(randomBytes(900), BASE.subarray(1_000));
    expect(isEqual(imageOf(differenceOf(BASE, BASE), other), BASE)).toBe(true);
  });

  test('is rejected by a base that lacks a part', () => {
    expect(imageOf(differenceOf(IMAGE, BASE), bytesOf(randomBytes(800_000)))).toBeUndefined();
  });

  test('restores any bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 20_000 });
    fc.assert(
      fc.property(bytes, bytes, bytes, (first, second, third) => {
        const base = bytesOf(first, second, first);
        const image = bytesOf(third, first, second, third);
        expect(isEqual(imageOf(differenceOf(image, base), base), image)).toBe(true);
      }),
    );
  });
});

describe('a fragment', () => {
  const state = { contract: 'token', source: '// edited', image: IMAGE };

  test('holds the state', async () => {
    const fragment = await fragmentOf(state, BASE);
    expect(isStateFragment(fragment)).toBe(true);
    expect(fragment).toMatch(/^#chain=[\w-]+$/);
    const { image, ...rest } = await readFragment(fragment, BASE);
    expect(rest).toEqual({ contract: 'token', source: '// edited' });
    expect(isEqual(image, IMAGE)).toBe(true);
  });

  test('that is damaged or of another chain is rejected with a sentence', async () => {
    const fragment = await fragmentOf(state, BASE);
    const half = fragment.slice(0, fragment.length / 2);
    await expect(readFragment(half, BASE)).rejects.toThrow(/^The link is damaged/);
    await expect(readFragment('#chain=%%%', BASE)).rejects.toThrow(InvalidLink);
    const other = bytesOf(randomBytes(800_000));
    await expect(readFragment(fragment, other)).rejects.toThrow(/another version of the chain/);
  });
});
