// The engine: its API against blockifier, large states, history, images, two cores.
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { type Block, State, type Transaction } from '@starkbox/engine';
import {
  block,
  firstAccount,
  genesis,
  STRK,
  transfer,
} from '../../packages/engine/test/fixtures/chain.js';
import { Child, serve } from '../harness/child.js';
import { interleave, milliseconds, settledMemory } from '../harness/rounds.js';
import { defineScenario, type Run } from '../harness/scenario.js';

const WRITES = 6;
/** Transfers of one sample. */
const STRETCH = 25;
const COPIES = 100_000;
const SIMULATIONS = 50;

type EngineRun = Run<'transfers' | 'small' | 'large' | 'versions' | 'image'>;

const readImage = (file: string): Promise<State> =>
  State.import(createReadStream(file, { highWaterMark: 1 << 20 }));

const residentBytes = async (): Promise<number> => (await settledMemory()).rss;

/** Commands of a process of their own, because they measure its memory. */
const memoryProcess = {
  async imported(file: string) {
    const before = await residentBytes();
    const start = performance.now();
    const state = await readImage(file);
    const import_1m_s = (performance.now() - start) / 1000;
    const added = (await residentBytes()) - before;
    return { import_1m_s, imported_bytes_per_slot: added / state.figures().slots };
  },

  async slots(count: number) {
    const empty = State.create({ version: 1 });
    const before = await residentBytes();
    const native = await empty.native.benchSeed(STRK, count);
    const added = (await residentBytes()) - before;
    return { bytes_per_slot: added / native.figures().slots };
  },

  /** As many slots as versions, which the history overwrites repeatedly. */
  async history(versions: number) {
    const empty = State.create();
    const before = await residentBytes();
    const native = await empty.native.benchFill(STRK, versions, WRITES, versions);
    const added = (await residentBytes()) - before;
    const read = (isOld: boolean) => () => native.benchReads(STRK, 200_000, versions, isOld);
    const times = await interleave(3, { head: read(false), old: read(true) });
    return {
      history_bytes_per_write: added / (versions * WRITES),
      old_read_over_head: times.median('old') / times.median('head'),
      head_read_ns: times.median('head'),
    };
  },

  /** A slot that every version writes, which has the longest possible list of older values. */
  async hotSlot(versions: number) {
    const native = await State.create().native.benchFill(STRK, versions, 1, 1);
    return {
      hot_slot_old_ns: await native.benchReads(STRK, 100_000, 1, true),
      hot_slot_head_ns: await native.benchReads(STRK, 100_000, 1, false),
    };
  },
};

type MemoryProcess = Child<typeof memoryProcess>;

async function inMemoryProcess<T>(work: (child: MemoryProcess) => Promise<T>): Promise<T> {
  const child: MemoryProcess = new Child(new URL(import.meta.url), { execArgv: ['--expose-gc'] });
  try {
    return await work(child);
  } finally {
    await child.end();
  }
}

/** A function that executes the next transfers in sequence through the API; microseconds of one. */
function executor(first: State, context: Block, transfers: readonly Transaction[]) {
  let [state, executed] = [first, 0];
  return async (): Promise<number> => {
    const stretch = transfers.slice(executed, executed + STRETCH);
    executed += STRETCH;
    const elapsed = await milliseconds(async () => {
      for (const transaction of stretch) {
        const execution = await state.execute(context, transaction);
        if (execution.outcome !== 'accepted') throw new Error(`a transfer ${execution.outcome}`);
        state = execution.next;
      }
    });
    return (elapsed * 1000) / stretch.length;
  };
}

/** The slots have version 0, so that no later version counts as their writer. */
const withSlots = async (state: State, slots: number): Promise<State> =>
  State.of(await state.advance().native.benchSeed(STRK, slots));

