// A fork whose origin is slow or fails: correct answers or reasons, no zeros, new blocks.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERRORS } from '@starkbox/spec';
import {
  type Client,
  checkedClient,
  type ListeningNode,
  RpcFailure,
  startNode,
} from '@starkbox/test-support';
import { mint, type Pair, startPair } from '@starkbox/test-support/fork/pair';
import type { Mishap } from '@starkbox/test-support/fork/proxy';
import { Random } from '@starkbox/test-support/random';
import { balanceSlot, contract, invokeRequest, Sender, STRK } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

let pair: Pair;
let fork: ListeningNode;
let folder: string;

beforeAll(async () => {
  folder = temporaryFolderOfFile();
  pair = await startPair(async (origin) => {
    for (let block = 1; block <= 4; block += 1) await mint(origin, '0x1234', block);
    const storage_entries = Array.from({ length: 2000 }, (_, at) => ({
      key: balanceSlot(holder(at + 1)),
      value: balance(at + 1),
    }));
    const state_diff = { storage_diffs: [{ address: STRK, storage_entries }] };
    await origin.client.call('devnet_applyStateDiff', { state_diff });
    await origin.client.call('devnet_createBlock');
  });
  fork = await pair.fork();
  await mint(fork, '0x1', 1);
});
afterEach(() => {
  pair.proxy.mishap = () => undefined;
  pair.proxy.delay = 0;
});
afterAll(() => pair.close());

const latest = (key: number) => ({
  contract_address: STRK,
  key: `0x${key.toString(16)}`,
  block_id: 'latest',
});

/** Many hold something. */
const holder = (at: number): string => `0x${(0x10000 + at).toString(16)}`;
const balance = (at: number): string => `0x${(at + 7).toString(16)}`;

test('a failed read gives its reason, and no zero', async () => {
  pair.proxy.mishap = () => ({ kind: 'status', status: 401 });
  const failure = await fork.client.failure('starknet_getStorageAt', latest(0x111));
  expect(failure).toMatchObject({ code: -1 });
  expect(failure.message).toContain('it returned status 401');
  const request = {
    contract_address: STRK,
    entry_point_selector: BALANCE_OF,
    calldata: ['0x999'],
  };
  expect(await fork.client.failure('starknet_call', { request, block_id: 'latest' })).toMatchObject(
    { code: -1 },
  );
  expect(
    await fork.client.failure('starknet_getBlockWithTxs', { block_id: { block_number: 0 } }),
  ).toMatchObject({ code: ERRORS.INTERNAL_ERROR.code, data: { kind: 'http' } });
  pair.proxy.mishap = () => undefined;
  expect(await fork.client.call('starknet_getStorageAt', latest(0x111))).toBe('0x0');
});

test('the chain goes on without its origin where it needs none', async () => {
  pair.proxy.mishap = () => ({ kind: 'status', status: 401 });
  const before = await fork.client.call('starknet_blockNumber');
  await mint(fork, '0x1', 1);
  await fork.client.call('devnet_createBlock');
  expect(await fork.client.call('starknet_blockNumber')).toBe(before + 2);
});

test('reads of many calls wait together, and other calls do not wait for them', async () => {
  const slow = await pair.fork();
  let open = (): void => {};
  pair.proxy.forget();
  pair.proxy.gate = new Promise((resolve) => {
    open = resolve;
  });
  const reads = Array.from({ length: 32 }, async (_, caller) => {
    for (let slot = 1; slot <= 5; slot += 1) {
      await slow.node.requestRaw('starknet_getStorageAt', latest(0x1000 * (caller + 1) + slot));
    }
  });
  // These are answered while the origin answers nothing.
  for (let count = 0; count < 20; count += 1) await slow.node.request('starknet_blockNumber');
  open();
  await Promise.all(reads);
  // One after another, each would be a request of its own, and never two at once.
  const { mostAtOnce, requests } = pair.proxy;
  expect(Math.max(mostAtOnce, (32 * 5) / requests)).toBeGreaterThan(2);
});

test('hundreds of calls that wait for a silent origin hold up no change of the chain', async () => {
  const { node } = await pair.fork({ forkTimeout: 60, timeout: 600 });
  let open = (): void => {};
  pair.proxy.gate = new Promise((resolve) => {
    open = resolve;
  });
  const calls = Array.from({ length: 300 }, (_, at) =>
    node.request('starknet_call', {
      request: {
        contract_address: STRK,
        entry_point_selector: BALANCE_OF,
        calldata: [holder(at + 1)],
      },
      block_id: 'latest',
    }),
  );
  const sender = new Sender(checkedClient(node.handle), node.accounts[0]);
  const calldata = [node.accounts[1]?.address ?? '', '0x1', '0x0'];
  const nonce = 0;
  const transfer = invokeRequest(sender.account, [{ to: STRK, name: 'transfer', calldata }], nonce);
  await node.requestRaw('starknet_addInvokeTransaction', { invoke_transaction: transfer });
  open();
  expect(await Promise.all(calls)).toEqual(calls.map((_, at) => [balance(at + 1), '0x0']));
});

