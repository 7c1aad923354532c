// Traces as a collector receives them, when the standard variables name one.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { startNode } from '@starkbox/test-support';
import { portOf } from '@starkbox/test-support/listen';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { areTracesRequested } from '../../src/config/environment.js';
import { createChain } from '../../src/index.js';

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

/** Kinds of spans on the wire. */
const [SERVER, CLIENT] = [2, 3];

let spans: Span[] = [];
let services: unknown[] = [];
const collector = createServer(async (request, response) => {
  const body = Object(await json(request));
  for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
    services.push(
      ...resource.attributes.flatMap(({ key, value }: { key: string; value: object }) =>
        key === 'service.name' ? Object.values(value) : [],
      ),
    );
    for (const { spans: exported } of scopeSpans) spans.push(...exported);
  }
  response.setHeader('content-type', 'application/json');
  response.end('{}');
});

beforeAll(async () => {
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
});
afterAll(() => void collector.close());
afterEach(() => {
  vi.unstubAllEnvs();
  spans = [];
  services = [];
});

function endpoint(): string {
  return `http://127.0.0.1:${portOf(collector)}`;
}

test('one span for each request and each execution, in one tree', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint());
  const node = await createChain({ seed: 0 });
  await node.request('devnet_mint', { address: '0x1', amount: 1 });
  await Promise.all([
    node.request('starknet_blockNumber'),
    node.request('devnet_mint', { address: '0x2', amount: 1 }),
    node.requestRaw('nothing').catch(() => {}),
  ]);
  await node.close();
  expect(spans.map(({ name }) => name).sort()).toEqual([
    'devnet_mint',
    'devnet_mint',
    'execute transaction',
    'execute transaction',
    'starknet_blockNumber',
    'unknown',
  ]);
  for (const { name, parentSpanId, traceId } of spans) {
    const parent = spans.find(({ spanId }) => spanId === parentSpanId);
    expect(parent?.name).toBe(name === 'execute transaction' ? 'devnet_mint' : undefined);
    if (parent) expect(parent.traceId).toBe(traceId);
  }
  const parents = spans.flatMap(({ parentSpanId }) => parentSpanId || []);
  expect(new Set(parents).size).toBe(2);
  const unknown = spans.find(({ name }) => name === 'unknown');
  expect(unknown?.status.code).toBe(2);
  expect(unknown?.attributes).toContainEqual({
    key: 'error.type',
    value: { stringValue: '-32601' },
  });
  expect(new Set(services)).toEqual(new Set(['starkbox']));
});

test('one span for each request to the origin', async () => {
  await using origin = await startNode({ listen: true });
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint());
  const node = await createChain({
    seed: 1,
    forkNetwork: origin.url,
    forkUpstreamCaching: false,
  });
  await node.request('starknet_getStateUpdate', { block_id: { block_number: 0 } });
  const slot = { contract_address: node.tokens.strk.address, key: '0x77', block_id: 'latest' };
  await node.requestRaw('starknet_getStorageAt', slot);
  await node.requestRaw('starknet_getStorageAt', slot);
  await node.close();
  const [block, forwarded] = spans.filter(({ name }) => name === 'starknet_getStateUpdate');
  const pair = [block, forwarded].toSorted((a, b) => (a?.kind ?? 0) - (b?.kind ?? 0));
  expect(pair.map((span) => span?.kind)).toEqual([SERVER, CLIENT]);
  expect(pair[1]?.parentSpanId).toBe(pair[0]?.spanId);
  const reads = spans.filter(({ name }) => name === 'starknet_getStorageAt');
  const requests = reads.filter(({ kind }) => kind === SERVER);
  const begun = requests.map(({ startTimeUnixNano: time }) => BigInt(time)).sort()[0] ?? 0n;
  const questions = reads.filter(
    ({ kind, startTimeUnixNano: time }) => kind === CLIENT && BigInt(time) >= begun,
  );
  // The second request finds the answer here. All executions share it, so that it belongs to none.
  expect([requests.length, questions.length]).toEqual([2, 1]);
});

test('the name of the service can be chosen', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', `${endpoint()}/v1/traces`);
  vi.stubEnv('OTEL_SERVICE_NAME', 'my-chain');
  const node = await createChain({ seed: 0 });
  await node.request('starknet_chainId');
  await node.close();
  expect(new Set(services)).toEqual(new Set(['my-chain']));
});

test('a collector that is not reachable has no effect on calls', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:1');
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '200');
  const node = await createChain({ seed: 0 });
  expect(await node.request('starknet_blockNumber')).toBe(0);
  await node.close();
});

test('nothing is sent without the variables', async () => {
  const node = await createChain({ seed: 0 });
  await node.request('starknet_chainId');
  await node.close();
  expect(spans).toEqual([]);
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  expect(areTracesRequested({})).toBe(false);
  expect(areTracesRequested(endpoint)).toBe(true);
  expect(areTracesRequested({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBe(false);
  expect(areTracesRequested({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toBe(false);
});
