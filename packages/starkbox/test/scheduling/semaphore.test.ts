// The semaphore: its limit holds, and waiters that left are not served.

import { startNode } from '@starkbox/test-support';
import { CallData, num, transaction } from 'starknet';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createChain } from '../../src/index.js';
import { Semaphore } from '../../src/scheduling/semaphore.js';

test('admits up to its limit, in order of arrival', async () => {
  const turnstile = new Semaphore({ places: 2 });
  let inside = 0;
  let most = 0;
  const order: number[] = [];
  const visit = (number: number) =>
    turnstile.run(async () => {
      inside += 1;
      most = Math.max(most, inside);
      order.push(number);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      if (number === 3) throw new Error('three');
      return number;
    });
  const visits = await Promise.allSettled([0, 1, 2, 3, 4, 5, 6].map(visit));
  expect(most).toBe(2);
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(visits.map(({ status }) => status === 'fulfilled')).toEqual([
    true,
    true,
    true,
    false,
    true,
    true,
    true,
  ]);
  expect(await visit(7)).toBe(7);
});

test('a waiter that is too late is refused, and its slot goes to the next', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const turnstile = new Semaphore({ places: 1, queueTimeout: 0.1 });
  let open = (): void => {};
  const first = turnstile.run(
    () =>
      new Promise<string>((resolve) => {
        open = () => resolve('first');
      }),
  );
  const late = expect(turnstile.run(async () => 'late')).rejects.toMatchObject({ code: -1 });
  await vi.advanceTimersByTimeAsync(100);
  const next = turnstile.run(async () => 'next');
  open();
  expect(await first).toBe('first');
  await late;
  expect(await next).toBe('next');
});

test('a waiter is refused at its timeout, though no slot becomes free', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const turnstile = new Semaphore({ places: 1, queueTimeout: 0.05 });
  let open = (): void => {};
  const first = turnstile.run(
    () =>
      new Promise<void>((resolve) => {
        open = resolve;
      }),
  );
  const late = expect(turnstile.run(async () => 'late')).rejects.toThrow('timed out after 0.05 s');
  await vi.advanceTimersByTimeAsync(49);
  expect(turnstile.figures).toEqual({ inside: 1, waiting: 1 });
  await vi.advanceTimersByTimeAsync(1);
  await late;
  expect(turnstile.figures).toEqual({ inside: 1, waiting: 0 });
  open();
  await first;
  expect(turnstile.figures).toEqual({ inside: 0, waiting: 0 });
});

test('more waiters than the queue takes are rejected', async () => {
  const turnstile = new Semaphore({ places: 1, queue: 2 });
  let open = (): void => {};
  const first = turnstile.run(() => new Promise<void>((resolve) => (open = resolve)));
  const waiting = [1, 2].map((number) => turnstile.run(async () => number));
  await expect(turnstile.run(async () => 3)).rejects.toMatchObject({
    code: -1,
    message: expect.stringContaining('2 executions are already waiting'),
  });
  open();
  await first;
  expect(await Promise.all(waiting)).toEqual([1, 2]);
});

test('a waiter that leaves the queue takes no slot, also when both happen at once', async () => {
  const turnstile = new Semaphore({ places: 1 });
  const leaving = new AbortController();
  const order: string[] = [];
  const first = turnstile.run(async () => {
    order.push('first');
    leaving.abort();
  });
  const gone = expect(
    turnstile.run(async () => order.push('gone'), leaving.signal),
  ).rejects.toThrow('The client disconnected');
  const next = turnstile.run(async () => order.push('next'));
  await Promise.all([first, gone, next]);
  await expect(turnstile.run(async () => order.push('gone'), leaving.signal)).rejects.toThrow();
  expect(order).toEqual(['first', 'next']);
  expect(turnstile.figures).toEqual({ inside: 0, waiting: 0 });
});

test('the limit can change while slots are taken', async () => {
  const turnstile = new Semaphore({ places: 1 });
  const gates: (() => void)[] = [];
  const visit = () => turnstile.run(() => new Promise<void>((resolve) => gates.push(resolve)));
  const visits = [visit(), visit(), visit()];
  expect(turnstile.figures).toEqual({ inside: 1, waiting: 2 });
  turnstile.resize(2);
  await expect.poll(() => gates.length).toBe(2);
  turnstile.resize(1);
  gates[0]?.();
  await visits[0];
  expect(turnstile.figures).toEqual({ inside: 1, waiting: 1 });
  gates[1]?.();
  await expect.poll(() => gates.length).toBe(3);
  gates[2]?.();
  await Promise.all(visits);
});

test('a long batch is simulated like a short one, each after the ones before it', async () => {
  const { node, account, client, close } = await startNode({ listen: true });
  const calls = [
    { contractAddress: node.tokens.strk.address, entrypoint: 'transfer', calldata: ['0x5', 1, 0] },
  ];
  const { address } = account(0);
  const calldata = transaction.fromCallsToExecuteCalldata_cairo1(calls);
  const row = (length: number) =>
    Array.from({ length }, (_, nonce) => ({
      type: 'INVOKE' as const,
      version: '0x100000000000000000000000000000003' as const,
      sender_address: num.toHex(address),
      calldata: CallData.toHex(calldata),
      signature: [],
      nonce: num.toHex(nonce),
      resource_bounds: {
        l1_gas: { max_amount: '0x0', max_price_per_unit: '0x0' },
        l2_gas: { max_amount: '0x0', max_price_per_unit: '0x0' },
        l1_data_gas: { max_amount: '0x0', max_price_per_unit: '0x0' },
      },
      tip: '0x0',
      paymaster_data: [],
      account_deployment_data: [],
      nonce_data_availability_mode: 'L1' as const,
      fee_data_availability_mode: 'L1' as const,
    }));
  const estimates = (length: number) =>
    client.call('starknet_estimateFee', {
      request: row(length),
      simulation_flags: ['SKIP_VALIDATE'],
      block_id: 'latest',
    });
  const [short, long] = [await estimates(16), await estimates(20)];
  expect(long).toHaveLength(20);
  expect(long.slice(0, 16)).toEqual(short);
  await close();
});

test('more calls than slots are all answered', async () => {
  const node = await createChain({ seed: 0, maximumExecutions: 1 });
  const request = {
    contract_address: node.tokens.strk.address,
    entry_point_selector: '0x4c4fb1ab068f6039d5780c68dd0fa2f8742cceb3426d19667778ca7f3518a9',
    calldata: [],
  };
  const call = () => node.request('starknet_call', { request, block_id: 'latest' });
  const answers = await Promise.all(Array.from({ length: 20 }, call));
  expect(answers).toEqual(Array(20).fill(['0x12']));
  await node.close();
});
