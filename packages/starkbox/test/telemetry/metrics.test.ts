// Metrics of a scrape: each changes when it should, and only then.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connectSocket, startNode } from '@starkbox/test-support';
import { listen } from '@starkbox/test-support/listen';
import { parse, type Scrape, seriesOf } from '@starkbox/test-support/scrape';
import { Sender } from '@starkbox/test-support/signing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChain } from '../../src/index.js';
import { type Figures, Metrics } from '../../src/telemetry/metrics.js';

const REFERENCE = new URL('../../../../docs/reference/', import.meta.url);
const { node, client, account, url, close } = await startNode({
  listen: true,
  metricsHost: '127.0.0.1',
  metricsPort: 0,
});
const { metricsUrl = '' } = await node.listen();
afterAll(close);

const scrape = async (): Promise<Scrape> => parse(await (await fetch(metricsUrl)).text());
const ourMetrics = async (): Promise<readonly string[]> =>
  [...(await scrape()).types.keys()].filter((name) => !/^(process|nodejs)_/.test(name));

/** What changed while something was done; figures of the process left out. */
async function moved(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await scrape();
  await work();
  const after = await scrape();
  const names = new Set([...before.values.keys(), ...after.values.keys()]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const change = (after.values.get(name) ?? 0) - (before.values.get(name) ?? 0);
      const isOurs = !/^(process|nodejs)_|_bucket|_sum|_threads|_bytes|_connections/.test(name);
      return isOurs && change !== 0 ? [[name, change] as const] : [];
    }),
  );
}

const call = (method: string, status = 'success') => ({
  [`rpc_call_count{method="${method}",status="${status}"}`]: 1,
  [`rpc_call_duration_seconds_count{method="${method}"}`]: 1,
});
const changes = (count: number) => ({
  'devnet_lifecycle_lock_wait_seconds_count{mode="write"}': count,
  'devnet_lifecycle_lock_hold_seconds_count{mode="write"}': count,
});
const blocks = (count: number) => ({
  starknet_block_count: count,
  starkbox_state_versions: count,
  starknet_block_creation_duration_seconds_count: count,
});
const executions = (kind: string, count = 1) => ({
  [`starkbox_execution_duration_seconds_count{kind="${kind}"}`]: count,
});
const raw = (body: string) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });

beforeAll(async () => {
  // The first transaction writes what others find.
  await client.call('devnet_mint', { address: '0x1', amount: 1 });
});

describe('a scrape', () => {
  test('is text as Prometheus reads it, on a listener of its own', async () => {
    const response = await fetch(metricsUrl);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const { types } = parse(await response.text());
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes']) {
      expect(types.has(name)).toBe(true);
    }
    expect(types.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
    expect(types.has('nodejs_heap_size_used_bytes')).toBe(true);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    expect((await fetch(new URL('/', metricsUrl))).status).toBe(404);
    expect((await fetch(metricsUrl, { method: 'POST' })).status).toBe(405);
  });

  test('moves nothing by itself', async () => {
    expect(await moved(async () => {})).toEqual({});
  });

  test.each([
    ['rpc_call_duration_seconds', 'histogram'],
    ['rpc_call_count', 'counter'],
    ['devnet_lifecycle_lock_wait_seconds', 'histogram'],
    ['devnet_lifecycle_lock_hold_seconds', 'histogram'],
    ['starknet_transaction_count', 'gauge'],
    ['starknet_block_count', 'gauge'],
    ['starknet_block_creation_duration_seconds', 'histogram'],
    ['starknet_upstream_call_duration_seconds', 'histogram'],
    ['starknet_upstream_call_count', 'counter'],
    ['starknet_upstream_cache_hit_count', 'counter'],
    ['starknet_upstream_cache_miss_count', 'counter'],
    ['starknet_upstream_cache_size', 'gauge'],
  ])('has %s as a %s', async (name, type) => {
    expect((await scrape()).types.get(name)).toBe(type);
  });

  test('has the buckets that dashboards know', async () => {
    const { values } = await scrape();
    const buckets = (series: string): string[] =>
      [...values.keys()].flatMap((name) =>
        name.startsWith(series) ? [/le="([^"]+)"/.exec(name)?.[1] ?? ''] : [],
      );
    expect(buckets('starknet_block_creation_duration_seconds_bucket')).toEqual(
      '0.00005 0.0001 0.00025 0.0005 0.001 0.0025 0.005 0.01 +Inf'.split(' '),
    );
    expect(buckets('devnet_lifecycle_lock_wait_seconds_bucket')).toEqual(
      '0.00001 0.0001 0.001 0.01 0.1 1 10 60 +Inf'.split(' '),
    );
    const mints = [...values.keys()].filter((name) => /_bucket.*devnet_mint/.test(name));
    expect(mints.map((name) => /le="([^"]+)"/.exec(name)?.[1])).toEqual(
      '0.00005 0.0001 0.00025 0.0005 0.001 0.0025 0.005 0.01 0.015 0.025 0.05 0.1 0.25 0.5 1 +Inf'.split(
        ' ',
      ),
    );
  });
});

