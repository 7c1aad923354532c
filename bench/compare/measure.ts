// Workloads, and their measurement on two nodes and the bare engine in alternating rounds.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BareEngine } from '../harness/bare-engine.js';
import { mean } from '../harness/figures.js';
import type { ComparedFigure, Measured, Row, SideName, Unit } from '../harness/results.js';
import { sampled } from '../harness/rounds.js';
import { RpcError } from '../harness/rpc-client.js';
import { Signer } from '../harness/signed-requests.js';
import { type Address, SpawnedNode } from '../harness/spawned-node.js';

/** A node while a group of workloads is measured on it. */
export interface Side {
  readonly name: SideName;
  readonly address: Address;
  readonly node: SpawnedNode;
  readonly signer: Signer;
  /** Where to fork from: our node of the group, so that both have the same origin. */
  readonly origin: string;
  /** What one workload passes on to the next, by name. */
  readonly memo: Map<string, unknown>;
  /** Starts another process of the same node, with what earlier ones cached on disk. */
  readonly another: (options?: string) => Promise<SpawnedNode>;
  /** Adds a remark to the figures of this workload. */
  readonly remark: (text: string) => void;
}

export const SIDES: readonly SideName[] = ['ours', 'theirs'];

export interface Workload {
  readonly figures: readonly ComparedFigure[];
  /** At most so many. */
  readonly rounds?: number;
  /** One round: a number for each figure. */
  readonly measure: (side: Side, size: Size) => Promise<readonly number[]>;
  /** The same on the engine alone; the last figures may be left out. */
  readonly bare?: (engine: BareEngine, size: Size) => Promise<readonly number[]>;
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
  /** Of each throughput measurement. */
  readonly seconds: number;
  /** Milliseconds after which repeated work ends early. */
  readonly limit: number;
}

/** A workload that a node cannot do, with the reason. */
export class Unable extends Error {}

/** Something that is measured: a node, or the engine. */
interface Runner {
  readonly name: Measured;
  readonly run: (workload: Workload) => Promise<readonly number[]> | undefined;
}

export interface Measurement {
  readonly addresses: Readonly<Record<SideName, Address>>;
  readonly bare: BareEngine;
  readonly size: Size;
  readonly onRow: (row: Row) => void;
}

/** Milliseconds after which work in a row ends early. */
const LIMIT = 120_000;

function withOptions(address: Address, options: string | undefined): Address {
  if ('url' in address || options === undefined) return address;
  return { command: `${address.command} ${options}` };
}

/** Measures a group on fresh nodes. */
export async function measureGroup(group: Group, measurement: Measurement): Promise<void> {
  const { bare, size, onRow } = measurement;
  const sides = new Sides();
  try {
    const runners: Runner[] = [];
    for (const name of SIDES) {
      const side = await sides.open(name, withOptions(measurement.addresses[name], group.options));
      runners.push({ name, run: (workload) => runOn(side, workload, size) });
    }
    runners.push({ name: 'bare', run: (workload) => workload.bare?.(bare, size) });
    for (const workload of group.workloads) {
      sides.remarks.clear();
      const rounds = Math.min(workload.rounds ?? size.rounds, size.rounds);
      const { figures, cannot, isFailure } = await measureWorkload(workload, runners, rounds);
      for (const [index, figure] of workload.figures.entries()) {
        const of = (name: Measured) => figures[name].flatMap((round) => rounded(round[index]));
        const samples = { ours: of('ours'), theirs: of('theirs'), bare: of('bare') };
        const more = { cannot, isFailure, remarks: Object.fromEntries(sides.remarks) };
        onRow({ group: group.title, ...figure, ...samples, ...more });
      }
    }
  } finally {
    await sides.close();
  }
}

async function runOn(
  side: Side | string,
  workload: Workload,
  size: Size,
): Promise<readonly number[]> {
  if (typeof side === 'string') throw new Unable(side);
  try {
    return await workload.measure(side, size);
  } catch (error) {
    // The next workload begins with what has arrived; a node that has exited cannot be asked.
    await side.signer.readNonces(side.node).catch(() => undefined);
    throw error;
  }
}

/** The nodes of a group. */
class Sides {
  readonly remarks = new Map<SideName, string>();
  readonly #nodes: SpawnedNode[] = [];
  readonly #caches: string[] = [];

  /** A side, or why the other node cannot be started. */
  async open(name: SideName, address: Address): Promise<Side | string> {
    const cache = mkdtempSync(join(tmpdir(), 'starkbox-bench-'));
    this.#caches.push(cache);
    try {
      const node = await SpawnedNode.open(address, cache);
      this.#nodes.push(node);
      return {
        name,
        address,
        node,
        signer: await Signer.of(node),
        origin: `${this.#nodes[0]?.url}/rpc`,
        memo: new Map(),
        another: (options) => SpawnedNode.open(withOptions(address, options), cache),
        remark: (text) => this.remarks.set(name, text),
      };
    } catch (error) {
      if (name === 'ours') throw error;
      return reasonOf(error);
    }
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) await node.end();
    for (const cache of this.#caches) rmSync(cache, { recursive: true, force: true });
  }
}

/** Five digits: more is noise. A round may have fewer numbers than there are figures. */
function rounded(value: number | undefined): readonly number[] {
  return value === undefined ? [] : [Number(value.toPrecision(5))];
}

/** Rounds alternate, and so does who begins, so that noise of the machine affects all of them. */
async function measureWorkload(
  workload: Workload,
  runners: readonly Runner[],
  rounds: number,
): Promise<{
  readonly figures: Readonly<Record<Measured, (readonly number[])[]>>;
  readonly cannot: Readonly<Partial<Record<Measured, string>>>;
  readonly isFailure: boolean;
}> {
  const figures: Record<Measured, (readonly number[])[]> = { ours: [], theirs: [], bare: [] };
  const cannot: Partial<Record<Measured, string>> = {};
  let isFailure = false;
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run } of round % 2 === 0 ? runners : [...runners].reverse()) {
      if (cannot[name] !== undefined) continue;
      try {
        const measured = await run(workload);
        if (measured) figures[name].push(measured);
      } catch (error) {
        cannot[name] = reasonOf(error);
        isFailure ||= name !== 'theirs' && !(error instanceof Unable);
      }
    }
  }
  return { figures, cannot, isFailure };
}

function reasonOf(error: unknown): string {
  if (error instanceof RpcError) return `answers ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

/** Mean milliseconds of one of several equal pieces of work in a row. */
export async function each(
  count: number,
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  return mean(await sampled(count, work, LIMIT));
}

/** Sends requests one after another; mean milliseconds of one. */
export function sendAll(node: SpawnedNode, requests: readonly string[]): Promise<number> {
  return each(requests.length, (index) => node.send(requests[index] ?? ''));
}

/** A workload with one figure. */
export function single(
  name: string,
  title: string,
  unit: Unit,
  measure: (side: Side, size: Size) => Promise<number>,
  more: {
    readonly rounds?: number;
    readonly bare?: (engine: BareEngine, size: Size) => Promise<number>;
  } = {},
): Workload {
  const { rounds, bare } = more;
  return {
    figures: [{ name, title, unit }],
    ...(rounds === undefined ? {} : { rounds }),
    measure: async (side, size) => [await measure(side, size)],
    ...(bare ? { bare: async (engine: BareEngine, size: Size) => [await bare(engine, size)] } : {}),
  };
}
