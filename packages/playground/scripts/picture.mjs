// The picture of the playground in the documentation: npm run pictures (after `npm run build:playground`).
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { preview } from 'vite';

const FILE = new URL('../../../docs/pictures/playground.png', import.meta.url);

const server = await preview({
  configFile: fileURLToPath(new URL('../vite.config.ts', import.meta.url)),
  logLevel: 'warn',
});
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 2,
    colorScheme: 'light',
  });
  await page.goto(server.resolvedUrls?.local[0] ?? '');
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  const increase = page.getByRole('form', { name: 'increase' });
  for (const [amount, outcome] of [
    ['5', 'Accepted'],
    ['0', 'line 41'],
  ]) {
    await increase.getByRole('textbox').fill(amount);
    await increase.getByRole('button', { name: 'Send' }).click();
    await increase.getByText(outcome).waitFor();
  }
  await increase.getByRole('button', { name: /^transaction/ }).click();
  const explorer = page.frameLocator('iframe');
  await explorer.getByRole('heading', { name: 'Reverted' }).waitFor();
  await explorer.locator('.code li[aria-current]').waitFor();
  await explorer.locator('.failing-variables[aria-busy="false"]').waitFor();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: fileURLToPath(FILE) });
} finally {
  await browser.close();
  await server.close();
}