describe('calls', () => {
  test('are counted by their first name, and reads move nothing else', async () => {
    expect(await moved(() => client.call('starknet_blockNumber'))).toEqual(
      call('starknet_blockNumber'),
    );
    const alias = '{"jsonrpc":"2.0","id":1,"method":"chain_blockNumber"}';
    expect(await moved(() => raw(alias))).toEqual(call('starknet_blockNumber'));
  });

  test('that fail are errors', async () => {
    const wrong = { block_id: { block_number: 1000 } };
    expect(await moved(() => client.failure('starknet_getBlockWithTxHashes', wrong))).toEqual(
      call('starknet_getBlockWithTxHashes', 'error'),
    );
  });

  test('to unknown methods share one label', async () => {
    // Series of Node come and go with its timers and sockets.
    const series = async () =>
      [...(await scrape()).values.keys()].filter((name) => !name.startsWith('nodejs_')).length;
    const before = await series();
    await raw('{"jsonrpc":"2.0","id":1,"method":"nope"}');
    const once = await series();
    const change = await moved(async () => {
      for (const method of ['a', 'b\\"}', 'constructor', '__proto__', 'devnet_', 'starknet_x']) {
        await raw(`{"jsonrpc":"2.0","id":1,"method":"${method}"}`);
      }
    });
    expect(change).toEqual({
      'rpc_call_count{method="unknown",status="error"}': 6,
      'rpc_call_duration_seconds_count{method="unknown"}': 6,
    });
    expect(once).toBeGreaterThan(before);
    expect(await series()).toBe(once);
  });

  test('of a batch count one by one; what is no call does not count', async () => {
    const call = '{"jsonrpc":"2.0","id":1,"method":"starknet_chainId"}';
    const { ...counts } = await moved(() => raw(`[${call},${call},1]`));
    expect(counts).toEqual({
      'rpc_call_count{method="starknet_chainId",status="success"}': 2,
      'rpc_call_duration_seconds_count{method="starknet_chainId"}': 2,
    });
    expect(await moved(() => raw('{ no'))).toEqual({});
  });
});

