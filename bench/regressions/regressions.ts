// Check for slower code that a busy machine cannot break: counted work, and ratios of CPU time within one run.
//
//   npm run bench -- regressions                      this work tree and the commit before HEAD
//   npm run bench -- regressions --base COMMIT        and another commit
//   npm run bench -- regressions --against PATH       and a checkout that is built, or the file of an addon
//
// The same requests run in alternating rounds on this build, on the other one, and on the bare engine. Without an earlier
// build the bench fails, unless `--without-previous` is given.
// Costs are the smallest of their rounds, because other programs only add to them; the speed beside the other build is the
// median of the ratios of all rounds.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { storageAddress } from '@starkbox/engine';
import { STRK, seededAccounts } from '../../packages/engine/test/fixtures/chain.js';
import { balanceOf } from '../compare/first-seconds.js';
import { interleave, type Rounds } from '../harness/rounds.js';
import { rpcBody } from '../harness/rpc-client.js';
import { defineScenario, type Run } from '../harness/scenario.js';
import { Signer } from '../harness/signed-requests.js';
import { ROOT } from '../repository.js';
import { type Build, BuildProcess, type Use } from './build-process.js';
import { previousBuild } from './previous-build.js';

const WARM_UP = 2;
const THIS_ROOT = fileURLToPath(ROOT);
const BUNDLE = 'packages/starkbox/dist/bundle/index.js';
const BARE = 'bare_transfer';

/** Bounds on what one operation takes. */
interface Limits {
  /** Calls of the engine on another thread. */
  readonly trips: number;
  readonly heapKilobytes: number;
  /** CPU time over that of a bare transfer. */
  readonly cpuOverBare: number;
}

interface Operation {
  readonly requests: (signer: Signer) => readonly string[];
  /** Without limits, it is compared with the other build alone. */
  readonly limits?: Limits;
}

const repeated = (count: number, method: string, params: object = {}): readonly string[] =>
  Array(count).fill(rpcBody(method, params));

const OPERATIONS: Readonly<Record<string, Operation>> = {
  transfer: {
    requests: (signer) => signer.transfers(20),
    limits: { trips: 1, heapKilobytes: 150, cpuOverBare: 12 },
  },
  estimate: {
    requests: (signer) => {
      const params = { request: signer.unsent(1), simulation_flags: [], block_id: 'latest' };
      return repeated(10, 'starknet_estimateFee', params);
    },
    limits: { trips: 1, heapKilobytes: 45, cpuOverBare: 8 },
  },
  simulate: {
    requests: (signer) => {
      const params = { transactions: signer.unsent(1), simulation_flags: [], block_id: 'latest' };
      return repeated(10, 'starknet_simulateTransactions', params);
    },
  },
  call: {
    requests: () => repeated(30, 'starknet_call', balanceOf('0x1234')),
    limits: { trips: 1, heapKilobytes: 16, cpuOverBare: 2.4 },
  },
  mint: { requests: () => repeated(20, 'devnet_mint', { address: '0xabc', amount: 1 }) },
  create_block: {
    requests: () => repeated(50, 'devnet_createBlock'),
    limits: { trips: 0, heapKilobytes: 40, cpuOverBare: 1.2 },
  },
  // Together with the other rounds fewer than a chain may have.
  snapshot: { requests: () => repeated(250, 'devnet_snapshot') },
  block_number: {
    requests: () => repeated(6_000, 'starknet_blockNumber'),
    limits: { trips: 0, heapKilobytes: 5, cpuOverBare: 0.02 },
  },
  storage_at: {
    requests: () =>
      repeated(2_000, 'starknet_getStorageAt', {
        contract_address: STRK,
        key: storageAddress('ERC20_total_supply'),
        block_id: 'latest',
      }),
    limits: { trips: 0, heapKilobytes: 7.5, cpuOverBare: 0.04 },
  },
  block_with_receipts: {
    requests: () =>
      repeated(800, 'starknet_getBlockWithReceipts', { block_id: { block_number: 10 } }),
  },
  state_update: {
    requests: () => repeated(2_000, 'starknet_getStateUpdate', { block_id: { block_number: 10 } }),
  },
  traces: {
    requests: () =>
      repeated(2_000, 'starknet_traceBlockTransactions', { block_id: { block_number: 10 } }),
  },
  events: {
    requests: () => repeated(200, 'starknet_getEvents', { filter: { chunk_size: 10 } }),
  },
};

type RegressionRun = Run<'rounds'>;

interface OtherBuild extends Build {
  readonly name: string;
}

/** The build that `--against` names, or that of a commit; undefined if there may be none, and is none. */
async function otherBuild(run: RegressionRun): Promise<OtherBuild | undefined> {
  const against = run.text('against');
  if (against !== undefined) return builtAt(resolve(against));
  const base = run.text('base') ?? 'HEAD^';
  const previous = await previousBuild(THIS_ROOT, base, run.flag('without-previous'));
  return previous && { ...previous, isBundled: false };
}

