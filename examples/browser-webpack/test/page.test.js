// Serves the folder of the built page, and opens it in chromium.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const FOLDER = fileURLToPath(new URL('../public', import.meta.url));
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

async function serve() {
  const server = createServer(({ url }, response) => {
    const file = FOLDER + (url === '/' ? '/index.html' : url);
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    return createReadStream(file).pipe(response.writeHead(200, { 'content-type': type }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

test('the page shows a block and a balance', async () => {
  const server = await serve();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  try {
    const page = await browser.newPage();
    await page.goto(`http://localhost:${server.address().port}/`);
    await page.locator('#status:not(:text("Loading"))').waitFor();
    assert.equal(await page.locator('#status').textContent(), 'Ready');
    assert.equal(await page.locator('#block').textContent(), '1');
    assert.equal(await page.locator('#balance').textContent(), '1000');
  } finally {
    await browser.close();
    server.close();
  }
});
