// The index of marks: blocks that are added one by one are found like blocks of an index that is built at once.
import { expect, test } from 'vitest';
import { BlockIndex } from '../../../src/chain/history/block-index.js';

const BLOCKS = 100;
const MARKS = 40;

/** A mark of every block, and some that few blocks have, twice in some of them. */
const marksOfBlock = (block: number): readonly number[] => [
  0,
  1 + (block % 7),
  8 + (block % 31),
  8 + ((block * block) % 31),
];

/** Everything that searches find. */
function searched(index: BlockIndex): unknown {
  return Array.from({ length: MARKS }, (_, mark) => {
    const cursor = index.cursor(mark);
    const blocks: number[] = [];
    for (let at = cursor.seek(0); at < BLOCKS; at = cursor.seek(at + 1)) blocks.push(at);
    return blocks;
  });
}

/** As {@link searched}, by the searches that leave new blocks where they are. */
function newestOfEach(index: BlockIndex, upTo: number): unknown {
  return Array.from({ length: MARKS }, (_, mark) => [
    index.newest(mark, upTo),
    index.find(mark, (block) => block <= upTo),
  ]);
}

test('blocks that were added one by one are found as in an index built at once', () => {
  let index = BlockIndex.empty;
  for (let block = 0; block < BLOCKS; block += 1) {
    index = index.with(marksOfBlock(block), block);
    const built = BlockIndex.of(
      0,
      Array.from({ length: block + 1 }, (_, at) => marksOfBlock(at)),
    );
    for (const upTo of [block, block - 1, block - 20]) {
      expect(newestOfEach(index, upTo)).toEqual(newestOfEach(built, upTo));
    }
    // A search of all blocks changes what is in the map.
    if (block % 9 === 0) expect(searched(index)).toEqual(searched(built));
  }
  expect(index.size).toBe(
    BlockIndex.of(
      0,
      Array.from({ length: BLOCKS }, (_, at) => marksOfBlock(at)),
    ).size,
  );
});

test('two continuations of an index do not share their new blocks', () => {
  const before = BlockIndex.empty.with([1], 0).with([1, 2], 1);
  const first = before.with([1, 3], 2);
  const second = before.with([1, 4], 2);
  expect([first.newest(3, 9), first.newest(4, 9)]).toEqual([2, undefined]);
  expect([second.newest(3, 9), second.newest(4, 9)]).toEqual([undefined, 2]);
  expect([before.size, first.size, second.size]).toEqual([2, 3, 3]);
  expect(first.without([1, 3], 2).newest(1, 9)).toBe(1);
  expect(second.withoutOlder([1, 2], 2).newest(2, 9)).toBeUndefined();
});
