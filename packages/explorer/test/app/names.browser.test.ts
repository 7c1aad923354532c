// Names of contracts on pages, and how much the pages read for them.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { shortAddress } from '@starkbox/abi/basics';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.js';

let stage: Stage;
let first: string;
let second: string;
let reverted: string;

const GOLD = ['0x476f6c64', '0x474c44'];

beforeAll(async () => {
  stage = await setStage();
  first = await stage.deploy('counter', ['0']);
  second = await stage.deploy('token', [...GOLD, '1000', '0', stage.address(0)]);
  for (let count = 0; count < 50; count += 1) {
    const calls = [
      { contractAddress: first, entrypoint: 'increase', calldata: ['1'] },
      stage.transfer(count % 5, 1n),
    ];
    await stage.send(count % 3, calls);
  }
  reverted = await stage.send(1, [
    { contractAddress: second, entrypoint: 'transfer', calldata: [stage.address(2), '5000', '0'] },
  ]);
});
afterAll(() => stage.close());

/** Opens a page; how many bytes of responses it reads by RPC until it is settled, uncompressed. */
async function readBytes(path: string): Promise<{ page: Page; bytes: number }> {
  const { page, settled } = await stage.open('node');
  await settled();
  let bytes = 0;
  const bodies: Promise<void>[] = [];
  page.on('response', (response) => {
    if (!new URL(response.url()).pathname.endsWith('/rpc')) return;
    bodies.push(
      response.body().then(
        (body) => {
          bytes += body.length;
        },
        () => undefined,
      ),
    );
  });
  await page.goto(`${stage.origin}/ui/${path}`);
  await page.locator('main h1').waitFor();
  await settled();
  await Promise.all(bodies);
  return { page, bytes };
}

test('a list of 50 transactions reads little, and names contracts and functions', async () => {
  const { page, bytes } = await readBytes('transactions');
  await page.getByText('increase').first().waitFor();
  await page
    .getByRole('link', { name: /^counter, ends/ })
    .first()
    .waitFor();
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(150_000);
});

test('the page of a failed transaction reads little, and names the token', async () => {
  const { page, bytes } = await readBytes(`tx/${reverted}`);
  await page
    .getByRole('link', { name: /^Gold, ends/ })
    .first()
    .waitFor();
  expect(bytes).toBeLessThan(250_000);
});

test('names follow labels, artifacts and reverts', async () => {
  const { client } = stage.node;
  const snapshot_id = await client.call('devnet_snapshot', {});
  const { page } = await stage.open('contracts');
  const link = (name: RegExp) => page.getByRole('link', { name }).first().waitFor();
  await link(/^Gold, ends/);
  const file = new URL('../../../../contracts/places/token.sierra.json.gz', import.meta.url);
  const artifact = JSON.parse(gunzipSync(readFileSync(file)).toString());
  await client.call('devnet_addArtifact', { artifact });
  await link(/^token, ends/);
  await client.call('devnet_setLabel', { value: second, label: 'treasure' });
  await link(/^treasure, ends/);
  await client.call('devnet_revert', { snapshot_id });
  await link(/^token, ends/);
});

test('contracts of one name carry their addresses', async () => {
  const { contract_address } = await stage.node.client.call('devnet_deploy', {
    class_hash:
      (await stage.node.client.call('devnet_nameContracts', { contract_addresses: [first] }))
        .contracts[0]?.class_hash ?? '',
    constructor_calldata: ['0x0'],
  });
  const { page } = await stage.open('contracts');
  await page
    .getByText(`counter ${shortAddress(contract_address)}`)
    .first()
    .waitFor();
  await page
    .getByText(`counter ${shortAddress(first)}`)
    .first()
    .waitFor();
});
