// The paymaster and its chain: where it is served, its transactions in all kinds of blocks, and chains that change.
import { join } from 'node:path';
import { ERRORS } from '@starkbox/spec';
import { checkedClient, overHttp, startNode } from '@starkbox/test-support';
import { newAccount, STRK, selector } from '@starkbox/test-support/signing';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { Account, PaymasterRpc } from 'starknet';
import { expect, onTestFinished, test } from 'vitest';
import {
  deploymentOf,
  type PaymasterNode,
  paidIn,
  refusalOf,
  SPONSORED,
  startPaymaster,
  transfer,
} from './dapp.js';

type Options = Parameters<typeof startPaymaster>[0];

async function start(options: Options = {}): Promise<PaymasterNode> {
  const started = await startPaymaster(options);
  onTestFinished(started.close);
  return started;
}

/** Sends a sponsored transfer of the first account to the second; the hash of the transaction. */
async function give({ node, dapp }: PaymasterNode, amount = 5n, path = ''): Promise<string> {
  const [from, to] = node.accounts;
  const { account } = await dapp('starknet.js 10', { path });
  const sender = account(from?.address ?? '', from?.privateKey ?? '');
  const calls = [transfer(STRK, to?.address ?? '', amount)];
  return (await sender.executePaymasterTransaction(calls, { feeMode: SPONSORED })).transaction_hash;
}

const received = async ({ node, balance }: PaymasterNode): Promise<bigint> =>
  (await balance(STRK, node.accounts[1]?.address ?? '')) - 10n ** 21n;

test('without the option there is no paymaster, and the answer names the option', async () => {
  const { url, client, close } = await startNode({ listen: true });
  onTestFinished(close);
  const response = await fetch(`${url}/paymaster`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(response.status).toBe(404);
  expect(await response.text()).toContain('--paymaster');
  const { code, message } = await client.failure('devnet_getPaymaster');
  expect({ code, isNamed: message.includes('--paymaster') }).toEqual({ code: -1, isNamed: true });
});

test('its path has its methods alone, with the rules of other paths', async () => {
  const { url } = await start();
  const service = checkedClient(overHttp(`${url}/paymaster`));
  expect(await service.call('paymaster_isAvailable')).toBe(true);
  const { code } = await service.failure('starknet_chainId');
  expect(code).toBe(ERRORS.METHOD_NOT_FOUND.code);
  expect((await fetch(`${url}/paymaster`)).status).toBe(405);
  const preflight = await fetch(`${url}/paymaster`, { method: 'OPTIONS' });
  expect(preflight.headers.get('access-control-allow-headers')).toBe(
    'content-type,x-paymaster-api-key',
  );
  const batch = await fetch(`${url}/paymaster`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([
      { jsonrpc: '2.0', id: 1, method: 'paymaster_isAvailable' },
      { jsonrpc: '2.0', id: 2, method: 'paymaster_trackingIdToLatestHash', params: ['0x1'] },
    ]),
  });
  expect(await batch.json()).toMatchObject([
    { id: 1, result: true },
    { id: 2, error: { code: ERRORS.INVALID_ID.code } },
  ]);
});

test('restricted methods are restricted there too', async () => {
  const { url } = await start({ restrictedMethods: ['paymaster_executeTransaction'] });
  const service = checkedClient(overHttp(`${url}/paymaster`));
  const { code } = await service.failure('paymaster_executeTransaction', {});
  expect(code).toBe(ERRORS.METHOD_FORBIDDEN.code);
});

test('blocks on demand hold its transactions, and the tracking id follows them', async () => {
  const started = await start({ blockGenerationOn: 'demand' });
  const { client } = started;
  const transaction_hash = await give(started);
  const { transactions } = await client.call('devnet_getPaymaster');
  const { tracking_id = '0x0' } = transactions[0] ?? {};
  const track = () => client.call('paymaster_trackingIdToLatestHash', { tracking_id });
  expect(await track()).toEqual({ transaction_hash, status: 'active' });
  expect(await received(started)).toBe(5n);
  const { block_hash } = await client.call('devnet_createBlock');
  expect(await track()).toEqual({ transaction_hash, status: 'accepted' });
  await client.call('devnet_abortBlocks', { starting_block_id: { block_hash } });
  expect(await track()).toEqual({ transaction_hash, status: 'dropped' });
});

