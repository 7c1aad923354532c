// Benchmark of images against journals: time to write and to load a chain.
//
//   npm run bench:image                     10,000 blocks with 20,000 transfers; 1,000,000 slots
//   npm run bench:image -- --blocks 2000    fewer blocks
//   npm run bench:image -- --quick          300 blocks and 100,000 slots
//
// Prints each figure with its bound, then one line of JSON. Exits 1 if a bound is broken.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createNode, type Starkbox } from 'starkbox';
import { invokeValues } from '../packages/engine/test/fixtures/chain.js';
import { Figures, median } from './figures.js';
import { accepted, callsFor, receiver, request } from './growing-chain.js';

const { values: given } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    blocks: { type: 'string' },
    slots: { type: 'string' },
  },
});
const { quick } = given;
const BLOCKS = Number(given.blocks ?? (quick ? 300 : 10_000));
const TRANSFERS = 2 * BLOCKS;
const SLOTS = Number(given.slots ?? (quick ? 100_000 : 1_000_000));
const SLOTS_A_CALL = 20_000;
const LOADS = 3;

const figures = new Figures(
  {
    // Loading a short chain is dominated by checking its classes, so the gain is smaller.
    image_gain: { atLeast: quick ? 2 : 15 },
    slots_load_s: { atMost: 5, isNoisy: true },
  },
  { quick },
);
const folder = mkdtempSync(join(tmpdir(), 'starkbox-image-'));

async function timed(run: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await run();
  return (performance.now() - begin) / 1000;
}

/** The median of several runs, with warm file cache and code. */
async function timedAgain(run: () => Promise<unknown>): Promise<number> {
  const seconds: number[] = [];
  for (let count = 0; count < LOADS; count += 1) seconds.push(await timed(run));
  return median(seconds);
}

const head = (node: Starkbox): Promise<unknown> => node.request('starknet_blockHashAndNumber');

async function mustBeEqual(one: Promise<unknown>, other: unknown): Promise<void> {
  const [found, wanted] = [JSON.stringify(await one), JSON.stringify(other)];
  if (found !== wanted) throw new Error(`${found} instead of ${wanted}`);
}

/** Two signed transfers per block. */
async function grow(node: Starkbox): Promise<void> {
  const { accounts } = node;
  const transfer = (index: number): string => {
    const sender = accounts[index % accounts.length];
    if (!sender) throw new Error('no account');
    const nonce = Math.floor(index / accounts.length);
    const invoke_transaction = invokeValues(sender, callsFor(receiver(index)), nonce);
    return request('starknet_addInvokeTransaction', { invoke_transaction });
  };
  let next = transfer(0);
  for (let index = 0; index < TRANSFERS; index += 1) {
    const answer = node.handle(next);
    // Signing overlaps with execution.
    await turn();
    next = transfer(index + 1);
    accepted(await answer);
    if (index % 2 === 1) accepted(await node.handle(request('devnet_createBlock', {})));
  }
}

async function measureBlocks(): Promise<void> {
  const options = { seed: 0, accounts: 100, startTime: 1_700_000_000 } as const;
  const node = await createNode({
    ...options,
    blockGenerationOn: 'demand',
    dumpOn: 'request',
  });
  await grow(node);
  const wanted = await head(node);
  const [journal, image] = [join(folder, 'journal.json'), join(folder, 'chain.image')];
  figures.say('journal_dump_s', await timed(() => node.request('devnet_dump', { path: journal })));
  figures.say(
    'image_dump_s',
    await timed(() => node.request('devnet_dump', { path: image, format: 'image' })),
  );
  await node.close();
  figures.say('journal_megabytes', statSync(journal).size / 1e6);
  figures.say('image_megabytes', statSync(image).size / 1e6);

  const other = await createNode({ ...options, blockGenerationOn: 'demand' });
  const imageSeconds = await timedAgain(() => other.request('devnet_load', { path: image }));
  figures.say('image_load_s', imageSeconds);
  await mustBeEqual(head(other), wanted);
  const journalSeconds = await timed(() => other.request('devnet_load', { path: journal }));
  figures.say('journal_load_s', journalSeconds);
  const status = await other.request('devnet_getStatus');
  await mustBeEqual(Promise.resolve(Object(status).transaction_count), TRANSFERS);
  figures.say('image_gain', journalSeconds / imageSeconds);
  await other.close();
}

async function measureSlots(): Promise<void> {
  const node = await createNode({ seed: 0 });
  for (let done = 0; done < SLOTS; done += SLOTS_A_CALL) {
    const storage_entries = Array.from({ length: SLOTS_A_CALL }, () => {
      const bytes = randomBytes(62).toString('hex');
      return { key: `0x3${bytes.slice(0, 62)}`, value: `0x1${bytes.slice(62)}` };
    });
    const state_diff = { storage_diffs: [{ address: node.tokens.strk.address, storage_entries }] };
    await node.request('devnet_applyStateDiff', { state_diff });
    await node.request('devnet_createBlock');
  }
  const wanted = await head(node);
  const path = join(folder, 'slots.image');
  figures.say(
    'slots_dump_s',
    await timed(() => node.request('devnet_dump', { path, format: 'image' })),
  );
  await node.close();
  figures.say('slots_megabytes', statSync(path).size / 1e6);
  const other = await createNode({ seed: 0 });
  figures.say('slots_load_s', await timedAgain(() => other.request('devnet_load', { path })));
  await mustBeEqual(head(other), wanted);
  await other.close();
}

try {
  await measureBlocks();
  await measureSlots();
} finally {
  rmSync(folder, { recursive: true });
}
figures.finish({ blocks: BLOCKS, transfers: TRANSFERS, slots: SLOTS, quick });