test('a transaction that waits for the origin does not delay others', async () => {
  const { node } = await pair.fork({ forkTimeout: 60, timeout: 600 });
  const client = checkedClient(node.handle);
  const [slow, quick] = node.accounts.map((account) => new Sender(client, account));
  if (!slow || !quick) throw new Error('no accounts');
  const to = (address: string) => ({
    to: STRK,
    name: 'transfer',
    calldata: [address, '0x1', '0x0'],
  });
  let open = (): void => {};
  pair.proxy.gate = new Promise((resolve) => {
    open = resolve;
  });
  // Sent at once, with nonces that follow each other; later ones have less to wait for.
  const waiting = [[holder(1), holder(2)], [holder(2)], [quick.account.address]].map(
    (holders, nonce) =>
      client.call('starknet_addInvokeTransaction', [
        invokeRequest(slow.account, holders.map(to), nonce),
      ]),
  );
  const minted = mint({ client }, holder(3), 1);
  const height = await client.call('starknet_blockNumber');
  await quick.invoke([to(slow.account.address)]);
  expect(await client.call('starknet_blockNumber')).toBe(height + 1);
  open();
  await Promise.all([...waiting, minted]);
  expect(await slow.nonce()).toBe(3);
  expect(await client.call('starknet_blockNumber')).toBe(height + 5);
});

test('an execution that reads too long of a slow origin is given up, and the chain goes on', async () => {
  const { node, close } = await pair.fork({ timeout: 2 });
  onTestFinished(close);
  const client = checkedClient(node.handle);
  const sender = new Sender(client, node.accounts[0]);
  const calls = Array.from({ length: 60 }, (_, at) => ({
    to: STRK,
    name: 'transfer',
    calldata: [holder(1000 + at), '0x1', '0x0'],
  }));
  pair.proxy.delay = 100;
  const failure = await client.failure('starknet_addInvokeTransaction', [
    invokeRequest(sender.account, calls, 0),
  ]);
  expect(failure).toMatchObject({ code: -1 });
  expect(failure.message).toContain('given up after 1 s');
  pair.proxy.delay = 0;
  // What was read is kept, so that every attempt gets further; on a busy machine one may not do.
  while ((await sender.nonce()) === 0) {
    await sender.invoke(calls).catch(({ message }: Error) => {
      expect(message).toContain('given up after 1 s');
    });
  }
  expect(await sender.nonce()).toBe(1);
}, 300_000);

test('offline, a run is repeated byte for byte, though its origin is gone', async () => {
  // Blocks carry the time, and the second run comes later.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const forkLock = join(folder, 'lock.json');
  let counter = '';
  const gone = await startPair(async ({ client, node }) => {
    for (let block = 1; block <= 4; block += 1) await mint({ client }, '0x1234', block);
    counter = await new Sender(client, node.accounts[0]).deploy(await contract('counter'), ['0x5']);
  });
  const run = async ({ node }: Pick<ListeningNode, 'node'>): Promise<string[]> => {
    const answers: string[] = [];
    const ask = async (method: string, params: object = {}): Promise<void> => {
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      answers.push((await node.handle(text)) ?? '');
    };
    const block_id = 'latest';
    const [account] = node.accounts;
    if (!account) throw new Error('no account');
    const increase = (nonce: number) =>
      invokeRequest(account, [{ to: counter, name: 'increase', calldata: ['0x1'] }], nonce);
    await ask('devnet_setTime', { time: 1_900_000_000 });
    await ask('devnet_mint', { address: '0x1234', amount: 5 });
    await ask('starknet_addInvokeTransaction', { invoke_transaction: increase(0) });
    const { transaction_hash } = JSON.parse(answers.at(-1) ?? '').result;
    await ask('starknet_traceTransaction', { transaction_hash });
    await ask('starknet_getStateUpdate', { block_id });
    await ask('starknet_estimateFee', { request: [increase(1)], simulation_flags: [], block_id });
    await ask('starknet_simulateTransactions', {
      transactions: [increase(1)],
      simulation_flags: [],
      block_id,
    });
    for (const id of [block_id, { block_number: 2 }]) {
      await ask('starknet_getBlockWithReceipts', { block_id: id });
      await ask('starknet_getStorageAt', { ...latest(0x111), block_id: id });
      await ask('starknet_getClassHashAt', { contract_address: counter, block_id: id });
    }
    await ask('starknet_getEvents', { filter: { chunk_size: 7 } });
    await ask('starknet_getTransactionReceipt', { transaction_hash: '0x5' });
    await ask('starknet_getClassAt', { contract_address: counter, block_id });
    return answers;
  };
  const online = await gone.fork({ forkLock });
  const expected = await run(online);
  await online.node.close();
  const lock = await readFile(forkLock, 'utf8');
  await gone.close();
  const offline = await startNode({ seed: 1, forkLock, offline: true });
  expect(await run(offline)).toEqual(expected);
  expect(expected.filter((answer) => !answer.includes('"error"')).length).toBeGreaterThan(12);
  const missing = await offline.client.failure('starknet_getStorageAt', latest(0x4711));
  expect(missing.message).toContain(`storage ${STRK} 0x4711`);
  await offline.close();
  expect(await readFile(forkLock, 'utf8')).toBe(lock);
});