test('several of its transactions wait in a mempool, one after another', async () => {
  const started = await start({ blockGenerationOn: 'mempool' });
  const { client } = started;
  const hashes = [await give(started, 1n), await give(started, 2n), await give(started, 3n)];
  const { transactions: waiting } = await client.call('devnet_mempoolList', {});
  expect(waiting.map(({ transaction_hash }) => transaction_hash)).toEqual(hashes);
  const { transactions } = await client.call('devnet_getPaymaster');
  const { tracking_id = '0x0' } = transactions[0] ?? {};
  expect(await client.call('paymaster_trackingIdToLatestHash', { tracking_id })).toEqual({
    transaction_hash: hashes[2],
    status: 'active',
  });
  expect(await received(started)).toBe(0n);
  await client.call('devnet_mempoolPreConfirm', {});
  expect(await received(started)).toBe(6n);
});

test('the same typed data is refused while its transaction waits in a mempool', async () => {
  const started = await start({ blockGenerationOn: 'mempool' });
  const { client, node, url } = started;
  const [from, to] = node.accounts;
  const account = new Account({
    provider: started.provider,
    address: from?.address ?? '',
    signer: from?.privateKey ?? '',
    paymaster: new PaymasterRpc({ nodeUrl: `${url}/paymaster` }),
  });
  const built = await account.paymaster.buildTransaction(
    {
      type: 'invoke',
      invoke: { userAddress: account.address, calls: [transfer(STRK, to?.address ?? '', 5n)] },
    },
    { version: '0x1', feeMode: SPONSORED },
  );
  const signed = await account.preparePaymasterTransaction(built);
  const send = () => account.paymaster.executeTransaction(signed, built.parameters);
  const { tracking_id, transaction_hash } = await send();
  expect((await refusalOf(send())).code).toBe(ERRORS.PAYMASTER_EXECUTION_ERROR.code);
  await client.call('devnet_mempoolPreConfirm', {});
  await started.feeOf(transaction_hash);
  expect((await refusalOf(send())).code).toBe(ERRORS.PAYMASTER_EXECUTION_ERROR.code);
  expect(await client.call('paymaster_trackingIdToLatestHash', { tracking_id })).toEqual({
    transaction_hash,
    status: 'active',
  });
});

test('requests at the same time get transactions with consecutive nonces', async () => {
  const started = await start();
  const hashes = await Promise.all([1n, 2n, 4n, 8n].map((amount) => give(started, amount)));
  const nonces = await Promise.all(
    hashes.map(async (transaction_hash) => {
      const transaction = await started.client.call('starknet_getTransactionByHash', {
        transaction_hash,
      });
      return 'nonce' in transaction ? transaction.nonce : undefined;
    }),
  );
  expect(nonces.toSorted()).toEqual(['0x0', '0x1', '0x2', '0x3']);
  expect(await received(started)).toBe(15n);
});

test('the same seed and requests give the same typed data and transactions', async () => {
  const options = { startTime: 1_700_000_000, blockGenerationOn: 'demand' as const };
  const run = async (): Promise<unknown> => {
    const { node, client } = await start(options);
    await client.call('devnet_setBlockSettings', { time_step: 10 });
    const [{ address } = { address: '0x0' }] = node.accounts;
    const calls = [{ to: STRK, selector: '0x1', calldata: [] }];
    const request = {
      transaction: { type: 'invoke' as const, invoke: { user_address: address, calls } },
      parameters: { version: '0x1' as const, fee_mode: { mode: 'sponsored' as const } },
    };
    const { data } = await client.failure('paymaster_buildTransaction', request);
    const invoke = {
      user_address: address,
      calls: [{ to: STRK, selector: selector('name'), calldata: [] }],
    };
    const valid = { ...request, transaction: { type: 'invoke' as const, invoke } };
    const first = await client.call('paymaster_buildTransaction', valid);
    const second = await client.call('paymaster_buildTransaction', valid);
    expect(second).not.toEqual(first);
    return { data, first, second };
  };
  expect(await run()).toEqual(await run());
});

test('after a restart it works as before', async () => {
  const started = await start();
  await give(started);
  await started.client.call('devnet_restart');
  expect(await received(started)).toBe(0n);
  await started.feeOf(await give(started));
  expect(await received(started)).toBe(5n);
});

