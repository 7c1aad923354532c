// Export of filtered transactions as JSON and CSV.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentOf, type Stage, setStage } from '../support/stage.js';

let stage: Stage;
let failed: string;

beforeAll(async () => {
  stage = await setStage();
  await stage.send(0, [stage.transfer(1, 5n)]);
  failed = await stage.send(1, [stage.transfer(2, 10n ** 30n)]);
});
afterAll(() => stage.close());

test.each(['JSON', 'CSV'])('transactions are saved as %s', async (form) => {
  const { page, complaints } = await stage.open('transactions?status=REVERTED');
  await page.locator('tr[data-row]').first().waitFor();
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `Save as ${form}` }).click(),
  ]);
  const text = String(await contentOf(saved));
  expect(saved.suggestedFilename()).toBe(`transactions.${form.toLowerCase()}`);
  if (form === 'JSON') {
    const rows: { transaction_hash: string }[] = JSON.parse(text);
    expect(rows.map(({ transaction_hash }) => transaction_hash)).toEqual([failed]);
  } else {
    expect(text.split('\r\n')[1]).toMatch(new RegExp(`^${failed},\\d+,\\d+,INVOKE,REVERTED,`));
  }
  expect(complaints).toEqual([]);
});
