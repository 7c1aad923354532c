// Links: the state that they hold, their size, and what is refused.
import { Random } from '@starkbox/test-support/random';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differenceOf, imageOf, MAX_IMAGE_LENGTH } from '../src/image-difference.js';
import {
  fragmentOf,
  InvalidLink,
  isStateFragment,
  MAX_FRAGMENT_LENGTH,
  readFragment,
} from '../src/link.js';

type Bytes = Uint8Array<ArrayBuffer>;

const random = new Random(1);

const bytesOf = (...parts: readonly Uint8Array[]): Bytes => new Uint8Array(Buffer.concat(parts));

/** The matcher for arrays is slow for so many bytes. */
const isEqual = (bytes: Uint8Array | undefined, expected: Uint8Array): boolean =>
  bytes !== undefined && Buffer.compare(bytes, expected) === 0;

function frame(kind: number, content: Uint8Array): Bytes {
  const head = Buffer.alloc(9);
  head.writeUInt32LE(content.length + 1);
  head.set(random.bytes(4), 4);
  head.writeUInt8(kind, 8);
  return bytesOf(head, content);
}

/** Frames as an image has them, with blocks of another time in each. */
function imageWith(state: Uint8Array): Bytes {
  return bytesOf(
    Buffer.from('SBXIMAGE\u0001'),
    frame(1, random.bytes(590)),
    frame(2, Buffer.from('blocks')),
    frame(3, random.bytes(2_000)),
    frame(2, Buffer.from('state')),
    frame(3, state),
    frame(5, random.bytes(8)),
    frame(6, random.bytes(8)),
  );
}

/** As large as the state of a new chain. */
const STATE = bytesOf(random.bytes(800_000));
const BASE = imageWith(STATE);
/** The state with two insertions. */
const IMAGE = imageWith(
  bytesOf(
    STATE.subarray(0, 300_000),
    random.bytes(12_000),
    STATE.subarray(300_000, 500_000),
    random.bytes(20),
    STATE.subarray(500_000),
  ),
);

describe('the difference of two images', () => {
  test('holds the changed parts and little around them', () => {
    const difference = differenceOf(IMAGE, BASE);
    expect(difference.literals.length).toBeGreaterThan(14_610);
    expect(difference.literals.length).toBeLessThan(20_000);
    expect(isEqual(imageOf(difference, BASE), IMAGE)).toBe(true);
  });

  test('does not depend on the blocks of the base, which have another time in every chain', () => {
    const state = bytesOf(STATE.subarray(0, 20_000));
    for (let at = 0; at < 300; at++) {
      const image = imageWith(state);
      expect(isEqual(imageOf(differenceOf(image, image), imageWith(state)), image)).toBe(true);
    }
  });

  test('is rejected by a base that lacks a part', () => {
    expect(imageOf(differenceOf(IMAGE, BASE), imageWith(random.bytes(800_000)))).toBeUndefined();
  });

  test('restores any bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 20_000 });
    fc.assert(
      fc.property(bytes, bytes, bytes, (first, second, third) => {
        const base = imageWith(bytesOf(first, second, first));
        const image = bytesOf(third, first, second, third);
        expect(isEqual(imageOf(differenceOf(image, base), base), image)).toBe(true);
      }),
    );
  });
});

describe('a fragment', () => {
  const state = { contract: 'token', classes: ['token'], source: '// edited', image: IMAGE };
  const base = async (): Promise<Bytes> => BASE;

  test('holds the state', async () => {
    const fragment = await fragmentOf(state, base);
    expect(isStateFragment(fragment)).toBe(true);
    expect(fragment).toMatch(/^#chain=[\w-]+$/);
    const asked: (readonly string[])[] = [];
    const { image, ...rest } = await readFragment(fragment, async (classes) => {
      asked.push(classes);
      return imageWith(STATE);
    });
    expect(asked).toEqual([['token']]);
    expect(rest).toEqual({ contract: 'token', classes: ['token'], source: '// edited' });
    expect(isEqual(image, IMAGE)).toBe(true);
  });

  test('that is damaged or of another chain is rejected with a sentence', async () => {
    const fragment = await fragmentOf(state, base);
    const half = fragment.slice(0, fragment.length / 2);
    await expect(readFragment(half, base)).rejects.toThrow(/^The link is damaged/);
    await expect(readFragment('#chain=%%%', base)).rejects.toThrow(InvalidLink);
    const other = async (): Promise<Bytes> => imageWith(random.bytes(800_000));
    await expect(readFragment(fragment, other)).rejects.toThrow(/another version of the chain/);
  });

  const lengthIn = (fragment: string): Promise<unknown> =>
    readFragment(fragment, base).then(
      ({ image }) => image.length,
      (error: unknown) => error,
    );

  test('of a few bytes does not become a large image', async () => {
    const times = Math.ceil(MAX_IMAGE_LENGTH / STATE.length);
    const image = bytesOf(...Array.from({ length: times }, () => STATE));
    const fragment = await fragmentOf({ ...state, image }, base);
    expect(fragment.length).toBeLessThan(MAX_FRAGMENT_LENGTH);
    expect(await lengthIn(fragment)).toBeInstanceOf(InvalidLink);
  });

  test('of a few bytes does not become a large text', async () => {
    const source = ' '.repeat(MAX_IMAGE_LENGTH);
    const fragment = await fragmentOf({ ...state, source }, base);
    expect(fragment.length).toBeLessThan(MAX_FRAGMENT_LENGTH);
    expect(await lengthIn(fragment)).toBeInstanceOf(InvalidLink);
  });
});
