import { ERRORS } from '@starkbox/spec';
import { deployed } from '@starkbox/test-support/contracts';
import { mint, startPair } from '@starkbox/test-support/fork/pair';
import { parse } from '@starkbox/test-support/scrape';
import { balanceSlot, Sender, STRK } from '@starkbox/test-support/signing';
import { createChain } from 'starkbox';
import type { Contract } from 'starknet';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../starkbox/src/log.js';

let counter: Contract;
let firstMint: string;
/** The last block that both have. */
let last: number;

const pair = await startPair(async (origin) => {
  firstMint = await mint(origin, '0x1234', 100);
  await mint(origin, '0x1234', 200);
  counter = await deployed(origin.account(0), 'counter', { start: 41 });
  for (let block = 0; block < 10; block += 1) await origin.client.call('devnet_createBlock');
  last = await origin.client.call('starknet_blockNumber');
});
const fork = await pair.fork();
afterAll(() => pair.close());

const at = (block_number: number) => ({ block_number });

test('it continues the origin', async () => {
  const { client } = fork;
  const [parent, first] = [
    await pair.origin.client.call('starknet_getBlockWithTxHashes', { block_id: 'latest' }),
    await client.call('starknet_getBlockWithTxHashes', { block_id: at(last + 1) }),
  ];
  expect(first).toMatchObject({
    block_number: last + 1,
    parent_hash: 'block_hash' in parent ? parent.block_hash : '',
    transactions: [],
    l2_gas_price: parent.l2_gas_price,
  });
  expect(first.timestamp).toBeGreaterThan(parent.timestamp);
  expect(await client.call('starknet_chainId')).toBe(
    await pair.origin.client.call('starknet_chainId'),
  );
  expect(await client.call('devnet_getStatus')).toMatchObject({
    is_forked: true,
    fork_config: { block: last },
  });
  expect((await client.call('devnet_getConfig')).fork_config).toMatchObject({
    url: `${pair.proxy.url}/`,
    block_number: last,
    caching_enabled: false,
  });
});

test('chain id and prices are those of the origin', async () => {
  await using other = await startPair();
  await other.origin.client.call('devnet_setGasPrice', {
    gas_price_wei: 7,
    l2_gas_price_fri: 123,
    generate_block: true,
  });
  const { client } = await other.fork({ dataGasPriceFri: 99n });
  expect(await client.call('devnet_getConfig')).toMatchObject({
    gas_price_wei: 7,
    l2_gas_price_fri: 123,
    data_gas_price_fri: 99,
  });
});

describe('blocks and transactions of the origin', () => {
  const aboutBlocks = [
    'starknet_getBlockWithTxHashes',
    'starknet_getBlockWithTxs',
    'starknet_getBlockWithReceipts',
    'starknet_getBlockTransactionCount',
    'starknet_getStateUpdate',
    'starknet_traceBlockTransactions',
  ] as const;

  test.each(aboutBlocks)('%s', async (method) => {
    const { block_hash } = await pair.origin.client.call('starknet_blockHashAndNumber');
    for (const block_id of [at(0), at(2), { block_hash }]) {
      const expected = await pair.origin.client.call(method, { block_id });
      expect(await fork.client.call(method, { block_id })).toEqual(expected);
    }
    for (const block_id of [at(999), { block_hash: '0x99' }]) {
      expect(await fork.client.failure(method, { block_id })).toMatchObject({
        code: ERRORS.BLOCK_NOT_FOUND.code,
      });
    }
  });

  const aboutTransactions = [
    'starknet_getTransactionByHash',
    'starknet_getTransactionReceipt',
    'starknet_getTransactionStatus',
    'starknet_traceTransaction',
  ] as const;

  test.each(aboutTransactions)('%s', async (method) => {
    const params = { transaction_hash: firstMint };
    const expected = await pair.origin.client.call(method, params);
    expect(await fork.client.call(method, params)).toEqual(expected);
    expect(await fork.client.failure(method, { transaction_hash: '0x99' })).toMatchObject({
      code: ERRORS.TXN_HASH_NOT_FOUND.code,
    });
  });

  test('starknet_getTransactionByBlockIdAndIndex', async () => {
    const method = 'starknet_getTransactionByBlockIdAndIndex';
    expect(await fork.client.call(method, { block_id: at(1), index: 0 })).toMatchObject({
      transaction_hash: firstMint,
    });
    expect(await fork.client.failure(method, { block_id: at(1), index: 1 })).toMatchObject({
      code: ERRORS.INVALID_TXN_INDEX.code,
    });
  });

  test('state at them', async () => {
    const balance = async (block_id: unknown): Promise<unknown> => {
      const request = {
        contract_address: STRK,
        entry_point_selector: BALANCE_OF,
        calldata: ['0x1234'],
      };
      return (await fork.client.call('starknet_call', { request, block_id }))[0];
    };
    expect(await balance(at(0))).toBe('0x0');
    expect(await balance(at(1))).toBe('0x64');
    expect(await balance('latest')).toBe('0x12c');
    expect(
      await fork.client.failure('starknet_call', {
        request: { contract_address: STRK, entry_point_selector: BALANCE_OF, calldata: [] },
        block_id: at(999),
      }),
    ).toMatchObject({ code: ERRORS.BLOCK_NOT_FOUND.code });
  });
});

test('a class that neither has is not there', async () => {
  expect(
    await fork.client.failure('starknet_getClass', { class_hash: '0x4711', block_id: 'latest' }),
  ).toMatchObject({ code: ERRORS.CLASS_HASH_NOT_FOUND.code });
});

