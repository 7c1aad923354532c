// Status and configuration of the node.
import { readFileSync } from 'node:fs';
import { startFixture } from '@starkbox/test-support/fixture';
import { expect, test } from 'vitest';

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../../../../starkbox/package.json', import.meta.url), 'utf8'),
);

test('status.1a a fresh node', async () => {
  const { client } = await startFixture();
  const status = {
    block_count: 1,
    transaction_count: 0,
    pre_confirmed_tx_count: 0,
    chain_id: 'SN_SEPOLIA',
    protocol_version: '0.10.2',
    is_forked: false,
    impersonated_accounts: [],
    auto_impersonate: false,
  };
  expect(await client.call('devnet_getStatus')).toEqual({ ...status, devnet_version: version });
});

test('status.1a under its alias the version has another name', async () => {
  const { node } = await startFixture();
  const status = await node.request('sandbox_getStatus');
  expect(status).toHaveProperty('sandbox_version', version);
  expect(status).not.toHaveProperty('devnet_version');
});

test('status.1b a block and a mint are counted', async () => {
  const { client } = await startFixture();
  await client.call('devnet_createBlock');
  expect(await client.call('devnet_getStatus')).toMatchObject({
    block_count: 2,
    transaction_count: 0,
  });
  await client.call('devnet_mint', { address: '0x1', amount: 1 });
  expect(await client.call('devnet_getStatus')).toMatchObject({
    block_count: 3,
    transaction_count: 1,
    pre_confirmed_tx_count: 0,
  });
});

test('status.1b pending transactions are counted twice', async () => {
  const { client } = await startFixture({ blockGenerationOn: 'demand' });
  await client.call('devnet_mint', { address: '0x1', amount: 1 });
  await client.call('devnet_mint', { address: '0x1', amount: 2 });
  expect(await client.call('devnet_getStatus')).toMatchObject({
    block_count: 1,
    transaction_count: 2,
    pre_confirmed_tx_count: 2,
  });
  await client.call('devnet_createBlock');
  expect(await client.call('devnet_getStatus')).toMatchObject({
    block_count: 2,
    transaction_count: 2,
    pre_confirmed_tx_count: 0,
  });
});
