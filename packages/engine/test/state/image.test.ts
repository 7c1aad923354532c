// State images: round trips, and damaged images that are refused as a whole.

import { crc32, deflateRawSync } from 'node:zlib';
import { builtinClass, type Class, EngineError, State } from '@starkbox/engine';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { block, genesis, hex, STRK, transfer } from '../fixtures/chain.js';
import { chainOf, deployDiff, nonceDiff, replaceDiff, slotDiff } from '../fixtures/diffs.js';

const ADDRESSES = ['0xa', '0xb', '0xc'];
const KEYS = ['0x1', '0x2', hex(2n ** 251n - 1n)];
const HEADER_BYTES = 9;
const refused = (kind: string) => expect.objectContaining({ name: 'EngineError', kind });
const range = (count: number): readonly number[] => [...Array(count).keys()];

async function imageOf(state: State): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of state.export()) pieces.push(piece);
  return Buffer.concat(pieces);
}

const read = (image: Uint8Array): Promise<State> => State.import([image]);

/** The header, and the frames behind it. */
function partsOf(image: Buffer): { header: Buffer; frames: readonly Buffer[] } {
  const frames: Buffer[] = [];
  for (let at = HEADER_BYTES; at < image.length; ) {
    const end = at + 8 + image.readUInt32LE(at);
    frames.push(image.subarray(at, end));
    at = end;
  }
  return { header: image.subarray(0, HEADER_BYTES), frames };
}

/** An image of one frame: records of our own making under a right checksum. */
function forged(...records: readonly (readonly number[])[]): Buffer {
  const payload = Buffer.from(records.flat());
  const length = Buffer.alloc(8);
  length.writeUInt32LE(payload.length, 0);
  const frame = Buffer.from(length);
  frame.writeUInt32LE(crc32(payload, crc32(length)), 4);
  return Buffer.concat([Buffer.from('SBXSTATE\x01'), frame, payload]);
}

let sierra: Class;
let cairo0: Class;
/** Three closed blocks that do a bit of everything, and a fourth that is half written. */
let small: State;
/** The same with two classes. */
let declared: State;
/** Three closed blocks of nine thousand slots each: many frames. */
let large: State;
beforeAll(async () => {
  sierra = await builtinClass('udc');
  cairo0 = await builtinClass('udc-cairo0');
  const story = async (start: State, classes: readonly Class[]) => {
    let state = await chainOf(['0x1', '0x2'], start);
    state = await state.apply(slotDiff('0xb', KEYS[2] ?? '', '0xff'), classes.slice(0, 1));
    state = await state.apply({ ...nonceDiff('0xa', '0x1'), ...deployDiff('0xa', '0xc1') });
    state = await state.advance().apply(slotDiff('0xa', '0x1', '0x0'), classes.slice(1));
    state = await state.apply({ ...nonceDiff('0xa', '0x2'), ...replaceDiff('0xa', '0xc2') });
    return state.apply({ ...slotDiff('0xc', '0x2', '0x7'), ...deployDiff('0xc', '0xc1') });
  };
  small = await story(State.create({ version: 40 }), []);
  declared = await story(State.create(), [sierra, cairo0]);
  large = State.create();
  for (const address of ADDRESSES) {
    const storage_entries = range(9_000).map((n) => ({
      key: hex(2n ** 250n + BigInt(n)),
      value: hex(BigInt(address) + 2n ** 240n),
    }));
    large = (await large.apply({ storage_diffs: [{ address, storage_entries }] })).advance();
  }
});

/** Everything that can be read of a state, at every version. */
async function contentsOf(state: State): Promise<unknown> {
  const versions: unknown[] = [];
  for (let version = state.firstVersion; version <= state.version; version += 1) {
    const view = state.at(version);
    const contracts = ADDRESSES.map(async (address) => ({
      nonce: await view.nonceAt(address),
      class: await view.classHashAt(address),
      slots: await Promise.all(KEYS.map((key) => view.storageAt(address, key))),
      dates: KEYS.map((key) => view.storageSince(address, key)),
    }));
    const classes = [sierra, cairo0].map(async ({ hash }) => {
      const contractClass = await view.class(hash);
      return [view.classSince(hash), contractClass?.compiledClassHash, await contractClass?.json()];
    });
    versions.push({
      contracts: await Promise.all(contracts),
      classes: await Promise.all(classes),
      diff: state.diffOf(version),
    });
  }
  return { first: state.firstVersion, version: state.version, versions };
}

