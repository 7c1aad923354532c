// The parts of a transfer: the same transfers on the bare executor, by the engine's API, in the library and over HTTP.
// Each layer adds to the one before.
import type { State, Transaction } from '@starkbox/engine';
import { createChain } from 'starkbox';
import {
  block,
  firstAccount,
  genesis,
  invoke,
  seededAccounts,
} from '../../packages/engine/test/fixtures/chain.js';
import { BareEngine } from '../harness/bare-engine.js';
import { onBareServer } from '../harness/bare-server.js';
import { interleave } from '../harness/rounds.js';
import { defineScenario } from '../harness/scenario.js';
import { receiver, Signer, transferTo } from '../harness/signed-requests.js';
import { OUR_COMMAND, SpawnedNode } from '../harness/spawned-node.js';

/** Rounds of requests that compile the code of the bare server. */
const SERVER_WARM_UP = 20;

/** Milliseconds. */
interface Cost {
  readonly wall: number;
  /** Of all threads of the process that executes. */
  readonly cpu: number;
}

function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function costOf(work: () => Promise<unknown>, cpu: () => number = ownCpu): Promise<Cost> {
  const [start, before] = [performance.now(), cpu()];
  await work();
  return { wall: performance.now() - start, cpu: cpu() - before };
}

async function sendAll(node: SpawnedNode, requests: readonly string[]): Promise<void> {
  for (const body of requests) await node.send(body);
}

const costOn = (node: SpawnedNode, requests: readonly string[]): Promise<Cost> =>
  costOf(
    () => sendAll(node, requests),
    () => node.cpu() ?? Number.NaN,
  );

/** Rounds through the engine's API: each transfer on the state after the one before. */
async function engineRounds(
  count: number,
  step: (state: State, version: number, transfer: Transaction) => Promise<State>,
): Promise<() => Promise<Cost>> {
  const chain = await genesis();
  const account = firstAccount(chain);
  let [state, nonce] = [chain.state, 0];
  return () => {
    const first = nonce;
    const transfers = Array.from({ length: count }, (_, index) =>
      invoke(account, [transferTo(receiver(first + index))], first + index),
    );
    nonce += count;
    return costOf(async () => {
      for (const [index, transfer] of transfers.entries()) {
        state = await step(state, first + index + 1, transfer);
      }
    });
  };
}

const rejection = (execution: object): Error =>
  new Error(`a transfer was rejected: ${JSON.stringify(execution)}`);

export const scenario = defineScenario({
  measures: 'the parts of a transfer, layer by layer',
  sizes: { rounds: [7, 2], transfers: [100, 10] },
  async measure(run) {
    const count = run.sizes.transfers;
    const engine = await BareEngine.create();
    const library = await createChain({ seed: 0, port: 0 });
    run.defer(() => library.close());
    const node = await SpawnedNode.open({ command: OUR_COMMAND });
    run.defer(() => node.end());
    const librarySigner = new Signer(seededAccounts(0, 1));
    const nodeSigner = await Signer.of(node);
    const constantRequests = new Signer(seededAccounts(0, 1)).transfers(count);
    const layers = {
      bare: () => costOf(engine.loop(count)),
      execute: await engineRounds(count, async (state, version, transfer) => {
        const execution = await state.execute(block(version), transfer);
        if (execution.outcome === 'rejected') throw rejection(execution);
        return execution.next.advance();
      }),
      execute_and_close: await engineRounds(count, async (state, version, transfer) => {
        const header = { parentHash: '0x1' };
        const execution = await state.executeAndClose(block(version), transfer, {}, header);
        if (execution.outcome === 'rejected') throw rejection(execution);
        return execution.closed.next;
      }),
      library: () => {
        const requests = librarySigner.transfers(count).map((body) => Object(JSON.parse(body)));
        return costOf(async () => {
          for (const { method, params } of requests) await library.request(method, params);
        });
      },
      http: () => costOn(node, nodeSigner.transfers(count)),
      bare_server: () =>
        onBareServer(async (server) => {
          for (let round = 0; round < SERVER_WARM_UP; round += 1) {
            await sendAll(server, constantRequests);
          }
          return costOn(server, constantRequests);
        }),
    };
    const costs = await interleave(run.sizes.rounds, layers);
    for (const name of costs.names) {
      run.figures.say(`${name}_ms`, costs.median(name, ({ wall }) => wall) / count);
      run.figures.say(`${name}_cpu_ms`, costs.median(name, ({ cpu }) => cpu) / count);
    }
    return undefined;
  },
});
