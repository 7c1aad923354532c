// The library: typed calls, branches, snapshots, subscriptions and controls in one process.

import { ERRORS } from '@starkbox/spec';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { createChain, type LocalChain } from 'starkbox';
import { Account, RpcProvider } from 'starknet';
import { describe, expect, test } from 'vitest';

const blockNumber = (chain: LocalChain): Promise<number> => chain.request('starknet_blockNumber');
const balance = async (chain: LocalChain, address: string): Promise<bigint> => {
  const { amount } = await chain.request('devnet_getAccountBalance', {
    address,
    unit: 'FRI',
    block_id: 'latest',
  });
  return BigInt(amount);
};

describe('fetch', () => {
  test('serves starknet.js without a port', async () => {
    await using chain = await createChain({ seed: 0 });
    const provider = new RpcProvider({ nodeUrl: chain.rpcUrl, baseFetch: chain.fetch });
    const [sender, receiver] = chain.accounts;
    if (!sender || !receiver) throw new Error('there are accounts');
    const account = new Account({ provider, address: sender.address, signer: sender.privateKey });
    const { transaction_hash } = await account.execute({
      contractAddress: chain.tokens.strk.address,
      entrypoint: 'transfer',
      calldata: [receiver.address, 7, 0],
    });
    const receipt = await provider.waitForTransaction(transaction_hash, { retryInterval: 10 });
    expect(receipt.isSuccess()).toBe(true);
  });

  test('answers by the version in the path, and refuses other paths', async () => {
    await using chain = await createChain({ seed: 0 });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'starknet_specVersion' });
    const post = (url: string, init?: RequestInit) =>
      chain.fetch(url, { method: 'POST', body, ...init });
    const versions = await Promise.all(
      ['/rpc/v0_8', '/rpc/v0_9', '/rpc', '/'].map(async (path) =>
        Object(await (await post(`http://any${path}`)).json()),
      ),
    );
    expect(versions.map(({ result }) => result)).toEqual(['0.8.1', '0.9.0', '0.10.2', '0.10.2']);
    expect((await post('http://any/rpc/v0_7')).status).toBe(404);
    expect((await chain.fetch('http://any/rpc')).status).toBe(405);
    expect(await (await chain.fetch('http://any/is_alive')).text()).toBe('Alive!!!');
    expect((await chain.fetch(new Request('http://any/rpc', { method: 'POST', body }))).ok).toBe(
      true,
    );
    const signal = AbortSignal.abort();
    await expect(post('http://any/rpc', { signal })).rejects.toThrow(/abort/i);
  });
});

describe('subscriptions', () => {
  test('begin with their past', async () => {
    await using chain = await createChain({ seed: 0 });
    await chain.mine(2);
    const heads = chain.subscribe('starknet_subscribeNewHeads', { block_id: { block_number: 1 } });
    await chain.mine();
    const firstHeads = [await heads.next(), await heads.next(), await heads.next()];
    expect(firstHeads.map(({ value }) => Object(value).result.block_number)).toEqual([1, 2, 3]);
  });

  test('end with an error when their reader is too slow', async () => {
    await using chain = await createChain({ seed: 0, liteMode: true });
    const heads = chain.subscribe('starknet_subscribeNewHeads');
    await heads.ready;
    await chain.mine(10_000);
    await chain.mine();
    await new Promise((resolve) => setImmediate(resolve));
    const read = async () => {
      let count = 0;
      for await (const _ of heads) count += 1;
      return count;
    };
    await expect(read()).rejects.toThrow(/More than 10000 notifications waited to be read/);
  });
});

