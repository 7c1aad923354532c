// A process with one build of the node, which runs requests inside of it and counts what they take.
import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** Work for the process: requests to a node, or transfers on the engine alone. */
export type Work = { readonly requests: readonly string[] } | { readonly bareTransfers: number };

/** What one of several pieces of work took. */
export interface Taken {
  /** Microseconds of all threads of the process. */
  readonly cpu: number;
  /** Bytes of the JavaScript heap; without end if it was collected meanwhile. */
  readonly heap: number;
  /** Calls of the engine that another thread computes. */
  readonly trips: number;
}

let trips = 0;
let collections = 0;

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

async function takenBy(count: number, work: () => Promise<void>): Promise<Taken> {
  globalThis.gc?.();
  // Collections are reported in a later turn.
  await turn();
  await turn();
  [trips, collections] = [0, 0];
  const heap = process.memoryUsage().heapUsed;
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  const grown = process.memoryUsage().heapUsed - heap;
  await turn();
  await turn();
  return {
    cpu: (user + system) / count,
    heap: collections === 0 ? grown / count : Number.POSITIVE_INFINITY,
    trips: trips / count,
  };
}

/** A node of the build in a folder; its module is loaded by path, so that any build can be measured. */
async function handlerOf(root: string): Promise<(request: string) => Promise<unknown>> {
  const load = (path: string) => import(pathToFileURL(`${root}/packages/${path}`).href);
  const { State } = await load('engine/dist/index.js');
  countTrips(Object.getPrototypeOf(State.create().native));
  const { addon } = await load('engine/dist/addon.js');
  // Older builds have no batches.
  if (addon.Simulation) countTrips(addon.Simulation.prototype);
  const { createNode } = await load('starkbox/dist/index.js');
  const node = await createNode({ seed: 0 });
  return (request) => node.handle(request);
}

/** Loaded for this work alone, because a previous build has an engine of its own. */
const engine = lazily(async () => {
  const { BareEngine } = await import('../compare/bare-engine.js');
  return BareEngine.create();
});

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function bareTransfers(count: number): Promise<Taken> {
  const loop = (await engine()).loop(count);
  return takenBy(count, async () => {
    await loop();
  });
}

async function serve(root: string): Promise<void> {
  new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  }).observe({ entryTypes: ['gc'] });
  const handle = await handlerOf(root);
  process.on('message', async (work: Work) => {
    if ('bareTransfers' in work) {
      process.send?.(await bareTransfers(work.bareTransfers));
      return;
    }
    const answers: unknown[] = [];
    const taken = await takenBy(work.requests.length, async () => {
      for (const request of work.requests) answers.push(await handle(request));
    });
    const failed = answers.find((answer) => String(answer).includes('"error":'));
    process.send?.(failed === undefined ? taken : { failed: String(failed).slice(0, 300) });
  });
  process.send?.('ready');
}

const [, , root] = process.argv;
if (process.send && root !== undefined) await serve(root);