describe('a state that went through its image', () => {
  test('holds every value at every version, every difference and every class', async () => {
    for (const state of [small, declared, State.create(), await chainOf(['0x1'])]) {
      const copy = await State.import(state.export());
      expect(await contentsOf(copy)).toEqual(await contentsOf(state));
    }
  });

  test('has the same figures', async () => {
    for (const state of [State.create(), large, small, declared]) {
      expect((await State.import(state.export())).figures()).toEqual(state.figures());
    }
  });

  test('has the same image', async () => {
    for (const state of [State.create(), small, declared, large]) {
      const image = await imageOf(state);
      expect((await imageOf(await read(image))).equals(image)).toBe(true);
    }
  });

  test('goes on where it was: writing, closing and rewinding', async () => {
    const goOn = async (state: State) => {
      const restored = await state.apply({
        ...slotDiff('0xa', '0x1', '0x2'),
        ...nonceDiff('0xa', '0x1'),
      });
      const closed = (await restored.apply(replaceDiff('0xa', '0xc1'), [sierra])).advance();
      const next = (await closed.apply(deployDiff('0xb', '0xc1'), [sierra, cairo0])).advance();
      return Promise.all(
        [restored, closed, next, await next.rewind(closed.version - 1), await next.rewind(1)].map(
          contentsOf,
        ),
      );
    };
    expect(await goOn(await State.import(declared.export()))).toEqual(await goOn(declared));
  });

  test('still keeps no history, if it kept none', async () => {
    const state = await chainOf(['0x1', '0x2'], State.create({ keepHistory: false }));
    const copy = await State.import(state.export());
    expect(await copy.storageAt('0xa', '0x1')).toBe('0x2');
    expect(copy.figures()).toEqual(state.figures());
    expect(() => copy.at(1)).toThrow(refused('state'));
  });

  test('holds classes whole, compiled code included', async () => {
    const contractClass = await (await State.import(declared.export())).class(sierra.hash);
    expect(await contractClass?.casm()).toBe(await sierra.casm());
    expect(await contractClass?.json()).toBe(await sierra.json());
  });

  test('executes as before', async () => {
    const { state, accounts, minter } = await genesis();
    const copy = await State.import(state.export());
    expect(copy.figures()).toEqual(state.figures());
    expect(copy.diffOf(0)).toEqual(state.diffOf(0));
    const send = () => transfer(minter, accounts[0]?.address ?? STRK, 5, 0);
    const [here, copied] = await Promise.all([state, copy].map((s) => s.execute(block(), send())));
    if (here?.outcome !== 'accepted' || copied?.outcome !== 'accepted') throw new Error('refused');
    expect(copied.receipt).toEqual(here.receipt);
    expect(copied.next.diffOf(1)).toEqual(here.next.diffOf(1));
  });

  test('may have been rewound over blocks without a difference', async () => {
    const state = await chainOf(['0x1', '0x1', '0x1', '0x1']);
    const rewound = await chainOf(['0x2', '0x3'], await state.rewind(0));
    const copy = await State.import(rewound.export());
    expect(await contentsOf(copy)).toEqual(await contentsOf(rewound));
  });

  test('is as it was when the export began', async () => {
    const image = await imageOf(large);
    const pieces: Uint8Array[] = [];
    let other = large;
    for await (const piece of large.export()) {
      pieces.push(piece);
      other = await chainOf([hex(pieces.length)], other);
    }
    expect(pieces.length).toBeGreaterThan(5);
    expect(Buffer.concat(pieces).equals(image)).toBe(true);
  });
});

describe('the pieces of a stream', () => {
  test('may be single bytes', async () => {
    const image = await imageOf(declared);
    const copy = await State.import([...image].map((byte) => Uint8Array.of(byte)));
    expect((await imageOf(copy)).equals(image)).toBe(true);
  });

  test('may be cut anywhere, and some may be empty', { timeout: 180_000 }, async () => {
    for (const [state, numRuns] of new Map([
      [small, 300],
      [large, 8],
    ])) {
      const image = await imageOf(state);
      const cuts = fc.array(fc.nat(image.length), { maxLength: 40 });
      const property = fc.asyncProperty(cuts, async (list) => {
        const ends = [...list.sort((a, b) => a - b), image.length];
        const pieces = ends.map((end, index) => image.subarray(ends[index - 1] ?? 0, end));
        expect((await imageOf(await State.import(pieces))).equals(image)).toBe(true);
      });
      await fc.assert(property, { numRuns });
    }
  });
});

