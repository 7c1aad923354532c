// Backward search of blocks by key: in memory, in an archive, and for removed blocks.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockIndex } from '../../../src/chain/history/block-index.js';
import { type Archive, History } from '../../../src/chain/history/history.js';
import { readPackedBlock } from '../../../src/chain/history/packed-block.js';
import { closedBlock } from '../../support/transfers.js';

const FIRST = 3;
const MARKS = [11, 22, 33];

function archiveOf(history: History): Archive {
  const numbers = Array.from({ length: history.next - FIRST }, (_, at) => FIRST + at);
  const records = numbers.map((number) => history.record(number));
  const mentions = BlockIndex.of(
    FIRST,
    numbers.map((number) => history.marks(number)),
  );
  return {
    at: (number) => {
      const record = records[number - FIRST];
      return record && readPackedBlock(record);
    },
    find: (mark, passes) => mentions.find(mark, passes),
    newest: (mark, upTo) => mentions.newest(mark, upTo),
    cursor: (mark) => mentions.cursor(mark),
  };
}

test('the newest block of a key is the one that a full search finds', () => {
  const blocks = fc.array(fc.subarray(MARKS), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(blocks, fc.nat(40), fc.nat(40), (marksOfBlocks, archived, cut) => {
      const whole = marksOfBlocks.reduce(
        (history, landmarks, at) =>
          history.append(
            { ...closedBlock(FIRST + at, [], { eventCount: 0 }), blockKeys: landmarks },
            [],
          ),
        History.startingAt(FIRST),
      );
      const base = Math.min(FIRST + archived, whole.next);
      const end = Math.min(FIRST + cut, whole.next);
      const histories = [whole, whole.settled(archiveOf(whole), base)];
      for (const [history, next] of [
        ...histories.map((history) => [history, whole.next] as const),
        ...histories.map((history) => [history.truncate(end), end] as const),
      ]) {
        for (const mark of MARKS) {
          for (let upTo = FIRST - 1; upTo <= whole.next; upTo += 1) {
            const last = marksOfBlocks
              .slice(0, next - FIRST)
              .findLastIndex((marks, at) => marks.includes(mark) && FIRST + at <= upTo);
            expect(history.newest(mark, upTo)).toBe(last < 0 ? undefined : FIRST + last);
          }
        }
      }
    }),
    { numRuns: 100 },
  );
});
