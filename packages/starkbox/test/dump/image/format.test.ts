// Frames, sections and length prefixes of an image, and the calls of a journal, from texts and bytes alone.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { failFile, imageProgress, longestInline } from '../../../src/dump/dump.js';
import { ImageReader, ImageWriter, isImage, type Packing } from '../../../src/dump/image/format.js';
import { addPrefixes, splitByPrefixes } from '../../../src/dump/image/length-prefix.js';
import { ImageError, sourceOfBytes } from '../../../src/dump/image/source.js';
import { genesisIn, isRecord, parseJournal } from '../../../src/dump/journal.js';
import { RpcError } from '../../../src/errors.js';

type Section = readonly [name: string, pieces: readonly Uint8Array[], packing: Packing];

async function imageOf(sections: readonly Section[]) {
  const written: Uint8Array[] = [];
  const progress: unknown[] = [];
  const sink = { write: async (bytes: Uint8Array) => void written.push(bytes) };
  const writer = new ImageWriter(sink, (step) => void progress.push(step));
  await writer.begin('{"a":1}');
  for (const section of sections) await writer.section(...section);
  const length = await writer.end();
  const image = Buffer.concat(written);
  expect(length).toBe(image.length);
  return { image, progress };
}

const MEBIBYTE = 2 ** 20;
const zeros = (length: number) => Buffer.alloc(length);

describe('an image', () => {
  test('has the content of its sections, in frames of a mebibyte', async () => {
    const random = randomBytes(1_000);
    const { image, progress } = await imageOf([
      ['plain', [Buffer.from('ab'), Buffer.from('c')], 'none'],
      ['zeros', [zeros(2 * MEBIBYTE), zeros(1)], 'fast'],
      ['random', [random], 'small'],
      ['empty', [], 'small'],
    ]);
    expect(isImage(sourceOfBytes(image))).toBe(true);
    expect(isImage(sourceOfBytes(image.subarray(1)))).toBe(false);
    const steps: { section: string; bytes: number; of?: number }[] = [];
    const reader = new ImageReader(sourceOfBytes(image), (step) => void steps.push(step));
    expect(reader.begin()).toBe('{"a":1}');
    const contents = new Map<string, readonly Uint8Array[]>();
    for (let name = reader.next(); name !== undefined; name = reader.next()) {
      contents.set(name, [...reader.pieces(1)]);
    }
    expect(contents.get('plain')?.map(String)).toEqual(['abc']);
    expect(contents.get('zeros')?.map(({ length }) => length)).toEqual([MEBIBYTE, MEBIBYTE, 1]);
    expect(Buffer.concat(contents.get('random') ?? [])).toEqual(random);
    expect(contents.get('empty')).toEqual([]);
    expect(reader.sizes.map(({ name, bytes }) => [name, bytes])).toEqual([
      ['plain', 3],
      ['zeros', 2 * MEBIBYTE + 1],
      ['random', 1_000],
      ['empty', 0],
    ]);
    // What saves nothing is stored as it is.
    expect(reader.sizes[2]?.stored).toBe(1_000 + 9 + 8 + 9);
    expect(reader.sizes[1]?.stored).toBeLessThan(1_000);
    expect(steps.at(-1)).toEqual({ section: 'end', bytes: image.length, of: image.length });
    expect(progress.at(-1)).toEqual(steps.at(-1));
    expect(steps[0]).toMatchObject({ section: 'plain', of: image.length });
    const skipping = new ImageReader(sourceOfBytes(image));
    skipping.begin();
    for (let name = skipping.next(); name !== undefined; name = skipping.next())
      await skipping.skip();
    expect(skipping.sizes).toEqual(reader.sizes);
  });

  test('unpacks to 16 MiB and a multiple of its size, and not at all where nothing is packed', async () => {
    const read = (image: Buffer, gain: number) => {
      const reader = new ImageReader(sourceOfBytes(image));
      reader.begin();
      reader.next();
      return () => [...reader.pieces(gain)].reduce((sum, { length }) => sum + length, 0);
    };
    const { image } = await imageOf([['zeros', [zeros(16 * MEBIBYTE)], 'fast']]);
    expect(read(image, 1)()).toBe(16 * MEBIBYTE);
    expect(read(image, 0)).toThrow(/must not be packed/);
    const { image: larger } = await imageOf([['zeros', [zeros(17 * MEBIBYTE)], 'fast']]);
    expect(read(larger, 1)).toThrow(/implausible/);
    expect(read(larger, Math.ceil(MEBIBYTE / larger.length))()).toBe(17 * MEBIBYTE);
  });

  test('is damaged if it is cut, goes on, or lacks a part', async () => {
    const { image } = await imageOf([['plain', [Buffer.from('abc')], 'none']]);
    const readAll = (bytes: Buffer) => () => {
      const reader = new ImageReader(sourceOfBytes(bytes));
      reader.begin();
      for (let name = reader.next(); name !== undefined; name = reader.next())
        [...reader.pieces(1)];
    };
    expect(readAll(image)).not.toThrow();
    for (let length = 0; length < image.length; length += 1) {
      expect(readAll(image.subarray(0, length))).toThrow(ImageError);
    }
    expect(readAll(Buffer.concat([image, zeros(1)]))).toThrow(/follows the end/);
    const head = 9 + 8 + 1 + 7;
    const section = 8 + 1 + 5;
    expect(readAll(Buffer.concat([image.subarray(0, 9), image.subarray(head)]))).toThrow(
      /checksum/,
    );
    const long = Buffer.from(image);
    long.writeUInt32LE(MEBIBYTE + 65, 9);
    expect(readAll(long)).toThrow(/length is impossible/);
    long.writeUInt32LE(0, 9);
    expect(readAll(long)).toThrow(/length is impossible/);
    long.writeUInt32LE(MEBIBYTE + 64, 9);
    expect(readAll(long)).toThrow(/ends too early/);
    const other = Buffer.from(image);
    other[8] = 2;
    expect(readAll(other)).toThrow(/another version/);
    const reader = new ImageReader(sourceOfBytes(image));
    reader.begin();
    reader.next();
    expect(reader.explain(new Error('why')).message).toBe(
      `the image is damaged in the section "plain" at byte ${head + section}: why`,
    );
  });
});

