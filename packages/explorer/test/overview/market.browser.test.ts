// Price and fullness on the overview of a chain that imitates a network, and the form that sets its conditions.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { faultsOf } from '../support/accessibility.js';
import { openLive, type Stage, setStage } from '../support/stage.js';

/** Blocks close by hand, so that a run is repeatable. */
const CONDITIONS = {
  seed: 5,
  block_generation_on: 'demand',
  gas_market: true,
  capacity: 'network',
  congestion: { demand: 0.6, variation: 0.5, transactions: 0 },
} as const;

const priceChart = (page: Page) => page.getByRole('slider', { name: /^L2 gas price/ });
const fullnessChart = (page: Page) => page.getByRole('slider', { name: /^Fullness of blocks/ });
const network = ({ node }: Stage) => node.client.call('devnet_getNetworkConditions', {});
const gfri = (price: bigint | number): string =>
  `${new Intl.NumberFormat('en', { maximumSignificantDigits: 4 }).format(Number(price) / 1e9)} gfri`;

async function withStage(
  config: Parameters<typeof setStage>[0],
  run: (stage: Stage) => Promise<void>,
): Promise<void> {
  const stage = await setStage(config);
  try {
    await run(stage);
  } finally {
    await stage.close();
  }
}

test('shows price and fullness of the last blocks, live, by pointer, by keys and as a table', () =>
  withStage({ networkConditions: CONDITIONS }, async (stage) => {
    await stage.node.client.call('devnet_createBlock', { count: 12 });
    const { page, complaints, settled } = await openLive(stage, '');
    await priceChart(page).waitFor();
    const before = await network(stage);
    const last = before.recent_blocks.at(-1);
    expect(before.recent_blocks).toHaveLength(12);
    const market = page.getByRole('region', { name: 'Gas market' });
    expect(await market.innerText()).toContain(gfri(before.l2_gas_price));
    expect(await market.innerText()).toContain(`${gfri(before.next_l2_gas_price)} in the next`);
    expect(await fullnessChart(page).getAttribute('aria-label')).toMatch(
      /in 12 blocks, target 18 %$/,
    );
    expect(await market.locator('.chart-target').count()).toBe(2);

    await priceChart(page).focus();
    await page.keyboard.press('End');
    const described = `block ${last?.block_number}: ${gfri(last?.l2_gas_price ?? 0)}`;
    await market.getByText(`${described}, ${Math.round((last?.fullness ?? 0) * 100)} %`).waitFor();
    expect(await priceChart(page).getAttribute('aria-valuetext')).toBe(described);
    const box = await fullnessChart(page).boundingBox();
    if (!box) throw new Error('the chart is not drawn');
    await page.mouse.move(box.x + box.width - 2, box.y + 20);
    expect(await market.locator('.chart-pointed').count()).toBe(2);
    // Without a pointer on them, the figures are those of the next block and of the newest one.
    await page.mouse.move(0, 0);

    await stage.node.client.call('devnet_createBlock', {});
    await page.getByRole('slider', { name: /in 13 blocks$/ }).waitFor();
    const { next_l2_gas_price } = await network(stage);
    expect(await market.innerText()).toContain(gfri(next_l2_gas_price));
    await market.getByText('Values as a table').click();
    const rows = market.getByRole('table', { name: 'Price and fullness by block' });
    await expect.poll(() => rows.locator('tbody tr').count()).toBe(13);
    expect(await rows.locator('tbody tr').nth(1).innerText()).toContain(
      gfri(last?.l2_gas_price ?? 0),
    );
    await settled();
    expect(complaints).toEqual([]);
  }));

test('has no faults of accessibility, and fits on a narrow screen', () =>
  withStage({ networkConditions: CONDITIONS }, async (stage) => {
    await stage.node.client.call('devnet_mint', { address: '0xabc', amount: 5 });
    await stage.node.client.call('devnet_createBlock', { count: 110 });
    const { page, settled } = await stage.open('', { bypassCSP: true });
    await page.getByRole('slider', { name: /in 100 blocks$/ }).waitFor();
    await page.getByRole('region', { name: 'Gas market' }).getByText('Values as a table').click();
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 800 });
    await settled();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  }));

