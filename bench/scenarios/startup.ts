// The first seconds: start to first answer beside an empty Node.js process, and the first hundred reads beside Node's
// HTTP server alone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onBareServer } from '../harness/bare-server.js';
import { mean } from '../harness/figures.js';
import { interleave, milliseconds, sampled } from '../harness/rounds.js';
import { defineScenario } from '../harness/scenario.js';
import { OUR_COMMAND, SpawnedNode } from '../harness/spawned-node.js';

const READS = 100;
const POLL_MILLISECONDS = 100;

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

/** Waits until the node has written its compiled code, where Node can keep it. */
async function keepCode(node: SpawnedNode, cache: string): Promise<void> {
  await firstSeconds(node);
  const code = join(cache, 'starkbox', 'code');
  // The first entry is the folder of this version of Node.
  const isWritten = () => existsSync(code) && readdirSync(code, { recursive: true }).length > 1;
  while ('flushCompileCache' in module && !isWritten()) await sleep(POLL_MILLISECONDS);
}

export const scenario = defineScenario({
  measures: 'start to first answer and the first 100 reads',
  sizes: { starts: [31, 9] },
  promises: (quick) => ({
    startup_ms: { atMost: 300, isNoisy: true },
    startup_over_bare: { atMost: quick ? 12 : 4 },
    first_reads_over_bare: { atMost: quick ? 6 : 2 },
  }),
  async measure(run) {
    const { sizes, figures } = run;
    const cache = run.folder();
    await onNode(cache, (node) => keepCode(node, cache));
    const times = await interleave<'empty' | 'server' | 'node', FirstSeconds>(sizes.starts, {
      empty: startEmptyProcess,
      server: () => onBareServer(firstSeconds),
      node: () => onNode(cache, firstSeconds),
    });
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
    });
    return undefined;
  },
});
