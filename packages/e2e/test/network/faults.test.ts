// Faults of network conditions: lost and delayed submissions, lifetimes, reorganisations.
import { ERRORS } from '@starkbox/spec';
import { type Fixture, startFixture } from '@starkbox/test-support/fixture';
import { invokeRequest, STRK } from '@starkbox/test-support/signing';
import { gather, results } from '@starkbox/test-support/subscriptions/subscribers';
import { expect, test } from 'vitest';

const CALL = { to: STRK, name: 'transfer', calldata: ['0x77', '0x1', '0x0'] };
const MEMPOOL = { blockGenerationOn: 'mempool' } as const;
const LOST = { submissions: { lost: 1 } };
const delayedBy = (blocks: number) => ({
  submissions: { delayed: 1, delay_blocks: [blocks, blocks] },
});

const send = async ({ client, account }: Fixture, nonce = 0, index = 0, changes = {}) => {
  const request = invokeRequest(account(index), [CALL], nonce, { changes });
  const { transaction_hash } = await client.call('starknet_addInvokeTransaction', [request]);
  return transaction_hash;
};

const setConditions = ({ client }: Fixture, conditions: object | string | null) =>
  client.call('devnet_setNetworkConditions', { conditions });

async function statusOf({ client }: Fixture, hash: string): Promise<string> {
  const answer = await client.call('starknet_getTransactionStatus', [hash]);
  return answer.finality_status;
}

const isUnknown = async ({ client }: Fixture, hash: string) =>
  (await client.failure('starknet_getTransactionStatus', [hash])).code ===
  ERRORS.TXN_HASH_NOT_FOUND.code;

const heightOf = async ({ client }: Fixture) => Number(await client.call('starknet_blockNumber'));

for (const blockGenerationOn of ['mempool', 'transaction', 'demand'] as const) {
  test(`a lost submission is acknowledged, listed with the reason, and can be sent again: ${blockGenerationOn}`, async () => {
    const fixture = await startFixture({ blockGenerationOn });
    const { client } = fixture;
    await setConditions(fixture, LOST);
    const height = await heightOf(fixture);
    const hash = await send(fixture);
    expect(await isUnknown(fixture, hash)).toBe(true);
    const { dropped, size } = await client.call('devnet_mempoolList');
    expect(size).toBe(0);
    expect(dropped).toMatchObject([
      { transaction_hash: hash, reason: expect.stringContaining('network conditions') },
    ]);
    expect(await heightOf(fixture)).toBe(height);
    await setConditions(fixture, {});
    expect(await send(fixture)).toBe(hash);
    if (blockGenerationOn === 'mempool') await client.call('devnet_mempoolSeal');
    expect(['PRE_CONFIRMED', 'ACCEPTED_ON_L2']).toContain(await statusOf(fixture, hash));
    expect(await client.call('devnet_getNetworkConditions')).toMatchObject({ submissions: 2 });
  });
}

test('a gateway answers with its errors before a submission is lost', async () => {
  const fixture = await startFixture(MEMPOOL);
  const { client, account } = fixture;
  await send(fixture);
  await client.call('devnet_mempoolSeal');
  await setConditions(fixture, LOST);
  const request = invokeRequest(account(), [CALL, CALL], 0);
  const { code } = await client.failure('starknet_addInvokeTransaction', [request]);
  expect(code).toBe(ERRORS.INVALID_TRANSACTION_NONCE.code);
  expect(await client.call('devnet_mempoolList')).toMatchObject({ dropped: [] });
  expect(await client.call('devnet_getNetworkConditions')).toMatchObject({ submissions: 0 });
});

test('subscribers of the sandbox hear of a lost submission', async () => {
  const { client, sender, connect } = await gather(MEMPOOL);
  await client.call('devnet_setNetworkConditions', { conditions: LOST });
  const socket = await connect();
  await socket.subscribe('devnet_subscribeSandbox');
  await socket.heard();
  const hash = await sender.invoke([CALL]);
  expect(results(await socket.heard())).toMatchObject([
    { event: 'mempool', detail: { size: 0, dropped: [{ transaction_hash: hash }] } },
  ]);
});

