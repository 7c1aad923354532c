// A closed node leaves no memory, no handle and no file behind.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const ROUNDS = 600;
/** After so many, everything that is made once has been made. */
const WARM_UP = 200;
const SAMPLES = 10;

interface Sample {
  readonly round: number;
  readonly resident: number;
  readonly heap: number;
  readonly resources: readonly string[];
  readonly files: readonly string[];
}

/** In a process of its own, with the package as it was built. */
const SCRIPT = `
import { readdirSync, readlinkSync } from 'node:fs';
import { get } from 'node:http';
import { createChain } from 'starkbox';

function files() {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      // Sockets and pipes have a number of their own.
      return [readlinkSync('/proc/self/fd/' + name).replace(/\\d+/g, 'N')];
    } catch {
      return []; // the folder itself, which is closed again
    }
  });
}

async function sample(round) {
  // What was closed is given back over a few turns.
  for (let turn = 0; turn < 5; turn += 1) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { rss, heapUsed } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo().sort();
  return { round, resident: rss, heap: heapUsed, resources, files: files().sort() };
}

/** Without a pool of connections, which would remember every address. */
function visit(url) {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (answer) => answer.resume().on('end', resolve)).on('error', reject);
  });
}

const [rounds, warmUp, count] = process.argv.slice(1).map(Number);
const every = (rounds - warmUp) / count;
const samples = [];
for (let round = 1; round <= rounds; round += 1) {
  const node = await createChain({ seed: round, port: 0 });
  if (round % 2 === 0) {
    const { url } = await node.listen();
    if (round % 10 === 0) await visit(url + '/is_alive');
  }
  if (round % 25 === 0) await node.request('devnet_mint', { address: '0x1', amount: 1 });
  await node.close();
  if (round >= warmUp && (round - warmUp) % every === 0) samples.push(await sample(round));
}
console.log(JSON.stringify(samples));
process.exitCode = 0;
`;

async function run(): Promise<readonly Sample[]> {
  const args = [ROUNDS, WARM_UP, SAMPLES].map(String);
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--input-type=module', '-e', SCRIPT, ...args],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve).on('error', reject);
  });
  const said = await text(child.stdout);
  // It ends by itself: nothing that a node began keeps the process.
  expect(await ended, said).toBe(0);
  return JSON.parse(said);
}

/** Bytes that a node leaves behind, by the medians of the first and the last samples. */
function growth(samples: readonly Sample[], of: 'resident' | 'heap'): number {
  const middle = (numbers: readonly number[]): number =>
    numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
  const part = Math.floor(samples.length / 2);
  const [first, last] = [samples.slice(0, part), samples.slice(-part)];
  const median = (subset: readonly Sample[], name: 'resident' | 'heap' | 'round'): number =>
    middle(subset.map((sample) => sample[name]));
  return (median(last, of) - median(first, of)) / (median(last, 'round') - median(first, 'round'));
}

test(`${ROUNDS} nodes leave nothing behind`, { timeout: 300_000 }, async () => {
  const begin = performance.now();
  const samples = await run();
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  const [resident, heap] = [growth(samples, 'resident'), growth(samples, 'heap')];
  const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;
  console.log(
    `${ROUNDS} nodes in ${seconds} s; each left ${kilobytes(resident)} resident, ${kilobytes(heap)} of heap`,
  );
  expect(heap).toBeLessThan(10 * 1024);
  const [first] = samples;
  expect(samples).toHaveLength(SAMPLES + 1);
  for (const { resources, files } of samples) {
    expect(resources).toEqual(first?.resources);
    expect(files).toEqual(first?.files);
  }
  // A node takes more than a megabyte. What the system gives to a process depends on the others.
  if (process.env['TEST_FULL'] === '1') expect(resident).toBeLessThan(100 * 1024);
});
