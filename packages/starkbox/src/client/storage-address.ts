// Slots of storage variables, computed without the engine: Starknet's Keccak of the name, and Pedersen of the keys.
import { ADDRESS_BOUND, PRIME, toFelt } from '@starkbox/abi/basics';

/** Returns the slot of a variable, or of a map entry by its keys. */
export function storageAddress(variable: string, keys: readonly string[]): string {
  const base = starknetKeccak(new TextEncoder().encode(variable));
  const hash = keys.reduce((sum, key) => pedersen(sum, BigInt(key)), base);
  return toFelt(hash % ADDRESS_BOUND);
}

// Keccak-256 over lanes of 64 bits.

const LANE = (1n << 64n) - 1n;
/** Bytes that a block absorbs. */
const RATE = 136;
const ROUNDS = 24;

const rotate = (lane: bigint, by: bigint): bigint =>
  by === 0n ? lane : ((lane << by) | (lane >> (64n - by))) & LANE;

/** The constants of the rounds, from the bits of a shift register. */
function roundConstants(): readonly bigint[] {
  let register = 1;
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n;
    for (let bit = 0; bit < 7; bit += 1) {
      if (register & 1) constant |= 1n << BigInt(2 ** bit - 1);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    return constant;
  });
}

/** For each lane but the first, in the order of the walk over them: its index, and the bits that it is rotated by. */
function lanePath(): readonly (readonly [lane: number, by: bigint])[] {
  let [x, y] = [1, 0];
  return Array.from({ length: 24 }, (_, step) => {
    const lane = x + 5 * y;
    [x, y] = [y, (2 * x + 3 * y) % 5];
    return [lane, BigInt(((step + 1) * (step + 2)) / 2) % 64n] as const;
  });
}

const CONSTANTS = /* @__PURE__ */ roundConstants();
const PATH = /* @__PURE__ */ lanePath();

function permute(state: bigint[]): void {
  const at = (index: number): bigint => state[index] ?? 0n;
  for (const constant of CONSTANTS) {
    const columns = [0, 1, 2, 3, 4].map(
      (x) => at(x) ^ at(x + 5) ^ at(x + 10) ^ at(x + 15) ^ at(x + 20),
    );
    const column = (x: number): bigint => columns[x % 5] ?? 0n;
    for (let lane = 0; lane < 25; lane += 1) {
      state[lane] = at(lane) ^ column(lane + 4) ^ rotate(column(lane + 1), 1n);
    }
    let moved = at(1);
    PATH.forEach(([_lane, by], step) => {
      const [target] = PATH[(step + 1) % PATH.length] ?? [1];
      const next = at(target);
      state[target] = rotate(moved, by);
      moved = next;
    });
    for (let row = 0; row < 25; row += 5) {
      const lanes = state.slice(row, row + 5);
      const lane = (x: number): bigint => lanes[x % 5] ?? 0n;
      for (let x = 0; x < 5; x += 1) {
        state[row + x] = lane(x) ^ (~lane(x + 1) & LANE & lane(x + 2));
      }
    }
    state[0] = at(0) ^ constant;
  }
}

