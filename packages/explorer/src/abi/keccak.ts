// Knows the hash by which Starknet names functions and events.

const MASK = (1n << 64n) - 1n;
const RATE = 136;
const ROUNDS: readonly bigint[] = roundConstants();
const SHIFTS = [
  0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
].map(BigInt);

const turn = (lane: bigint, by: bigint): bigint => ((lane << by) | (lane >> (64n - by))) & MASK;

/** The constants are the output of a shift register, so they are computed rather than listed. */
function roundConstants(): bigint[] {
  let register = 1;
  return Array.from({ length: 24 }, () => {
    let constant = 0n;
    for (let step = 0; step <= 6; step++) {
      if (register & 1) constant |= 1n << BigInt(2 ** step - 1);
      register = (register << 1) ^ (register & 0x80 ? 0x171 : 0);
    }
    return constant;
  });
}

function permute(state: bigint[]): void {
  const lane = (at: number): bigint => state[at] ?? 0n;
  for (const constant of ROUNDS) {
    const column = [0, 1, 2, 3, 4].map(
      (x) => lane(x) ^ lane(x + 5) ^ lane(x + 10) ^ lane(x + 15) ^ lane(x + 20),
    );
    for (let at = 0; at < 25; at++) {
      const x = at % 5;
      state[at] = lane(at) ^ (column[(x + 4) % 5] ?? 0n) ^ turn(column[(x + 1) % 5] ?? 0n, 1n);
    }
    const moved: bigint[] = [];
    for (let at = 0; at < 25; at++) {
      const x = at % 5;
      const y = (at - x) / 5;
      moved[y + 5 * ((2 * x + 3 * y) % 5)] = turn(lane(at), SHIFTS[at] ?? 0n);
    }
    for (let at = 0; at < 25; at++) {
      const row = at - (at % 5);
      const next = moved[row + ((at + 1) % 5)] ?? 0n;
      const after = moved[row + ((at + 2) % 5)] ?? 0n;
      state[at] = (moved[at] ?? 0n) ^ (~next & MASK & after);
    }
    state[0] = lane(0) ^ constant;
  }
}

export function keccak256(message: Uint8Array): bigint {
  const padded = new Uint8Array((Math.floor(message.length / RATE) + 1) * RATE);
  padded.set(message);
  padded[message.length] = 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;
  const view = new DataView(padded.buffer);
  const state = Array.from({ length: 25 }, () => 0n);
  for (let block = 0; block < padded.length; block += RATE) {
    for (let at = 0; at < RATE / 8; at++) {
      state[at] = (state[at] ?? 0n) ^ view.getBigUint64(block + at * 8, true);
    }
    permute(state);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (let at = 0; at < 4; at++) digest.setBigUint64(at * 8, state[at] ?? 0n, true);
  return [0, 8, 16, 24].reduce((sum, at) => (sum << 64n) | digest.getBigUint64(at), 0n);
}

const selectors = new Map<string, string>();

/** The selector of a function or an event: its name's hash, cut to 250 bits. */
export function selectorOf(name: string): string {
  const known = selectors.get(name);
  if (known !== undefined) return known;
  const cut =
    name === '__default__' || name === '__l1_default__'
      ? 0n
      : keccak256(new TextEncoder().encode(name)) & ((1n << 250n) - 1n);
  const selector = `0x${cut.toString(16)}`;
  selectors.set(name, selector);
  return selector;
}
