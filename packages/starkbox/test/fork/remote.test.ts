// Requests to the origin: batched, deduplicated, limited, retried, and never guessed.

import { FaultyProxy, type Mishap } from '@starkbox/test-support/fork/proxy';
import { STRK } from '@starkbox/test-support/signing';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { RpcError } from '../../src/errors.js';
import { OriginError, OriginFailure } from '../../src/fork/origin/failure.js';
import { Remote, type RequestPolicy } from '../../src/fork/origin/remote.js';
import { silentLog } from '../../src/log.js';
import { QUICK, startOrigin } from '../support/fork/origin.js';

const opened: Remote[] = [];

const origin = await startOrigin();
const proxy = origin.proxy;
afterEach(() => {
  for (const remote of opened.splice(0)) remote.close();
  proxy.forget();
  proxy.delay = 0;
  proxy.takesBatches = true;
  proxy.mishap = () => undefined;
});
afterAll(() => origin.close());

function connect(
  manners: Partial<RequestPolicy> = {},
  urls: readonly string[] = [proxy.url],
): Remote {
  const remote = new Remote(urls, { log: silentLog, policy: { ...QUICK, ...manners } });
  opened.push(remote);
  return remote;
}

const slot = (key: number) => ({
  contract_address: STRK,
  key: `0x${key.toString(16)}`,
  block_id: 'latest',
});
const askSlot = (remote: Remote, key: number): Promise<unknown> =>
  remote.ask('starknet_getStorageAt', slot(key), { insists: true });
const always = (mishap: Mishap) => () => mishap;
/** Goes wrong so often, and then not any more. */
const atFirst = (times: number, mishap: Mishap) => (request: { readonly index: number }) =>
  request.index < times ? mishap : undefined;

