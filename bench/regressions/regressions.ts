// Check for slower code that a busy machine cannot break: counted work, and ratios of CPU time within one run.
//
//   npm run bench:regressions              more rounds
//   npm run bench:regressions -- --quick   under half a minute
//
// The same requests run in alternating rounds on this build, on the previous one if it is at hand, and on the bare
// engine. Figures are the smallest of their rounds, because other programs only add to them.
// Prints each figure with its bound, then one line of JSON. Exits 1 if a bound is broken.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { storageAddress } from '@starkbox/engine';
import { STRK, seededAccounts } from '../../packages/engine/test/fixtures/chain.js';
import { BALANCE_OF } from '../compare/first-seconds.js';
import { Signer } from '../compare/signed-requests.js';
import { type Bound, Figures } from '../figures.js';
import { request } from '../growing-chain.js';
import { ROOT } from '../repository.js';
import type { Taken, Work } from './build-process.js';
import { previousBuild } from './previous-build.js';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 6 : 30;
const WARMING = 2;
const SELF = fileURLToPath(new URL('./build-process.js', import.meta.url));

const signer = new Signer(seededAccounts(0, 10));
const repeated = (count: number, text: string): readonly string[] => Array(count).fill(text);

/** A cheap piece of work, with bounds on what one takes. */
interface Operation {
  readonly make: () => readonly string[];
  /** Calls of the engine on another thread. */
  readonly trips: number;
  readonly heapKilobytes: number;
  /** CPU time over that of a bare transfer. */
  readonly cpuOverBare: number;
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  transfer: { make: () => signer.transfers(20), trips: 1, heapKilobytes: 150, cpuOverBare: 3 },
  estimate: {
    make: () =>
      repeated(
        10,
        request('starknet_estimateFee', {
          request: signer.unsent(1),
          simulation_flags: [],
          block_id: 'latest',
        }),
      ),
    trips: 1,
    heapKilobytes: 45,
    cpuOverBare: 2,
  },
  call: {
    make: () => repeated(30, request('starknet_call', { request: BALANCE_OF, block_id: 'latest' })),
    trips: 1,
    heapKilobytes: 16,
    cpuOverBare: 0.6,
  },
  create_block: {
    make: () => repeated(50, request('devnet_createBlock', {})),
    trips: 0,
    heapKilobytes: 40,
    cpuOverBare: 0.3,
  },
  block_number: {
    make: () => repeated(2_000, request('starknet_blockNumber', {})),
    trips: 0,
    heapKilobytes: 5,
    cpuOverBare: 0.005,
  },
  storage_at: {
    make: () =>
      repeated(
        2_000,
        request('starknet_getStorageAt', {
          contract_address: STRK,
          key: storageAddress('ERC20_total_supply'),
          block_id: 'latest',
        }),
      ),
    trips: 0,
    heapKilobytes: 7.5,
    cpuOverBare: 0.01,
  },
};

/** Allocation hardly varies; CPU time does, on cores that others use too. */
const HEAP_OVER_PREVIOUS = { atMost: 1.3 };
const CPU_OVER_PREVIOUS = { atMost: 2 };

/** A build in a process of its own, with the least that each operation took in it. */
class Build {
  readonly #child: ChildProcess;
  readonly least = new Map<string, Taken>();

  constructor(root: string) {
    // Room for the garbage of a round, so that allocation can be read from the size of the heap.
    const execArgv = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];
    // JSON has no infinity.
    this.#child = fork(SELF, [root], { execArgv, serialization: 'advanced' });
  }

  /** Whether it has started. */
  isReady(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#child.once('message', () => resolve(true));
      this.#child.once('exit', () => resolve(false));
    });
  }

  async run(name: string, work: Work, isWarm: boolean): Promise<void> {
    this.#child.send(work);
    const [answer] = await once(this.#child, 'message');
    const { cpu, heap, trips, failed } = Object(answer);
    if (failed !== undefined) throw new Error(`${name}: ${failed}`);
    if (!isWarm) return;
    const before = this.least.get(name);
    this.least.set(name, {
      cpu: Math.min(cpu, before?.cpu ?? cpu),
      heap: Math.min(heap, before?.heap ?? heap),
      trips: Math.min(trips, before?.trips ?? trips),
    });
  }

  took(name: string): Taken {
    const taken = this.least.get(name);
    if (!taken) throw new Error(`${name} was not measured`);
    return taken;
  }

  close(): void {
    this.#child.kill();
  }
}

async function measure(builds: readonly Build[], bare: Build): Promise<void> {
  for (let round = 0; round < ROUNDS + WARMING; round += 1) {
    const isWarm = round >= WARMING;
    await bare.run('bare', { bareTransfers: 20 }, isWarm);
    for (const [name, { make }] of Object.entries(OPERATIONS)) {
      const work = { requests: make() };
      const order = round % 2 === 0 ? builds : [...builds].reverse();
      for (const build of order) await build.run(name, work, isWarm);
    }
  }
}

/** The previous build in a process, if it is at hand; says which it is, or why there is none. */
async function openPrevious(): Promise<Build | undefined> {
  const found = await previousBuild(fileURLToPath(ROOT));
  if ('missing' in found) {
    console.log(`not compared with a previous build: ${found.missing}`);
    return undefined;
  }
  const build = new Build(found.root);
  if (await build.isReady()) {
    console.log(`previous build: ${found.name}`);
    return build;
  }
  console.log(`not compared with a previous build: ${found.name} does not start`);
  return undefined;
}

const before = await openPrevious();
const now = new Build(fileURLToPath(ROOT));
try {
  if (!(await now.isReady())) throw new Error('the build does not start: npm run build');
  await measure(before ? [now, before] : [now], now);
} finally {
  now.close();
  before?.close();
}

const bounds: Record<string, Bound> = {};
const measured: Record<string, number> = {};
const add = (name: string, value: number, bound: Bound): void => {
  [measured[name], bounds[name]] = [value, bound];
};
for (const [name, { trips, heapKilobytes, cpuOverBare }] of Object.entries(OPERATIONS)) {
  const taken = now.took(name);
  add(`${name}_trips`, taken.trips, { atMost: trips });
  add(`${name}_heap_kb`, taken.heap / 1024, { atMost: heapKilobytes });
  add(`${name}_cpu_over_bare`, taken.cpu / now.took('bare').cpu, { atMost: cpuOverBare });
  if (!before) continue;
  add(`${name}_heap_over_previous`, taken.heap / before.took(name).heap, HEAP_OVER_PREVIOUS);
  add(`${name}_cpu_over_previous`, taken.cpu / before.took(name).cpu, CPU_OVER_PREVIOUS);
}
const figures = new Figures(bounds, { quick });
figures.say('bare_transfer_cpu_us', now.took('bare').cpu);
figures.sayAll(measured);
figures.finish({ quick });
