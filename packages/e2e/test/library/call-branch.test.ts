// Branches on which any address calls functions, without transactions.
import { Coverage, starknetKeccak } from '@starkbox/engine';
import { type CallBranch, createChain, type LocalChain } from 'starkbox';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { classFile } from '../../../../contracts/classes.js';

let chain: LocalChain;
let counter: string;

beforeAll(async () => {
  chain = await createChain({ seed: 0 });
  const { classHash } = await chain.declare(classFile('counter'));
  counter = (await chain.deploy({ classHash, calldata: ['0x5'] })).address;
});

afterAll(() => chain.close());

function call(
  name: string,
  calldata: readonly string[] = [],
  caller = '0xa11ce',
): Parameters<CallBranch['call']>[0] {
  return { caller, contract: counter, selector: starknetKeccak(name), calldata };
}

async function count(branch: CallBranch): Promise<number> {
  const { result } = await branch.view(call('get'));
  return Number(result[0]);
}

test('calls change their branch alone', async () => {
  const branch = chain.callBranch();
  const other = branch.branch();
  expect(await branch.call(call('increase', ['0x2']))).toMatchObject({ hasFailed: false });
  expect([await count(branch), await count(other), await count(chain.callBranch())]).toEqual([
    7, 5, 5,
  ]);
  const inner = branch.branch();
  await inner.call(call('increase', ['0x1']));
  expect([await count(branch), await count(inner)]).toEqual([7, 8]);
});

test('a view and a failed call change nothing', async () => {
  const branch = chain.callBranch();
  await branch.view(call('increase', ['0x2']));
  const failed = await branch.call(call('increase', ['0x0']));
  expect(failed.hasFailed).toBe(true);
  expect(failed.failure?.message).not.toBe('');
  expect(await count(branch)).toBe(5);
});

describe('time', () => {
  test('depends on blocks alone', async () => {
    const branch = chain.callBranch();
    const { time, blockNumber } = branch;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_100 });
    onTestFinished(() => void vi.useRealTimers());
    expect(chain.callBranch().time).toBe(time);
    branch.increaseTime(3_600);
    expect([branch.time, branch.blockNumber]).toEqual([time + 3_600, blockNumber]);
    branch.increaseTime(10);
    expect(branch.time).toBe(time + 3_610);
    await branch.mine();
    expect([branch.time, branch.blockNumber]).toEqual([time + 3_611, blockNumber + 1]);
    expect(chain.callBranch()).toMatchObject({ time, blockNumber });
  });
});

describe('a chain of a branch', () => {
  test('begins as the branch is, with its blocks and time', async () => {
    const branch = chain.callBranch();
    await branch.call(call('increase', ['0x2']));
    await branch.mine();
    branch.increaseTime(100);
    await using copy = branch.chain();
    const request = { contract_address: counter, entry_point_selector: starknetKeccak('get') };
    const result = await copy.request('starknet_call', {
      request: { ...request, calldata: [] },
      block_id: 'latest',
    });
    expect(result).toEqual(['0x7']);
    await copy.mine();
    const block = await copy.request('starknet_getBlockWithTxHashes', { block_id: 'latest' });
    expect(block).toMatchObject({ timestamp: branch.time, block_number: branch.blockNumber });
  });

  test('gives the branch its real transactions', async () => {
    const branch = chain.callBranch();
    const { blockNumber } = branch;
    const [account] = chain.accounts;
    const hash = await branch.onChain(async (copy) => {
      await copy.mint('0x77', 5n);
      return copy.request('starknet_blockHashAndNumber');
    });
    expect(hash.block_number).toBe(blockNumber);
    expect(branch.blockNumber).toBe(blockNumber + 1);
    const balance = await branch.view({
      caller: account?.address ?? '',
      contract: chain.tokens.strk.address,
      selector: starknetKeccak('balance_of'),
      calldata: ['0x77'],
    });
    expect(balance.result).toEqual(['0x5', '0x0']);
    expect(chain.callBranch().blockNumber).toBe(blockNumber);
  });
});

test('the reason of a failed call is explained', async () => {
  const branch = chain.callBranch();
  const explained = await branch.explain(call('increase', ['0x0']));
  expect(explained).toMatchObject({ status: 'REVERTED', function: 'increase', contract: counter });
  expect(await branch.explain(call('increase', ['0x1']))).toBeUndefined();
});

test('coverage grows with the code that a call reaches', async () => {
  const coverage = new Coverage();
  const branch = chain.callBranch();
  await branch.call(call('get'), coverage);
  const read = Object.values(coverage.take()).flat().length;
  await branch.call(call('increase', ['0x1']), coverage);
  expect(Object.values(coverage.take()).flat().length).toBeGreaterThan(read);
});

test('a fork answers with promises', async () => {
  await using origin = await createChain({ seed: 0 });
  const { url } = await origin.listen({ port: 0 });
  await using fork = await createChain({ forkNetwork: url, forkUpstreamCaching: false });
  const branch = fork.callBranch();
  const pending = branch.call({
    caller: '0x1',
    contract: fork.tokens.strk.address,
    selector: starknetKeccak('total_supply'),
    calldata: [],
  });
  expect(pending).toBeInstanceOf(Promise);
  expect(await pending).toMatchObject({ hasFailed: false });
});
