// Snapshots: their names, what comes back with them, and what happens at the same time.
import { ERRORS } from '@starkbox/spec';
import { type Fixture, startFixture } from '@starkbox/test-support/fixture';
import { contract, Sender, selector } from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';

const L1_CONTRACT = '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0';

const snapshot = ({ client }: Fixture): Promise<string> => client.call('devnet_snapshot');
const revert = ({ client }: Fixture, snapshot_id: string): Promise<boolean> =>
  client.call('devnet_revert', { snapshot_id });
const height = ({ client }: Fixture): Promise<number> => client.call('starknet_blockNumber');

describe('names', () => {
  test('additions.2a count up, and are never used again', async () => {
    const fixture = await startFixture();
    expect([await snapshot(fixture), await snapshot(fixture)]).toEqual(['0x1', '0x2']);
    expect(await revert(fixture, '0x1')).toBe(true);
    expect(await snapshot(fixture)).toBe('0x3');
    await fixture.client.call('devnet_restart');
    expect(await snapshot(fixture)).toBe('0x4');
    for (let i = 5; i < 10; i += 1) await snapshot(fixture);
    expect(await snapshot(fixture)).toBe('0xa');
  });

  test('are refused beyond 100,000, until one is deleted or reverted', async () => {
    const { client, node } = await startFixture();
    const batch = JSON.stringify(
      Array.from({ length: 1000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'devnet_snapshot' })),
    );
    for (let sent = 0; sent < 100; sent += 1) await node.handle(batch);
    const { code, message } = await client.failure('devnet_snapshot');
    expect([code, message]).toEqual([-1, expect.stringContaining('has 100000 snapshots')]);
    expect(await client.call('devnet_deleteSnapshot', { snapshot_id: '0x65' })).toBe(true);
    expect(await client.call('devnet_snapshot')).toBe('0x186a1');
    expect(await client.call('devnet_revert', { snapshot_id: '0x64' })).toBe(true);
    expect(await client.call('devnet_snapshot')).toBe('0x186a2');
  });

  test('additions.2b are good once', async () => {
    const fixture = await startFixture();
    const id = await snapshot(fixture);
    await fixture.client.call('devnet_createBlock');
    expect(await revert(fixture, id)).toBe(true);
    expect(await height(fixture)).toBe(0);
    await fixture.client.call('devnet_createBlock');
    expect(await revert(fixture, id)).toBe(false);
    expect(await height(fixture)).toBe(1);
  });

  test('additions.2b newer ones go with an older one, and older ones stay', async () => {
    const fixture = await startFixture();
    const ids: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      ids.push(await snapshot(fixture));
      await fixture.client.call('devnet_createBlock');
    }
    const [first = '', second = '', third = '', fourth = ''] = ids;
    expect(await revert(fixture, second)).toBe(true);
    expect(await height(fixture)).toBe(1);
    expect([await revert(fixture, third), await revert(fixture, fourth)]).toEqual([false, false]);
    expect(await revert(fixture, first)).toBe(true);
    expect(await height(fixture)).toBe(0);
  });

  test('a deleted one is gone, and older and newer ones stay', async () => {
    const fixture = await startFixture();
    const { client } = fixture;
    const early = await snapshot(fixture);
    await client.call('devnet_createBlock');
    const middle = await snapshot(fixture);
    await client.call('devnet_createBlock');
    const late = await snapshot(fixture);
    expect(await client.call('sandbox_deleteSnapshot', { snapshot_id: middle })).toBe(true);
    expect(await client.call('devnet_deleteSnapshot', { snapshot_id: middle })).toBe(false);
    expect(await revert(fixture, middle)).toBe(false);
    const { snapshots } = await client.call('devnet_listSnapshots');
    expect(snapshots.map(({ snapshot_id }) => snapshot_id)).toEqual([late, early]);
    expect([await revert(fixture, late), await height(fixture)]).toEqual([true, 2]);
    expect([await revert(fixture, early), await height(fixture)]).toEqual([true, 0]);
  });

  test('additions.2b a restart takes them all', async () => {
    const fixture = await startFixture();
    const id = await snapshot(fixture);
    await fixture.client.call('devnet_restart');
    expect(await revert(fixture, id)).toBe(false);
  });

  test('additions.2c may have zeros in front and any case', async () => {
    const fixture = await startFixture();
    for (let i = 0; i < 11; i += 1) await snapshot(fixture);
    expect(await revert(fixture, '0x000B')).toBe(true);
    expect(await revert(fixture, `0x${'0'.repeat(100)}a`)).toBe(true);
  });

  test('additions.2c unknown ones are no error', async () => {
    const fixture = await startFixture();
    await snapshot(fixture);
    for (const id of ['0x0', '0x2', '0xffffffffffffffff']) {
      expect(await revert(fixture, id)).toBe(false);
    }
    expect(await revert(fixture, '0x1')).toBe(true);
  });

  test('additions.2c malformed ones are', async () => {
    const { client } = await startFixture();
    for (const snapshot_id of [
      ...['1', '', '0x', '0X1', '0xg', ' 0x1', '-0x1', '0x1 '],
      ...['0x10000000000000000', 1, null, ['0x1']],
    ]) {
      const { code } = await client.failure('devnet_revert', { snapshot_id });
      expect(code, JSON.stringify(snapshot_id)).toBe(ERRORS.INVALID_PARAMS.code);
    }
    expect((await client.failure('devnet_revert', {})).code).toBe(ERRORS.INVALID_PARAMS.code);
    expect((await client.failure('devnet_revert')).code).toBe(ERRORS.INVALID_PARAMS.code);
  });
});

