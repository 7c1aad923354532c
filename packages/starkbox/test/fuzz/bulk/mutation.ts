// Mutation of bytes, fast enough for millions of inputs.
import type { Dice } from '../random.js';

/** What changes the meaning of JSON, of numbers and of lengths. */
const PIECES: readonly Buffer[] = [
  ...['"', '{', '}', '[', ']', ',', ':', '\\', '\\u0000', '\\ud800', 'null', 'true', '-1', '1e400'],
  ...['0x', '0x0', `0x${'f'.repeat(64)}`, '9007199254740993', '18446744073709551616', '1.5', '-0'],
  ...[
    '__proto__',
    'latest',
    'pre_confirmed',
    '""',
    '[]',
    '{}',
    '\ufeff',
    ' ',
    '[[[[[[[[',
    '\u0000',
  ],
].map((text) => Buffer.from(text));

const NUMBERS: readonly number[] = [0, 1, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xffffffff];

/** One of the seeds after a few changes. */
export function scrambled(seeds: readonly Buffer[], roll: Dice): Buffer {
  const seed = seeds[roll(seeds.length)] ?? Buffer.of();
  let bytes = seed;
  for (let times = 1 + roll(4); times > 0; times -= 1) bytes = once(bytes, seeds, roll);
  return bytes;
}

function once(bytes: Buffer, seeds: readonly Buffer[], roll: Dice): Buffer {
  const at = roll(bytes.length + 1);
  const to = Math.min(bytes.length, at + roll(roll(4) === 0 ? 64 : 6));
  const joined = (middle: Uint8Array, end = to): Buffer =>
    Buffer.concat([bytes.subarray(0, at), middle, bytes.subarray(end)]);
  switch (roll(9)) {
    case 0:
      return joined(Buffer.of(), to);
    case 1:
      return joined(Buffer.of(roll(256)), at + 1);
    case 2:
      return joined(Buffer.of((bytes[at] ?? 0) ^ (1 << roll(8))), at + 1);
    case 3:
    case 4:
      return joined(PIECES[roll(PIECES.length)] ?? Buffer.of(), roll(2) === 0 ? at : to);
    case 5:
      return joined(Buffer.concat([bytes.subarray(at, to), bytes.subarray(at, to)]));
    case 6: {
      const number = Buffer.alloc(4);
      const value = NUMBERS[roll(NUMBERS.length)] ?? 0;
      if (roll(2) === 0) number.writeUInt32LE(value);
      else number.writeUInt32BE(value);
      return joined(number, at + 4);
    }
    case 7: {
      const other = seeds[roll(seeds.length)] ?? bytes;
      const from = roll(other.length + 1);
      return joined(other.subarray(from, from + roll(200)), at);
    }
    default:
      return roll(6) === 0 ? bytes.subarray(0, at) : joined(Buffer.of(), at + 1);
  }
}