test('after a revert the same typed data can be executed again', async () => {
  const started = await start();
  const snapshot_id = await started.client.call('devnet_snapshot', {});
  await give(started);
  await started.client.call('devnet_revert', { snapshot_id });
  expect(await received(started)).toBe(0n);
  await started.feeOf(await give(started));
  expect(await received(started)).toBe(5n);
});

test('an image of a chain without a paymaster gets a relayer when it is first used', async () => {
  const plain = await startNode();
  onTestFinished(plain.close);
  await plain.client.call('devnet_mint', { address: '0x1', amount: 7, unit: 'FRI' });
  const dump = await plain.client.call('devnet_dump', { format: 'image', inline: true });
  const { image } = Object(dump);
  const started = await start();
  const { relayer } = await started.client.call('devnet_getPaymaster');
  await started.client.call('devnet_load', { image });
  expect(await started.balance(STRK, relayer)).toBe(0n);
  expect(await started.client.call('paymaster_isAvailable')).toBe(true);
  expect(await started.balance(STRK, relayer)).toBe(10n ** 24n);
  await started.feeOf(await give(started));
  expect(await received(started)).toBe(5n);
});

test('a relayer that has spent its STRK is funded again', async () => {
  const started = await start();
  const { client } = started;
  const { relayer } = await client.call('devnet_getPaymaster');
  await client.call('devnet_deal', { token: STRK, address: relayer, amount: '5' });
  await started.feeOf(await give(started));
  expect(await started.balance(STRK, relayer)).toBeGreaterThan(10n ** 23n);
});

test('a journal has the transactions of the relayer, and another node repeats them', async () => {
  const dumpPath = join(temporaryFolder(), 'dump.json');
  const first = await start({ dumpOn: 'request', dumpPath });
  await give(first);
  await first.client.call('devnet_dump', {});
  const second = await start({ dumpOn: 'request', dumpPath });
  expect(await received(second)).toBe(5n);
  await second.feeOf(await give(second));
  expect(await received(second)).toBe(10n);
});

test('a chain in a data directory keeps what its paymaster did', async () => {
  const dataDir = temporaryFolder();
  const first = await startPaymaster({ dataDir });
  await give(first);
  await first.close();
  const second = await start({ dataDir });
  expect(await received(second)).toBe(5n);
  await second.feeOf(await give(second));
  expect(await received(second)).toBe(10n);
});

test('a chain in a data directory that began without a paymaster can have one', async () => {
  const dataDir = temporaryFolder();
  const first = await startNode({ dataDir });
  await first.close();
  const second = await start({ dataDir });
  await second.feeOf(await give(second));
  expect(await received(second)).toBe(5n);
});

test('instances have their own, below their paths', async () => {
  const started = await start();
  const { client, url } = started;
  const { instance_id } = await client.call('devnet_createInstance', {});
  const path = `/instances/${instance_id}`;
  const instance = checkedClient(overHttp(`${url}${path}/rpc`));
  await client.call('devnet_setPaymaster', { available: false });
  expect(await instance.call('paymaster_isAvailable')).toBe(true);
  const hash = await give(started, 5n, path);
  const { transactions } = await instance.call('devnet_getPaymaster');
  expect(transactions.map(({ transaction_hash }) => transaction_hash)).toEqual([hash]);
  expect(await received(started)).toBe(0n);
  const { code } = await refusalOf(give(started));
  expect(code).toBe(ERRORS.PAYMASTER_UNKNOWN_ERROR.code);
});

test('a fork has its own relayer, and users pay with what they hold at the origin', async () => {
  const origin = await startNode({ listen: true, seed: 7 });
  onTestFinished(origin.close);
  const fresh = newAccount('0x4321');
  await origin.client.call('devnet_mint', { address: fresh.address, amount: 1e18, unit: 'FRI' });
  const started = await start({ forkNetwork: origin.url });
  const { account } = await started.dapp('starknet.js 10');
  const { transaction_hash } = await account(
    fresh.address,
    fresh.privateKey,
  ).executePaymasterTransaction([transfer(STRK, '0xb0b', 60n)], {
    feeMode: paidIn(STRK),
    deploymentData: deploymentOf(fresh),
  });
  const fee = await started.feeOf(transaction_hash);
  expect(await started.balance(STRK, '0xb0b')).toBe(60n);
  expect(await started.balance(STRK, fresh.address)).toBe(10n ** 18n - 60n - fee);
  await started.feeOf(await give(started));
  expect(await received(started)).toBe(5n);
});
