// Parts of the client as values: nonces, statuses, explanations in errors, comparisons of calls, constants of code.
import { PRIME } from '@starkbox/abi/basics';
import { createChain } from 'starkbox';
import { RpcError } from 'starknet';
import { describe, expect, test } from 'vitest';
import { getExplanation } from '../src/client/explanation.js';
import { Nonces } from '../src/client/nonces.js';
import { remoteFeed } from '../src/client/status-feed.js';
import { createTestChain } from '../src/index.js';
import {
  compareResults,
  type DifferenceKind,
  leavesEqualStates,
} from '../src/properties/differential/comparison.js';
import { withReplaced } from '../src/properties/histories/replaced-values.js';
import type { DirectResult } from '../src/properties/model/direct-call.js';
import { classConstants } from '../src/properties/values/class-constants.js';

const refusal = (code: 52 | 55) =>
  new RpcError(
    code === 52
      ? { code, message: 'Invalid transaction nonce', data: 'why' }
      : { code, message: 'Account validation failed', data: 'why' },
    'starknet_addInvokeTransaction',
    {},
  );

describe('nonces', () => {
  const noncesFrom = (...read: readonly bigint[]) => {
    let reads = 0;
    const nonces = new Nonces(async () => read[reads++] ?? 99n);
    return { nonces, reads: () => reads };
  };
  const failing = (error: Error) => () => Promise.reject(error);

  test('are read once, and counted from then on', async () => {
    const { nonces, reads } = noncesFrom(5n, 9n, 20n);
    const sent = await Promise.all([1, 2, 3].map(() => nonces.send(async (nonce) => nonce)));
    expect([sent, reads()]).toEqual([[5n, 6n, 7n], 1]);
    nonces.forget();
    expect(await nonces.send(async (nonce) => nonce)).toBe(9n);
    await nonces.sendWithout(async () => undefined);
    expect(await nonces.send(async (nonce) => nonce)).toBe(20n);
  });

  test('are kept by a refusal, and read again where another client has sent', async () => {
    const { nonces, reads } = noncesFrom(5n, 8n, 30n);
    await expect(nonces.send(failing(refusal(55)))).rejects.toBeInstanceOf(RpcError);
    expect([await nonces.send(async (nonce) => nonce), reads()]).toEqual([5n, 1]);
    const tried: bigint[] = [];
    const sent = await nonces.send(async (nonce) => {
      tried.push(nonce);
      if (nonce < 8n) throw refusal(52);
      return nonce;
    });
    expect([tried, sent]).toEqual([[6n, 8n], 8n]);
    // A lost connection leaves it open whether it was sent.
    await expect(nonces.send(failing(new Error('gone')))).rejects.toThrow('gone');
    expect(await nonces.send(async (nonce) => nonce)).toBe(30n);
    const fresh = noncesFrom(1n);
    await expect(fresh.nonces.send(failing(refusal(52)))).rejects.toMatchObject({ code: 52 });
    expect(fresh.reads()).toBe(1);
  });
});

test('statuses are asked for where the node takes no socket, until the caller has enough', async () => {
  const answers = [
    undefined,
    { finality_status: 'RECEIVED' },
    { finality_status: 'ACCEPTED_ON_L2' },
  ];
  let asked = 0;
  const enough = new AbortController();
  const feed = remoteFeed('http://127.0.0.1:1', async () => {
    asked += 1;
    return answers[Math.min(asked, answers.length) - 1];
  });
  const statuses: string[] = [];
  for await (const { finality_status } of feed('0x1', enough.signal)) {
    statuses.push(finality_status);
    if (statuses.length === 3) enough.abort();
  }
  expect(statuses).toEqual(['RECEIVED', 'ACCEPTED_ON_L2', 'ACCEPTED_ON_L2']);
  expect(asked).toBe(4);
});

test('a chain is used as it is, and its client without what only a chain here has', async () => {
  const node = await createChain({ seed: 0 });
  const { url } = await node.listen({ port: 0 });
  const local = await createTestChain(node);
  const remote = await createTestChain(url);
  expect('callBranch' in local).toBe(true);
  expect('callBranch' in remote).toBe(false);
  expect(await remote.request('starknet_chainId')).toBe(await local.request('starknet_chainId'));
  await remote.close();
  await local.close();
});

describe('an explanation', () => {
  const explained = { text: 'because' };
  const carrying = (member: 'data' | 'baseError') =>
    Object.assign(
      new Error('failed'),
      member === 'data' ? { data: { explained } } : { baseError: { data: { explained } } },
    );
  const wrapped = (error: Error, levels: number): Error =>
    levels === 0 ? error : new Error('around', { cause: wrapped(error, levels - 1) });

  test('is found in an error, or in one of seven that it wraps', () => {
    for (const member of ['data', 'baseError'] as const) {
      expect(getExplanation(carrying(member))).toBe(explained);
      expect(getExplanation(wrapped(carrying(member), 7))).toBe(explained);
      expect(getExplanation(wrapped(carrying(member), 8))).toBeUndefined();
    }
    expect(
      getExplanation(Object.assign(new Error('x'), { data: { explained: { text: 5 } } })),
    ).toBeUndefined();
    expect(getExplanation('text')).toBeUndefined();
  });
});

