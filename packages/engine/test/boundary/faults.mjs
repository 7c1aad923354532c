// A panic at every layer of the engine, one after another, as a process of its own:
//
//   node --expose-gc faults.mjs ADDON COMPILER
//
// The addon must be built with the feature `fault-injection`. Prints as JSON what each fault came to, and what the
// same call came to right afterwards.
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { subjects } from './entries.mjs';

const [, , addonFile, compiler] = process.argv;
const addon = createRequire(import.meta.url)(addonFile);
addon.configure(compiler, null);
const TIMEOUT = 60_000;

const { instances, values } = await subjects(addon, compiler);
const { State: state, Block: block, Transaction: transaction } = instances;
const above = () => new addon.State(1, true, new addon.StateSource(async () => '0x5'));

async function imported() {
  const stream = new addon.StateImport();
  await stream.push(values.image);
  return stream.finish();
}

/** Freed by the thread of its own, which has to go on. */
async function freed() {
  const { count } = addon.benchFreed();
  (() => new addon.State(0, true).advance())();
  while (addon.benchFreed().count === count) {
    globalThis.gc();
    await sleep(5);
  }
}

const LAYERS = {
  binding: () => state.figures(),
  worker: () => state.storage('0x1', '0x2'),
  execution: () => state.execute(block, transaction),
  read: () => state.execute(block, transaction),
  state: () => state.apply('{}', []),
  report: () => state.execute(block, transaction, { validate: false, chargeFee: false }),
  source: () => above().storage('0x1', '0x2'),
  class: () => addon.Class.compile(values.wire),
  export: () => new addon.StateExport(state).next(),
  import: imported,
  release: freed,
  spawn: () => state.storage('0x1', '0x2'),
};

async function outcomeOf(call) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, TIMEOUT, 'hangs');
  });
  try {
    return await Promise.race([Promise.resolve(call()).then(() => 'fine'), late]);
  } catch (error) {
    return error instanceof Error ? `${error.code}: ${error.message}` : `threw ${typeof error}`;
  } finally {
    clearTimeout(timer);
  }
}

const outcomes = {};
for (const [layer, call] of Object.entries(LAYERS)) {
  const before = await outcomeOf(call);
  // Threads of the pool end when they have been idle for ten seconds.
  if (layer === 'spawn') await sleep(11_000);
  addon.armFault(layer);
  const during = await outcomeOf(call);
  addon.armFault('none');
  outcomes[layer] = { before, during, after: await outcomeOf(call) };
}
process.stdout.write(JSON.stringify(outcomes));
