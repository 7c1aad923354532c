// The first seconds: start to first answer, the first hundred reads, and the slowest of a hundred transfers. The first
// two stand beside an empty Node.js process and beside Node's HTTP server alone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onBareServer } from '../harness/bare-server.js';
import { mean, median, percentile } from '../harness/figures.js';
import { interleave, milliseconds, sampled } from '../harness/rounds.js';
import { defineScenario } from '../harness/scenario.js';
import { Signer } from '../harness/signed-requests.js';
import { OUR_COMMAND, SpawnedNode } from '../harness/spawned-node.js';

const READS = 100;
const TRANSFERS = 100;
/** Milliseconds between hundreds of transfers, as between the files of a test suite. */
const PAUSE = 1000;

/** A process that has just started: all in milliseconds. */
interface FirstSeconds {
  readonly start: number;
  /** Of each of the first reads. */
  readonly read: number;
  /** CPU time of the process for each of the first reads. */
  readonly readCpu: number;
}

async function firstSeconds(node: SpawnedNode): Promise<FirstSeconds> {
  const before = node.cpu() ?? Number.NaN;
  const times = await sampled(READS, () => node.call('starknet_blockNumber'));
  const cpu = (node.cpu() ?? Number.NaN) - before;
  return { start: node.startTime ?? Number.NaN, read: mean(times), readCpu: cpu / READS };
}

async function onNode<T>(cache: string, work: (node: SpawnedNode) => Promise<T>): Promise<T> {
  const node = await SpawnedNode.open({ command: OUR_COMMAND }, cache);
  try {
    return await work(node);
  } finally {
    await node.end();
  }
}

async function startEmptyProcess(): Promise<FirstSeconds> {
  const start = await milliseconds(() =>
    once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit'),
  );
  return { start, read: Number.NaN, readCpu: Number.NaN };
}

/** Transfers of one client; waits until the node has written its compiled code, where Node can keep it. */
async function transferHundreds(
  node: SpawnedNode,
  hundreds: number,
  cache: string,
): Promise<readonly (readonly number[])[]> {
  const signer = await Signer.of(node);
  const samples: (readonly number[])[] = [];
  for (let hundred = 0; hundred < hundreds; hundred += 1) {
    const requests = signer.transfers(TRANSFERS);
    await sleep(PAUSE);
    samples.push(await sampled(TRANSFERS, (index) => node.send(requests[index] ?? '')));
  }
  const code = join(cache, 'starkbox', 'code');
  // The first entry is the folder of this version of Node.
  const isWritten = () => readdirSync(code, { recursive: true }).length > 1;
  while ('flushCompileCache' in module && !isWritten()) await sleep(PAUSE);
  return samples;
}

export const scenario = defineScenario({
  measures: 'start to first answer, the first 100 reads, the slowest of 100 transfers',
  sizes: { starts: [31, 9], hundreds: [20, 3] },
  promises: (quick) => ({
    startup_ms: { atMost: 300, isNoisy: true },
    startup_over_bare: { atMost: quick ? 12 : 4 },
    first_reads_over_bare: { atMost: quick ? 6 : 2 },
  }),
  async measure(run) {
    const { sizes, figures } = run;
    const cache = run.folder();
    const hundreds = await onNode(cache, (node) => transferHundreds(node, sizes.hundreds, cache));
    const times = await interleave<'empty' | 'server' | 'node', FirstSeconds>(sizes.starts, {
      empty: startEmptyProcess,
      server: () => onBareServer(firstSeconds),
      node: () => onNode(cache, firstSeconds),
    });
    const transfers = hundreds.flat();
    figures.sayAll({
      bare_node_ms: times.median('empty', ({ start }) => start),
      startup_ms: times.median('node', ({ start }) => start),
      startup_least_ms: Math.min(...times.of('node').map(({ start }) => start)),
      startup_over_bare:
        times.median('node', ({ start }) => start) / times.median('empty', ({ start }) => start),
      first_reads_us: 1000 * times.median('node', ({ read }) => read),
      first_reads_cpu_us: 1000 * mean(times.of('node').map(({ readCpu }) => readCpu)),
      bare_first_reads_us: 1000 * times.median('server', ({ read }) => read),
      bare_first_reads_cpu_us: 1000 * mean(times.of('server').map(({ readCpu }) => readCpu)),
      first_reads_over_bare: times.ratio('node', 'server', ({ read }) => read),
      transfer_p50_ms: median(transfers),
      transfer_p90_ms: percentile(transfers, 0.9),
      transfer_p99_ms: percentile(transfers, 0.99),
      slowest_of_100_ms: median(hundreds.map((samples) => Math.max(...samples))),
    });
    return undefined;
  },
});
