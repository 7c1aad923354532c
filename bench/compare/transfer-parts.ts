// Benchmark of the parts of a transfer: the same transfers on the bare executor, by the engine's API, in the library and
// over HTTP. Each layer adds to the one before.
//
//   npm run bench:transfer              7 rounds of 100 transfers
//   npm run bench:transfer -- --quick   2 rounds of 10
//
// Prints wall and CPU time of a transfer in each layer, then one line of JSON.
import type { State } from '@starkbox/engine';
import { createNode } from 'starkbox';
import {
  block,
  firstAccount,
  genesis,
  hex,
  invoke,
  seededAccounts,
} from '../../packages/engine/test/fixtures/chain.js';
import { median } from '../figures.js';
import { COMMAND } from '../repository.js';
import { BareEngine } from './bare-engine.js';
import { onBareServer } from './bare-server.js';
import { CacheFolder, Contender } from './contender.js';
import { sendAll } from './measure.js';
import { Signer, transferTo } from './signed-requests.js';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 2 : 7;
const COUNT = quick ? 10 : 100;

/** Milliseconds of one transfer. */
interface Cost {
  readonly wall: number;
  /** Of all threads of the process that executes. */
  readonly cpu: number;
}

/** Something that executes transfers. A round signs before it measures. */
interface Layer {
  readonly name: string;
  readonly round: () => Promise<Cost>;
  readonly close?: () => Promise<void>;
}

const ownCpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function costOf(work: () => Promise<unknown>, cpu = ownCpu): Promise<Cost> {
  const [begin, before] = [performance.now(), cpu()];
  await work();
  return { wall: (performance.now() - begin) / COUNT, cpu: (cpu() - before) / COUNT };
}

async function bareLayer(): Promise<Layer> {
  const engine = await BareEngine.create();
  return { name: 'bare', round: () => costOf(engine.loop(COUNT)) };
}

/** The engine's API: each transfer on the state that the one before left. */
async function engineLayer(
  name: string,
  step: (state: State, version: number, transfer: ReturnType<typeof invoke>) => Promise<State>,
): Promise<Layer> {
  const chain = await genesis();
  const account = firstAccount(chain);
  let [state, sent] = [chain.state, 0];
  return {
    name,
    round: () => {
      const first = sent;
      const transfers = Array.from({ length: COUNT }, (_, at) =>
        invoke(account, [transferTo(hex(0x1000_0000 + first + at))], first + at),
      );
      sent += COUNT;
      return costOf(async () => {
        for (const [at, transfer] of transfers.entries()) {
          state = await step(state, first + at + 1, transfer);
        }
      });
    },
  };
}

const rejected = (reason: unknown): Error => new Error(`a transfer was rejected: ${reason}`);

const executing = () =>
  engineLayer('execute', async (state, version, transfer) => {
    const done = await state.execute(block(version), transfer);
    if (done.outcome === 'rejected') throw rejected(JSON.stringify(done));
    return done.next.advance();
  });

const closing = () =>
  engineLayer('execute_and_close', async (state, version, transfer) => {
    const done = await state.executeAndClose(block(version), transfer, {}, { parentHash: '0x1' });
    if (done.outcome === 'rejected') throw rejected(JSON.stringify(done));
    return done.closed.next;
  });

/** A chain in this process, without HTTP. */
async function libraryLayer(): Promise<Layer> {
  const chain = await createNode({ seed: 0, port: 0 });
  const signer = new Signer(seededAccounts(0, 1));
  return {
    name: 'library',
    round: () => {
      const requests = signer.transfers(COUNT).map((text) => Object(JSON.parse(text)));
      return costOf(async () => {
        for (const { method, params } of requests) await chain.request(method, params);
      });
    },
    close: () => chain.close(),
  };
}

async function nodeLayer(): Promise<Layer> {
  const cache = new CacheFolder();
  const command = `${process.execPath} ${COMMAND} --seed 0 --port 0`;
  const node = await Contender.open({ command }, cache);
  const signer = await Signer.of(node);
  return {
    name: 'http',
    round: () => {
      const requests = signer.transfers(COUNT);
      return costOf(
        () => sendAll(node, requests),
        () => node.cpu() ?? Number.NaN,
      );
    },
    close: async () => {
      await node.close();
      cache.remove();
    },
  };
}

/** The same requests to a server that answers a constant: what HTTP takes. */
async function serverLayer(): Promise<Layer> {
  const requests = new Signer(seededAccounts(0, 1)).transfers(COUNT);
  return {
    name: 'bare_server',
    round: () =>
      onBareServer(async (server) => {
        for (let at = 0; at < 20; at += 1) await sendAll(server, requests);
        return costOf(
          () => sendAll(server, requests),
          () => server.cpu() ?? Number.NaN,
        );
      }),
  };
}

async function measure(layers: readonly Layer[]): Promise<Record<string, number>> {
  const costs = new Map<string, Cost[]>(layers.map(({ name }) => [name, []]));
  for (const { round } of layers) await round();
  for (let at = 0; at < ROUNDS; at += 1) {
    for (const { name, round } of at % 2 === 0 ? layers : [...layers].reverse()) {
      costs.get(name)?.push(await round());
    }
  }
  const figures: Record<string, number> = {};
  for (const [name, taken] of costs) {
    const [wall, cpu] = [median(taken.map((c) => c.wall)), median(taken.map((c) => c.cpu))];
    console.log(
      `${name.padEnd(20)} ${wall.toFixed(3).padStart(8)} ms, CPU ${cpu.toFixed(3).padStart(8)} ms`,
    );
    figures[`${name}_ms`] = Number(wall.toPrecision(4));
    figures[`${name}_cpu_ms`] = Number(cpu.toPrecision(4));
  }
  return figures;
}

const layers = [
  await bareLayer(),
  await executing(),
  await closing(),
  await libraryLayer(),
  await nodeLayer(),
  await serverLayer(),
];
try {
  console.log(JSON.stringify({ ...(await measure(layers)), quick }));
} finally {
  for (const { close } of layers) await close?.();
}
