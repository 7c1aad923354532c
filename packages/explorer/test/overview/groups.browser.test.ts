// Failures of the overview by what they have in common, and price and fullness of blocks on their pages.
import { expect, test } from 'vitest';
import { openLive, setStage } from '../support/stage.js';

test('equal failures are one row with their number, which opens their list', async () => {
  const stage = await setStage();
  try {
    const counter = await stage.deploy('counter', ['7']);
    for (const from of [1, 2, 1]) await stage.send(from, [stage.transfer(3, 10n ** 30n)]);
    await stage.send(1, [{ contractAddress: counter, entrypoint: 'increase', calldata: ['0'] }]);
    const { page } = await openLive(stage, '');
    const rows = page.getByRole('region', { name: 'Last failures' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.nth(0).innerText()).toMatch(/amount is 0/);
    expect(await rows.nth(0).innerText()).not.toMatch(/times/);
    expect(await rows.nth(1).innerText()).toMatch(
      /insufficient balance[\s\S]*2 senders → STRK\.transfer[\s\S]*3 times/,
    );
    // One more of the kind moves it to the front.
    await stage.send(2, [stage.transfer(3, 10n ** 30n)]);
    await expect.poll(() => rows.nth(0).innerText()).toMatch(/4 times/);
    await rows.nth(0).getByRole('link', { name: '4 times' }).click();
    await page.getByRole('heading', { level: 1, name: 'Transactions' }).waitFor();
    await expect.poll(() => page.locator('tr[data-row]').count()).toBe(4);
  } finally {
    await stage.close();
  }
});

test('blocks show their price and how full they are, in the list and on their pages', async () => {
  const stage = await setStage({
    networkConditions: {
      seed: 5,
      block_generation_on: 'demand',
      gas_market: true,
      capacity: 'network',
      congestion: { demand: 0.6, variation: 0.5, transactions: 0 },
    },
  });
  try {
    await stage.node.client.call('devnet_createBlock', { count: 5 });
    const { recent_blocks } = await stage.node.client.call('devnet_getNetworkConditions', {});
    const last = recent_blocks.at(-1);
    const percent = `${Math.round((last?.fullness ?? 0) * 100)} %`;
    const { page } = await stage.open('blocks', { viewport: { width: 1440, height: 900 } });
    await page.getByRole('columnheader', { name: 'L2 gas price' }).waitFor();
    const row = page.locator('tr[data-row]').first();
    await expect.poll(() => row.innerText()).toContain(percent);
    expect(await row.innerText()).toMatch(/gfri/);
    await page.goto(`${stage.origin}/ui/block/${last?.block_number}`);
    const facts = page.locator('main');
    await expect.poll(() => facts.innerText()).toMatch(new RegExp(`Fullness\\s+${percent}`));
    expect(await facts.innerText()).toMatch(/L2 gas[\s\S]*gfri/i);
  } finally {
    await stage.close();
  }
});
