// Benchmark of a fleet under random faults: three nodes, one bucket, HAProxy, and clients that record all answers.
//
//   npm run bench:fleet-faults              200 faults, twelve minutes
//   npm run bench:fleet-faults -- --quick   15 faults
//
// --faults sets their number, and --seed repeats their kinds; what runs meanwhile differs. It needs
// haproxy, and MinIO, which `node scripts/minio.mjs` installs. At the end each node in turn is the only one, takes over
// all instances and is read. A checker goes through all answers. Prints each figure with its bound, then one line of
// JSON. Exits 1 if a bound is broken; the logs and the answers are kept then.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  type Answer,
  misreported,
  type Violation,
  violationsIn,
} from '../../packages/starkbox/test/support/hosting/history.js';
import { Figures } from '../figures.js';
import { ROOT } from '../repository.js';
import { Fleet, type FleetNode } from './fleet.js';
import { ask, Clients } from './fleet-clients.js';
import { FAULTS } from './fleet-faults.js';
import { Random } from './random.js';

const { values: given } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    faults: { type: 'string' },
    /** Only faults whose names contain this. */
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
  },
});
const COUNT = Number(given.faults ?? (given.quick ? 15 : 200));
const SEED = Number(given.seed);
const [NODES, INSTANCES, CLIENTS] = [3, 40, 16];
/** Nodes with a fault at one time. */
const MOST_FAULTY = 2;
const BLOCKS_AT_ONCE = 100;

async function createInstances(fleet: Fleet): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < INSTANCES) {
    const { result } = await ask(fleet.url, 'devnet_createInstance', {});
    const { instance_id: id } = Object(result);
    if (typeof id === 'string') ids.push(id);
    else await sleep(100);
  }
  return ids;
}

/** Begins the faults one after the other, and resolves when all are over. */
async function inject(fleet: Fleet, random: Random): Promise<Readonly<Record<string, number>>> {
  const running = new Set<Promise<void>>();
  const counts: Record<string, number> = {};
  const kinds = Object.entries(FAULTS).filter(([kind]) => kind.includes(given.only));
  for (let index = 1; index <= COUNT; index += 1) {
    while (fleet.nodes.filter(({ isFaulty }) => isFaulty).length >= MOST_FAULTY) await sleep(100);
    const [kind, run] = random.pick(kinds);
    const node = random.pick(fleet.nodes.filter(({ isFaulty }) => !isFaulty));
    counts[kind] = (counts[kind] ?? 0) + 1;
    console.log(
      `${(performance.now() / 1000).toFixed(1).padStart(6)} s  fault ${index}: ${node.name}, ${kind}`,
    );
    node.isFaulty = true;
    const own = new Random(random.next() * 2 ** 32);
    const fault = run({ fleet, node, random: own }).finally(() => {
      node.isFaulty = false;
      running.delete(fault);
    });
    running.add(fault);
    await sleep(random.between(500, 3_500));
  }
  await Promise.all(running);
  return counts;
}

interface FinalBlock {
  readonly number: number;
  readonly hash: string;
  readonly transactions: readonly { readonly hash: string; readonly calldata: readonly string[] }[];
}

/** The whole chain of an instance at a node, which may have to take it over first. */
async function chainAt(node: FleetNode, instance: string): Promise<readonly FinalBlock[]> {
  const url = `${node.url}/instances/${instance}/rpc`;
  const result = async (method: string, params: object): Promise<unknown> => {
    while (true) {
      const { result } = await ask(url, method, params);
      if (result !== undefined) return result;
      await sleep(200);
    }
  };
  const head = Number(await result('starknet_blockNumber', {}));
  const blocks: FinalBlock[] = [];
  for (let from = 0; from <= head; from += BLOCKS_AT_ONCE) {
    const numbers = Array.from(
      { length: Math.min(BLOCKS_AT_ONCE, head + 1 - from) },
      (_, index) => from + index,
    );
    const found = await Promise.all(
      numbers.map((block_number) =>
        result('starknet_getBlockWithTxs', { block_id: { block_number } }),
      ),
    );
    for (const block of found) {
      const { block_number: number, block_hash: hash, transactions } = Object(block);
      const all: unknown[] = transactions;
      blocks.push({
        number,
        hash,
        transactions: all.map((transaction) => {
          const { transaction_hash, calldata } = Object(transaction);
          return { hash: transaction_hash, calldata };
        }),
      });
    }
  }
  return blocks;
}