test('a delayed submission waits for its blocks', async () => {
  const fixture = await startFixture(MEMPOOL);
  const { client } = fixture;
  await setConditions(fixture, delayedBy(2));
  const hash = await send(fixture);
  expect(await client.call('devnet_mempoolList')).toMatchObject({
    transactions: [{ transaction_hash: hash, status: 'RECEIVED', waits_for_blocks: 2 }],
    upcoming: [],
  });
  expect(await client.call('devnet_mempoolSeal')).toMatchObject({ pre_confirmed: [] });
  expect(await client.call('devnet_mempoolSeal')).toMatchObject({ pre_confirmed: [] });
  expect(await statusOf(fixture, hash)).toBe('RECEIVED');
  expect(await client.call('devnet_mempoolSeal')).toMatchObject({ pre_confirmed: [hash] });
  expect(await statusOf(fixture, hash)).toBe('ACCEPTED_ON_L2');
});

test('where each transaction has its block, a delayed one gets its own when its round comes', async () => {
  const fixture = await startFixture();
  await setConditions(fixture, delayedBy(2));
  const hash = await send(fixture);
  await setConditions(fixture, {});
  const following = await send(fixture, 1);
  expect([await statusOf(fixture, hash), await statusOf(fixture, following)]).toEqual([
    'RECEIVED',
    'RECEIVED',
  ]);
  await send(fixture, 0, 1);
  expect(await statusOf(fixture, hash)).toBe('RECEIVED');
  await send(fixture, 1, 1);
  expect(await statusOf(fixture, hash)).toBe('ACCEPTED_ON_L2');
  expect(await statusOf(fixture, following)).toBe('ACCEPTED_ON_L2');
});

test('on demand, a delayed transaction enters the block after its rounds', async () => {
  const fixture = await startFixture({ blockGenerationOn: 'demand' });
  const { client } = fixture;
  await setConditions(fixture, delayedBy(1));
  const hash = await send(fixture);
  expect(await statusOf(fixture, hash)).toBe('RECEIVED');
  await client.call('devnet_createBlock');
  expect(await statusOf(fixture, hash)).toBe('PRE_CONFIRMED');
  await client.call('devnet_createBlock');
  expect(await statusOf(fixture, hash)).toBe('ACCEPTED_ON_L2');
});

test('a transaction is dropped at the end of its lifetime', async () => {
  const fixture = await startFixture(MEMPOOL);
  const { client } = fixture;
  const earlier = await send(fixture, 1);
  await setConditions(fixture, { lifetime_blocks: 2 });
  await client.call('devnet_createBlock');
  const later = await send(fixture, 2);
  await client.call('devnet_createBlock');
  expect(await isUnknown(fixture, earlier)).toBe(true);
  expect(await statusOf(fixture, later)).toBe('RECEIVED');
  await client.call('devnet_createBlock');
  const { dropped } = await client.call('devnet_mempoolList');
  expect(dropped).toMatchObject([
    { transaction_hash: earlier, reason: expect.stringContaining('2 blocks') },
    { transaction_hash: later },
  ]);
});

test('without conditions, waiting and delayed transactions follow the usual rules', async () => {
  const fixture = await startFixture(MEMPOOL);
  const { client } = fixture;
  await setConditions(fixture, { ...delayedBy(50), lifetime_blocks: 1, order: 'tip' });
  const hashes = [await send(fixture), await send(fixture, 1), await send(fixture, 0, 1)];
  await setConditions(fixture, null);
  expect(await client.call('devnet_getNetworkConditions')).toMatchObject({ conditions: null });
  await setConditions(fixture, { lifetime_blocks: 100 });
  expect(await client.call('devnet_mempoolList')).toMatchObject({ upcoming: hashes });
  await setConditions(fixture, null);
  expect(await client.call('devnet_mempoolSeal')).toMatchObject({ pre_confirmed: hashes });
});

test('dropped transactions can be read page by page', async () => {
  const fixture = await startFixture(MEMPOOL);
  const { client } = fixture;
  await setConditions(fixture, LOST);
  const hashes: string[] = [];
  for (let nonce = 0; nonce < 120; nonce += 1) hashes.push(await send(fixture, nonce));
  const { dropped } = await client.call('devnet_mempoolList');
  expect(dropped.map((row) => row.transaction_hash)).toEqual(hashes.slice(20));
  const pages: string[] = [];
  for (let from = 0; ; ) {
    const page = await client.call('devnet_mempoolList', { limit: 50, dropped_from: from });
    pages.push(...page.dropped.map((row) => row.transaction_hash));
    if (page.dropped.length === 0) break;
    from = page.next_dropped ?? from;
  }
  expect(pages).toEqual(hashes);
});