async function failureOf(answer: Promise<unknown>): Promise<OriginFailure> {
  const error = await answer.then(
    (value) => new Error(`it answers ${String(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof OriginFailure) return error;
  throw error;
}

describe('questions', () => {
  test('of one turn travel together', async () => {
    const remote = connect();
    const answers = await Promise.all(Array.from({ length: 50 }, (_, key) => askSlot(remote, key)));
    expect(answers).toEqual(Array.from({ length: 50 }, () => '0x0'));
    expect(proxy.requests).toBe(1);
    expect(proxy.count('starknet_getStorageAt')).toBe(50);
    expect(remote.figures()).toEqual({ questions: 50, requests: 1, retries: 0 });
  });

  test('fill no batch beyond its bound', async () => {
    const remote = connect({ batch: 8 });
    await Promise.all(Array.from({ length: 20 }, (_, key) => askSlot(remote, key)));
    expect(proxy.requests).toBe(3);
  });

  test('travel alone to an origin that takes no batches, a bounded number at once', async () => {
    proxy.takesBatches = false;
    proxy.delay = 5;
    const remote = connect({ concurrency: 4 });
    const keys = Array.from({ length: 24 }, (_, key) => key);
    await Promise.all(keys.map((key) => askSlot(remote, key)));
    await Promise.all(keys.map((key) => askSlot(remote, key + 100)));
    expect(proxy.batches).toBe(1);
    expect(proxy.count('starknet_getStorageAt')).toBe(24 + 48);
    expect(proxy.mostAtOnce).toBeLessThanOrEqual(4);
    expect(remote.figures().retries).toBe(0);
  });

  test('travel alone where a batch is refused by its status', async () => {
    proxy.mishap = ({ isBatch }) => (isBatch ? { kind: 'status', status: 405 } : undefined);
    const remote = connect();
    expect(await Promise.all([askSlot(remote, 1), askSlot(remote, 2)])).toEqual(['0x0', '0x0']);
  });

  test('that are under way are not asked again', async () => {
    proxy.delay = 300;
    const remote = connect();
    const first = askSlot(remote, 7);
    await expect.poll(() => proxy.requests, { interval: 2 }).toBe(1);
    const others = [askSlot(remote, 7), askSlot(remote, 7)];
    expect(await Promise.all([first, ...others])).toEqual(['0x0', '0x0', '0x0']);
    expect(proxy.count('starknet_getStorageAt')).toBe(1);
  });

  test('are answered by errors that are about the chain', async () => {
    const remote = connect();
    const codes = [
      ['starknet_getNonce', { block_id: 'latest', contract_address: '0x99' }, 20],
      ['starknet_getClass', { block_id: 'latest', class_hash: '0x99' }, 28],
      ['starknet_getBlockWithTxs', { block_id: { block_number: 999 } }, 24],
      ['starknet_getTransactionByHash', { transaction_hash: '0x99' }, 29],
      [
        'starknet_getTransactionByBlockIdAndIndex',
        { block_id: { block_number: 0 }, index: 99 },
        27,
      ],
    ] as const;
    for (const [method, params, code] of codes) {
      const error = await remote.ask(method, params).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(RpcError);
      expect(error).not.toBeInstanceOf(OriginFailure);
      expect(error).toMatchObject({ code });
    }
    expect(remote.figures().retries).toBe(0);
  });
});

describe('a failure', () => {
  const passing: readonly (readonly [string, Mishap])[] = [
    ['a reset', { kind: 'reset' }],
    ['an answer cut off', { kind: 'truncate' }],
    ['a page instead of an answer', { kind: 'garbage' }],
    ['a status 500', { kind: 'status', status: 500 }],
    ['a status 429', { kind: 'status', status: 429 }],
    ['an internal error', { kind: 'error', code: -32603, message: 'Internal error' }],
    ['a limit as an error', { kind: 'error', code: -32005, message: 'Limit exceeded' }],
  ];

  test.each(passing)('that passes goes unnoticed: %s', async (_name, mishap) => {
    proxy.mishap = atFirst(2, mishap);
    const remote = connect();
    expect(await Promise.all([askSlot(remote, 1), askSlot(remote, 2)])).toEqual(['0x0', '0x0']);
    expect(remote.figures().retries).toBeGreaterThanOrEqual(2);
  });

  const lasting: readonly (readonly [OriginFailure['kind'], Mishap, number])[] = [
    ['unreachable', { kind: 'reset' }, 3],
    ['malformed', { kind: 'truncate' }, 3],
    ['malformed', { kind: 'garbage' }, 3],
    ['http', { kind: 'status', status: 503 }, 3],
    ['http', { kind: 'status', status: 401 }, 1],
    ['rate-limited', { kind: 'status', status: 429 }, 3],
    ['rate-limited', { kind: 'error', code: -32005, message: 'Limit exceeded' }, 3],
    ['timeout', { kind: 'silence' }, 1],
  ];

  test.each(lasting)('that lasts is reported as %s: %o', async (kind, mishap, requests) => {
    proxy.mishap = always(mishap);
    const remote = connect({ attempts: 3, ...(kind === 'timeout' ? { queueTimeout: 60 } : {}) });
    const error = await failureOf(askSlot(remote, 1));
    expect(error).toMatchObject({ kind, url: proxy.url, code: -32603 });
    expect(error.data).toMatchObject({ kind, url: proxy.url });
    expect(proxy.requests).toBe(requests);
  });

  test.each([
    [-32603, 'Internal error', true, 3],
    [-32603, 'Internal error', false, 1],
    [-32601, 'Method not found', true, 1],
    [-32601, 'Method not found', false, 1],
  ])('that is an error %i is passed on, at once unless retried: %s, %s', async (...row) => {
    const [code, message, insists, requests] = row;
    proxy.mishap = always({ kind: 'error', code, message });
    const answer = connect({ attempts: 3 }).ask('starknet_getStorageAt', slot(1), { insists });
    const error = await answer.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OriginError);
    expect(error).toMatchObject({ code, message, url: proxy.url });
    expect(proxy.requests).toBe(requests);
  });

  test('to connect is reported', async () => {
    const remote = connect({ attempts: 2 }, ['http://127.0.0.1:1']);
    expect(await failureOf(askSlot(remote, 1))).toMatchObject({ kind: 'unreachable' });
  });

  test('of one question leaves the others of its batch alone', async () => {
    const remote = connect({ attempts: 2 });
    const [slotValue, nonsense] = await Promise.allSettled([
      askSlot(remote, 1),
      remote.ask('starknet_nonsense', {}),
    ]);
    expect(slotValue).toEqual({ status: 'fulfilled', value: '0x0' });
    expect(nonsense).toMatchObject({ status: 'rejected', reason: { code: -32601 } });
  });

  test('never shows credentials', async () => {
    proxy.mishap = always({ kind: 'status', status: 403 });
    const secret = proxy.url.replace('http://', 'http://me:secret@');
    const url = `${secret}/v2/abcdefghijklmnopqrstuvwxyz012345?key=hidden`;
    const error = await failureOf(askSlot(connect({}, [url]), 1));
    expect(error.url).toBe(`${proxy.url}/v2/…`);
    expect(JSON.stringify([error.message, error.data])).not.toMatch(/secret|abcdef|hidden/);
    expect(proxy.headers.authorization).toBe(`Basic ${btoa('me:secret')}`);
  });
});

describe('an origin that limits the rate of requests', () => {
  test('gets the next request after the given delay', async () => {
    const requestTimes: number[] = [];
    proxy.mishap = ({ index }) => {
      requestTimes.push(performance.now());
      return index === 0
        ? { kind: 'status', status: 429, headers: { 'retry-after': '0.2' } }
        : undefined;
    };
    const remote = connect();
    expect(await askSlot(remote, 1)).toBe('0x0');
    const [first = 0, second = 0] = requestTimes;
    expect(second - first).toBeGreaterThanOrEqual(190);
  });

  test('may name a date', async () => {
    const date = new Date(1_700_000_000_000).toUTCString();
    const headers = { date, 'retry-after': new Date(1_700_000_001_000).toUTCString() };
    proxy.mishap = always({ kind: 'status', status: 429, headers });
    const error = await failureOf(askSlot(connect({ longestRest: 500 }), 1));
    expect(error.kind).toBe('rate-limited');
    expect(proxy.requests).toBe(1);
  });

  test('for too long has failed', async () => {
    proxy.mishap = always({ kind: 'status', status: 429, headers: { 'retry-after': '3600' } });
    const error = await failureOf(askSlot(connect(), 1));
    expect(error.kind).toBe('rate-limited');
    expect(proxy.requests).toBe(1);
  });
});

describe('several addresses', () => {
  test('replace each other', async () => {
    await using other = await FaultyProxy.before(proxy.url);
    other.mishap = always({ kind: 'status', status: 500 });
    const remote = connect({}, ['http://127.0.0.1:1', other.url, proxy.url]);
    expect(await askSlot(remote, 1)).toBe('0x0');
    expect(await askSlot(remote, 2)).toBe('0x0');
    // The one that works is asked first from then on.
    expect(other.requests).toBe(1);
    expect(proxy.requests).toBe(2);
  });

  test('replace one whose error says nothing about the chain, before it is passed on', async () => {
    await using other = await FaultyProxy.before(proxy.url);
    other.mishap = always({ kind: 'error', code: -32601, message: 'Not here' });
    const remote = connect({}, [other.url, proxy.url]);
    expect(await remote.ask('starknet_getStorageAt', slot(1))).toBe('0x0');
    proxy.mishap = always({ kind: 'error', code: -32603, message: 'Nor here' });
    other.forget();
    proxy.forget();
    const error = await remote.ask('starknet_getStorageAt', slot(2)).catch((reason) => reason);
    expect(error).toBeInstanceOf(OriginError);
    expect([other.requests, proxy.requests]).toEqual([1, 1]);
    // What is about the chain needs no second opinion.
    proxy.mishap = always({ kind: 'error', code: 24, message: 'Block not found' });
    other.mishap = proxy.mishap;
    other.forget();
    proxy.forget();
    await expect(remote.ask('starknet_getStorageAt', slot(3))).rejects.toMatchObject({ code: 24 });
    expect(other.requests + proxy.requests).toBe(1);
  });

  test('replace one that is silent', async () => {
    await using other = await FaultyProxy.before(proxy.url);
    other.mishap = always({ kind: 'silence' });
    const remote = connect({ queueTimeout: 2000 }, [other.url, proxy.url]);
    expect(await askSlot(remote, 1)).toBe('0x0');
    expect(other.requests).toBe(1);
  });
});

test('closing fails what is under way', async () => {
  proxy.mishap = always({ kind: 'silence' });
  const remote = connect({ queueTimeout: 10_000 });
  const answer = failureOf(askSlot(remote, 1));
  await expect.poll(() => proxy.requests).toBe(1);
  remote.close();
  expect((await answer).kind).toBe('unreachable');
  expect((await failureOf(askSlot(remote, 2))).kind).toBe('unreachable');
});

/** For more: TEST_REQUESTS=20000. */
const REQUESTS = Number(process.env['TEST_REQUESTS'] ?? 600);

test(`${REQUESTS} questions to an origin that fails at random get right answers or reasons`, async () => {
  const dice = seeded(7);
  const mishaps: readonly Mishap[] = [
    { kind: 'reset' },
    { kind: 'truncate' },
    { kind: 'garbage' },
    { kind: 'silence' },
    { kind: 'status', status: 500 },
    { kind: 'status', status: 429, headers: { 'retry-after': '0.01' } },
    { kind: 'error', code: -32603, message: 'Internal error' },
    { kind: 'error', code: -32005, message: 'Limit exceeded' },
  ];
  proxy.mishap = () => (dice() < 0.4 ? mishaps[Math.floor(dice() * mishaps.length)] : undefined);
  const remote = connect({ queueTimeout: 300, attempts: 3, batch: 5 });
  const { accounts } = origin.node;
  const classOf = (index: number) =>
    remote.ask(
      'starknet_getClassHashAt',
      {
        block_id: 'latest',
        contract_address: accounts[index % accounts.length]?.address,
      },
      { insists: true },
    );
  let right = 0;
  let failures = 0;
  for (let round = 0; round < REQUESTS; round += 100) {
    const answers = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) =>
        index % 2 === 0 ? classOf(round + index) : askSlot(remote, round + index),
      ),
    );
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 'fulfilled') {
        expect(answer.value).toBe(index % 2 === 0 ? origin.node.accountClassHash : '0x0');
        right += 1;
      } else {
        const { reason } = answer;
        if (reason instanceof OriginError) expect(reason.message).toBe('Internal error');
        else if (reason instanceof OriginFailure) expect(reason.reason).not.toBe('');
        else throw reason;
        failures += 1;
      }
    }
  }
  expect(right + failures).toBe(REQUESTS);
  // On a busy machine, more than the silent ones are too late.
  expect(right).toBeGreaterThan(0);
});

/** Numbers from 0 to 1 that look random and are the same every time. */
function seeded(start: number): () => number {
  let state = start;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
