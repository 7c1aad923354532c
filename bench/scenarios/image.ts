// Images against journals: time to write and to load a chain, and to load many slots.
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createChain, type LocalChain } from 'starkbox';
import { median } from '../figures.js';
import { mustBeAccepted } from '../harness/growing-chain.js';
import { sampled } from '../harness/rounds.js';
import { rpcBody } from '../harness/rpc-client.js';
import { defineScenario, type Run } from '../harness/scenario.js';
import { numberedTransfer } from '../harness/signed-requests.js';

const TRANSFERS_PER_BLOCK = 2;
const SLOTS_PER_CALL = 20_000;
const LOADS = 3;

interface ImageRun extends Pick<Run<'blocks' | 'slots'>, 'figures' | 'sizes'> {
  readonly folder: string;
}

const headOf = async (node: LocalChain): Promise<string> =>
  JSON.stringify(await node.request('starknet_blockHashAndNumber'));

function mustBeEqual(actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${actual} instead of ${expected}`);
}

/** The median seconds of several runs, with warm file cache and code. */
const secondsOf = async (times: number, work: () => Promise<unknown>): Promise<number> =>
  median(await sampled(times, work)) / 1000;

/** Blocks with two signed transfers each. */
async function grow(node: LocalChain, transfers: number): Promise<void> {
  let body = numberedTransfer(node.accounts, 1);
  for (let number = 1; number <= transfers; number += 1) {
    const answer = node.handle(body);
    // Signing overlaps with execution.
    await nextTurn();
    body = numberedTransfer(node.accounts, number + 1);
    mustBeAccepted(await answer);
    const isFull = number % TRANSFERS_PER_BLOCK === 0;
    if (isFull) mustBeAccepted(await node.handle(rpcBody('devnet_createBlock')));
  }
}

async function measureBlocks({ figures, sizes, folder }: ImageRun): Promise<void> {
  const transfers = TRANSFERS_PER_BLOCK * sizes.blocks;
  const options = {
    ...{ seed: 0, accounts: 100, startTime: 1_700_000_000 },
    blockGenerationOn: 'demand',
  } as const;
  const node = await createChain({ ...options, dumpOn: 'request' });
  await grow(node, transfers);
  const head = await headOf(node);
  const [journal, image] = [join(folder, 'journal.json'), join(folder, 'chain.image')];
  const dumpJournal = () => node.request('devnet_dump', { path: journal });
  const dumpImage = () => node.request('devnet_dump', { path: image, format: 'image' });
  figures.say('journal_dump_s', await secondsOf(1, dumpJournal));
  figures.say('image_dump_s', await secondsOf(1, dumpImage));
  await node.close();
  figures.say('journal_megabytes', statSync(journal).size / 1e6);
  figures.say('image_megabytes', statSync(image).size / 1e6);

  const other = await createChain(options);
  const imageSeconds = await secondsOf(LOADS, () => other.request('devnet_load', { path: image }));
  figures.say('image_load_s', imageSeconds);
  mustBeEqual(await headOf(other), head);
  const journalSeconds = await secondsOf(1, () => other.request('devnet_load', { path: journal }));
  figures.say('journal_load_s', journalSeconds);
  const status = await other.request('devnet_getStatus');
  mustBeEqual(Object(status).transaction_count, transfers);
  figures.say('image_gain', journalSeconds / imageSeconds);
  await other.close();
}

async function measureSlots({ figures, sizes, folder }: ImageRun): Promise<void> {
  const node = await createChain({ seed: 0 });
  for (let written = 0; written < sizes.slots; written += SLOTS_PER_CALL) {
    const storage_entries = Array.from({ length: SLOTS_PER_CALL }, () => {
      const bytes = randomBytes(62).toString('hex');
      return { key: `0x3${bytes.slice(0, 62)}`, value: `0x1${bytes.slice(62)}` };
    });
    const state_diff = { storage_diffs: [{ address: node.tokens.strk.address, storage_entries }] };
    await node.request('devnet_applyStateDiff', { state_diff });
    await node.request('devnet_createBlock');
  }
  const head = await headOf(node);
  const path = join(folder, 'slots.image');
  const dump = () => node.request('devnet_dump', { path, format: 'image' });
  figures.say('slots_dump_s', await secondsOf(1, dump));
  await node.close();
  figures.say('slots_megabytes', statSync(path).size / 1e6);
  const other = await createChain({ seed: 0 });
  const load = () => other.request('devnet_load', { path });
  figures.say('slots_load_s', await secondsOf(LOADS, load));
  mustBeEqual(await headOf(other), head);
  await other.close();
}

export const scenario = defineScenario({
  measures: 'loading an image beside repeating its journal; an image of many slots',
  sizes: { blocks: [10_000, 300], slots: [1_000_000, 100_000] },
  promises: (quick) => ({
    // Loading a short chain is dominated by checking its classes, so the gain is smaller.
    image_gain: { atLeast: quick ? 2 : 15 },
    slots_load_s: { atMost: 5, isNoisy: true },
  }),
  async measure(run) {
    const { figures, sizes } = run;
    const parts = { figures, sizes, folder: run.folder() };
    await measureBlocks(parts);
    await measureSlots(parts);
    return { transfers: TRANSFERS_PER_BLOCK * sizes.blocks };
  },
});
