// Images that are cut, changed, lengthened or forged: refused with a reason, without effect.
import { readFileSync } from 'node:fs';
import { brotliCompressSync, crc32 } from 'node:zlib';
import { ERRORS } from '@starkbox/spec';
import { Random } from '@starkbox/test-support/random';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ImageReader } from '../../../src/dump/image/format.js';
import { readImage } from '../../../src/dump/image/read.js';
import { ImageError, sourceOfBytes } from '../../../src/dump/image/source.js';
import { createChain, type LocalChain } from '../../../src/index.js';
import { forged, headerOf, imageOf, type Section, smallWorld } from './small.js';

/** So that a failure can be repeated. */
const random = new Random(20_251_115);

let node: LocalChain;
let small: Buffer;
const first = readFileSync(new URL('./first.image', import.meta.url));
/** Of the node itself, with classes: many frames. */
let large: Buffer;
let before: string;
let snapshot_id: unknown;

async function readAll(): Promise<string> {
  const answers: unknown[] = [await node.request('devnet_getStatus')];
  for (const block_id of ['latest', 'pre_confirmed', { block_number: 0 }]) {
    answers.push(await node.requestRaw('starknet_getBlockWithReceipts', { block_id }));
    answers.push(await node.requestRaw('starknet_getStateUpdate', { block_id }));
  }
  return JSON.stringify(answers);
}

beforeAll(async () => {
  node = await createChain({ seed: 0, startTime: 1_700_000_000, blockGenerationOn: 'demand' });
  await node.request('devnet_mint', { address: '0x1', amount: 1 });
  await node.request('devnet_createBlock');
  await node.request('devnet_mint', { address: '0x2', amount: 1 });
  await node.request('devnet_setTime', { time: 1_700_000_100, generate_block: false });
  snapshot_id = await node.request('devnet_snapshot');
  before = await readAll();
  small = await imageOf(await smallWorld());
  const dump = await node.request('devnet_dump', { format: 'image' });
  const { image }: { image?: unknown } = Object(dump);
  large = Buffer.from(String(image), 'base64');
});
afterAll(async () => {
  // Loading drops snapshots: it was never done.
  expect(await readAll()).toBe(before);
  expect(await node.requestRaw('devnet_revert', { snapshot_id })).toBe(true);
  await node.close();
});

/** The reason for which the node refuses to load something. */
async function refusal(image: Uint8Array): Promise<string> {
  const text = Buffer.from(image).toString('base64');
  try {
    await node.request('devnet_load', { image: text });
  } catch (error) {
    expect(error).toMatchObject({
      code: ERRORS.DUMP_ERROR.code,
      message: expect.stringMatching(/^Deserialization/),
    });
    return error instanceof Error ? error.message : '';
  }
  throw new Error('it was loaded');
}

test('the small image is a good one', async () => {
  const { world } = await readImage(sourceOfBytes(small), { chainId: 'SN_SEPOLIA', first: 0 });
  expect(await imageOf(world)).toEqual(small);
  expect(await world.pendingState.storageAt('0xa', '0x1')).toBe('0x9');
  expect(await world.latestState.storageAt('0xa', '0x1')).toBe('0x8');
  expect(await world.pendingState.at(0).storageAt('0xa', '0x1')).toBe('0x7');
});

describe('refused is', () => {
  test('an image that is cut, wherever', async () => {
    for (let length = 0; length < small.length; length += 1)
      await refusal(small.subarray(0, length));
    for (let count = 0; count < 100; count += 1) {
      await refusal(large.subarray(0, random.below(large.length)));
    }
  }, 180_000);

  test('an image with one bit changed, whichever', async () => {
    for (let at = 0; at < small.length; at += 1) {
      const image = Buffer.from(small);
      image[at] = (image[at] ?? 0) ^ (1 << random.below(8));
      await refusal(image);
    }
    for (let count = 0; count < 1100; count += 1) {
      const image = Buffer.from(count < 1000 ? first : large);
      const at = random.below(image.length);
      image[at] = (image[at] ?? 0) ^ (1 << random.below(8));
      await refusal(image);
    }
  }, 120_000);

  test('an image followed by something', async () => {
    expect(await refusal(Buffer.concat([small, Buffer.of(0)]))).toMatch(
      /unexpected data follows the end/,
    );
    expect(await refusal(Buffer.concat([small, small]))).toMatch(/unexpected data follows the end/);
  });

  test('an image without a frame, or with two of them swapped', async () => {
    const frames = framesOf(small);
    for (let index = 0; index < frames.length; index += 1) {
      const others = frames.filter((_, other) => other !== index);
      await refusal(Buffer.concat([small.subarray(0, 9), ...others]));
      const [first, second] = [frames[index], frames[index + 1]];
      if (!first || !second) continue;
      const swapped = [...frames.slice(0, index), second, first, ...frames.slice(index + 2)];
      await refusal(Buffer.concat([small.subarray(0, 9), ...swapped]));
    }
  });

  test('an image of another format, and other files', async () => {
    const image = Buffer.from(small);
    image[8] = 2;
    expect(await refusal(image)).toMatch(
      /made by another version of Starkbox: delete it, or load it with the version that wrote it/,
    );
    expect(await refusal(Buffer.from('[]'))).toMatch(/this is not an image/);
    expect(await refusal(Buffer.of())).toMatch(/this is not an image/);
  });
});