test('without conditions the overview has no market, and Control begins one and ends it', () =>
  withStage({}, async (stage) => {
    await stage.send(0, [stage.transfer(1, 5n)]);
    const overview = await openLive(stage, '');
    await overview.settled();
    const rpc = overview.requests.filter((url) => url.endsWith('/rpc')).length;
    expect(await overview.page.getByRole('region', { name: 'Gas market' }).count()).toBe(0);
    expect(rpc).toBeLessThanOrEqual(3);

    const { page } = await openLive(stage, 'control');
    const form = page.getByRole('region', { name: 'Network conditions' });
    await form.getByRole('radio', { name: 'Busy' }).check();
    await form.getByText('the price rises').waitFor();
    await form.getByRole('button', { name: 'Set conditions' }).click();
    await form.getByText('55 % of a block at the lowest price').waitFor();
    expect((await network(stage)).preset).toBe('busy');
    const mode = page.getByRole('region', { name: 'Block mode' });
    await expect
      .poll(() => mode.getByRole('radio', { name: 'Mempool on an interval' }).isChecked())
      .toBe(true);
    expect(await mode.getByLabel('Seconds between blocks').inputValue()).toBe('2');
    expect(await form.getByRole('button', { name: 'Set conditions' }).getAttribute('title')).toBe(
      'These are the current conditions.',
    );
    // The overview that is open elsewhere follows.
    await overview.page.getByRole('region', { name: 'Gas market' }).waitFor();
    await overview.page
      .getByRole('region', { name: 'Chain' })
      .getByText('busy, other users request 55 % of a block')
      .waitFor();
    await overview.page
      .getByRole('region', { name: 'Chain' })
      .getByText('a block every 2 s from the mempool')
      .waitFor();

    await form.getByRole('radio', { name: 'Off' }).check();
    await form.getByRole('button', { name: 'Set conditions' }).click();
    await expect.poll(async () => (await network(stage)).conditions).toBeNull();
    await overview.page.getByRole('region', { name: 'Gas market' }).waitFor({ state: 'detached' });
  }));

test('where the method is restricted, the form shows the conditions and says why it is disabled', () =>
  withStage(
    {
      networkConditions: CONDITIONS,
      restrictedMethods: ['devnet_setNetworkConditions'],
    },
    async (stage) => {
      const { page } = await openLive(stage, 'control');
      const form = page.getByRole('region', { name: 'Network conditions' });
      await form.getByText('custom conditions').waitFor();
      await form.getByText('does not serve devnet_setNetworkConditions').waitFor();
      await form.getByRole('radio', { name: 'Calm' }).check();
      const button = form.getByRole('button', { name: 'Set conditions' });
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      await button.click({ force: true });
      expect((await network(stage)).conditions?.seed).toBe(5);
    },
  ));

test('the mempool names why a transaction waits, and replaces it at a higher price', () =>
  withStage({ blockGenerationOn: 'mempool' }, async (stage) => {
    const { client } = stage.node;
    const set = (conditions: object) => client.call('devnet_setNetworkConditions', { conditions });
    await set({ submissions: { delayed: 1, delay_blocks: [2, 2] } });
    await stage.post(0, [stage.transfer(1, 1n)]);
    // Transactions of the test offer 5 gfri, and a tenth more is enough.
    await set({ gas_market: true });
    await client.call('devnet_setGasPrice', {
      l2_gas_price_fri: 5_300_000_000,
      generate_block: true,
    });
    const first = await stage.post(1, [stage.transfer(2, 1n)]);
    const { page } = await openLive(stage, 'mempool');
    const rows = page.getByRole('table', { name: 'Waiting transactions' }).locator('tbody tr');
    await rows.getByText('delayed by 1 block').waitFor();
    await rows.getByText('waits for a lower price').waitFor();
    await page.getByRole('button', { name: `Replace ${first}` }).click();
    await page.getByRole('button', { name: 'Replace', exact: true }).click();
    await rows.getByText('can be executed').waitFor();
    expect(await rows.getByText('waits for a lower price').count()).toBe(0);
  }));
