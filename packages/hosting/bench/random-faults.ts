// Random faults under load: three nodes behind HAProxy, and clients that record all answers.
//
// At the end each node in turn is the only one, takes over all instances and is read.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bound, Figures } from '../../../bench/figures.js';
import { Random } from '../../../bench/harness/rounds.js';
import { VIOLATIONS } from '../test/support/history.js';
import { FinalChains, nonceGaps } from './final-chains.js';
import { Fleet } from './fleet.js';
import { Clients } from './fleet-clients.js';
import { FAULTS } from './fleet-faults.js';
import type { Recorder } from './recorder.js';
import { SIGNER } from './schedules/open-batch.js';

const [NODES, INSTANCES, CLIENTS] = [3, 40, 16];
/** Nodes with a fault at one time. */
const MOST_FAULTY = 2;
/** Instances that are read at one time at the end. */
const READ_AT_ONCE = 8;

export const RANDOM_BOUNDS: Readonly<Record<string, Bound>> = {
  ...Object.fromEntries(VIOLATIONS.map((kind) => [kind, { atMost: 0 }])),
  'acknowledged changes per fault': { atLeast: 1 },
};

interface RandomOptions {
  readonly only: string;
  readonly faults: number;
  readonly seed: number;
}

/** Begins the faults one after the other, and resolves when all are over. */
async function inject(
  fleet: Fleet,
  { instances }: Clients,
  { only, faults, seed }: RandomOptions,
): Promise<Readonly<Record<string, number>>> {
  const random = new Random(seed);
  const running = new Set<Promise<void>>();
  const counts: Record<string, number> = {};
  const kinds = Object.entries(FAULTS).filter(([kind]) => kind.includes(only));
  for (let index = 1; index <= faults; index += 1) {
    while (fleet.nodes.filter(({ isFaulty }) => isFaulty).length >= MOST_FAULTY) await sleep(100);
    const [kind, run] = random.pick(kinds);
    const node = random.pick(fleet.nodes.filter(({ isFaulty }) => !isFaulty));
    counts[kind] = (counts[kind] ?? 0) + 1;
    const seconds = (performance.now() / 1000).toFixed(1).padStart(6);
    console.log(`${seconds} s  fault ${index}: ${node.name}, ${kind}`);
    node.isFaulty = true;
    const target = { fleet, node, instances, random: new Random(random.next() * 2 ** 32) };
    const fault = run(target).finally(() => {
      node.isFaulty = false;
      running.delete(fault);
    });
    running.add(fault);
    await sleep(random.between(500, 3_500));
  }
  await Promise.all(running);
  return counts;
}

/** Reads all chains at one node after the other, which then is the only one. */
async function readFinally(fleet: Fleet, recorder: Recorder): Promise<FinalChains> {
  const final = new FinalChains(recorder);
  for (const only of fleet.nodes) {
    await only.start();
    const others = fleet.nodes.filter((node) => node !== only);
    await Promise.all(others.map((node) => node.process.end('SIGKILL')));
    const instances = recorder.lives.keys();
    const reader = async (): Promise<void> => {
      for (const instance of instances) await final.read(only, instance);
    };
    await Promise.all(Array.from({ length: READ_AT_ONCE }, reader));
  }
  return final;
}

export async function runRandomFaults(
  binary: string,
  figures: Figures,
  options: RandomOptions,
): Promise<void> {
  const fleet = await Fleet.start(binary, { nodes: NODES, hibernateAfter: 2, hasRouter: true });
  const addresses = { router: fleet.url, nodes: fleet.nodes.map(({ url }) => url) };
  const clients = new Clients(addresses, new Random(options.seed + 1));
  await clients.create(INSTANCES);
  const load = clients.run(CLIENTS);
  const began = performance.now();
  const counts = await inject(fleet, clients, options);
  figures.say('seconds under load', (performance.now() - began) / 1000);
  clients.stop();
  await load;
  await Promise.all(fleet.nodes.map(({ proxy }) => proxy.settled()));
  const { tally, errors } = clients;
  const { answers, changes, lives } = clients.recorder;
  const final = await readFinally(fleet, clients.recorder);
  const { chains } = final;
  const violations = [
    ...clients.violations,
    ...final.violations(),
    ...nonceGaps(chains, SIGNER?.address ?? ''),
  ];
  for (const { kind, instance, text } of violations.slice(0, 20)) {
    console.log(`VIOLATION ${kind}: instance ${instance}: ${text}`);
  }
  if (violations.length > 0) {
    const record = { violations, answers, changes, lives: [...lives] };
    writeFileSync(join(fleet.folder, 'answers.json'), JSON.stringify(record));
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
  const acknowledged = changes.filter(({ outcome }) => outcome === 'made').length;
  figures.say('acknowledged changes per fault', acknowledged / options.faults);
  figures.say('instances created', lives.size);
  figures.say('instances at the end', chains.size);
  figures.say('blocks at the end', [...chains.values()].flat().length);
  for (const kind of VIOLATIONS) {
    figures.say(kind, violations.filter((violation) => violation.kind === kind).length);
  }
}
