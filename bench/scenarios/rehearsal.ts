// Rehearsals of upgrades with a long history: the time of a run, and which planted differences it shows. The network is
// a node in this process, and each rehearsal is a process of the built command.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Class } from '@starkbox/engine';
import { checkedClient } from '@starkbox/test-support';
import { FaultyProxy } from '@starkbox/test-support/fork/proxy';
import { createMarket, type Market } from '@starkbox/test-support/rehearsal/market';
import type { ChangeKind, Rehearsal } from '@starkbox/test-support/rehearsal/report';
import type { Contract } from '@starkbox/test-support/signing';
import { createChain } from 'starkbox';
import { defineScenario } from '../harness/scenario.js';
import { contractText } from '../harness/signed-requests.js';
import { COMMAND, CONTRACTS } from '../repository.js';

const classFile = (name: string): URL => new URL(`cairo/${name}.sierra.json`, CONTRACTS);

async function load(name: string): Promise<Contract> {
  const compiled = await Class.compile(await contractText(name));
  const { hash, compiledClassHash = '0x0' } = compiled;
  const body: unknown = JSON.parse(await compiled.json());
  return { class: compiled, hash, compiledHash: compiledClassHash, body };
}

interface Planted {
  readonly name: string;
  /** The kinds of difference that the class was made for. */
  readonly kinds: readonly ChangeKind[];
  /** The transactions that must show them. */
  readonly expected: (market: Market) => readonly string[];
}

const succeeded = ({ touching, reverted }: Market): readonly string[] =>
  touching.slice(1).filter((hash) => !reverted.includes(hash));

const PLANTED: readonly Planted[] = [
  { name: 'pool_fee', kinds: ['result', 'event', 'storage'], expected: succeeded },
  { name: 'pool_event', kinds: ['event'], expected: succeeded },
  { name: 'pool_strict', kinds: ['status'], expected: ({ large }) => large },
  { name: 'pool_layout', kinds: ['status', 'result'], expected: succeeded },
  { name: 'pool_gas', kinds: ['gas'], expected: succeeded },
];

interface Timed {
  readonly report: Rehearsal;
  readonly seconds: number;
}

async function rehearsed(args: readonly string[], cache: string): Promise<Timed> {
  const begin = performance.now();
  const env = { ...process.env, STARKBOX_FORK_CACHE_DIR: cache };
  const stdout = await new Promise<string>((resolve, reject) => {
    const options = { env, maxBuffer: 1 << 28 };
    execFile(process.execPath, [COMMAND, 'rehearse', '--json', ...args], options, (error, out) => {
      // A difference is exit code 1.
      if (error && error.code !== 1) reject(error);
      else resolve(out);
    });
  });
  return { report: JSON.parse(stdout), seconds: (performance.now() - begin) / 1000 };
}

/** The share of the expected transactions that show a planted kind of difference. */
function foundShare(
  { kinds, expected }: Planted,
  market: Market,
  { different }: Rehearsal,
): number {
  const hashes = new Set(
    different
      .filter(({ changes }) => changes.some(({ kind }) => kinds.includes(kind)))
      .map(({ transaction_hash: hash }) => hash),
  );
  const all = expected(market);
  return all.filter((hash) => hashes.has(hash)).length / all.length;
}

export const scenario = defineScenario({
  measures: 'rehearsals of upgrades: time, planted differences, requests to the network',
  sizes: { transactions: [500, 40] },
  promises: () => ({
    identical_differences: { atMost: 0 },
    identical_carried_differences: { atMost: 0 },
    not_reproduced: { atMost: 0 },
    second_run_requests: { atMost: 0 },
    ...Object.fromEntries(PLANTED.map(({ name }) => [`${name}_found_share`, { atLeast: 1 }])),
  }),
  async measure(run) {
    const { sizes, figures } = run;
    const node = await createChain({
      seed: 0,
      port: 0,
      accounts: 6,
      blockGenerationOn: 'demand',
      starknetVersion: '0.13.6',
    });
    run.defer(() => node.close());
    const market = await createMarket(
      { node, client: checkedClient(node.handle) },
      sizes.transactions,
      load,
    );
    const proxy = await FaultyProxy.before((await node.listen()).url);
    run.defer(() => proxy.close());
    const cache = run.folder();
    const lock = join(run.folder(), 'lock.json');
    const common = ['--contract', market.pool, '--last', String(sizes.transactions)];
    const withClass = (name: string): readonly string[] => [
      ...common,
      ...['--fork-url', proxy.url, '--class', fileURLToPath(classFile(name))],
    ];
    const first = await rehearsed([...withClass('pool_same'), '--fork-lock', lock], cache);
    figures.say('blocks', first.report.blocks);
    figures.say('first_run_seconds', first.seconds);
    figures.say('first_run_requests', proxy.requests);
    proxy.forget();
    const second = await rehearsed([...withClass('pool_same'), '--fork-lock', lock], cache);
    figures.say('second_run_seconds', second.seconds);
    figures.say('second_run_requests', proxy.requests);
    figures.say('identical_differences', second.report.different.length);
    figures.say('not_reproduced', second.report.not_reproduced.length);
    const carried = await rehearsed([...withClass('pool_same'), '--carry'], cache);
    figures.say('identical_carried_differences', carried.report.different.length);
    for (const planted of PLANTED) {
      const { report, seconds } = await rehearsed(withClass(planted.name), cache);
      figures.say(`${planted.name}_found_share`, foundShare(planted, market, report));
      figures.say(`${planted.name}_seconds`, seconds);
    }
    const limit = await rehearsed([...withClass('pool_limit'), '--carry'], cache);
    figures.say('pool_limit_carried_statuses', limit.report.counts.status);
    figures.say('pool_limit_carried_seconds', limit.seconds);
    return undefined;
  },
});