test('a reorganisation returns the transactions of its blocks, and subscribers hear of it', async () => {
  const { client, sender, connect } = await gather(MEMPOOL);
  const socket = await connect();
  await socket.subscribe('starknet_subscribeNewHeads');
  await socket.heard();
  await client.call('devnet_setNetworkConditions', {
    conditions: { seed: 1, reorgs: { probability: 0.5, depth: 2 } },
  });
  const hashes = new Set<string>();
  const heads = new Set<string>();
  let reorgs = 0;
  let removed = 0;
  for (let nonce = 0; nonce < 12; nonce += 1) {
    hashes.add(await sender.invoke([CALL], { nonce: `0x${nonce.toString(16)}` }));
    await client.call('devnet_mempoolSeal');
    for (const message of results(await socket.heard())) {
      if (!('starting_block_number' in Object(message))) {
        // A block that is built again differs at least in its time.
        const { block_hash } = Object(message);
        expect(heads).not.toContain(block_hash);
        heads.add(block_hash);
        continue;
      }
      const { starting_block_number: first, ending_block_number: last } = Object(message);
      reorgs += 1;
      removed += last - first + 1;
      expect(last - first).toBeLessThan(2);
    }
  }
  expect(reorgs).toBeGreaterThan(2);
  const { rounds } = await client.call('devnet_getNetworkConditions');
  expect(rounds).toBe(12);
  expect(await client.call('starknet_blockNumber')).toBe(12 - removed);
  await client.call('devnet_setNetworkConditions', { conditions: null });
  await client.call('devnet_mempoolSeal');
  for (const hash of hashes) {
    expect(await client.call('starknet_getTransactionStatus', [hash])).toMatchObject({
      finality_status: 'ACCEPTED_ON_L2',
    });
  }
});

test('where each transaction has its block, removed ones are built again at once', async () => {
  const fixture = await startFixture();
  await setConditions(fixture, { seed: 3, reorgs: { probability: 0.5, depth: 3 } });
  const hashes: string[] = [];
  for (let nonce = 0; nonce < 10; nonce += 1) {
    hashes.push(await send(fixture, nonce));
    for (const hash of hashes) expect(await statusOf(fixture, hash)).toBe('ACCEPTED_ON_L2');
  }
  const { rounds } = await fixture.client.call('devnet_getNetworkConditions');
  expect(rounds).toBeGreaterThan(10);
});

test('blocks on L1, the first block and blocks with mints stay', async () => {
  const fixture = await startFixture({ blockGenerationOn: 'demand' });
  const { client, account } = fixture;
  await setConditions(fixture, { reorgs: { probability: 0.9, depth: 100 } });
  for (let round = 0; round < 10; round += 1) await client.call('devnet_createBlock');
  expect(await heightOf(fixture)).toBeLessThan(10);
  await client.call('devnet_mint', { address: account().address, amount: 1000 });
  for (let round = 0; round < 10; round += 1) await client.call('devnet_createBlock');
  const minted = await heightOf(fixture);
  await setConditions(fixture, {});
  await client.call('devnet_createBlock');
  await client.call('devnet_acceptOnL1', { starting_block_id: 'latest' });
  const accepted = await heightOf(fixture);
  expect(accepted).toBe(minted + 1);
  await setConditions(fixture, { reorgs: { probability: 0.9, depth: 100 } });
  for (let round = 0; round < 10; round += 1) await client.call('devnet_createBlock');
  expect(await heightOf(fixture)).toBeGreaterThanOrEqual(accepted);
  const { finality_status } = await client.call('starknet_getTransactionStatus', [
    (await client.call('devnet_mint', { address: account().address, amount: 1 })).tx_hash,
  ]);
  expect(finality_status).toBe('PRE_CONFIRMED');
});

test('reorganisations need old states', async () => {
  const fixture = await startFixture({ stateArchive: 'none' });
  const { client } = fixture;
  const conditions = { reorgs: { probability: 0.1 } };
  const { message } = await client.failure('devnet_setNetworkConditions', { conditions });
  expect(message).toContain('--state-archive-capacity full');
  await expect(
    startFixture({ stateArchive: 'none', networkConditions: 'congested' } as object),
  ).rejects.toThrow('--state-archive-capacity full');
});
