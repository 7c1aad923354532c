// Measurement of workloads on two nodes in alternating rounds, and what is kept of it.
import { median } from '../figures.js';
import { type Address, Contender } from './contender.js';
import { Signer } from './signed-requests.js';

/** Times and sizes are better when they are small, rates when they are large. */
export type Unit = 'ms' | 'µs' | 'MB' | 'bytes' | 'per s';

/** A node while a group of workloads is measured on it. */
export interface Side {
  readonly name: SideName;
  readonly address: Address;
  readonly node: Contender;
  readonly signer: Signer;
  /** What one workload leaves for the next, by name. */
  readonly kept: Map<string, unknown>;
}

export type SideName = 'ours' | 'theirs';
export const SIDES: readonly SideName[] = ['ours', 'theirs'];

export interface Workload {
  readonly name: string;
  /** For readers of the page. */
  readonly title: string;
  readonly unit: Unit;
  readonly rounds?: number;
  /** One round; undefined if it cannot be measured on this node. */
  readonly measure: (side: Side, size: Size) => Promise<number | undefined>;
}

/** Workloads that run on the same pair of fresh nodes, in order. */
export interface Group {
  readonly title: string;
  /** Options that are added to the commands. */
  readonly options?: string;
  readonly workloads: readonly Workload[];
}

/** How much a run does. */
export interface Size {
  readonly quick: boolean;
  readonly rounds: number;
  readonly blocks: number;
  readonly slots: number;
  readonly events: number;
  readonly sockets: number;
  readonly connections: number;
  /** Seconds of each throughput measurement. */
  readonly seconds: number;
}

export const FULL: Size = {
  quick: false,
  rounds: 5,
  blocks: 100_000,
  slots: 1_000_000,
  events: 100_000,
  sockets: 1_000,
  connections: 2_000,
  seconds: 4,
};

export const QUICK: Size = {
  quick: true,
  rounds: 2,
  blocks: 500,
  slots: 20_000,
  events: 2_000,
  sockets: 20,
  connections: 50,
  seconds: 0.5,
};

/** The figures of one workload in one run. */
export interface Row {
  readonly group: string;
  readonly name: string;
  readonly title: string;
  readonly unit: Unit;
  /** One figure for each round. */
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

/** How many times better we are, of the medians. */
export function ratioOf({ unit, ours, theirs }: Pick<Row, 'unit' | 'ours' | 'theirs'>): number {
  const [mine, other] = [median(ours), median(theirs)];
  return unit === 'per s' ? mine / other : other / mine;
}

/** Measures a group: rounds alternate between the nodes, so that noise affects both. */
export async function measureGroup(
  group: Group,
  addresses: Readonly<Record<SideName, Address>>,
  size: Size,
  say: (row: Row) => void,
): Promise<void> {
  const sides: Side[] = [];
  try {
    for (const name of SIDES) {
      const address = withOptions(addresses[name], group.options);
      const node = await Contender.open(address);
      sides.push({ name, address, node, signer: new Signer(), kept: new Map() });
    }
    for (const workload of group.workloads) {
      const row = await measureWorkload(group.title, workload, sides, size);
      if (row) say(row);
    }
  } finally {
    for (const { node } of sides) await node.close();
  }
}

function withOptions(address: Address, options: string | undefined): Address {
  if ('url' in address || options === undefined) return address;
  return { command: `${address.command} ${options}` };
}

async function measureWorkload(
  group: string,
  { name, title, unit, rounds, measure }: Workload,
  sides: readonly Side[],
  size: Size,
): Promise<Row | undefined> {
  const measured: Record<SideName, number[]> = { ours: [], theirs: [] };
  for (let round = 0; round < (rounds ?? size.rounds); round += 1) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      try {
        const figure = await measure(side, size);
        if (figure !== undefined) measured[side.name].push(figure);
      } catch (error) {
        console.error(`${name}: ${side.name}: ${error instanceof Error ? error.message : error}`);
      }
    }
  }
  if (measured.ours.length === 0 || measured.theirs.length === 0) return undefined;
  return { group, name, title, unit, ...measured };
}

/** Milliseconds of one of several equal pieces of work in a row. */
export async function each(count: number, work: (at: number) => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  for (let at = 0; at < count; at += 1) await work(at);
  return (performance.now() - begin) / count;
}
