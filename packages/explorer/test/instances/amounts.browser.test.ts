// Comparison of two chains: amounts of tokens with their decimals.
import { expect, test } from 'vitest';
import { setStage } from '../support/stage.js';

const UNIT = 10n ** 18n;

test('balances that differ are amounts of their token, one row each', async () => {
  const stage = await setStage();
  try {
    const gold = await stage.deploy('token', [
      '0x476f6c64',
      '0x474c44',
      String(1_000n * UNIT),
      '0',
      stage.address(0),
    ]);
    const { instance_id } = await stage.node.client.call('devnet_createInstance', {
      name: 'branch',
    });
    await stage.send(0, [
      stage.transfer(1, 3n * UNIT),
      {
        contractAddress: gold,
        entrypoint: 'transfer',
        calldata: [stage.address(2), UNIT / 4n, 0n],
      },
    ]);
    const { page, complaints } = await stage.open(`instances?a=root&b=${instance_id}`);
    const values = page.getByRole('table', { name: 'Values that differ' });
    const row = (text: string) => values.getByRole('row').filter({ hasText: text });
    await expect.poll(() => row('balances[account 2]').innerText()).toMatch(/0\.25\D*GLD/);
    expect(await row('balances[account 2]').count()).toBe(1);
    await expect
      .poll(() => row('ERC20_balances[account 1]').innerText())
      .toMatch(/1,003[\s\S]*1,000[\s\S]*3 STRK/);
    // No integer of base units is shown.
    expect(await values.innerText()).not.toMatch(/\d{16,}|(\d{1,3},){5,}\d{3}/);
    expect(complaints).toEqual([]);
  } finally {
    await stage.close();
  }
});