describe('what comes back', () => {
  /** All that a node shows of itself. */
  async function chainContents({ client, node }: Fixture, classHash: string): Promise<unknown> {
    const address = node.accounts[0]?.address;
    const { timestamp: _, ...pending } = await client.call('starknet_getBlockWithTxs', [
      'pre_confirmed',
    ]);
    return {
      status: await client.call('devnet_getStatus'),
      latest: await client.call('starknet_getBlockWithReceipts', ['latest']),
      pending,
      changed: await client.call('starknet_getStateUpdate', ['pre_confirmed']),
      nonce: await client.call('starknet_getNonce', ['pre_confirmed', address]),
      balance: await client.call('devnet_getAccountBalance', {
        address,
        block_id: 'pre_confirmed',
      }),
      class: await client
        .call('starknet_getClass', ['pre_confirmed', classHash])
        .catch(() => 'none'),
      accepted: await client
        .call('starknet_getBlockWithTxHashes', ['l1_accepted'])
        .catch(() => 'none'),
      messages: await client.call('devnet_postmanFlush', { dry_run: true }),
      journal: await client.call('devnet_dump'),
    };
  }

  test.each(['transaction', 'demand'] as const)(
    'additions.3a everything, where blocks are made on %s',
    async (blockGenerationOn) => {
      const fixture = await startFixture({ blockGenerationOn, dumpOn: 'request' });
      const { client, node } = fixture;
      const sender = new Sender(client, node.accounts[0]);
      const [counter, messenger] = [await contract('counter'), await contract('messenger')];
      const address = await sender.deploy(messenger);
      const send = { to: address, name: 'send', calldata: [L1_CONTRACT, '0x1', '0x7'] };
      await sender.invoke([send]);
      await client.call('devnet_createBlock');
      await client.call('devnet_acceptOnL1', { starting_block_id: { block_number: 1 } });
      await sender.invoke([send]);

      const before = await chainContents(fixture, counter.hash);
      const id = await snapshot(fixture);
      await sender.declare(counter);
      await sender.invoke([send]);
      await client.call('devnet_createBlock');
      await client.call('devnet_acceptOnL1', { starting_block_id: 'latest' });
      await client.call('devnet_setGasPrice', { l2_gas_price_fri: 5, generate_block: true });
      await client.call('devnet_impersonateAccount', { account_address: address });
      await client.call('devnet_autoImpersonate');
      await client.call('devnet_applyStateDiff', {
        state_diff: { nonces: [{ contract_address: sender.account.address, nonce: '0x77' }] },
      });
      await client.call('devnet_postmanSendMessageToL2', {
        l2_contract_address: address,
        l1_contract_address: L1_CONTRACT,
        entry_point_selector: selector('deposit'),
        payload: ['0x1', '0x2'],
        paid_fee_on_l1: '0x1',
        nonce: '0x1',
      });
      expect(await chainContents(fixture, counter.hash)).not.toEqual(before);

      expect(await revert(fixture, id)).toBe(true);
      expect(await chainContents(fixture, counter.hash)).toEqual(before);
      // And the chain goes on from there.
      await sender.declare(counter);
      await client.call('devnet_createBlock');
      expect(await client.call('starknet_getClass', ['latest', counter.hash])).toEqual(
        counter.body,
      );
    },
  );

  test('additions.3b the clock, also a time that waits for its block', async () => {
    const fixture = await startFixture();
    const { client } = fixture;
    const timestamp = async (): Promise<number> =>
      (await client.call('starknet_getBlockWithTxHashes', ['latest'])).timestamp;
    await client.call('devnet_setTime', { time: 2_000_000_000 });
    const running = await snapshot(fixture);
    await client.call('devnet_setTime', { time: 3_000_000_000, generate_block: false });
    const waiting = await snapshot(fixture);
    await client.call('devnet_increaseTime', { time: 1_000_000_000 });
    await revert(fixture, waiting);
    await client.call('devnet_createBlock');
    expect(await timestamp()).toBe(3_000_000_000);
    await revert(fixture, running);
    await client.call('devnet_createBlock');
    expect(await timestamp()).toBeGreaterThanOrEqual(2_000_000_000);
    expect(await timestamp()).toBeLessThan(2_000_000_100);
  });

  test('additions.3c blocks that were aborted and made again do not matter', async () => {
    const fixture = await startFixture();
    const { client } = fixture;
    const { tx_hash } = await client.call('devnet_mint', { address: '0x1', amount: 1 });
    const id = await snapshot(fixture);
    await client.call('devnet_abortBlocks', { starting_block_id: 'latest' });
    await client.call('devnet_mint', { address: '0x2', amount: 1 });
    expect(await revert(fixture, id)).toBe(true);
    expect(await client.call('starknet_getTransactionReceipt', [tx_hash])).toMatchObject({
      block_number: 1,
    });
  });
});

test('additions.4 snapshots and changes at the same time', async () => {
  const fixture = await startFixture({ dumpOn: 'request' });
  const { client } = fixture;
  const ids: Promise<string>[] = [];
  const mints: Promise<unknown>[] = [];
  for (let i = 0; i < 10; i += 1) {
    mints.push(client.call('devnet_mint', { address: '0x1', amount: 1 }));
    ids.push(snapshot(fixture));
  }
  await Promise.all(mints);
  const snapshotIds = await Promise.all(ids);
  expect(new Set(snapshotIds).size).toBe(10);
  const heights: number[] = [];
  for (const id of snapshotIds.toSorted((a, b) => Number(b) - Number(a))) {
    expect(await revert(fixture, id)).toBe(true);
    const number = await height(fixture);
    heights.push(number);
    // One call a block, and one token.
    expect(await client.call('devnet_dump')).toHaveLength(number);
    const { amount } = await client.call('devnet_getAccountBalance', { address: '0x1' });
    expect(amount).toBe(String(number));
  }
  expect(heights).toEqual(heights.toSorted((a, b) => b - a));
});
