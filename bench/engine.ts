// Benchmark of the engine: API against blockifier, large states, history, images, two cores.
//
//   npm run bench:engine              everything, some minutes
//   npm run bench:engine -- --quick   smaller, under a minute
//
// Prints each figure with its bound, then one line of JSON. Exits 1 if a bound is broken.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Block, State, type Transaction } from '@starkbox/engine';
import { block, genesis, STRK, transfer } from '../packages/engine/test/fixtures/chain.js';
import { Figures, median } from './figures.js';

const quick = process.argv.includes('--quick');
const SIZES = quick
  ? { transfers: 400, small: 100_000, large: 300_000, versions: 10_000, image: 200_000 }
  : {
      transfers: 1_000,
      small: 1_000_000,
      large: 5_000_000,
      versions: 100_000,
      image: 1_000_000,
    };
const WRITES = 6;
/** Number of slots that the history overwrites repeatedly. */
const DISTINCT = SIZES.versions;

const seconds = (since: number): number => (performance.now() - since) / 1000;

/** Resident memory after garbage collection. */
async function resident(): Promise<number> {
  for (let pass = 0; pass < 3; pass += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage.rss();
}

// Parts that run in their own process, because they measure its memory.

interface Measured {
  readonly [figure: string]: number;
}

async function measureImport(file: string): Promise<Measured> {
  const before = await resident();
  const start = performance.now();
  const state = await State.import(createReadStream(file, { highWaterMark: 1 << 20 }));
  const took = seconds(start);
  const after = await resident();
  const { slots } = state.figures();
  return { import_s: took, imported_bytes_per_slot: (after - before) / slots };
}

async function measureSlots(): Promise<Measured> {
  const empty = State.create({ version: 1 });
  const before = await resident();
  const native = await empty.native.benchSeed(STRK, SIZES.image);
  const after = await resident();
  return { bytes_per_slot: (after - before) / native.figures().slots };
}

async function measureHistory(): Promise<Measured> {
  const empty = State.create();
  const before = await resident();
  const native = await empty.native.benchFill(STRK, SIZES.versions, WRITES, DISTINCT);
  const after = await resident();
  const reads = 200_000;
  const read = (old: boolean) => native.benchReads(STRK, reads, DISTINCT, old);
  await read(false);
  await read(true);
  const head = median([await read(false), await read(false), await read(false)]);
  const old = median([await read(true), await read(true), await read(true)]);
  return {
    history_bytes_per_write: (after - before) / (SIZES.versions * WRITES),
    old_read_over_head: old / head,
    head_read_ns: head,
  };
}

/** A slot that every version writes, which has the longest possible list of older values. */
async function measureHotSlot(): Promise<Measured> {
  const native = await State.create().native.benchFill(STRK, SIZES.versions, 1, 1);
  const head = await native.benchReads(STRK, 100_000, 1, false);
  const old = await native.benchReads(STRK, 100_000, 1, true);
  return { hot_slot_old_ns: old, hot_slot_head_ns: head };
}

function apart(part: string, ...args: readonly string[]): Measured {
  const self = fileURLToPath(import.meta.url);
  const flags = quick ? ['--quick'] : [];
  const out = execFileSync(
    process.execPath,
    ['--expose-gc', self, '--part', part, ...args, ...flags],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  return JSON.parse(out);
}

// Parts of the main run.

/** Sequential executions through the API: each returns a new state and a parsed report. */
async function throughApi(
  start: State,
  context: Block,
  transfers: readonly Transaction[],
): Promise<{ readonly micros: number; readonly state: State }> {
  let state = start;
  const begin = performance.now();
  for (const tx of transfers) {
    const done = await state.execute(context, tx);
    if (done.outcome !== 'accepted') throw new Error(`a transfer was ${done.outcome}`);
    state = done.next;
  }
  return { micros: (seconds(begin) * 1e6) / transfers.length, state };
}

async function bare(
  state: State,
  context: Block,
  transfers: readonly Transaction[],
): Promise<number> {
  const natives = transfers.map((tx) => tx.native);
  return (await state.native.benchBare(context.native, natives)) / transfers.length;
}

/**
 * Microseconds per transfer of the same transfers on each state and in a bare loop, in short
 * alternating runs, so that noise of the machine affects all of them. One entry per run.
 */
async function alternating(
  states: { readonly small: State; readonly million: State; readonly more: State },
  context: Block,
  transfers: readonly Transaction[],
): Promise<Record<'bare' | 'small' | 'million' | 'more', readonly number[]>> {
  const stretch = 25;
  const times = { bare: [0], small: [0], million: [0], more: [0] };
  let { small, million, more } = states;
  for (let at = 0; at < transfers.length; at += stretch) {
    const some = transfers.slice(at, at + stretch);
    times.bare.push(await bare(small, context, some));
    const onSmall = await throughApi(small, context, some);
    const onMillion = await throughApi(million, context, some);
    const onMore = await throughApi(more, context, some);
    times.small.push(onSmall.micros);
    times.million.push(onMillion.micros);
    times.more.push(onMore.micros);
    small = onSmall.state;
    million = onMillion.state;
    more = onMore.state;
  }
  // The first run warms up.
  return {
    bare: times.bare.slice(2),
    small: times.small.slice(2),
    million: times.million.slice(2),
    more: times.more.slice(2),
  };
}

/** Transactions per second with concurrent simulations. */
async function simulated(
  state: State,
  context: Block,
  tx: Transaction,
  streams: number,
  each: number,
): Promise<number> {
  const start = performance.now();
  const stream = async () => {
    for (let count = 0; count < each; count += 1) await state.executeMany(context, [tx]);
  };
  await Promise.all(Array.from({ length: streams }, stream));
  return (streams * each) / seconds(start);
}

async function grown(state: State, slots: number): Promise<State> {
  // The slots have version 0, so that no later version counts as their writer.
  return State.of(await state.advance().native.benchSeed(STRK, slots));
}

async function written(state: State, file: string): Promise<number> {
  const start = performance.now();
  const out = createWriteStream(file);
  for await (const piece of state.export()) {
    if (!out.write(piece)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  return seconds(start);
}

/** Work that grows with the state would take several times as long on a large one. */
const FLAT = { atLeast: quick ? 0.2 : 0.9 };
const FIGURES = new Figures(
  {
    api_over_bare: { atLeast: 0.9, isNoisy: true },
    api_1m_over_small: FLAT,
    api_5m_over_small: FLAT,
    handle_copy_us: { atMost: 10, isNoisy: true },
    bytes_per_slot: { atMost: quick ? 175 : 150 },
    history_bytes_per_write: { atMost: 400 },
    old_read_over_head: { atMost: quick ? 25 : 5 },
    parallel_gain: { atLeast: 1.6, isNoisy: true },
    export_1m_s: { atMost: 3, isNoisy: true },
    import_1m_s: { atMost: 3, isNoisy: true },
  },
  { quick },
);

async function main(): Promise<void> {
  const say = (name: string, value: number): void => FIGURES.say(name, value);
  const chain = await genesis();
  const [account] = chain.accounts;
  if (!account) throw new Error('no account');
  const context = block(1);
  const transfers = Array.from({ length: SIZES.transfers }, (_, nonce) =>
    transfer(account, '0x1234', 1, nonce),
  );
  const small = chain.state;
  const onMillion = await grown(small, SIZES.small);

  const states = { small, million: onMillion, more: await grown(small, SIZES.large) };
  const times = await alternating(states, context, transfers);
  const ratio = (over: readonly number[], under: readonly number[]): number =>
    median(over.map((value, index) => value / (under[index] ?? Number.NaN)));
  say('bare_us', median(times.bare));
  say('api_us', median(times.small));
  say('api_over_bare', ratio(times.bare, times.small));
  say('api_1m_over_small', ratio(times.small, times.million));
  say('api_5m_over_small', ratio(times.small, times.more));

  say('context_clone_us', await context.native.benchClone(10_000));

  const copies = 100_000;
  const begin = performance.now();
  for (let count = 0; count < copies; count += 1) onMillion.copy();
  say('handle_copy_us', (seconds(begin) * 1e6) / copies);

  const [tx] = transfers;
  if (!tx) throw new Error('no transfer');
  const gains: number[] = [];
  const each = 50;
  await simulated(small, context, tx, 2, each);
  for (let round = 0; round < SIZES.transfers / each; round += 1) {
    const one = await simulated(small, context, tx, 1, each);
    const two = await simulated(small, context, tx, 2, each);
    gains.push(two / one);
  }
  say('parallel_gain', median(gains));

  const folder = mkdtempSync(join(tmpdir(), 'starkbox-bench-'));
  try {
    const file = join(folder, 'state.image');
    const whole = await grown(State.create(), SIZES.image);
    say('export_1m_s', await written(whole, file));
    const copy = await State.import(createReadStream(file, { highWaterMark: 1 << 20 }));
    const difference = await whole.diffTo(copy);
    if (Object.values(difference).some((list) => list.length > 0)) {
      throw new Error('the imported state differs');
    }
    const imported = apart('import', file);
    say('import_1m_s', imported['import_s'] ?? Number.NaN);
    say('imported_bytes_per_slot', imported['imported_bytes_per_slot'] ?? Number.NaN);
  } finally {
    rmSync(folder, { recursive: true });
  }

  for (const [name, value] of Object.entries(apart('slots'))) say(name, value);
  for (const [name, value] of Object.entries(apart('history'))) say(name, value);
  for (const [name, value] of Object.entries(apart('hot-slot'))) say(name, value);

  FIGURES.finish({ quick });
}

const part = process.argv.indexOf('--part');
if (part < 0) {
  await main();
} else {
  const [name, file = ''] = process.argv.slice(part + 1);
  const parts: Record<string, () => Promise<Measured>> = {
    import: () => measureImport(file),
    slots: measureSlots,
    history: measureHistory,
    'hot-slot': measureHotSlot,
  };
  const measure = parts[name ?? ''];
  if (!measure) throw new Error(`no part ${name}`);
  console.log(JSON.stringify(await measure()));
}