describe('records with lengths', () => {
  const records = [zeros(0), Buffer.from('a'), zeros(127), zeros(128), zeros(20_000)];
  const split = (pieces: Iterable<Uint8Array>, shortest?: number) =>
    [...splitByPrefixes(pieces, shortest)].map((record) => Buffer.from(record));

  test('are the same however their bytes come', async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of addPrefixes(records)) chunks.push(chunk);
    const all = Buffer.concat(chunks);
    expect(split([all])).toEqual(records);
    expect(split(chunks)).toEqual(records);
    expect(split([...all].map((byte) => Buffer.of(byte)))).toEqual(records);
    expect(split([])).toEqual([]);
    expect(() => split([all.subarray(0, -1)])).toThrow(/is cut/);
    expect(() => split([all], 1)).toThrow(/too short/);
    expect(split([Buffer.of(1, 97)], 1)).toEqual([Buffer.from('a')]);
    expect(() => split([Buffer.of(1, 97)], 2)).toThrow(/too short/);
  });

  test('have lengths below 2^53', () => {
    expect(() => split([Buffer.of(...Array(8).fill(0x80), 1)])).toThrow(/impossible/);
    expect(() => split([Buffer.of(...Array(7).fill(0x80), 1)])).toThrow(/is cut/);
    expect(() => split([Buffer.of(0x80)])).toThrow(/is cut/);
  });
});

describe('the calls of a journal', () => {
  const call = { jsonrpc: '2.0', method: 'devnet_mint', params: { amount: 1 }, id: 5 };

  test('are read with what they leave out', () => {
    const parse = (...calls: readonly unknown[]) => parseJournal(JSON.stringify(calls));
    expect(parse(call, { jsonrpc: '2.0', method: 'a' }, { ...call, jsonrpc: '1.0' })).toEqual([
      call,
      { jsonrpc: '2.0', method: 'a', params: null, id: 0 },
      { ...call, jsonrpc: '1.0' },
    ]);
    for (const wrong of [
      5,
      null,
      { id: 1 },
      { ...call, id: 1.5 },
      { ...call, id: {} },
      { ...call, params: 5 },
    ]) {
      expect(() => parse(call, wrong)).toThrow(/^Deserialization error: call 1 of the journal/);
    }
    for (const text of ['{}', '5', '[', '']) expect(() => parseJournal(text)).toThrow(RpcError);
  });

  test('may begin with a record of the accounts', () => {
    const [record] = parseJournal(
      JSON.stringify([{ ...call, method: 'devnet_getConfig', id: 'starkbox genesis {"a":1}' }]),
    );
    if (!record) throw new Error('there is a call');
    expect([isRecord(record, 0), isRecord(record, 1)]).toEqual([true, false]);
    expect(isRecord({ ...record, method: 'devnet_mint' }, 0)).toBe(false);
    expect([isRecord({ ...record, id: 5 }, 0), isRecord({ ...record, id: 'other' }, 0)]).toEqual([
      ...[false, false],
    ]);
    expect(genesisIn([])).toBeUndefined();
    expect(genesisIn([{ ...record, id: 5 }])).toBeUndefined();
    expect(() => genesisIn([record])).toThrow(/^Deserialization error: call 0 of the journal/);
  });
});

test('errors of files become errors of dumps, and others stay', () => {
  const thrown = (error: unknown): unknown => {
    try {
      return failFile(error);
    } catch (reason) {
      return reason;
    }
  };
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  expect(thrown(full)).toMatchObject({ code: -5, message: expect.stringMatching(/^I\/O error: /) });
  const plain = new Error('other');
  expect(thrown(plain)).toBe(plain);
  const rpc = new RpcError(7, 'mine');
  expect(thrown(rpc)).toBe(rpc);
  // 4 KiB are for the rest of the request, and four characters hold three bytes.
  expect([0, 4_096, 4_099, 4_100, 8_192].map(longestInline)).toEqual([0, 0, 0, 3, 3_072]);
  expect(imageProgress({ section: 'blocks', bytes: 2_499_999, of: 5_000_000 })).toBe(
    'blocks, 2 MB of 5 MB, 49 %',
  );
  expect(imageProgress({ section: 'blocks', bytes: 2_500_000 })).toBe('blocks, 3 MB');
});
