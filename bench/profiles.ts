// Comparison of engine builds: the same transfers in short alternating runs.
//
//   npm run bench:profiles -- release=a.node dist=b.node …   each against the first
//   npm run bench:profiles -- --quick release=a.node …
//
// Each build runs in its own worker thread of one process, so that noise affects all of them.
// Prints a table, then one line of JSON.
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { block, genesis, transfer } from '../packages/engine/test/fixtures/chain.js';
import { median } from './figures.js';

const STRETCH = 20;
const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 20 : 100;

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

/** In a worker: runs transfers on each message, and replies with microseconds per transfer. */
async function serve(): Promise<void> {
  const { state, accounts } = await genesis();
  const [account] = accounts;
  if (!account) throw new Error('no account');
  const natives = Array.from(
    { length: STRETCH },
    (_, nonce) => transfer(account, '0x1234', 1, nonce).native,
  );
  const context = block(1).native;
  parentPort?.on('message', async () => {
    const micros = await state.native.benchBare(context, natives);
    parentPort?.postMessage(micros / STRETCH);
  });
  parentPort?.postMessage('ready');
}

interface Build {
  readonly name: string;
  readonly times: number[];
  readonly worker: Worker;
}

async function main(): Promise<void> {
  const builds: Build[] = [];
  for (const argument of process.argv.slice(2)) {
    const [name, file] = argument.split('=');
    if (!name || !file) continue;
    const worker = new Worker(new URL(import.meta.url), {
      env: { ...process.env, STARKBOX_ENGINE: file },
      workerData: 'serve',
    });
    await once(worker, 'message');
    builds.push({ name, times: [], worker });
  }
  const [first] = builds;
  if (!first) throw new Error('name at least one build: NAME=FILE');
  for (let round = 0; round < ROUNDS; round += 1) {
    // A varying order, because caches and clock speed depend on the previous run.
    for (const { worker, times } of shuffled(builds)) {
      worker.postMessage('run');
      const [micros] = await once(worker, 'message');
      times.push(Number(micros));
    }
  }
  const figures: Record<string, number> = {};
  for (const { name, times, worker } of builds) {
    const faster = median(times.map((time, round) => (first.times[round] ?? Number.NaN) / time));
    figures[`${name}_us`] = Math.round(median(times));
    figures[`${name}_over_${first.name}`] = Number(faster.toFixed(3));
    console.log(
      `${name.padEnd(20)} ${figures[`${name}_us`]} µs a transfer, ${faster.toFixed(3)} times ${first.name}`,
    );
    await worker.terminate();
  }
  console.log(JSON.stringify({ ...figures, quick }));
}

if (!isMainThread && workerData === 'serve') await serve();
else await main();
