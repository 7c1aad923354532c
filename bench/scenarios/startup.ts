// The time from the start of a node to its first answer, beside an empty Node.js process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { interleave, milliseconds } from '../harness/rounds.js';
import { defineScenario } from '../harness/scenario.js';
import { OUR_COMMAND, SpawnedNode } from '../harness/spawned-node.js';

async function startNode(): Promise<number> {
  const node = await SpawnedNode.open({ command: OUR_COMMAND });
  await node.end();
  return node.startTime ?? Number.NaN;
}

const startEmptyProcess = (): Promise<number> =>
  milliseconds(() => once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit'));

export const scenario = defineScenario({
  measures: 'start to first answer, beside an empty Node.js process',
  sizes: { starts: [31, 9] },
  promises: (quick) => ({
    startup_ms: { atMost: 300, isNoisy: true },
    startup_over_bare: { atMost: quick ? 12 : 4 },
  }),
  async measure({ sizes, figures }) {
    const times = await interleave(sizes.starts, { bare: startEmptyProcess, node: startNode });
    figures.sayAll({
      bare_node_ms: times.median('bare'),
      startup_ms: times.median('node'),
      startup_least_ms: Math.min(...times.of('node')),
      startup_over_bare: times.median('node') / times.median('bare'),
    });
    return undefined;
  },
});
