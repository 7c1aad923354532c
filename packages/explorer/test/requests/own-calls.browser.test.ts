// Calls of the explorer beside those of clients, on the page of requests.
import { expect, test } from 'vitest';
import { setStage } from '../support/stage.js';

/** More than the log keeps. */
const BATCHES = 5;
const CALLS_IN_A_BATCH = 500;

test('thousands of the explorer’s own calls leave a client’s call in the list', async () => {
  const stage = await setStage();
  try {
    const { client, url } = stage.node;
    await client.call('devnet_recordRequests', { enabled: true });
    const post = (body: unknown, headers: Record<string, string>) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const ask = (method: string, id: number) => ({ jsonrpc: '2.0', id, method });
    await post(ask('starknet_chainId', 1), {});
    const own = Array.from({ length: CALLS_IN_A_BATCH }, (_, at) =>
      ask('starknet_blockNumber', at),
    );
    for (let batch = 0; batch < BATCHES; batch++) {
      await (await post(own, { 'x-starkbox-client': 'ui' })).text();
    }
    const { page } = await stage.open('requests');
    const rows = page.locator('tr[data-row]');
    const call = rows.filter({ hasText: 'starknet_chainId' });
    await call.waitFor();
    expect(await rows.filter({ hasText: 'starknet_blockNumber' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Explorer’s calls' }).click();
    await rows.filter({ hasText: 'starknet_blockNumber' }).first().waitFor();
  } finally {
    await stage.close();
  }
});