describe('two calls', () => {
  const resultOf = (changes: Partial<DirectResult> = {}): DirectResult => ({
    ...{ hasFailed: false, result: ['0x1'], gas: 100, failure: undefined },
    traceText: () => undefined,
    events: () => [{ from_address: '0x1', keys: ['0x2'], data: ['0x3'] }],
    writes: () => [{ address: '0x1', key: '0x2', value: '0x3' }],
    ...changes,
  });
  const failed = (panic: string) =>
    resultOf({ hasFailed: true, failure: { message: panic, frames: [], returned: [[panic]] } });
  const ALL: readonly DifferenceKind[] = ['failure', 'result', 'events', 'storage', 'gas'];
  const differ = (a: DirectResult, b: DirectResult, compare = ALL, gasTolerance = 0) =>
    compareResults(a, b, { compare, gasTolerance });

  test('differ by the weightiest kind that is compared', () => {
    expect(differ(resultOf(), resultOf())).toBeUndefined();
    expect(differ(resultOf(), failed('0x1'))).toBe('failure');
    expect(differ(failed('0x1'), failed('0x2'))).toBe('failure');
    expect(differ(failed('0x1'), failed('0x1'))).toBeUndefined();
    const other = resultOf({ result: ['0x2'], events: () => [], writes: () => [], gas: 200 });
    const order: DifferenceKind[] = ['result', 'storage', 'events', 'gas'];
    for (const [at, kind] of order.entries())
      expect(differ(resultOf(), other, order.slice(at))).toBe(kind);
    expect(differ(resultOf(), failed('0x1'), ['result'])).toBeUndefined();
    expect(differ(failed('0x1'), resultOf(), ['result', 'gas'])).toBeUndefined();
    expect(compareResults(resultOf(), resultOf({ gas: 200 }), {})).toBeUndefined();
    expect(differ(resultOf(), resultOf({ result: ['0x1', '0x2'] }))).toBe('result');
  });

  test('may differ in gas within a tolerance, and leave equal states', () => {
    const gas = (units: number) => differ(resultOf(), resultOf({ gas: units }), ['gas'], 0.25);
    expect([gas(125), gas(75), gas(126), gas(74)]).toEqual([undefined, undefined, 'gas', 'gas']);
    expect(leavesEqualStates(resultOf(), resultOf({ result: [] }))).toBe(true);
    expect(leavesEqualStates(resultOf(), failed('0x1'))).toBe(false);
    const writes = () => [{ address: '0x1', key: '0x2', value: '0x4' }];
    expect(leavesEqualStates(resultOf(), resultOf({ writes }))).toBe(false);
  });
});

test('values are replaced in all parts of calls and actions', () => {
  const double = withReplaced(
    [
      {
        kind: 'call',
        from: '0x1',
        to: '0x2',
        function: 'f',
        arguments: [1n, [2n, { a: 3n }], true, '0x1'],
      },
      { kind: 'action', name: '0x1', arguments: [4n] },
      { kind: 'time', seconds: 5 },
    ],
    (part) =>
      typeof part === 'bigint' ? 2n * part : part === '0x1' ? '0x9' : part === '0x2' ? 7n : part,
  );
  expect(double).toEqual([
    {
      kind: 'call',
      from: '0x9',
      to: '0x2',
      function: 'f',
      arguments: [2n, [4n, { a: 6n }], true, '0x9'],
    },
    { kind: 'action', name: '0x1', arguments: [8n] },
    { kind: 'time', seconds: 5 },
  ]);
});

test('constants of code are compared, subtracted or read through a pointer', () => {
  const instruction = (...bits: readonly number[]) =>
    `0x${(bits.reduce((flags, bit) => flags | (1n << BigInt(bit)), 1n << 2n) << 48n).toString(16)}`;
  const hex = (value: bigint) => `0x${value.toString(16)}`;
  const of = (...bytecode: readonly unknown[]) => classConstants({ bytecode });
  expect(of(instruction(14), '0x7d5')).toEqual([2005n]);
  // What is added is gas; what is subtracted is a limit.
  expect(of(instruction(14, 5), '0x7d5')).toEqual([]);
  expect(of(instruction(14, 5), hex(PRIME - 2005n))).toEqual([2005n]);
  expect(of(instruction(14, 6), hex(2n ** 32n - 5n))).toEqual([2n ** 32n - 5n]);
  expect(of(instruction(14, 6), hex(2n ** 32n + 5n))).toEqual([]);
  for (const bit of [7, 8, 9, 10, 12]) expect(of(instruction(bit), '0x7d5')).toEqual([]);
  expect(of('0x7d5', hex(2n ** 70n + 7n))).toEqual([2005n, 2n ** 70n + 7n]);
  expect(of('0x3', '0x4', '0x5', '0x7', '0x8', '0x9', 'x', 5)).toEqual([5n, 9n]);
  const text = (words: string) => `0x${Buffer.from(words).toString('hex')}`;
  expect(of(text('not owner'), text('StorageRead'), text('ADMIN'))).toEqual([
    BigInt(text('ADMIN')),
  ]);
  expect(
    of(...Array.from({ length: 600 }, (_, at) => hex(2n ** 40n + BigInt(at) + 9n))),
  ).toHaveLength(512);
});
