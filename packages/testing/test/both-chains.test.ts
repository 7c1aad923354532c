// The test kit on both kinds of chains: in the process, and at the URL of a running node.
import { type Chain, createChain, RpcError } from 'starkbox';
import { connect } from 'starkbox/client';
import { type Call, RpcError as StarknetError } from 'starknet';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import {
  createTestChain,
  getAccounts,
  getExplanation,
  getProvider,
  LocalTestChain,
  TestChain,
} from '../src/index.js';

const contract = (name: string): URL =>
  new URL(`../../../contracts/cairo/${name}`, import.meta.url);
const COUNTER = contract('counter.sierra.json');

const transfer = (of: TestChain, to: string, amount: bigint | number): Call => ({
  contractAddress: of.tokens.strk.address,
  entrypoint: 'transfer',
  calldata: [to, amount, 0],
});

const KINDS: readonly (readonly [string, () => Promise<TestChain>])[] = [
  ['in the process', () => createTestChain({ accounts: 2 })],
  [
    'of createChain',
    async () => createTestChain(await createChain({ accounts: 2, seed: 0, port: 0 })),
  ],
  ['at a URL', async () => createTestChain(await startNode())],
  ['of connect', async () => createTestChain(await connect(await startNode()))],
];

const nodes: AsyncDisposable[] = [];
async function startNode(): Promise<string> {
  const node = await createChain({ accounts: 2, seed: 0, port: 0 });
  nodes.push(node);
  return (await node.listen()).url;
}
afterAll(async () => {
  for (const node of nodes) await node[Symbol.asyncDispose]();
});

test('the types say which members a chain has', async () => {
  expectTypeOf<TestChain>().toExtend<Chain>();
  await using local = await createTestChain({ accounts: 1 });
  expectTypeOf(local).toEqualTypeOf<LocalTestChain>();
  expect(local).toBeInstanceOf(LocalTestChain);
  await using remote = await createTestChain(new URL(await startNode()));
  expectTypeOf(remote).toEqualTypeOf<TestChain>();
  expect(remote).toBeInstanceOf(TestChain);
  expect(remote).not.toBeInstanceOf(LocalTestChain);
});

describe.each(KINDS)('a test chain %s', (_kind, open) => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await open();
    return () => chain.close();
  });

  const sender = () => {
    const [account] = chain.accounts;
    if (!account) throw new Error('there is no account');
    return account;
  };

  test('has accounts with their keys', async () => {
    const { address, privateKey, publicKey } = sender();
    const rows = await chain.request('devnet_getPredeployedAccounts');
    const [row] = rows;
    expect(BigInt(address)).toBe(BigInt(row?.address ?? 0));
    expect([privateKey, publicKey]).toEqual([row?.private_key, row?.public_key]);
    expect(getAccounts(chain).map((account) => account.address)).toEqual(
      chain.accounts.map((account) => account.address),
    );
  });

  test('waits for a transaction by a notification', async () => {
    await chain.request('devnet_setBlockSettings', { block_generation_on: 'demand' });
    const { transaction_hash } = await sender().execute(transfer(chain, '0x1', 5));
    const waiting = chain.provider.waitForTransaction(transaction_hash);
    await chain.mine();
    expect((await waiting).isSuccess()).toBe(true);
    await chain.request('devnet_setBlockSettings', { block_generation_on: 'transaction' });
  });

  test('imitates a network until it stops', async () => {
    const busy = await chain.setNetworkConditions('busy');
    expect(busy.preset).toBe('busy');
    expect(busy.conditions?.block_generation_on).toBe('mempool:2');
    const seeded = await chain.setNetworkConditions({ seed: 7, gas_market: true });
    expect(seeded).toMatchObject({ preset: null, conditions: { seed: 7, congestion: null } });
    expect((await chain.setNetworkConditions(null)).conditions).toBeNull();
    await expect(chain.setNetworkConditions({ seed: -1 })).rejects.toThrow('seed');
    await chain.request('devnet_setBlockSettings', { block_generation_on: 'transaction' });
  });

  test('reads nonces again after a snapshot is restored', async () => {
    const snapshot = await chain.snapshot();
    await sender().execute(transfer(chain, '0x1', 1));
    await snapshot.restore();
    const { transaction_hash } = await sender().execute(transfer(chain, '0x1', 1));
    expect(transaction_hash).toMatch(/^0x/);
  });

  test('deploys a contract, by position and by name', async () => {
    const counter = await chain.deployContract(COUNTER, [5]);
    expect(await counter.call('get')).toBe(5n);
    const named = await chain.deployContract(COUNTER, { start: 7 });
    await named.invoke('increase', [1]);
    expect(await (await chain.contractAt(named.address)).call('get')).toBe(8n);
  });

  test.each<[string, () => unknown, string]>([
    ['no path', () => Reflect.apply(chain.deployContract, chain, []), 'The class is undefined.'],
    [
      'a CASM file',
      () => chain.deployContract(contract('counter.casm.json'), [5]),
      'counter.casm.json holds CASM. Give the Sierra class that the compiler wrote (*.contract_class.json).',
    ],
    [
      'too few arguments',
      () => chain.deployContract(COUNTER),
      'constructor(start: u128) takes 1 argument; 0 were given.',
    ],
    [
      'too many arguments',
      () => chain.deployContract(COUNTER, [1, 2]),
      'constructor(start: u128) takes 1 argument; 2 were given.',
    ],
    [
      'an unknown argument',
      () => chain.deployContract(COUNTER, { begin: 1 }),
      'constructor(start: u128) takes 1 argument; none is named begin.',
    ],
    [
      'a wrong argument',
      () => chain.deployContract(COUNTER, [-1]),
      'Argument start of constructor(start: u128): value is out of u128 range',
    ],
  ])('rejects %s', async (_name, deploy, message) => {
    const height = await chain.request('starknet_blockNumber');
    await expect(deploy()).rejects.toThrow(message);
    expect(await chain.request('starknet_blockNumber')).toBeLessThanOrEqual(height + 1);
  });

  test('has the explanation of an error, of starknet.js and of its own', async () => {
    const counter = await chain.deployContract(COUNTER, [0]);
    const failure: unknown = await counter.invoke('increase', [0]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StarknetError);
    const { explained } = Object(Object(Object(failure).baseError).data);
    expect(getExplanation(failure)).toEqual(explained);
    expect(getExplanation(failure)?.text).toContain('increase');
    const wrapped = new Error('outer', { cause: failure });
    expect(getExplanation(wrapped)).toEqual(explained);
    const { classHash } = await chain.declare(COUNTER);
    const deployFailure: unknown = await chain
      .deploy({ classHash })
      .catch((error: unknown) => error);
    expect(deployFailure).toBeInstanceOf(RpcError);
    expect(getExplanation(deployFailure)?.text).toContain(
      'the calldata is too short: start (u128) is missing',
    );
    expect(getExplanation(new Error('other'))).toBeUndefined();
    expect(getExplanation(undefined)).toBeUndefined();
  });
});

test('getAccounts and getProvider take a URL', async () => {
  const url = `${await startNode()}/rpc`;
  const provider = getProvider(url);
  const [account] = await getAccounts(url, provider);
  expect(account?.privateKey).toMatch(/^0x/);
  expect(await provider.getBlockNumber()).toBe(0);
});
