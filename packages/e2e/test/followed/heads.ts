// A chain of headers as a subscriber builds it: each block names its parent, and none is missing.
import type { BLOCK_HEADER, REORG_DATA } from '@starkbox/spec';
import { agree } from '@starkbox/test-support/model/agreement';

/** The parent hash of the first block. */
const NO_PARENT = '0x0';

export class Heads {
  readonly list: BLOCK_HEADER[] = [];

  add(header: BLOCK_HEADER): void {
    const { block_number, parent_hash } = header;
    const expected = [this.list.length, this.list.at(-1)?.block_hash ?? NO_PARENT];
    agree([block_number, parent_hash], expected, 'the number and the parent of a new head');
    this.list.push(header);
  }

  undo({ starting_block_number: start, ...notified }: REORG_DATA): void {
    const latest = this.list.at(-1);
    const expected = {
      starting_block_hash: this.list[start]?.block_hash,
      ending_block_number: latest?.block_number,
      ending_block_hash: latest?.block_hash,
    };
    agree(notified, expected, `the reorg from block ${start}`);
    this.list.length = start;
  }
}
