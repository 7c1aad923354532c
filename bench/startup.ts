// Benchmark of the time from start to first answer, against an empty Node.js process.
//
//   npm run bench:startup              31 starts of each
//   npm run bench:startup -- --quick   9 starts
//
// Prints each figure with its bound, then one line of JSON. Exits 1 if a bound is broken.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './compare/contender.js';
import { Figures, median } from './figures.js';
import { COMMAND } from './repository.js';

const quick = process.argv.includes('--quick');
const STARTS = quick ? 9 : 31;
/** Polling interval in milliseconds, which is the precision of the measurement. */
const PAUSE = 2;
const PATIENCE = 30_000;

function isAlive(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = get({ host: '127.0.0.1', port, path: '/is_alive', agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode === 200));
    });
    sent.on('error', () => resolve(false));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Milliseconds until a node answers. */
async function nodeStart(): Promise<number> {
  const port = await freePort();
  const begin = performance.now();
  const child = spawn(process.execPath, [COMMAND, '--port', String(port)], { stdio: 'ignore' });
  try {
    while (!(await isAlive(port))) {
      if (child.exitCode !== null) throw new Error(`the node ended with ${child.exitCode}`);
      if (performance.now() - begin > PATIENCE) throw new Error('the node does not answer');
      await sleep(PAUSE);
    }
    return performance.now() - begin;
  } finally {
    child.kill('SIGKILL');
    await ended(child);
  }
}

/** Milliseconds that an empty Node.js process takes to start and exit. */
async function bareStart(): Promise<number> {
  const begin = performance.now();
  await ended(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }));
  return performance.now() - begin;
}

// Warms the file cache.
await bareStart();
await nodeStart();
const bare: number[] = [];
const started: number[] = [];
for (let start = 0; start < STARTS; start += 1) {
  bare.push(await bareStart());
  started.push(await nodeStart());
}

const bareMilliseconds = median(bare);
const figures = new Figures(
  {
    startup_ms: { atMost: 300, isNoisy: true },
    // Both are medians of alternating starts.
    startup_over_bare: { atMost: quick ? 12 : 4 },
  },
  { quick },
);
figures.say('bare_node_ms', bareMilliseconds);
figures.say('startup_ms', median(started));
figures.say('startup_least_ms', Math.min(...started));
figures.say('startup_over_bare', median(started) / bareMilliseconds);
figures.finish({ starts: STARTS, quick });
