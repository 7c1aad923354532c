// The bytes of an image: the same after a restart of the node, and after a load.
import { join } from 'node:path';
import { imageOf as imageText } from '@starkbox/test-support/fixture';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';
import { recordOf } from '../../../src/chain/history/packed-block.js';
import { type Config, createChain, type LocalChain } from '../../../src/index.js';
import { grow } from './every-kind.js';
import { partsOf } from './sections.js';

const OPTIONS = {
  seed: 0,
  accounts: 2,
  startTime: 1_700_000_000,
  blockGenerationOn: 'demand',
} as const;

/** The image of a chain in a node that is then closed. */
async function imageOf(
  changes: Partial<Config>,
  prepare: (node: LocalChain) => Promise<unknown> = async () => {},
): Promise<Buffer> {
  const storeOptions = changes.dataDir === undefined ? {} : { recentBlocks: 2 };
  await using node = await createChain({ ...OPTIONS, ...storeOptions, ...changes });
  await prepare(node);
  return Buffer.from(await imageText(node), 'base64');
}

async function expectSame(image: Buffer, other: Buffer): Promise<void> {
  const [{ header, moment, others, blocks }, otherParts] = [
    await partsOf(image),
    await partsOf(other),
  ];
  expect(otherParts.header).toEqual(header);
  expect(otherParts.moment).toEqual(moment);
  for (const [number, block] of blocks.entries()) {
    const same = otherParts.blocks[number];
    expect([number, same && recordOf(same).equals(recordOf(block))]).toEqual([number, true]);
  }
  for (const [name, content] of others) {
    expect([name, otherParts.others.get(name)?.equals(content)]).toEqual([name, true]);
  }
  expect(other.equals(image)).toBe(true);
}

test.each(['full', 'none'] as const)('with --state-archive-capacity %s', async (stateArchive) => {
  const dataDir = join(temporaryFolder(), 'data');
  const live = async (node: LocalChain): Promise<void> => {
    await grow(node);
    for (let count = 0; count < 5; count += 1) {
      await node.mine();
      await node.mint('0x1', 1n);
    }
  };
  const before = await imageOf({ dataDir, stateArchive }, live);
  await expectSame(before, await imageOf({ dataDir, stateArchive }));
  const load = (node: LocalChain) =>
    node.request('devnet_load', { image: before.toString('base64') });
  await expectSame(before, await imageOf({ stateArchive }, load));
  const loaded = join(temporaryFolder(), 'loaded');
  await expectSame(before, await imageOf({ dataDir: loaded, stateArchive }, load));
  await expectSame(before, await imageOf({ dataDir: loaded, stateArchive }));
});