async function measureTransfers({ sizes, figures }: EngineRun): Promise<void> {
  const chain = await genesis();
  const account = firstAccount(chain);
  const context = block(1);
  const transfers = Array.from({ length: sizes.transfers }, (_, nonce) =>
    transfer(account, '0x1234', 1, nonce),
  );
  const small = chain.state;
  const million = await withSlots(small, sizes.small);
  const natives = transfers.slice(0, STRETCH).map(({ native }) => native);
  const times = await interleave(sizes.transfers / STRETCH - 1, {
    bare: async () => (await small.native.benchBare(context.native, natives)) / STRETCH,
    small: executor(small, context, transfers),
    million: executor(million, context, transfers),
    more: executor(await withSlots(small, sizes.large), context, transfers),
  });
  const copying = await milliseconds(() => {
    for (let count = 0; count < COPIES; count += 1) million.copy();
  });
  figures.sayAll({
    bare_us: times.median('bare'),
    api_us: times.median('small'),
    api_over_bare: times.ratio('bare', 'small'),
    api_1m_over_small: times.ratio('small', 'million'),
    api_5m_over_small: times.ratio('small', 'more'),
    context_clone_us: await context.native.benchClone(10_000),
    handle_copy_us: (copying * 1000) / COPIES,
  });

  const simulations = async (): Promise<void> => {
    for (let count = 0; count < SIMULATIONS; count += 1) {
      await small.executeMany(context, transfers.slice(0, 1));
    }
  };
  const parallel = await interleave(sizes.transfers / SIMULATIONS, {
    alone: () => milliseconds(simulations),
    together: () => milliseconds(() => Promise.all([simulations(), simulations()])),
  });
  figures.say('parallel_gain', 2 * parallel.ratio('alone', 'together'));
}

async function writeImage(state: State, file: string): Promise<void> {
  const out = createWriteStream(file);
  for await (const piece of state.export()) {
    if (!out.write(piece)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}

async function measureImages(run: EngineRun): Promise<void> {
  const file = join(run.folder(), 'state.image');
  const state = await withSlots(State.create(), run.sizes.image);
  const exporting = await milliseconds(() => writeImage(state, file));
  run.figures.say('export_1m_s', exporting / 1000);
  const difference = await state.diffTo(await readImage(file));
  if (Object.values(difference).some((changes) => changes.length > 0)) {
    throw new Error('the imported state differs');
  }
  run.figures.sayAll(await inMemoryProcess((child) => child.call('imported', file)));
}

export const scenario = defineScenario({
  measures: 'the API against blockifier, large states, history, images, two cores',
  sizes: {
    transfers: [1_000, 400],
    small: [1_000_000, 100_000],
    large: [5_000_000, 300_000],
    versions: [100_000, 10_000],
    image: [1_000_000, 200_000],
  },
  promises: (quick) => {
    // Work that grows with the state would take several times as long on a large one.
    const flat = { atLeast: quick ? 0.2 : 0.9 };
    return {
      api_over_bare: { atLeast: 0.6, isNoisy: true },
      api_1m_over_small: flat,
      api_5m_over_small: flat,
      handle_copy_us: { atMost: 10, isNoisy: true },
      bytes_per_slot: { atMost: quick ? 175 : 150 },
      history_bytes_per_write: { atMost: 400 },
      old_read_over_head: { atMost: quick ? 25 : 5 },
      parallel_gain: { atLeast: 1.6, isNoisy: true },
      export_1m_s: { atMost: 3, isNoisy: true },
      import_1m_s: { atMost: 3, isNoisy: true },
    };
  },
  async measure(run) {
    const { sizes, figures } = run;
    await measureTransfers(run);
    await measureImages(run);
    figures.sayAll(await inMemoryProcess((child) => child.call('slots', sizes.image)));
    figures.sayAll(await inMemoryProcess((child) => child.call('history', sizes.versions)));
    figures.sayAll(await inMemoryProcess((child) => child.call('hotSlot', sizes.versions)));
    return undefined;
  },
});

serve(import.meta.url, memoryProcess);
