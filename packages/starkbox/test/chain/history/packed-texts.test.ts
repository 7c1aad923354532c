// Packed texts compared with their input, and the limits of the packing work.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allTexts,
  packing,
  packNow,
  packTexts,
  receiptsOf,
  TextChunk,
  type TransactionTexts,
  textsAt,
} from '../../../src/chain/history/packed-texts.js';
import { runElsewhere } from '../../support/own-process.js';

const json = fc.jsonValue({ stringUnit: 'binary' }).map((value) => JSON.stringify(value));
const texts: fc.Arbitrary<TransactionTexts> = fc.record({
  transaction: json,
  proofFacts: fc.option(fc.array(fc.constantFrom('0x0', '0x1', '0x50524f4f4632')), {
    nil: undefined,
  }),
  receipt: json,
  trace: json,
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** About as much text as a transfer, and about as hard to pack. */
function text(seed: number, length = 6_000): string {
  const felts: string[] = [];
  let state = seed + 1;
  for (let at = 0; at < length; at += 300) {
    state = Math.imul(state ^ (state >>> 13), 0x5bd1e995) ^ at;
    felts.push(`0x${(state >>> 0).toString(16)}`.padEnd(296, '0'));
  }
  return JSON.stringify(felts);
}

describe('texts', () => {
  test('are the same before and after they are packed', () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 9 }), (parts) => {
        const chunk = new TextChunk(parts);
        const read = () => parts.map((_, index) => chunk.part(index));
        expect(read()).toEqual(parts);
        expect(chunk.packedSize).toBeUndefined();
        chunk.pack();
        expect(chunk.packedSize).toBeGreaterThan(0);
        expect(read()).toEqual(parts);
        chunk.pack();
        expect(read()).toEqual(parts);
      }),
    );
  });

  test('are read right in turn with others', () => {
    const [first, second] = [new TextChunk([text(1), text(2)]), new TextChunk([text(3), text(4)])];
    first.pack();
    second.pack();
    expect([first.part(1), second.part(0), first.part(0), second.part(1)]).toEqual([
      text(2),
      text(3),
      text(1),
      text(4),
    ]);
  });

  test('have no part beyond the last', () => {
    const chunk = new TextChunk(['1', '2']);
    expect(() => chunk.part(2)).toThrow('there is no part 2 of 2');
    chunk.pack();
    expect(() => chunk.part(2)).toThrow('there is no part 2 of 2');
    expect(() => chunk.part(-1)).toThrow('there is no part -1 of 2');
  });
});

describe('a body', () => {
  test('gives back every transaction, at once and one by one', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 6 }), fc.boolean(), (transactions, isPacked) => {
        const body = packTexts(transactions);
        if (isPacked) packNow();
        expect(allTexts(body)).toEqual(transactions);
        expect(transactions.map((_, index) => textsAt(body, index))).toEqual(transactions);
        expect(receiptsOf(body)).toEqual(transactions.map(({ receipt }) => receipt));
        expect(textsAt(body, transactions.length)).toBeUndefined();
        expect(textsAt(body, -1)).toBeUndefined();
      }),
    );
  });

  test('of a large block is unpacked piece by piece', () => {
    const transactions = Array.from({ length: 100 }, (_, index) => ({
      transaction: text(index, 1_000),
      proofFacts: index % 7 === 0 ? ['0x1', `0x${index.toString(16)}`] : undefined,
      receipt: text(index + 1_000, 1_000),
      trace: text(index + 2_000, index === 50 ? 200_000 : 4_000),
    }));
    const body = packTexts(transactions);
    packNow();
    expect(body.length).toBeGreaterThan(15);
    expect(body.length).toBeLessThan(50);
    expect(allTexts(body)).toEqual(transactions);
    expect(transactions.map((_, index) => textsAt(body, index))).toEqual(transactions);
  });
});

describe('packing', () => {
  const packedText = (seed: number) =>
    packTexts([{ transaction: '{}', proofFacts: undefined, receipt: '{}', trace: text(seed) }]);
  const isPacked = (body: ReturnType<typeof packedText>) => body[0]?.packedSize !== undefined;

  test('leaves new texts alone, and takes the older ones in later turns', async () => {
    packNow();
    const bodies = Array.from({ length: 200 }, (_, seed) => packedText(seed));
    expect(bodies.some(isPacked)).toBe(false);
    const packedCounts = new Set<number>();
    for (let turns = 0; turns < 100; turns += 1) {
      await turn();
      packedCounts.add(bodies.filter(isPacked).length);
      // Whatever is packed by now, reading tells no difference.
      const index = (turns * 7) % bodies.length;
      expect(textsAt(bodies[index] ?? [], 0)?.trace).toBe(text(index));
    }
    expect(packedCounts.size).toBeGreaterThan(5);
    expect(isPacked(bodies[0] ?? [])).toBe(true);
    expect(isPacked(bodies.at(-1) ?? [])).toBe(false);
    expect(packing().characters).toBeLessThanOrEqual(256 * 1024);
    bodies.forEach((body, seed) => {
      expect(textsAt(body, 0)?.trace).toBe(text(seed));
    });
  });

  test('is not delayed without limit when nothing waits for it', () => {
    for (let seed = 0; seed < 3_000; seed += 1) packedText(seed);
    expect(packing().characters).toBeLessThanOrEqual(4 * 1024 * 1024);
    packNow();
    expect(packing()).toEqual({ texts: 0, characters: 0 });
  });

  test('does not keep a process from ending', async () => {
    const script = `
      const { packTexts, packing } = await import(process.argv[1]);
      const trace = JSON.stringify('x'.repeat(10_000));
      for (let n = 0; n < 300; n += 1) {
        packTexts([{ transaction: '{}', proofFacts: undefined, receipt: '{}', trace }]);
      }
      process.on('exit', () => console.log(packing().characters));`;
    const unpackedCharacters = Number(
      await runElsewhere('src/chain/history/packed-texts.ts', script),
    );
    expect(unpackedCharacters).toBeGreaterThan(1024 * 1024);
  });
});
