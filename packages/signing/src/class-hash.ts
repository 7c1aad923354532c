// Hashes of classes and of their CASM.
import { blake2s } from '@noble/hashes/blake2s';
import { keccak, poseidonSmall } from '@scure/starknet';
import type { Casm, Sierra } from '@starkbox/abi';
import { PRIME, toFelt } from '@starkbox/abi/basics';
import type { SegmentLengths } from '@starkbox/abi/internal';
import { many, shortString } from './felts.js';

/** Longest time for which hashing blocks the page. */
const SLICE_MILLISECONDS = 12;

/** `poseidonHashMany` with pauses for the page: ten thousand felts take about a second. */
async function poseidonInSlices(of: readonly string[]): Promise<bigint> {
  const values = [...of.map(BigInt), 1n];
  if (values.length % 2 !== 0) values.push(0n);
  let [first = 0n, second = 0n, third = 0n] = [0n, 0n, 0n];
  let pause = performance.now() + SLICE_MILLISECONDS;
  for (let at = 0; at < values.length; at += 2) {
    const state = poseidonSmall([
      first + (values[at] ?? 0n),
      second + (values[at + 1] ?? 0n),
      third,
    ]);
    [first = 0n, second = 0n, third = 0n] = state;
    if (performance.now() > pause) {
      await new Promise<void>((resolve) => setTimeout(resolve));
      pause = performance.now() + SLICE_MILLISECONDS;
    }
  }
  return first;
}

const entryPoints = (of: Sierra['entry_points_by_type']['EXTERNAL']): bigint =>
  many(of.flatMap(({ selector, function_idx }) => [BigInt(selector), BigInt(function_idx)]));

export async function classHash(of: Sierra): Promise<string> {
  const { EXTERNAL, L1_HANDLER, CONSTRUCTOR } = of.entry_points_by_type;
  return toFelt(
    many([
      shortString('CONTRACT_CLASS_V0.1.0'),
      entryPoints(EXTERNAL),
      entryPoints(L1_HANDLER),
      entryPoints(CONSTRUCTOR),
      keccak(new TextEncoder().encode(of.abi)),
      await poseidonInSlices(of.sierra_program),
    ]),
  );
}

/** Blake2s of felts as 32-bit words: two for a felt below 2^63, else eight with the top bit set. */
function blakeMany(of: readonly bigint[]): bigint {
  const words: number[] = [];
  for (const felt of of) {
    const count = felt < 1n << 63n ? 2 : 8;
    for (let at = count - 1; at >= 0; at--) {
      words.push(Number((felt >> BigInt(32 * at)) & 0xffff_ffffn));
    }
    if (count === 8) words[words.length - 8] = ((words[words.length - 8] ?? 0) | 0x8000_0000) >>> 0;
  }
  const bytes = new DataView(new ArrayBuffer(words.length * 4));
  words.forEach((word, at) => {
    bytes.setUint32(at * 4, word, true);
  });
  const digest = blake2s(new Uint8Array(bytes.buffer), { dkLen: 32 });
  return digest.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n) % PRIME;
}

const blakeEntryPoints = (of: Casm['external']): bigint =>
  blakeMany(
    of.flatMap(({ selector, offset, builtins }) => [
      BigInt(selector),
      BigInt(offset),
      blakeMany(builtins.map(shortString)),
    ]),
  );

/** The hash of CASM, by the rules since Starknet 0.14.1. */
export function compiledClassHash(of: Casm): string {
  let at = 0;
  const segment = (lengths: SegmentLengths): readonly [length: number, hash: bigint] => {
    if (typeof lengths === 'number') {
      const part = of.bytecode.slice(at, at + lengths);
      at += lengths;
      return [lengths, blakeMany(part.map(BigInt))];
    }
    const parts = lengths.map(segment);
    const hash = blakeMany(parts.flatMap(([length, inner]) => [BigInt(length), inner])) + 1n;
    return [parts.reduce((sum, [length]) => sum + length, 0), hash];
  };
  const bytecode =
    of.segments === undefined ? blakeMany(of.bytecode.map(BigInt)) : segment(of.segments)[1];
  return toFelt(
    blakeMany([
      shortString('COMPILED_CLASS_V1'),
      blakeEntryPoints(of.external),
      blakeEntryPoints(of.l1Handler),
      blakeEntryPoints(of.constructor_),
      bytecode,
    ]),
  );
}
