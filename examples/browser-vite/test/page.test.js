// Opens the built page in chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { preview } from 'vite';

test('the page shows a block and a balance', async () => {
  const server = await preview({ logLevel: 'error', preview: { port: 0 } });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  try {
    const page = await browser.newPage();
    await page.goto(server.resolvedUrls.local[0]);
    await page.locator('#status:not(:text("Loading"))').waitFor();
    assert.equal(await page.locator('#status').textContent(), 'Ready');
    assert.equal(await page.locator('#block').textContent(), '1');
    assert.equal(await page.locator('#balance').textContent(), '1000');
  } finally {
    await browser.close();
    await server.close();
  }
});
