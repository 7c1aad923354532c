// Memory of a state with a given number of versions, as a process of its own:
//
//   node --expose-gc memory.mjs ADDON KEEP_HISTORY VERSIONS
//
// Prints as JSON what the process holds more than before, and what the engine counts.
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , addonFile, keepHistory, versions] = process.argv;
const addon = createRequire(import.meta.url)(addonFile);

const ADDRESS = '0xa';
/** Slots that are written again and again, so that the state itself does not grow. */
const SLOTS = 600;
const WRITES = 6;

async function resident() {
  for (let pass = 0; pass < 3; pass += 1) {
    globalThis.gc();
    await sleep(30);
  }
  return process.memoryUsage.rss();
}

const empty = new addon.State(0, keepHistory === 'true');
const fill = (state, count) => state.benchFill(ADDRESS, count, WRITES, SLOTS);
// The allocator and the threads have their own first.
const warm = await fill(empty, 2_000);
const before = { bytes: await resident(), counted: warm.figures().approximateBytes };
const grown = await fill(warm, Number(versions));
process.stdout.write(
  JSON.stringify({
    resident: (await resident()) - before.bytes,
    counted: grown.figures().approximateBytes - before.counted,
    versions: grown.figures().versions,
  }),
);
