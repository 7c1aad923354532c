// What stands for Node in browsers gives the same results as Node.

import { createHash } from 'node:crypto';
import * as path from 'node:path';
import * as zlib from 'node:zlib';
import { Random } from '@starkbox/test-support/random';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as host from '../../src/browser/host/bytes.js';
import * as files from '../../src/browser/host/files.js';

const bytes = fc.uint8Array({ maxLength: 300 });
/** Text with parts that repeat, near and far. */
const longText = fc
  .array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 1, maxLength: 8 })
  .map((parts) =>
    Array.from({ length: 1500 }, (_, at) => parts[(at * at) % parts.length]).join(''),
  );
const DICTIONARY = Buffer.from('"type":"INVOKE","version":"0x3"'.repeat(40));

describe('Buffer', () => {
  const ENCODINGS = ['utf8', 'latin1', 'hex', 'base64'] as const;

  test.each(ENCODINGS)('writes and reads %s', (encoding) => {
    fc.assert(
      fc.property(bytes, fc.string(), (content, text) => {
        const written = host.Buffer.from(content).toString(encoding);
        expect(written).toBe(Buffer.from(content).toString(encoding));
        for (const source of [written, text]) {
          expect([...host.Buffer.from(source, encoding)]).toEqual([
            ...Buffer.from(source, encoding),
          ]);
        }
      }),
    );
  });

  test('joins, slices and searches', () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 4 }), fc.nat(100), (pieces, at) => {
        const [ours, nodes] = [host.Buffer.concat(pieces), Buffer.concat(pieces)];
        expect(ours.toString('hex', at, at + 9)).toBe(nodes.toString('hex', at, at + 9));
        expect(ours.subarray(at)).toBeInstanceOf(host.Buffer);
        expect(ours.indexOf('\0', at)).toBe(nodes.indexOf('\0', at));
      }),
    );
  });

  test('holds integers', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), fc.bigInt(0n, 2n ** 64n - 1n), (short, long) => {
        const ours = host.Buffer.alloc(12);
        ours.writeUInt32LE(short);
        ours.writeBigUInt64LE(long, 4);
        const nodes = Buffer.alloc(12);
        nodes.writeUInt32LE(short);
        nodes.writeBigUInt64LE(long, 4);
        expect([...ours]).toEqual([...nodes]);
        expect([ours.readUInt32LE(), ours.readBigUInt64LE(4)]).toEqual([short, long]);
      }),
    );
  });
});

describe('compression', () => {
  test('is read by Node, and reads what Node wrote', () => {
    fc.assert(
      fc.property(longText, (text) => {
        const content = Buffer.from(text);
        const options = { level: 3, dictionary: DICTIONARY } as const;
        const packed = host.deflateRawSync(content, options);
        expect(zlib.inflateRawSync(packed, options).equals(content)).toBe(true);
        const nodes = zlib.deflateRawSync(content, { ...options, windowBits: 14 });
        expect(content.equals(host.inflateRawSync(nodes, options))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  test('reads frames of images', () => {
    const content = Buffer.concat([new Random(1).bytes(5000), Buffer.alloc(5000, 'state ')]);
    const frame = zlib.brotliCompressSync(content);
    const unpacked = host.brotliDecompressSync(frame, { maxOutputLength: content.length });
    expect(content.equals(unpacked)).toBe(true);
    expect(() => host.brotliDecompressSync(frame, { maxOutputLength: 5 })).toThrow('too long');
    expect(() => host.inflateRawSync(zlib.deflateRawSync(content), { maxOutputLength: 5 })).toThrow(
      'too long',
    );
  });

  test('has the same checksums', () => {
    fc.assert(
      fc.property(bytes, fc.nat(2 ** 32 - 1), (content, before) => {
        expect(host.crc32(content, before)).toBe(zlib.crc32(content, before));
      }),
    );
  });
});

test('hashes are the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(host.createHash('sha256').update('a').update(text).digest('base64')).toBe(
        createHash('sha256').update('a').update(text).digest('base64'),
      );
    }),
  );
});

test('paths are the same', () => {
  const names = fc.array(fc.constantFrom('a', 'b.cairo', '..', '.', ''), { maxLength: 5 });
  fc.assert(
    fc.property(names, fc.boolean(), (steps, isAbsolute) => {
      const whole = `${isAbsolute ? '/' : ''}${steps.join('/')}`;
      expect(files.join(whole, 'x')).toBe(path.posix.join(whole, 'x'));
      expect(files.resolve('/', whole)).toBe(path.posix.resolve('/', whole));
    }),
  );
});

test('there are no files', async () => {
  expect(files.existsSync()).toBe(false);
  expect(() => files.readFileSync('/etc/passwd')).toThrow('a browser has no files');
  await expect(files.readFile()).rejects.toThrow('a browser has no files');
});