/** The upper 32 bytes of a digest, cut to 250 bits. */
function starknetKeccak(bytes: Uint8Array): bigint {
  const padded = new Uint8Array(Math.ceil((bytes.length + 1) / RATE) * RATE);
  padded.set(bytes);
  padded[bytes.length] = 1;
  padded[padded.length - 1] = (padded.at(-1) ?? 0) | 0x80;
  const view = new DataView(padded.buffer);
  const state = Array.from({ length: 25 }, () => 0n);
  for (let start = 0; start < padded.length; start += RATE) {
    for (let lane = 0; lane < RATE / 8; lane += 1) {
      state[lane] = (state[lane] ?? 0n) ^ view.getBigUint64(start + lane * 8, true);
    }
    permute(state);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (let lane = 0; lane < 4; lane += 1) digest.setBigUint64(lane * 8, state[lane] ?? 0n, true);
  let value = 0n;
  for (let byte = 0; byte < 32; byte += 8) value = (value << 64n) | digest.getBigUint64(byte);
  return value & ((1n << 250n) - 1n);
}

// Pedersen over the STARK curve: y² = x³ + x + b.

/** A point in Jacobian coordinates; z is 0 for the point at infinity. */
type Point = readonly [x: bigint, y: bigint, z: bigint];

const INFINITY: Point = [1n, 1n, 0n];

/** The points of the specification: the shift, and for each operand that of its low 248 bits and of its high bits. */
const SHIFT: Point = [
  0x49ee3eba8c1600700ee1b87eb599f16716b0b1022947733551fde4050ca6804n,
  0x3ca0cfe4b3bc6ddf346d49d06ea0ed34e621062c0e056c1d0405d266e10268an,
  1n,
];
const OPERANDS: readonly (readonly [low: Point, high: Point])[] = [
  [
    [
      0x234287dcbaffe7f969c748655fca9e58fa8120b6d56eb0c1080d17957ebe47bn,
      0x3b056f100f96fb21e889527d41f4e39940135dd7a6c94cc6ed0268ee89e5615n,
      1n,
    ],
    [
      0x4fa56f376c83db33f9dab2656558f3399099ec1de5e3018b7a6932dba8aa378n,
      0x3fa0984c931c9e38113e0c0e47e4401562761f92a7a23b45168f4e80ff5b54dn,
      1n,
    ],
  ],
  [
    [
      0x4ba4cc166be8dec764910f75b45f74b40c690c74709e90f3aa372f0bd2d6997n,
      0x40301cf5c1751f4b971e46c4ede85fcac5c59a5ce5ae7c48151f27b24b219cn,
      1n,
    ],
    [
      0x54302dcb0e6cc1c6e44cca8f61a63bb2ca65048d53fb325d36ff12c49a58202n,
      0x1b77b3e37d13504b348046268d8ae25ce98ad783c25561a879dcc77e99c2426n,
      1n,
    ],
  ],
];
const LOW_BITS = 248n;

function mod(value: bigint): bigint {
  const rest = value % PRIME;
  return rest < 0n ? rest + PRIME : rest;
}

function doubled([x, y, z]: Point): Point {
  if (z === 0n) return INFINITY;
  const ySquared = mod(y * y);
  const s = mod(4n * x * ySquared);
  const zSquared = mod(z * z);
  const m = mod(3n * x * x + zSquared * zSquared);
  const newX = mod(m * m - 2n * s);
  return [newX, mod(m * (s - newX) - 8n * ySquared * ySquared), mod(2n * y * z)];
}

function sum(first: Point, second: Point): Point {
  const [x1, y1, z1] = first;
  const [x2, y2, z2] = second;
  if (z1 === 0n) return second;
  if (z2 === 0n) return first;
  const [z1Squared, z2Squared] = [mod(z1 * z1), mod(z2 * z2)];
  const [u1, u2] = [mod(x1 * z2Squared), mod(x2 * z1Squared)];
  const [s1, s2] = [mod(y1 * z2Squared * z2), mod(y2 * z1Squared * z1)];
  if (u1 === u2) return s1 === s2 ? doubled(first) : INFINITY;
  const h = mod(u2 - u1);
  const r = mod(s2 - s1);
  const hSquared = mod(h * h);
  const hCubed = mod(hSquared * h);
  const v = mod(u1 * hSquared);
  const newX = mod(r * r - hCubed - 2n * v);
  return [newX, mod(r * (v - newX) - s1 * hCubed), mod(h * z1 * z2)];
}

function multiple(point: Point, factor: bigint): Point {
  let result = INFINITY;
  for (const bit of factor.toString(2)) {
    result = doubled(result);
    if (bit === '1') result = sum(result, point);
  }
  return result;
}

/** The inverse in the field, by Euclid's algorithm. */
function inverse(value: bigint): bigint {
  let [previous, current] = [PRIME, mod(value)];
  let [before, now] = [0n, 1n];
  while (current > 1n) {
    const quotient = previous / current;
    [previous, current] = [current, previous - quotient * current];
    [before, now] = [now, before - quotient * now];
  }
  return mod(now);
}

function pedersen(...operands: readonly [bigint, bigint]): bigint {
  const [x, , z] = operands.reduce((point, operand, index) => {
    const [low, high] = OPERANDS[index] ?? [INFINITY, INFINITY];
    const withLow = sum(point, multiple(low, operand & ((1n << LOW_BITS) - 1n)));
    return sum(withLow, multiple(high, operand >> LOW_BITS));
  }, SHIFT);
  const zInverse = inverse(z);
  return mod(x * zInverse * zInverse);
}