test('the reason names the section and the place', async () => {
  for (const name of ['moment', 'blocks', 'state', 'journal']) {
    const offset = small.indexOf(`\x02${name}`, 0, 'latin1') + name.length + 12;
    const image = Buffer.from(small);
    image[offset] = (image[offset] ?? 0) ^ 0x10;
    expect(await refusal(image)).toMatch(
      new RegExp(`in the section "${name}" at byte \\d+: a checksum does not match`),
    );
  }
});

describe('forged images with right checksums', () => {
  let header: ReturnType<typeof headerOf>;
  let sections: readonly Section[];

  beforeAll(async () => {
    header = headerOf(await smallWorld());
    const reader = new ImageReader(sourceOfBytes(small));
    reader.begin();
    const sectionsRead: Section[] = [];
    for (let name = reader.next(); name !== undefined; name = reader.next()) {
      sectionsRead.push([name, Buffer.concat([...reader.pieces(Number.POSITIVE_INFINITY)])]);
    }
    sections = sectionsRead;
  });

  const replaced = (name: string, content: Uint8Array): readonly Section[] =>
    sections.map((section) => (section[0] === name ? [name, content] : section));

  test('are read if they are right', async () => {
    const image = await forged(header, sections);
    expect((await readImage(sourceOfBytes(image))).header).toEqual(header);
  });

  test('of another chain', async () => {
    expect(await refusal(await forged({ ...header, chain_id: 'SN_MAIN' }, sections))).toMatch(
      /belongs to the chain SN_MAIN, and this one is SN_SEPOLIA: start with --chain-id SN_MAIN/,
    );
  });

  test('of a fork', async () => {
    expect(await refusal(await forged({ ...header, first_block: 1 }, sections))).toMatch(
      /begins at block 1, and this chain at block 0/,
    );
  });

  test('with a wrong header, or none', async () => {
    for (const name of Object.keys(header)) {
      if (['chain_id', 'written_by', 'keeps_history', 'first_block'].includes(name)) continue;
      await refusal(await forged({ ...header, [name]: 12345 }, sections));
      await refusal(await forged({ ...header, [name]: undefined }, sections));
    }
    await refusal(await forged([], sections));
  });

  test('with a section missing, twice, swapped or unknown', async () => {
    for (const [name] of sections) {
      await refusal(
        await forged(
          header,
          sections.filter((section) => section[0] !== name),
        ),
      );
    }
    await refusal(await forged(header, [...sections, ...sections]));
    await refusal(await forged(header, sections.toReversed()));
    await refusal(await forged(header, [...sections, ['more', Buffer.of(1)]]));
  });

  test('with any part of a section gone', async () => {
    for (const [name, content] of sections) {
      for (let length = 0; length < content.length; length += 7) {
        await refusal(await forged(header, replaced(name, content.subarray(0, length))));
      }
    }
  });

  test('with lengths beyond any memory', async () => {
    const endless = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    for (const name of ['blocks', 'journal', 'state', 'moment']) {
      await refusal(await forged(header, replaced(name, endless)));
    }
    const image = Buffer.from(small);
    image.writeUInt32LE(0xffff_ffff, 9);
    expect(await refusal(image)).toMatch(/a length is impossible/);
  });

  test('with a frame that would unpack to very much', async () => {
    const bomb = brotliCompressSync(Buffer.alloc(8 << 20));
    // A frame of the kind that is packed, where one of the kind that is plain would be.
    const image = await forged(header, [['moment', bomb], ...sections.slice(1)]);
    const packed = rewritten(image, (kind, content) => (content.includes(bomb) ? 4 : kind));
    expect(await refusal(packed)).toMatch(/in the section "moment" .* cannot be unpacked/);
  });
});

test('a short file that would fill the memory is refused before it does', async () => {
  const header = headerOf(await smallWorld());
  const image = await forged(header, [
    ['moment', Buffer.alloc(300 << 20, ' '), 'fast'],
    ['blocks', Buffer.of()],
    ['state', Buffer.of()],
  ]);
  expect(image.length).toBeLessThan(100_000);
  expect(await refusal(image)).toMatch(
    /in the section "moment" .* it unpacks to an implausible size/,
  );
}, 180_000);

test('an error is of its own kind', async () => {
  await expect(readImage(sourceOfBytes(small.subarray(1)))).rejects.toBeInstanceOf(ImageError);
});

function framesOf(image: Buffer): readonly Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 9; at < image.length; ) {
    const end = at + 8 + image.readUInt32LE(at);
    frames.push(image.subarray(at, end));
    at = end;
  }
  return frames;
}

/** The same frames with other kinds, under right checksums. */
function rewritten(image: Buffer, kindOf: (kind: number, content: Buffer) => number): Buffer {
  let checksum = crc32(image.subarray(0, 9));
  const frames = framesOf(image).map((frame) => {
    const edited = Buffer.from(frame);
    edited[8] = kindOf(edited[8] ?? 0, edited.subarray(9));
    checksum = crc32(edited.subarray(8), crc32(edited.subarray(0, 4), checksum));
    edited.writeUInt32LE(checksum, 4);
    return edited;
  });
  return Buffer.concat([image.subarray(0, 9), ...frames]);
}
