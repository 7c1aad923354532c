// One suite for both kinds of chains: in the process, and at the URL of a running node.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ERRORS } from '@starkbox/spec';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { imageOf } from '@starkbox/test-support/fixture';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { type Chain, type ConfigInput, createChain, isRpcError, RpcError } from 'starkbox';
import { connect } from 'starkbox/client';
import { describe, expect, expectTypeOf, test } from 'vitest';

const COUNTER = fileURLToPath(
  new URL('../../../../contracts/cairo/counter.sierra.json', import.meta.url),
);
const CASM = COUNTER.replace('.sierra.', '.casm.');
const OPTIONS = { seed: 0, accounts: 2, port: 0 } as const;

interface Opened<C extends Chain> {
  readonly chain: C;
  /** Closes the chain itself, and not only the connection to it. */
  readonly end: () => Promise<void>;
}

async function openLocal(options: ConfigInput = {}) {
  const chain = await createChain({ ...OPTIONS, ...options });
  closeAfterTest(() => chain.close());
  return { chain, end: () => chain.close() };
}

async function openRemote(options: ConfigInput = {}) {
  const node = await createChain({ ...OPTIONS, ...options });
  closeAfterTest(() => node.close());
  const { url } = await node.listen();
  const chain = await connect(url);
  closeAfterTest(() => chain.close());
  return { chain, end: () => node.close() };
}

const KINDS: readonly (readonly [string, (options?: ConfigInput) => Promise<Opened<Chain>>])[] = [
  ['in the process', openLocal],
  ['at a URL', openRemote],
  [
    'at a URL, with a data directory',
    (options) => openRemote({ ...options, dataDir: temporaryFolder() }),
  ],
];

async function numbersOf(heads: AsyncIterable<{ readonly result: object }>): Promise<unknown[]> {
  const numbers: unknown[] = [];
  for await (const { result } of heads) numbers.push(Object(result).block_number);
  return numbers;
}

async function failureOf(call: Promise<unknown>): Promise<RpcError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RpcError)) throw new Error(`There is no RpcError: ${error}`);
  return error;
}

test('both kinds have the type Chain', async () => {
  expectTypeOf<Awaited<ReturnType<typeof connect>>>().toExtend<Chain>();
  expectTypeOf<Awaited<ReturnType<typeof createChain>>>().toExtend<Chain>();
  const [{ chain: local }, { chain: remote }] = await Promise.all([openLocal(), openRemote()]);
  const { accounts, accountClassHash, tokens, udc } = local;
  expect({
    accounts: remote.accounts,
    accountClassHash: remote.accountClassHash,
    tokens: remote.tokens,
    udc: remote.udc,
  }).toEqual({ accounts, accountClassHash, tokens, udc });
});