describe('branches', () => {
  test('change independently of each other and of their parent', async () => {
    await using chain = await createChain({ seed: 0 });
    await chain.mint('0x1', 10n);
    const [firstBranch, secondBranch] = [chain.branch(), chain.branch()];
    await firstBranch.mint('0x1', 1n);
    await secondBranch.time.increase(3600);
    await chain.mine();
    expect(await balance(firstBranch, '0x1')).toBe(11n);
    expect(await balance(secondBranch, '0x1')).toBe(10n);
    expect(await balance(chain, '0x1')).toBe(10n);
    expect((await secondBranch.time.latest()) - (await firstBranch.time.latest())).toBeGreaterThan(
      3500,
    );
    const inner = firstBranch.branch();
    await inner.mint('0x1', 1n);
    expect([await balance(inner, '0x1'), await balance(firstBranch, '0x1')]).toEqual([12n, 11n]);
  });

  test('have subscriptions, snapshots and ports of their own', async () => {
    await using chain = await createChain({ seed: 0 });
    const branch = chain.branch();
    const heads = branch.subscribe('starknet_subscribeNewHeads');
    await heads.ready;
    await chain.mine();
    await branch.mint('0x1', 1n);
    const { value } = await heads.next();
    expect(value).toMatchObject({ result: { block_number: 1 } });
    await branch.request('devnet_snapshot');
    expect(await chain.request('devnet_listSnapshots')).toEqual({ snapshots: [] });
    const { url } = await branch.listen({ port: 0 });
    const answer = await fetch(`${url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'starknet_blockNumber' }),
    });
    expect(await answer.json()).toMatchObject({ result: 1 });
    await chain.close();
    await expect(fetch(`${url}/is_alive`)).rejects.toThrow();
    expect(() => branch.branch()).toThrow(/closed/);
  });

  test('close blocks by their own clock', async () => {
    await using chain = await createChain({ seed: 0, blockGenerationOn: 'demand' });
    const branch = chain.branch();
    await branch.request('devnet_setBlockSettings', { block_generation_on: '20ms' });
    const heads = branch.subscribe('starknet_subscribeNewHeads');
    for (let count = 0; count < 3; count += 1) await heads.next();
    expect(await blockNumber(chain)).toBe(0);
    expect(await blockNumber(branch)).toBeGreaterThan(0);
  });
});

describe('controls', () => {
  const COUNTER = new URL('../../../../contracts/cairo/counter.sierra.json', import.meta.url);

  test('declare a class once, and deploy it any number of times', async () => {
    await using chain = await createChain({ seed: 0 });
    const [declared, again] = await Promise.all([chain.declare(COUNTER), chain.declare(COUNTER)]);
    expect(again.classHash).toBe(declared.classHash);
    expect([declared, again].filter(({ transactionHash }) => transactionHash)).toHaveLength(1);
    const { classHash } = declared;
    const deployments = await Promise.all([
      chain.deploy({ classHash, calldata: [1] }),
      chain.deploy({ classHash, calldata: [1] }),
    ]);
    expect(new Set(deployments.map(({ address }) => address)).size).toBe(2);
    for (const { address } of deployments) {
      expect(
        await chain.request('starknet_getClassHashAt', {
          block_id: 'latest',
          contract_address: address,
        }),
      ).toBe(classHash);
    }
    const failed = chain.deploy({ classHash, calldata: [1, 2, 3] });
    await expect(failed).rejects.toMatchObject({
      code: ERRORS.CONTRACT_ERROR.code,
      message: /reverted/,
    });
  });
});

describe('snapshots', () => {
  test.each([{}, { dataDir: true }])(
    'can be restored any number of times (%j)',
    async (options) => {
      const dataDir = options.dataDir ? temporaryFolder() : undefined;
      await using chain = await createChain({ seed: 0, dataDir });
      await chain.mint('0x1', 10n);
      const snapshot = await chain.snapshot();
      for (let round = 0; round < 3; round += 1) {
        await chain.mint('0x1', 1n);
        expect(await balance(chain, '0x1')).toBe(11n);
        await snapshot.restore();
        expect([await balance(chain, '0x1'), await blockNumber(chain)]).toEqual([10n, 1]);
      }
    },
  );

  test('in memory can be restored in any order', async () => {
    await using chain = await createChain({ seed: 0 });
    const early = await chain.snapshot();
    await chain.mine();
    const late = await chain.snapshot();
    await early.restore();
    expect(await blockNumber(chain)).toBe(0);
    await late.restore();
    expect(await blockNumber(chain)).toBe(1);
  });
});