/** Damage is noticed, or at the very least harmless: what was read is what was written. */
async function damaged(image: Buffer, good: Buffer): Promise<'refused' | 'same'> {
  let state: State;
  try {
    state = await read(image);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    expect(error).toEqual(refused('image'));
    return 'refused';
  }
  expect((await imageOf(state)).equals(good)).toBe(true);
  return 'same';
}

describe('a damaged image is refused', () => {
  test('if it ends too early, wherever that is', async () => {
    const image = await imageOf(small);
    for (const length of range(image.length)) {
      await expect(read(image.subarray(0, length))).rejects.toThrow(refused('image'));
    }
  });

  test('if frames are missing at its end', async () => {
    const image = await imageOf(large);
    const { frames } = partsOf(image);
    expect(frames.length).toBeGreaterThan(5);
    const random = fc.sample(fc.nat(image.length - 1), { seed: 7, numRuns: 20 });
    let boundary = HEADER_BYTES;
    const boundaries = frames.map((frame) => {
      boundary += frame.length;
      return boundary - frame.length;
    });
    const around = boundaries.flatMap((at) => [at - 1, at, at + 1, at + 8]);
    for (const length of [...around, ...random]) {
      await expect(read(image.subarray(0, length))).rejects.toThrow(refused('image'));
    }
  });

  test('if a single bit of it is turned', { timeout: 180_000 }, async () => {
    const image = await imageOf(small);
    for (const at of range(image.length * 8)) {
      const bad = Buffer.from(image);
      bad[at >> 3] = (bad[at >> 3] ?? 0) ^ (1 << (at & 7));
      await expect(read(bad), `bit ${at}`).rejects.toThrow(refused('image'));
    }
  });

  test('if a byte of it is another', { timeout: 180_000 }, async () => {
    for (const [state, numRuns] of new Map([
      [small, 2_000],
      [declared, 1_000],
      [large, 60],
    ])) {
      const image = await imageOf(state);
      const change = fc.tuple(fc.nat(image.length - 1), fc.integer({ min: 1, max: 255 }));
      for (const [at, mask] of fc.sample(change, { seed: 7, numRuns })) {
        const bad = Buffer.from(image);
        bad[at] = (bad[at] ?? 0) ^ mask;
        await expect(read(bad), `byte ${at}`).rejects.toThrow(refused('image'));
      }
    }
  });

  test('if a frame is missing, comes twice, or comes in another place', {
    timeout: 180_000,
  }, async () => {
    const image = await imageOf(large);
    const { header, frames } = partsOf(image);
    for (const first of range(frames.length)) {
      const without = frames.filter((_, index) => index !== first);
      expect(await damaged(Buffer.concat([header, ...without]), image)).toBe('refused');
      const twice = frames.flatMap((frame, index) => (index === first ? [frame, frame] : [frame]));
      await damaged(Buffer.concat([header, ...twice]), image);
      const moved = [...without, ...frames.slice(first, first + 1)];
      if (first < frames.length - 1) await damaged(Buffer.concat([header, ...moved]), image);
      const swapped = frames.with(first, frames.at(first - 1) ?? Buffer.alloc(0));
      const pair = swapped.with(first - 1, frames[first] ?? Buffer.alloc(0));
      await damaged(Buffer.concat([header, ...pair]), image);
    }
  });

  test('if it is no image at all', async () => {
    const image = await imageOf(small);
    await expect(State.import([])).rejects.toThrow(refused('image'));
    await expect(State.import([new Uint8Array(0)])).rejects.toThrow(refused('image'));
    await expect(read(Buffer.from('{"version": 1}'))).rejects.toThrow(refused('image'));
    await expect(read(Buffer.alloc(1_000))).rejects.toThrow(refused('image'));
    const other = Buffer.concat([Buffer.from('SBXSTATF'), image.subarray(8)]);
    await expect(read(other)).rejects.toThrow(refused('image'));
  });

  test.each([0, 2, 255])('if its format is %i', async (format) => {
    const image = await imageOf(small);
    image[8] = format;
    await expect(read(image)).rejects.toThrow(refused('image'));
  });

  test.each([
    ['a byte', () => [0]],
    ['eight zeros', () => range(8).map(() => 0)],
    ['sixteen zeros', () => range(16).map(() => 0)],
    ['eight other bytes', () => range(8)],
    ['an image', () => [...forged([1, 0, 1], [6, 0, 0, 0, 0])]],
    ['an end', () => [...forged([6, 0, 0, 0, 0]).subarray(HEADER_BYTES)]],
    ['a frame', () => [...forged([3, 1, 9, 0, 0]).subarray(HEADER_BYTES)]],
  ])('if it is followed by %s', async (_what, more) => {
    const image = await imageOf(small);
    const longer = Buffer.concat([image, Buffer.from(more())]);
    await expect(read(longer)).rejects.toThrow(refused('image'));
    await expect(State.import([image, Buffer.from(more())])).rejects.toThrow(refused('image'));
  });
});