/** What a chain shows, and which acknowledged transactions it lacks. */
function* answersOf(
  chain: readonly FinalBlock[],
  acknowledged: Iterable<string>,
  about: Omit<Answer, 'shown'>,
): Generator<Answer, void, undefined> {
  for (const { number, hash } of chain) yield { ...about, shown: { kind: 'block', number, hash } };
  const last = chain.at(-1);
  if (last) yield { ...about, shown: { kind: 'head', number: last.number, hash: last.hash } };
  const found = new Set(chain.flatMap(({ transactions }) => transactions.map(({ hash }) => hash)));
  for (const hash of acknowledged) {
    const kind = found.has(hash) ? 'transaction' : 'no transaction';
    yield { ...about, shown: { kind, hash } };
  }
}

/** Reads all chains at one node after the other, which then is the only one. */
async function readFinally(
  fleet: Fleet,
  instances: readonly string[],
  answers: Answer[],
): Promise<ReadonlyMap<string, readonly FinalBlock[]>> {
  const acknowledged = new Map(instances.map((instance) => [instance, new Set<string>()]));
  for (const { instance, shown } of answers) {
    if (shown.kind === 'transaction') acknowledged.get(instance)?.add(shown.hash);
  }
  const chains = new Map<string, readonly FinalBlock[]>();
  for (const only of fleet.nodes) {
    await only.start();
    const others = fleet.nodes.filter((node) => node !== only);
    await Promise.all(others.map((node) => node.process.end('SIGKILL')));
    for (const instance of instances) {
      const began = performance.now();
      const chain = await chainAt(only, instance);
      const about = { instance, began, ended: performance.now(), from: `${only.name} at the end` };
      answers.push(...answersOf(chain, acknowledged.get(instance) ?? [], about));
      chains.set(instance, chain);
    }
  }
  return chains;
}

/** How often the final chain of an instance has a mark. */
function counter(chains: ReadonlyMap<string, readonly FinalBlock[]>) {
  const counts = new Map<string, number>();
  for (const [instance, chain] of chains) {
    for (const { calldata } of chain.flatMap(({ transactions }) => transactions)) {
      for (const felt of new Set(calldata)) {
        const key = `${instance} ${felt}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
  }
  return (instance: string, mark: string): number => counts.get(`${instance} ${mark}`) ?? 0;
}

const KINDS: readonly Violation['kind'][] = [
  'two blocks of one number',
  'head went back',
  'transaction lost',
  'wrong report of a change',
];

async function measure(binary: string): Promise<void> {
  const figures = new Figures(
    {
      ...Object.fromEntries(KINDS.map((kind) => [kind, { atMost: 0 }])),
      'acknowledged changes': { atLeast: COUNT },
    },
    given,
  );
  const random = new Random(SEED);
  const fleet = await Fleet.start(binary, NODES);
  const instances = await createInstances(fleet);
  const urls = fleet.nodes.map(({ url }) => url);
  const clients = new Clients(fleet.url, urls, instances, new Random(SEED + 1));
  const load = clients.run(CLIENTS);
  const began = performance.now();
  const counts = await inject(fleet, random);
  figures.say('seconds under load', (performance.now() - began) / 1000);
  clients.stop();
  await load;
  await Promise.all(fleet.nodes.map(({ proxy }) => proxy.settled()));
  const { answers, changes, tally, errors } = clients;
  const chains = await readFinally(fleet, instances, answers);

  const violations = [...violationsIn(answers), ...misreported(changes, counter(chains))];
  for (const { kind, instance, text } of violations.slice(0, 20)) {
    console.log(`VIOLATION ${kind}: instance ${instance}: ${text}`);
  }
  if (violations.length > 0) {
    const kept = { violations, answers, changes };
    writeFileSync(join(fleet.folder, 'answers.json'), JSON.stringify(kept));
    console.log(`The logs and all answers are in ${fleet.folder}`);
  }
  await fleet.close(violations.length > 0);
  for (const [kind, count] of Object.entries(counts)) figures.say(kind, count);
  for (const [text, count] of errors) console.log(`${count} times: ${text}`);
  figures.sayAll({ ...tally });
  for (const [name, outcome] of [
    ['acknowledged changes', 'made'],
    ['refused changes', 'refused'],
    ['changes of unknown outcome', 'unknown'],
  ] as const) {
    figures.say(name, changes.filter((change) => change.outcome === outcome).length);
  }
  figures.say('blocks at the end', [...chains.values()].flat().length);
  for (const kind of KINDS) {
    figures.say(kind, violations.filter((violation) => violation.kind === kind).length);
  }
  figures.finish({
    faults: COUNT,
    seed: SEED,
    nodes: NODES,
    instances: INSTANCES,
    clients: CLIENTS,
  });
}

const { installedMinio }: { installedMinio: () => string | undefined } = await import(
  new URL('scripts/minio.mjs', ROOT).href
);
const binary = installedMinio();
if (binary === undefined) throw new Error('MinIO is not installed: node scripts/minio.mjs');
await measure(binary);