function builtAt(path: string): OtherBuild {
  if (path.endsWith('.node')) {
    return { root: THIS_ROOT, name: path, isBundled: true, engine: path };
  }
  if (!existsSync(join(path, BUNDLE))) throw new Error(`no bundle in ${path}: npm run build:ts`);
  return { root: path, name: path, isBundled: true };
}

async function open(run: RegressionRun, build: Build): Promise<BuildProcess> {
  const process = new BuildProcess(build);
  run.defer(() => process.end());
  await process.call('open', build);
  return process;
}

/** Samples by `this` or `other` and the name of an operation. */
async function measureRounds(
  run: RegressionRun,
  builds: Readonly<Record<string, BuildProcess>>,
  isOtherEngine: boolean,
): Promise<Rounds<string, Use>> {
  const signer = new Signer(seededAccounts(0, 10));
  const work: Record<string, (round: number) => Promise<Use>> = {};
  for (const [build, process] of Object.entries(builds)) {
    if (build === 'this' || isOtherEngine) {
      work[`${build} ${BARE}`] = () => process.call('bareTransfers', 20);
    }
  }
  for (const [name, { requests }] of Object.entries(OPERATIONS)) {
    // All builds run the same requests in a round.
    const signed: (readonly string[])[] = [];
    for (const [build, process] of Object.entries(builds)) {
      work[`${build} ${name}`] = (round) => {
        signed[round] ??= requests(signer);
        return process.call('run', signed[round]);
      };
    }
  }
  return interleave(run.sizes.rounds, work, WARM_UP);
}

/** The bounds of this build alone, and what it takes beside a bare transfer. */
function reportThis({ figures }: RegressionRun, least: (name: string) => Use): void {
  const bare = least(`this ${BARE}`).cpu;
  figures.say('bare_transfer_cpu_us', bare);
  for (const [name, { limits }] of Object.entries(OPERATIONS)) {
    if (!limits) continue;
    figures.bound({
      [`${name}_trips`]: { atMost: limits.trips },
      [`${name}_heap_kb`]: { atMost: limits.heapKilobytes },
      [`${name}_cpu_over_bare`]: { atMost: limits.cpuOverBare },
    });
    const { trips, heap, cpu } = least(`this ${name}`);
    figures.sayAll({
      [`${name}_trips`]: trips,
      [`${name}_heap_kb`]: heap / 1024,
      [`${name}_cpu_over_bare`]: cpu / bare,
    });
  }
}

/** A row for each operation: CPU time of both builds, and how many times as fast this one is. */
function reportOther(
  run: RegressionRun,
  isOtherEngine: boolean,
  rounds: Rounds<string, Use>,
  least: (name: string) => Use,
): void {
  const { figures } = run;
  // Allocation hardly varies; CPU time does, on cores that others use too.
  const speed = { atLeast: Number(run.text('at-least') ?? 0.5) };
  const rows: string[] = [];
  for (const name of [...(isOtherEngine ? [BARE] : []), ...Object.keys(OPERATIONS)]) {
    const [other, now] = [least(`other ${name}`), least(`this ${name}`)];
    const ratio = rounds.ratio(`other ${name}`, `this ${name}`, ({ cpu }) => cpu);
    const cells = [other.cpu, now.cpu, ratio].map((cell) => cell.toPrecision(4).padStart(12));
    rows.push([name.padEnd(22), ...cells].join(''));
    figures.bound({ [`${name}_speed`]: speed });
    figures.say(`${name}_speed`, ratio);
    // An engine alone does not change what JavaScript allocates.
    if (isOtherEngine || !OPERATIONS[name]?.limits) continue;
    figures.bound({ [`${name}_heap_over_other`]: { atMost: 1.3 } });
    figures.say(`${name}_heap_over_other`, now.heap / other.heap);
  }
  const heads = ['other', 'this', 'speed'].map((head) => head.padStart(12)).join('');
  console.log(`${'CPU of one in µs'.padEnd(22)}${heads}\n${rows.join('\n')}`);
}

export const scenario = defineScenario({
  measures: 'counted work and CPU time of requests, on this build and on an earlier one',
  sizes: { rounds: [30, 6] },
  options: { base: 'text', against: 'text', 'at-least': 'text', 'without-previous': 'flag' },
  async measure(run) {
    const other = await otherBuild(run);
    if (other) console.log(`other build: ${other.name}`);
    const isBundled = other?.isBundled !== false;
    const builds: Record<string, BuildProcess> = {
      this: await open(run, { root: THIS_ROOT, isBundled }),
      ...(other ? { other: await open(run, other) } : {}),
    };
    const isOtherEngine = other?.engine !== undefined;
    const rounds = await measureRounds(run, builds, isOtherEngine);
    const least = (name: string): Use => {
      const uses = rounds.of(name);
      return {
        cpu: Math.min(...uses.map(({ cpu }) => cpu)),
        heap: Math.min(...uses.map(({ heap }) => heap)),
        trips: Math.min(...uses.map(({ trips }) => trips)),
      };
    };
    reportThis(run, least);
    if (other) reportOther(run, isOtherEngine, rounds, least);
    return undefined;
  },
});