describe('the chain', () => {
  test('a transaction is executed in one change, and closes a block', async () => {
    const change = await moved(() => client.call('devnet_mint', { address: '0x1', amount: 1 }));
    expect(change).toMatchObject({
      ...call('devnet_mint'),
      ...changes(1),
      ...blocks(1),
      ...executions('transaction'),
      starknet_transaction_count: 1,
    });
  });

  test('a transaction waits in the mempool until it is executed', async () => {
    await client.call('devnet_setBlockSettings', { block_generation_on: 'mempool' });
    const sender = new Sender(client, node.accounts[0]);
    const waiting = await moved(() => sender.invoke([]));
    expect(waiting).toMatchObject({ starkbox_mempool_transactions: 1, ...changes(1) });
    expect(waiting).not.toHaveProperty('starknet_transaction_count');
    expect(await moved(() => client.call('devnet_mempoolSeal'))).toMatchObject({
      starkbox_mempool_transactions: -1,
      starknet_transaction_count: 1,
      ...blocks(1),
    });
    await client.call('devnet_setBlockSettings', { block_generation_on: 'transaction' });
  });

  test('instances are counted', async () => {
    const change = await moved(() => client.call('devnet_createInstance', {}));
    expect(change).toMatchObject({ starkbox_instances: 1 });
  });

  test('calls and estimates change nothing', async () => {
    const { strk } = node.tokens;
    const request = {
      contract_address: strk.address,
      entry_point_selector: DECIMALS,
      calldata: [],
    };
    expect(
      await moved(() => client.call('starknet_call', { request, block_id: 'latest' })),
    ).toEqual({ ...call('starknet_call'), ...executions('call') });
    const transfer = {
      contractAddress: strk.address,
      entrypoint: 'transfer',
      calldata: ['0x1', 1, 0],
    };
    expect(await moved(() => account(0).estimateInvokeFee(transfer, { tip: 0 }))).toMatchObject(
      executions('simulation'),
    );
  });

  test('snapshot, revert, abort and restart: gauges follow, counters go on', async () => {
    const id = await client.call('devnet_snapshot', {});
    expect((await scrape()).values.get('starkbox_snapshots')).toBe(1);
    await client.call('devnet_createBlock', {});
    expect(await moved(() => client.call('devnet_revert', { snapshot_id: id }))).toMatchObject({
      ...call('devnet_revert'),
      ...changes(1),
      starknet_block_count: -1,
      starkbox_snapshots: -1,
    });
    await client.call('devnet_createBlock', {});
    const abort = { starting_block_id: 'latest' } as const;
    expect(await moved(() => client.call('devnet_abortBlocks', abort))).toMatchObject({
      starknet_block_count: -1,
      ...call('devnet_abortBlocks'),
    });
    const minted = 'rpc_call_count{method="devnet_mint",status="success"}';
    const before = (await scrape()).values;
    await client.call('devnet_restart', {});
    const { values } = await scrape();
    expect(values.get('starknet_block_count')).toBe(1);
    expect(values.get('starknet_transaction_count')).toBe(0);
    expect(values.get('starkbox_snapshots')).toBe(0);
    expect(values.get(minted)).toBe(before.get(minted));
  });

  test('a state shows what it holds', async () => {
    const write = { address: '0x5', amount: 1 };
    const change = await moved(() => client.call('devnet_mint', write));
    expect(change['starkbox_state_slots']).toBeGreaterThan(0);
    expect(change['starkbox_state_older_values']).toBeGreaterThan(0);
    const { values } = await scrape();
    expect(values.get('starkbox_state_contracts')).toBeGreaterThan(10);
    expect(values.get('starkbox_state_classes')).toBeGreaterThan(2);
    expect(values.get('starkbox_state_bytes')).toBeGreaterThan(1000);
    expect(values.get('starkbox_engine_threads')).toBeGreaterThan(0);
    expect(values.get('starkbox_changes_waiting')).toBe(0);
    expect(values.get('starkbox_executions_running{kind="transaction"}')).toBe(0);
  });

  test('waiting changes and running executions are shown', async () => {
    const minting = Array.from({ length: 30 }, () =>
      client.call('devnet_mint', { address: '0x1', amount: 1 }),
    );
    const scrapes: Scrape[] = [];
    let isDone = false;
    const end = Promise.all(minting).finally(() => (isDone = true));
    while (!isDone) scrapes.push(await scrape());
    await end;
    const most = (name: string) => Math.max(...scrapes.map(({ values }) => values.get(name) ?? 0));
    expect(most('starkbox_changes_waiting')).toBeGreaterThan(0);
    expect(most('starkbox_executions_running{kind="transaction"}')).toBe(1);
    expect((await scrape()).values.get('starkbox_changes_waiting')).toBe(0);
  });
});

describe('sockets', () => {
  test('and subscriptions are counted while they are there', async () => {
    const socket = await connectSocket(url);
    await socket.subscribe('starknet_subscribeNewHeads');
    await socket.subscribe('starknet_subscribeEvents');
    const { values } = await scrape();
    expect(values.get('starkbox_sockets')).toBe(1);
    expect(values.get('starkbox_subscriptions{topic="heads"}')).toBe(1);
    expect(values.get('starkbox_subscriptions{topic="events"}')).toBe(1);
    expect(values.get('starkbox_subscriptions{topic="status"}')).toBe(0);
    expect(values.get('starkbox_connections')).toBeGreaterThan(0);
    // The past of a subscription follows its answer after a moment.
    const queued = async () => (await scrape()).values.get('starkbox_socket_unread_bytes');
    await expect.poll(queued).toBe(0);
    await socket.close();
    await expect.poll(async () => (await scrape()).values.get('starkbox_sockets')).toBe(0);
    expect((await scrape()).values.get('starkbox_subscriptions{topic="heads"}')).toBe(0);
  });
});