describe('records under a right checksum', () => {
  const HEAD = [1, 5, 1];
  const CONTRACT = [3, 1, 0xa, 0, 0];
  const SLOT = [4, 1, 1, 1, 7, 4, 0];
  const NO_BLOCK = [5, 0, 0, 0, 0, 0, 0];

  test('are read if they make sense', async () => {
    const state = await read(
      forged(HEAD, CONTRACT, [4, 1, 1, 1, 7, 4, 0], NO_BLOCK, [6, 1, 1, 0, 1]),
    );
    expect([state.version, state.firstVersion]).toEqual([5, 4]);
    expect(await state.storageAt('0xa', '0x1')).toBe('0x7');
  });

  test.each([
    ['there is no head', [[6, 0, 0, 0, 0]]],
    ['there are two heads', [HEAD, HEAD, [6, 0, 0, 0, 0]]],
    ['their kind is unknown', [HEAD, [9]]],
    ['a slot has no contract', [HEAD, [4, 1, 1, 1, 7, 4, 0]]],
    ['a contract comes twice', [HEAD, CONTRACT, CONTRACT, [6, 0, 2, 0, 0]]],
    [
      'a contract comes twice with its slots, which are counted twice',
      [HEAD, CONTRACT, SLOT, CONTRACT, SLOT, [6, 2, 1, 0, 0]],
    ],
    ['a slot comes twice', [HEAD, CONTRACT, SLOT, SLOT, [6, 1, 1, 0, 0]]],
    ['slots are missing', [HEAD, CONTRACT, [6, 1, 1, 0, 0]]],
    ['contracts are missing', [HEAD, [6, 0, 1, 0, 0]]],
    ['classes are missing', [HEAD, [6, 0, 0, 1, 0]]],
    ['blocks are missing', [HEAD, [6, 0, 0, 0, 1]]],
    ['there are more blocks than versions', [[1, 0, 1], NO_BLOCK, [6, 0, 0, 0, 1]]],
    ['a value comes before its past', [HEAD, CONTRACT, [4, 1, 1, 1, 7, 3, 1, 1, 8, 4]]],
    ['a value comes from the future', [HEAD, CONTRACT, [4, 1, 1, 1, 7, 6, 0], [6, 1, 1, 0, 0]]],
    ['a felt is too long', [HEAD, CONTRACT, [4, 33, ...range(33), 1, 7, 4, 0]]],
    ['a felt is cut', [HEAD, CONTRACT, [4, 32, 1]]],
    [
      'a felt is above the prime',
      [HEAD, CONTRACT, [4, 1, 1, 32, ...range(32).map(() => 255), 4, 0], [6, 1, 1, 0, 0]],
    ],
    ['a number is too long', [[1, ...range(11).map(() => 255), 1]]],
    [
      'a version is above what JavaScript counts',
      [
        [1, ...range(9).map(() => 255), 1, 1],
        [6, 0, 0, 0, 0],
      ],
    ],
    ['a list is longer than the frame', [HEAD, [5, 255, 255, 255, 255, 15]]],
    ['a class is nonsense', [HEAD, [2, 0, 3, 1, 2, 3, 0, 0]]],
    ['a class is empty', [HEAD, [2, 0, 0, 0, 0]]],
    ['a compiled class is nonsense', [HEAD, [2, 0, 3, 1, 2, 3, 1, 3, 1, 2, 3]]],
    ['an end comes twice', [HEAD, [6, 0, 0, 0, 0], [6, 0, 0, 0, 0]]],
    ['an end is cut', [HEAD, [6, 0, 0]]],
  ])('are refused if %s', async (_what, records) => {
    await expect(read(forged(...records))).rejects.toThrow(refused('image'));
  });

  test('are refused if a class inflates too far', { timeout: 180_000 }, async () => {
    const wire = deflateRawSync(Buffer.alloc(257 << 20, ' '));
    const length = [(wire.length & 127) | 128, ((wire.length >> 7) & 127) | 128, wire.length >> 14];
    await expect(read(forged(HEAD, [2, 0, ...length, ...wire, 0, 0]))).rejects.toThrow(
      refused('image'),
    );
  });
});
