// A process with one build of the node, which runs requests inside of it and counts what they take.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { BareEngine } from '../harness/bare-engine.js';
import { Child, serve } from '../harness/child.js';

/** What one of several pieces of work takes. */
export interface Use {
  /** Microseconds of all threads of the process. */
  readonly cpu: number;
  /** Bytes of the JavaScript heap; infinite if it was collected meanwhile. */
  readonly heap: number;
  /** Calls of the engine that another thread computes. */
  readonly trips: number;
}

export interface Build {
  /** A checkout with its packages built. */
  readonly root: string;
  /** Whether its bundle runs, or the output of the compiler. */
  readonly isBundled: boolean;
  /** The file of another addon. */
  readonly engine?: string;
}

let trips = 0;
let collections = 0;
let bareEngine: BareEngine | undefined;
let handle: (request: string) => Promise<unknown> = () => Promise.reject(new Error('not open'));

/** Counts the calls of an addon's class that return promises. */
function countTrips(prototype: object): void {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value !== 'function' || name === 'constructor') continue;
    Object.defineProperty(prototype, name, {
      value(this: object, ...args: readonly unknown[]): unknown {
        const result: unknown = Reflect.apply(value, this, args);
        if (result instanceof Promise) trips += 1;
        return result;
      },
    });
  }
}

async function useOf(count: number, work: () => Promise<unknown>): Promise<Use> {
  globalThis.gc?.();
  // Collections are reported in a later turn.
  await nextTurn();
  await nextTurn();
  [trips, collections] = [0, 0];
  const heap = process.memoryUsage().heapUsed;
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  const grown = process.memoryUsage().heapUsed - heap;
  await nextTurn();
  await nextTurn();
  return {
    cpu: (user + system) / count,
    heap: collections === 0 ? grown / count : Number.POSITIVE_INFINITY,
    trips: trips / count,
  };
}

const commands = {
  /** Opens a node of a build, whose modules are loaded by path. */
  async open({ root, isBundled }: Build): Promise<void> {
    new PerformanceObserver((list) => {
      collections += list.getEntries().length;
    }).observe({ entryTypes: ['gc'] });
    const load = (path: string) => import(pathToFileURL(path).href);
    const { resolve } = createRequire(join(root, 'package.json'));
    const engine = resolve('@starkbox/engine');
    const { State } = await load(engine);
    countTrips(Object.getPrototypeOf(State.create().native));
    const addon = join(dirname(engine), 'addon.js');
    const { Batch, Simulation } = existsSync(addon) ? (await load(addon)).addon : {};
    // Older builds have another class of batches, or none.
    const batches = Batch ?? Simulation;
    if (batches) countTrips(batches.prototype);
    const library = isBundled ? resolve('starkbox') : join(root, 'packages/starkbox/dist/index.js');
    const { createChain } = await load(library);
    const node = await createChain({ seed: 0 });
    handle = (request) => node.handle(request);
  },

  async run(requests: readonly string[]): Promise<Use> {
    const answers: unknown[] = [];
    const use = await useOf(requests.length, async () => {
      for (const request of requests) answers.push(await handle(request));
    });
    const failure = answers.find((answer) => String(answer).includes('"error":'));
    if (failure !== undefined) throw new Error(String(failure).slice(0, 300));
    return use;
  },

  /** Transfers on the engine of this repository alone. */
  async bareTransfers(count: number): Promise<Use> {
    // Loaded for this work only, because another build has an engine of its own.
    const { BareEngine } = await import('../harness/bare-engine.js');
    bareEngine ??= await BareEngine.create();
    return useOf(count, bareEngine.loop(count));
  },
};

export class BuildProcess extends Child<typeof commands> {
  constructor({ engine }: Build) {
    super(new URL(import.meta.url), {
      // Room for the garbage of a round, so that allocation can be read from the size of the heap.
      execArgv: ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'],
      env: engine === undefined ? {} : { STARKBOX_ENGINE: engine },
    });
  }
}

serve(import.meta.url, commands);
