// A debugger of a long transaction: the time to open it, the time of each move, and the memory of a step.

import { openDebugger } from '@starkbox/debugger';
import { percentile } from '../figures.js';
import { milliseconds, Random } from '../harness/rounds.js';
import { defineScenario, type Run } from '../harness/scenario.js';
import { contractTextWithPlaces, deploymentOf, Signer } from '../harness/signed-requests.js';
import { OUR_COMMAND, SpawnedNode } from '../harness/spawned-node.js';

const REVERTER = '0xe0';
/** At least so many. */
const STEPS_OF_A_TURN = 12;

type Debugger = Awaited<ReturnType<typeof openDebugger>>;
type Sizes = 'steps' | 'moves';

/** A transaction of about so many steps, in a node that has the source lines of its class. */
async function longTransaction(node: SpawnedNode, steps: number): Promise<string> {
  await node.call('devnet_applyStateDiff', await deploymentOf({ [REVERTER]: 'reverter' }));
  await node.call('devnet_createBlock');
  const artifact: unknown = JSON.parse(await contractTextWithPlaces('reverter'));
  await node.call('devnet_addArtifact', { artifact });
  const signer = await Signer.of(node);
  const turns = `0x${Math.ceil(steps / STEPS_OF_A_TURN).toString(16)}`;
  const request = signer.invoke([{ to: REVERTER, name: 'burn', calldata: [turns] }]);
  const { transaction_hash } = Object(await node.send(request));
  return String(transaction_hash);
}

const MOVES: Readonly<Record<string, (debug: Debugger, position: number) => Promise<unknown>>> = {
  goto: (debug, position) => debug.goTo(position),
  in: (debug) => debug.stepIn(),
  in_back: (debug) => debug.stepIn('backward'),
  over: (debug) => debug.stepOver(),
  over_back: (debug) => debug.stepOver('backward'),
  out: (debug) => debug.stepOut(),
  out_back: (debug) => debug.stepOut('backward'),
  next_write: (debug) => debug.run({ until: ['write', 'failure'] }),
  previous_call: (debug) => debug.run({ direction: 'backward', until: ['call'] }),
  breakpoint: (debug) => debug.run({ breakpoints: [{ id: '1', function: 'forward' }] }),
  stack: (debug) => debug.frames(0, 20),
  variables: (debug) => debug.scope(),
};

/** Milliseconds of each move, each from a random position. */
async function moveTimes(run: Run<Sizes>, debug: Debugger): Promise<readonly number[]> {
  const random = new Random(7);
  const all: number[] = [];
  for (const [name, move] of Object.entries(MOVES)) {
    const times: number[] = [];
    for (let count = 0; count < run.sizes.moves; count += 1) {
      const position = random.below(debug.length);
      await debug.goTo(position);
      times.push(await milliseconds(() => move(debug, random.below(debug.length))));
    }
    run.figures.say(`${name}_p99_ms`, percentile(times, 0.99));
    all.push(...times);
  }
  return all;
}

export const scenario = defineScenario<Sizes>({
  measures: 'a debugger of a long transaction: opening, moves, memory of a step',
  sizes: { steps: [1_000_000, 50_000], moves: [200, 20] },
  promises: () => ({
    open_ms: { atMost: 3_000, isNoisy: true },
    move_p99_ms: { atMost: 30, isNoisy: true },
    bytes_per_step: { atMost: 64 },
  }),
  async measure(run) {
    const { sizes, figures } = run;
    const node = await SpawnedNode.open({ command: OUR_COMMAND }, run.folder());
    run.defer(() => node.end());
    const transactionHash = await longTransaction(node, sizes.steps);
    const call = (method: string, params: object): Promise<unknown> => node.call(method, params);
    const before = node.memory() ?? Number.NaN;
    let debug: Debugger | undefined;
    figures.say(
      'open_ms',
      await milliseconds(async () => {
        debug = await openDebugger(call, { transactionHash });
      }),
    );
    if (!debug) throw new Error('the debugger did not open');
    const { runs, bytes } = debug.trace;
    const steps = runs.reduce((sum, { step_count }) => sum + step_count, 0);
    if (steps < sizes.steps) throw new Error(`the transaction has ${steps} steps`);
    figures.say('trace_steps', steps);
    figures.say('bytes_per_step', bytes / steps);
    figures.say('node_memory_growth_mb', (node.memory() ?? Number.NaN) - before);
    figures.say('move_p99_ms', percentile(await moveTimes(run, debug), 0.99));
    await debug.close();
    return undefined;
  },
});