describe.each(KINDS)('a chain %s', (_kind, open) => {
  test('calls methods under all of their names', async () => {
    const { chain } = await open();
    expect(await chain.request('starknet_chainId')).toBe(await chain.request('chain_chainId'));
    expect(await chain.requestRaw('starknet_blockNumber')).toBe(0);
    expect(await chain.requestRaw('starknet_getNonce', ['latest', chain.udc.address])).toBe('0x0');
  });

  test('keeps large numbers exact', async () => {
    const { chain } = await open();
    const amount = 2n ** 70n + 1n;
    expect((await chain.mint('0x1', amount)).balance).toBe(amount);
    await chain.deal(chain.tokens.eth.address, '0x1', amount + 1n);
    const params = { address: '0x1', unit: 'WEI' } as const;
    const { amount: balance } = await chain.request('devnet_getAccountBalance', params);
    expect(BigInt(balance)).toBe(amount + 1n);
  });

  test('puts the reason of a failure into the message', async () => {
    const { chain } = await open();
    const unknown = await failureOf(chain.requestRaw('starknet_blockNumbr'));
    expect(unknown.code).toBe(ERRORS.METHOD_NOT_FOUND.code);
    expect(unknown.message).toMatch(/^Method not found: .*did you mean starknet_blockNumber\?/);
    const [sender] = chain.accounts;
    const call = {
      request: {
        contract_address: chain.tokens.strk.address,
        entry_point_selector: '0x123',
        calldata: [],
      },
      block_id: 'latest',
    } as const;
    const failure = await failureOf(chain.request('starknet_call', call));
    expect(isRpcError(failure) && failure.code).toBe(ERRORS.ENTRYPOINT_NOT_FOUND.code);
    expect(failure.message).toContain(Object(failure.data).explained.text);
    expect(sender?.address).toMatch(/^0x/);
  });

  test('mines blocks and moves its time', async () => {
    const { chain } = await open();
    await chain.mine(3, { interval: 10 });
    expect(await chain.request('starknet_blockNumber')).toBe(3);
    const before = await chain.time.latest();
    await chain.time.increase(100);
    expect(await chain.time.latest()).toBeGreaterThanOrEqual(before + 100);
    await chain.time.set(2_000_000_000);
    expect(await chain.time.latest()).toBe(2_000_000_000);
    const height = await chain.request('starknet_blockNumber');
    await chain.time.setNextBlockTimestamp(2_100_000_000);
    expect(await chain.request('starknet_blockNumber')).toBe(height);
    await chain.mine();
    expect(await chain.time.latest()).toBe(2_100_000_000);
  });

  test('reads and writes storage by name', async () => {
    const { chain } = await open();
    const { strk } = chain.tokens;
    const storage = chain.storage(strk.address);
    const [holder] = chain.accounts;
    const keys = [holder?.address ?? '0x0'];
    const balance = await storage.get('ERC20_balances', keys, 'u256');
    expect(balance).toBeGreaterThan(0n);
    await storage.set('ERC20_balances', keys, 2n ** 255n, 'u256');
    expect(await storage.get('ERC20_balances', keys, 'u256')).toBe(2n ** 255n);
    await storage.setSlot(storage.slot('other'), 7);
    expect(await storage.getSlot(storage.slot('other'))).toBe(7n);
    expect(() => storage.slot('naïve')).toThrow(/no name of a variable/);
    expect(() => storage.slot('count[0x1]')).toThrow(
      /no name of a variable: .* keys of a map as a/,
    );
    // As programs without types call it.
    const noList = (got: string) =>
      new TypeError(`keys: expected the keys of 'typo' as a list, [] for none; got ${got}`);
    const call = (name: 'get' | 'set', ...args: readonly unknown[]): Promise<unknown> =>
      Reflect.apply(storage[name], storage, args);
    await expect(call('get', 'typo', '0x1')).rejects.toThrow(noList('"0x1"'));
    await expect(call('set', 'typo', 7)).rejects.toThrow(noList('7'));
    const noKeys = 'params.keys: expected the keys of the map "ERC20_balances", got none';
    await expect(storage.get('ERC20_balances')).rejects.toThrow(noKeys);
    await expect(storage.set('ERC20_balances', [], 7n)).rejects.toThrow(noKeys);
    await expect(call('set', 'ERC20_balances', keys)).rejects.toThrow(
      /^value: expected a felt, .*; got undefined$/,
    );
    expect(() => storage.slot('x', [-1])).toThrow(/^keys: expected a felt, .*; got -1$/);
  });

  test('names the parameter that is no felt or no integer', async () => {
    const { chain } = await open();
    const felt = 'expected a felt, an integer from 0 to 2^251 + 17 * 2^192';
    // As a program without types calls it.
    const deployed = Reflect.apply(chain.deploy, chain, [{}]);
    await expect(deployed).rejects.toThrow(new RangeError(`classHash: ${felt}; got undefined`));
    await expect(chain.mint('bob', 1n)).rejects.toThrow(`address: ${felt}; got "bob"`);
    await expect(chain.mint('0x1', 1.5)).rejects.toThrow(
      new RangeError('amount: expected an integer; got 1.5'),
    );
    await expect(chain.deal(chain.tokens.eth.address, '0x1', 0.5)).rejects.toThrow(/^amount: /);
  });

  test('impersonates an account until it stops', async () => {
    const { chain } = await open();
    const listed = async () => (await chain.request('devnet_getStatus')).impersonated_accounts;
    {
      await using account = await chain.impersonate('0x0123');
      expect(account.address).toBe('0x123');
      expect(await listed()).toEqual(['0x123']);
    }
    expect(await listed()).toEqual([]);
  });

  test('declares and deploys, and explains why a constructor fails', async () => {
    const { chain } = await open();
    const declared = await chain.declare(COUNTER);
    expect(declared.transactionHash).toMatch(/^0x/);
    expect(declared.abi.length).toBeGreaterThan(0);
    const again = await chain.declare(JSON.parse(readFileSync(COUNTER, 'utf8')));
    expect(again).toMatchObject({ classHash: declared.classHash, transactionHash: undefined });
    const { classHash } = declared;
    const { address, transactionHash } = await chain.deploy({ classHash, calldata: [41] });
    const storage = chain.storage(address);
    expect(await storage.get('count')).toBe(41n);
    await storage.set('count', [], 0);
    expect(await storage.get('count')).toBe(0n);
    for (const typo of ['coutn', 'ount', 'counts', 'comnt']) {
      const refusal = `params.variable: got "${typo}", expected a variable of the contract's class. Did you mean "count"?`;
      await expect(storage.get(typo)).rejects.toThrow(refusal);
      await expect(storage.set(typo, [], 7)).rejects.toThrow(refusal);
      expect(await storage.getSlot(storage.slot(typo))).toBe(0n);
    }
    const others = /got "price", expected a variable .* It has count\b.* give the key$/;
    await expect(storage.get('price')).rejects.toThrow(others);
    await expect(storage.set('price', [], 7n)).rejects.toThrow(others);
    expect((await chain.explain(transactionHash)).status).toBe('SUCCEEDED');
    const failure = await failureOf(chain.deploy({ classHash }));
    expect(failure.code).toBe(ERRORS.CONTRACT_ERROR.code);
    expect(failure.message).toContain('the calldata is too short: start (u128) is missing');
    const reverted = await chain.explain(Object(failure.data).transaction_hash);
    expect(reverted.status).toBe('REVERTED');
  });

  test('rejects what is no Sierra class, with the same words', async () => {
    const { chain } = await open();
    await expect(chain.declare(CASM)).rejects.toThrow(/casm\.json holds CASM\. Give the Sierra/);
    await expect(chain.declare({ abi: [] })).rejects.toThrow(/The class holds no class/);
    await expect(chain.declare('no-such-file.json')).rejects.toThrow(/no-such-file\.json/);
    const failure = await failureOf(chain.deploy({ classHash: '0x123' }));
    expect(failure.message).toBe('Class hash not found: Declare the class 0x123 first.');
  });

  test('returns to a snapshot any number of times', async () => {
    const { chain } = await open();
    await chain.mine();
    const snapshot = await chain.snapshot();
    for (const count of [1, 2]) {
      await chain.mine(count);
      await snapshot.restore();
      expect(await chain.request('starknet_blockNumber')).toBe(1);
    }
  });

  test('deletes a snapshot once, and returns to it no more', async () => {
    const { chain } = await open();
    const snapshot = await chain.snapshot();
    await snapshot.delete();
    await snapshot.delete();
    expect((await failureOf(snapshot.restore())).message).toMatch(/^The snapshot no longer exists/);
    expect(await chain.request('devnet_listSnapshots')).toEqual({ snapshots: [] });
  });

  test('has no snapshot of the chain before a restart', async () => {
    const { chain } = await open();
    const snapshot = await chain.snapshot();
    await chain.request('devnet_restart');
    const failure = await failureOf(snapshot.restore());
    expect(failure.message).toMatch(/^The snapshot no longer exists/);
  });

  test('subscribes at once', async () => {
    const { chain } = await open();
    const heads = chain.subscribe('starknet_subscribeNewHeads');
    await chain.mine(3);
    const numbers: number[] = [];
    for await (const { name, result } of heads) {
      if (name === 'starknet_subscriptionNewHeads') numbers.push(result.block_number);
      if (numbers.length === 3) break;
    }
    expect(numbers).toEqual([1, 2, 3]);
    expect(await heads.next()).toEqual({ done: true, value: undefined });
  });

  test('rejects a subscription as the call is rejected', async () => {
    const { chain } = await open();
    const heads = chain.subscribe('starknet_subscribeNewHeads', { block_id: { block_number: 9 } });
    const failure = await failureOf(heads.next());
    expect(failure.code).toBe(ERRORS.BLOCK_NOT_FOUND.code);
    expect((await failureOf(heads.ready)).code).toBe(ERRORS.BLOCK_NOT_FOUND.code);
  });

  test('ends subscriptions with a restart, after their notifications', async () => {
    const { chain } = await open();
    const heads = chain.subscribe('starknet_subscribeNewHeads');
    const sandbox = chain.subscribe('devnet_subscribeSandbox');
    await sandbox.ready;
    await chain.mine();
    const reading = numbersOf(heads);
    await chain.request('devnet_restart');
    expect(await reading).toEqual([1]);
    for await (const { result } of sandbox) if (result.event === 'restart') break;
  });

  test('ends subscriptions after its close, with what happened before', async () => {
    const { chain } = await open();
    const heads = chain.subscribe('starknet_subscribeNewHeads');
    const reading = numbersOf(heads);
    await chain.mine(2);
    await chain.close();
    expect(await reading).toEqual([1, 2]);
  });

  test('ends subscriptions when the node closes', async () => {
    const { chain, end } = await open();
    const heads = chain.subscribe('starknet_subscribeNewHeads');
    await heads.ready;
    const reading = numbersOf(heads);
    await end();
    expect(await reading).toEqual([]);
  });

  test('rejects every call after its close, and can be closed again', async () => {
    const { chain } = await open();
    const snapshot = await chain.snapshot();
    const impersonated = await chain.impersonate('0x1');
    await chain.close();
    const calls: Readonly<Record<string, () => unknown>> = {
      request: () => chain.request('starknet_blockNumber'),
      requestRaw: () => chain.requestRaw('starknet_blockNumber'),
      fetch: () => chain.fetch(chain.rpcUrl, { method: 'POST', body: '{}' }),
      mine: () => chain.mine(),
      snapshot: () => chain.snapshot(),
      restore: () => snapshot.restore(),
      delete: () => snapshot.delete(),
      stop: () => impersonated.stop(),
      declare: () => chain.declare(COUNTER),
      storage: () => chain.storage('0x1').get('x'),
      subscribe: async () => chain.subscribe('starknet_subscribeNewHeads'),
    };
    for (const [name, call] of Object.entries(calls)) {
      await expect(call(), name).rejects.toThrow(/closed/);
    }
    await chain.close();
  });

  test('serves clients that take a fetch', async () => {
    const { chain } = await open();
    const response = await chain.fetch(chain.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"starknet_blockNumber"}',
    });
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: 0 });
  });
});

// A data directory keeps its accounts.
test.each(KINDS.slice(0, 2))(
  'a chain %s has the accounts of a loaded chain',
  async (_kind, open) => {
    const { chain: other } = await openLocal({ seed: 7, accounts: 1, dumpOn: 'request' });
    const image = await imageOf(other);
    const { chain } = await open();
    await chain.requestRaw('devnet_load', { image });
    expect(chain.accounts).toEqual(other.accounts);
  },
);