test('questions to a forked chain have their own', async () => {
  const nothing: Figures = {
    blocks: 0,
    transactions: 0,
    pendingTransactions: 0,
    waitingTransactions: 0,
    snapshots: 0,
    instances: 0,
    openInstances: 0,
    waitingChanges: 0,
    waitingExecutions: 9,
    state: {
      slots: 0,
      contracts: 0,
      classes: 0,
      versions: 0,
      olderValues: 0,
      approximateBytes: 0,
    },
    subscriptions: {},
    sockets: 0,
    unreadBytes: 8,
    connections: 0,
    upstreamCacheSize: 3,
  };
  const metrics = new Metrics();
  metrics.observe(() => nothing);
  const work = { kind: 'upstream', method: 'starknet_getNonce' } as const;
  await metrics.around(work, async () => '0x0');
  await expect(metrics.around(work, () => Promise.reject(new Error('gone')))).rejects.toThrow();
  metrics.looked('starknet_getNonce', true);
  metrics.looked('starknet_getNonce', false);
  const { values } = parse(await metrics.text());
  const labels = (status: string) => `{method="starknet_getNonce",status="${status}"}`;
  for (const status of ['success', 'error']) {
    expect(values.get(`starknet_upstream_call_count${labels(status)}`)).toBe(1);
    expect(values.get(`starknet_upstream_call_duration_seconds_count${labels(status)}`)).toBe(1);
  }
  const le = [...values.keys()].filter((name) => /duration_seconds_bucket.*error/.test(name));
  expect(le.map((name) => /le="([^"]+)"/.exec(name)?.[1])).toEqual(
    '0.001 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf'.split(' '),
  );
  expect(values.get('starknet_upstream_cache_hit_count{method="starknet_getNonce"}')).toBe(1);
  expect(values.get('starknet_upstream_cache_miss_count{method="starknet_getNonce"}')).toBe(1);
  expect(values.get('starknet_upstream_cache_size')).toBe(3);
  expect(values.get('starkbox_executions_waiting')).toBe(9);
  expect(values.get('starkbox_socket_unread_bytes')).toBe(8);
});

test('a port in use is reported at the start', async () => {
  const other = createServer();
  const metricsPort = await listen(other);
  const conflicting = await createChain({ port: 0, metricsHost: '127.0.0.1', metricsPort });
  await expect(conflicting.listen()).rejects.toThrow('--metrics-port');
  await conflicting.close();
  other.close();
});

describe('the dashboard', () => {
  const text = readFileSync(new URL('grafana-dashboard.json', REFERENCE), 'utf8');
  const { panels }: { readonly panels: readonly Panel[] } = JSON.parse(text);
  const queries = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr] as const),
  );

  test.each(queries)('%s: %s', async (_, query) => {
    const { types, labels } = await scrape();
    const queried = seriesOf(query);
    expect(queried.length).toBeGreaterThan(0);
    for (const series of queried) {
      expect(types.has(series.name) || types.has(series.metric), series.name).toBe(true);
      const knownLabels = labels.get(series.name);
      // Questions to a forked chain and stalls have no series where there are none.
      if (/^(starknet_upstream|starkbox_loop_stall)/.test(series.metric)) continue;
      for (const label of series.labels) expect([...(knownLabels ?? [])]).toContain(label);
    }
  });

  test('shows every metric of ours', async () => {
    const charted = new Set(
      queries.flatMap(([, query]) => seriesOf(query).map((series) => series.metric)),
    );
    const ours = await ourMetrics();
    expect(ours.filter((name) => !charted.has(name))).toEqual([]);
  });
});

test('the page about metrics lists every metric of ours, and no other', async () => {
  const page = readFileSync(new URL('metrics.md', REFERENCE), 'utf8');
  const listed = [...page.matchAll(/^\| `(\w+)` \| (?:counter|gauge|histogram)/gm)];
  const ours = await ourMetrics();
  const names = listed.map(([, name = '']) => name);
  expect(names.toSorted()).toEqual(ours.toSorted());
});

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** The selector of `decimals`. */
const DECIMALS = '0x4c4fb1ab068f6039d5780c68dd0fa2f8742cceb3426d19667778ca7f3518a9';
