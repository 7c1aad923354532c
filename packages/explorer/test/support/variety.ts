// A chain with something on every page: contracts, a token, failures with and without source, a moved clock.
import { readFile } from 'node:fs/promises';
import { classTextWithPlaces } from '../../../../contracts/classes.js';
import { STRK, type Stage, setStage } from './stage.js';

const SOURCE = 'contracts/src/failing/failures.cairo';
const MONTH_SECONDS = 30 * 24 * 60 * 60;

export interface Variety {
  readonly counter: string;
  readonly succeeded: string;
  readonly reverted: string;
  /** A failed transaction whose contract has its source. */
  readonly overflow: string;
  /** A transaction with sixty calls. */
  readonly large: string;
  readonly minted: string;
}

export interface Varied {
  readonly stage: Stage;
  readonly chain: Variety;
}

let making: Promise<Varied> | undefined;

/** The stage with this chain, which the test files of a process share: they leave it as they found it. */
export function variedStage(): Promise<Varied> {
  making ??= setStage().then(async (stage) => ({ stage, chain: await makeVariety(stage) }));
  return making;
}

async function makeVariety(stage: Stage): Promise<Variety> {
  const { client } = stage.node;
  const source = await readFile(new URL(`../../../../${SOURCE}`, import.meta.url), 'utf8');
  const artifact = JSON.parse(await classTextWithPlaces('failures'));
  await client.call('devnet_addArtifact', { artifact, sources: { [SOURCE]: source } });
  await client.call('devnet_recordRequests', { enabled: true });
  const counter = await stage.deploy('counter', ['7']);
  const reverter = await stage.deploy('reverter');
  const failures = await stage.deploy('failures', ['0']);
  for (let at = 0; at < 4; at++) {
    await stage.send(at % 3, [stage.transfer((at + 1) % 3, 15n * 10n ** BigInt(10 + 3 * at))]);
  }
  await client.call('devnet_snapshot', { name: 'before the swap' });
  const succeeded = await stage.send(1, [
    stage.transfer(2, 1_500_000_000_000_000_000n),
    { contractAddress: counter, entrypoint: 'increase', calldata: ['0x5'] },
    { contractAddress: reverter, entrypoint: 'recurse', calldata: ['0x3'] },
  ]);
  const reverted = await stage.send(1, [
    stage.transfer(2, 1n),
    { contractAddress: STRK, entrypoint: 'transfer', calldata: [stage.address(2), 10n ** 30n, 0n] },
  ]);
  const overflow = await stage.send(0, [
    { contractAddress: failures, entrypoint: 'helper', calldata: ['0x1'] },
  ]);
  await client.call('devnet_increaseTime', { time: MONTH_SECONDS });
  await stage.send(2, [stage.transfer(0, 25n)]);
  const large = await stage.send(
    0,
    Array.from({ length: 60 }, () => stage.transfer(4, 1n)),
  );
  const { tx_hash: minted } = await client.call('devnet_mint', {
    address: stage.address(1),
    amount: 1,
    unit: 'FRI',
  });
  return { counter, succeeded, reverted, overflow, large, minted };
}

/** Pages that every chain has. */
export const LISTS = [
  '',
  'activity',
  'blocks',
  'transactions',
  'events',
  'messages',
  'accounts',
  'contracts',
  'classes',
  'timeline',
  'instances',
  'mempool',
  'simulate',
  'console',
  'requests',
  'gas',
  'rules',
  'control',
  'node',
  'more',
] as const;

const ACCOUNT_CLASS = '0x2e77ee61d4df3d988ee1f42ea5442e913862cc82c2584d212ecda76666498fc';

/** Pages of single objects and their tabs. */
export function detailPages({ counter, succeeded, reverted, overflow, large }: Variety): string[] {
  const tabs = (page: string, ...names: string[]): string[] => [
    page,
    ...names.map((name) => `${page}?tab=${name}`),
  ];
  return [
    'activity?failed=1',
    'transactions?function=transfer&status=SUCCEEDED',
    'messages?send=1',
    'timeline?a=4&b=6&axis=time',
    'gas?view=table&from=0',
    'gas?from=0',
    'console?method=starknet_simulateTransactions',
    `simulate?tx=${succeeded}`,
    ...tabs('block/6', 'state', 'events', 'raw'),
    'block/9999',
    ...tabs(`tx/${succeeded}`, 'gas', 'state', 'events', 'raw', 'debug'),
    ...tabs(`tx/${reverted}`, 'gas'),
    ...tabs(`tx/${overflow}`, 'source', 'debug'),
    `tx/${large}?tab=state`,
    ...tabs(`contract/${counter}`, 'interact', 'storage', 'events', 'abi', 'history'),
    ...tabs(`contract/${STRK}`, 'token', 'calls', 'events', 'storage'),
    `contract/${STRK}?tab=interact&f=transfer`,
    `token/${STRK}`,
    ...tabs(`class/${ACCOUNT_CLASS}`, 'deploy', 'contracts'),
  ];
}
