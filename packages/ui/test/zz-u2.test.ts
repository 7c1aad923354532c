import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { setStage } from './stage.js';
test('look', async () => {
  let out = '';
  const s = await setStage();
  try {
    const h = await s.send(0, [s.transfer(1, 5n)]);
    const { page } = await s.open('node');
    await page.route('**/rpc', async (route) => {
      const body = JSON.parse(route.request().postData() ?? '{}');
      const fail = (c: any) => ({ jsonrpc: '2.0', id: c.id, error: { code: -32603, message: 'Internal error' } });
      await route.fulfill({ json: Array.isArray(body) ? body.map(fail) : fail(body) });
    });
    for (const path of ['gas', 'timeline', 'timeline?a=0&b=1', 'events', `tx/${h}`, `tx/${h}?tab=gas`]) {
      await page.goto(`${s.origin}/ui/${path}`);
      await page.waitForTimeout(900);
      out += `== ${path}\n${await page.locator('main').innerText()}\n`;
    }
    await page.screenshot({ path: '/tmp/u2/err.png' });
  } finally { await s.close(); }
  writeFileSync('/tmp/u2/out.txt', out);
}, 100000);