test('when a slot was last written, here or on the origin', async () => {
  const young = await pair.fork();
  const written = async (contract_address: string, key: string): Promise<unknown> =>
    young.client.call('starknet_getStorageAt', {
      contract_address,
      key,
      block_id: 'latest',
      response_flags: ['INCLUDE_LAST_UPDATE_BLOCK'],
    });
  expect(await written(STRK, balanceSlot('0x1234'))).toEqual({
    value: '0x12c',
    last_update_block: 2,
  });
  expect(await written(STRK, '0x4711')).toEqual({ value: '0x0', last_update_block: 0 });
  await mint(young, '0x1234', 1);
  expect(await written(STRK, balanceSlot('0x1234'))).toEqual({
    value: '0x12d',
    last_update_block: last + 2,
  });
});

test('what a simulation has read is not asked for again when it is sent', async () => {
  const young = await pair.fork();
  const sender = new Sender(young.client, young.node.accounts[0]);
  const calls = [{ to: counter.address, name: 'increase', calldata: ['0x1'] }];
  const request = await sender.invokeRequest(calls);
  pair.proxy.forget();
  await young.client.call('starknet_simulateTransactions', {
    block_id: 'latest',
    transactions: [request],
    simulation_flags: [],
  });
  expect(pair.proxy.requests).toBeGreaterThan(0);
  pair.proxy.forget();
  await sender.invoke(calls);
  expect(pair.proxy.requests).toBe(0);
});

test('the hashes of old blocks are known to contracts on either side of the fork point', async () => {
  const young = await pair.fork({ forkBlock: last });
  for (let block = 0; block < 12; block += 1) await young.client.call('devnet_createBlock');
  for (let number = 0; number <= last + 2; number += 1) {
    const block = await young.client.call('starknet_getBlockWithTxHashes', {
      block_id: at(number),
    });
    expect(
      await young.client.call('starknet_getStorageAt', {
        contract_address: '0x1',
        key: `0x${number.toString(16)}`,
        block_id: 'latest',
      }),
    ).toBe('block_hash' in block ? block.block_hash : '');
  }
});

test('storage proofs are those of the origin, and there are none of its own blocks', async () => {
  const method = 'starknet_getStorageProof';
  const theirs = { classes_proof: [], contracts_proof: {}, contracts_storage_proofs: [] };
  pair.proxy.mishap = () => ({ kind: 'result', of: method, result: theirs });
  try {
    expect(await fork.node.request(method, { block_id: at(1) })).toEqual(theirs);
  } finally {
    pair.proxy.mishap = () => undefined;
  }
  // One that has none says so itself.
  const refused = {
    code: ERRORS.STORAGE_PROOF_NOT_SUPPORTED.code,
    message: expect.stringContaining('no storage proofs'),
  };
  expect(await fork.client.failure(method, { block_id: at(2) })).toMatchObject(refused);
  expect(await fork.client.failure(method, { block_id: 'latest' })).toMatchObject(refused);
});

test.each([
  ['0.10.3-rc.0', false],
  ['0.10.0', false],
  ['0.9.0', false],
  ['0.8.1', false],
  ['0.7.1', true],
  ['1.10.2', true],
])('it says that the specification %s of the origin is another: %s', async (version, isTold) => {
  const warned: unknown[] = [];
  const log = { ...silentLog, warn: (text: unknown) => warned.push(text) };
  pair.proxy.mishap = () => ({ kind: 'result', of: 'starknet_specVersion', result: version });
  try {
    const options = { seed: 1, forkNetwork: pair.proxy.url, forkUpstreamCaching: false };
    await (await createChain(options, { log })).close();
  } finally {
    pair.proxy.mishap = () => undefined;
  }
  const words = `JSON-RPC API version of origin (${version}) does not match this node's version`;
  expect(warned).toEqual(isTold ? [expect.stringContaining(words)] : []);
});

test('the log names the origin, and requests to it are counted', async () => {
  const said: unknown[] = [];
  const log = { ...silentLog, info: (text: unknown) => said.push(text) };
  const node = await createChain(
    {
      seed: 1,
      port: 0,
      forkNetwork: pair.proxy.url,
      forkUpstreamCaching: false,
      metricsHost: '127.0.0.1',
      metricsPort: 0,
    },
    { log },
  );
  onTestFinished(() => node.close());
  const { block_hash: hash, block_number: number } = await pair.origin.client.call(
    'starknet_blockHashAndNumber',
  );
  expect(said[0]).toBe(`Forked SN_SEPOLIA after block ${number} (${hash}) of ${pair.proxy.url}/`);
  const { metricsUrl = '' } = await node.listen();
  for (let time = 0; time < 2; time += 1) {
    await node.request('starknet_getStateUpdate', { block_id: at(0) });
  }
  const { values } = parse(await (await fetch(metricsUrl)).text());
  const of = (name: string, labels: string) => values.get(`starknet_upstream_${name}${labels}`);
  const method = 'method="starknet_getStateUpdate"';
  expect(of('call_count', `{${method},status="success"}`)).toBeGreaterThan(0);
  expect(of('cache_hit_count', `{${method}}`)).toBeGreaterThan(0);
  expect(of('cache_size', '')).toBeGreaterThan(20);
});

test('accounts of the same seed keep their nonces; the supply covers all balances', async () => {
  const same = await pair.fork({ seed: 0 });
  const [account] = same.node.accounts;
  const nonce = { contract_address: account?.address, block_id: 'latest' };
  expect(await same.client.call('starknet_getNonce', nonce)).toBe(
    await pair.origin.client.call('starknet_getNonce', nonce),
  );
  expect(
    await same.client.call('devnet_getAccountBalance', { address: account?.address, unit: 'FRI' }),
  ).toMatchObject({ amount: '1000000000000000000000' });
  await mint(same, '0x5', 5);
});

const BALANCE_OF = '0x35a73cd311a05d46deda634c5ee045db92f811b4e74bca4437fcb5302b7af33';