interface Question {
  readonly answer: Promise<unknown>;
  readonly right: unknown;
}

/** Questions to which a zero would be a wrong answer. */
function questionsTo(client: Client): readonly ((at: number) => Question)[] {
  return [
    (at: number) => ({
      answer: client.call('starknet_getStorageAt', {
        contract_address: STRK,
        key: balanceSlot(holder(at)),
        block_id: 'latest',
      }),
      right: balance(at),
    }),
    (at: number) => ({
      answer: client.call('starknet_call', {
        request: {
          contract_address: STRK,
          entry_point_selector: BALANCE_OF,
          calldata: [holder(at)],
        },
        block_id: 'latest',
      }),
      right: [balance(at), '0x0'],
    }),
    (at: number) => ({
      answer: client.call('starknet_getClassHashAt', {
        contract_address: pair.origin.node.accounts[at % 10]?.address,
        block_id: 'latest',
      }),
      right: pair.origin.node.accountClassHash,
    }),
    (at: number) => ({
      answer: client.call('starknet_getBlockTransactionCount', {
        block_id: { block_number: (at % 4) + 1 },
      }),
      right: 1,
    }),
  ];
}

/** Four of ten requests fail, in one of eight ways, the same in every run. */
function randomMishaps(): () => Mishap | undefined {
  const random = new Random(11);
  const mishaps = [
    { kind: 'reset' },
    { kind: 'truncate' },
    { kind: 'garbage' },
    { kind: 'silence' },
    { kind: 'status', status: 500 },
    { kind: 'status', status: 429 },
    { kind: 'error', code: -32603, message: 'Internal error' },
    { kind: 'error', code: -32005, message: 'Limit exceeded' },
  ] as const;
  return () => (random.below(10) < 4 ? random.pick(mishaps) : undefined);
}

/** For more, up to the holders there are: TEST_REQUESTS=2000. Asked in two parts, each with a transaction beside it. */
const REQUESTS = Number(process.env['TEST_REQUESTS'] ?? 600);

test(`${REQUESTS} requests to a fork whose origin fails at random`, async () => {
  const other = await pair.fork({ forkTimeout: 1 });
  pair.proxy.mishap = randomMishaps();
  const { node } = other;
  const client = checkedClient(node.handle);
  const questions = questionsTo(client);
  let right = 0;
  const failed: number[] = [];
  const ask = (at: number) => {
    const question = questions[at % questions.length];
    if (!question) throw new Error('no question');
    return question(at);
  };
  const [first, second] = node.accounts;
  const sender = new Sender(client, first);
  const transfer = { to: STRK, name: 'transfer', calldata: [second?.address ?? '', '0x1', '0x0'] };
  for (let at = 0; at < REQUESTS; ) {
    const requests = Array.from({ length: REQUESTS / 2 }, () => {
      at += 1;
      return { at, ...ask(at) };
    });
    const answers = Promise.allSettled(requests.map(({ answer }) => answer));
    // Meanwhile, and without fail: what needs nothing of the origin.
    await sender.invoke([transfer]);
    for (const [index, answer] of (await answers).entries()) {
      if (answer.status === 'fulfilled') {
        expect(answer.value).toEqual(requests[index]?.right);
        right += 1;
      } else {
        if (!(answer.reason instanceof RpcFailure)) throw answer.reason;
        expect([-1, -32603]).toContain(answer.reason.code);
        // An error of the origin itself is passed on where the state is not concerned.
        expect(answer.reason.message).toMatch(
          /^Internal error$|Error in (interacting with origin |communication with forking origin \(url: ")http.*: \w/,
        );
        failed.push(requests[index]?.at ?? 0);
      }
    }
  }
  expect(right + failed.length).toBe(REQUESTS);
  // A silent batch is a hundred questions that fail.
  expect(right).toBeGreaterThan(REQUESTS / 10);
  expect(failed.length).toBeGreaterThan(0);
  // No failure is remembered.
  pair.proxy.mishap = () => undefined;
  for (const number of failed) {
    const { answer, right: expected } = ask(number);
    expect(await answer).toEqual(expected);
  }
  expect(await sender.nonce()).toBe(2);
}, 180_000);

const BALANCE_OF = '0x35a73cd311a05d46deda634c5ee045db92f811b4e74bca4437fcb5302b7af33';
