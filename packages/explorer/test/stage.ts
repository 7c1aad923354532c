// Knows a chain on which something happened, and a browser that looks at it.
/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { type ListeningNode, startNode } from '@starkbox/conformance';
import { Class } from '@starkbox/engine';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Call, hash } from 'starknet';

export const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';

const price = { max_amount: 400_000_000n, max_price_per_unit: 5_000_000_000n };
const resourceBounds = {
  l1_gas: { ...price, max_amount: 0n },
  l2_gas: price,
  l1_data_gas: { ...price, max_amount: 40_000n },
};

export interface Stage {
  readonly node: ListeningNode;
  readonly origin: string;
  readonly browser: Browser;
  address(index: number): string;
  send(from: number, calls: Call[]): Promise<string>;
  transfer(whom: number, amount: bigint): Call;
  deploy(
    name: string,
    constructorCalldata?: string[],
    change?: (sierra: { abi: unknown }) => void,
  ): Promise<string>;
  /** A page that fails its test if a script fails or the content security policy is broken. */
  open(path: string, options?: BrowserContextOptions): Promise<Visit>;
  close(): Promise<void>;
}

export interface Visit {
  readonly page: Page;
  /** Everything that went wrong in it. */
  readonly complaints: string[];
  /** Requests that it made, by path. */
  readonly requests: string[];
}

export async function setStage(config: Parameters<typeof startNode>[0] = {}): Promise<Stage> {
  const node = await startNode({ ...config, listen: true, ui: true });
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  const origin = new URL(node.url).origin;
  const address = (index: number): string => node.node.accounts[index]?.address ?? '';
  const send = async (from: number, calls: Call[]): Promise<string> => {
    const { transaction_hash } = await node.account(from).execute(calls, { resourceBounds });
    await node.provider.waitForTransaction(transaction_hash);
    return transaction_hash;
  };
  return {
    node,
    origin,
    browser,
    address,
    send,
    transfer: (whom, amount) => ({
      contractAddress: STRK,
      entrypoint: 'transfer',
      calldata: [address(whom), amount, 0n],
    }),
    async deploy(name, constructorCalldata = [], change = () => {}) {
      const file = new URL(`../../../contracts/cairo/${name}.sierra.json`, import.meta.url);
      const contract = JSON.parse(readFileSync(file, 'utf8'));
      change(contract);
      const text = JSON.stringify(contract);
      const casm = JSON.parse(await (await Class.compile(text)).casm());
      const { deploy } = await node.account(0).declareAndDeploy({
        contract,
        casm,
        constructorCalldata,
        compiledClassHash: hash.computeCompiledClassHash(casm),
      });
      return deploy.contract_address;
    },
    async open(path, options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        ...options,
      });
      const page = await context.newPage();
      const complaints: string[] = [];
      const requests: string[] = [];
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('console', (message) => {
        const text = message.text();
        if (/Content Security Policy|Trusted|violat/i.test(text)) complaints.push(text);
      });
      page.on('request', (request) => requests.push(request.url()));
      await page.goto(`${origin}/ui/${path}`);
      await page.locator('h1').waitFor();
      return { page, complaints, requests };
    },
    async close() {
      await browser.close();
      await node.close();
    },
  };
}

/** Pages may not read the clipboard, so what they write is caught on the way; gives the last text. */
export async function watchClipboard(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(() => {
    Object.defineProperty(navigator.clipboard, 'writeText', {
      value: async (text: string) => Object.assign(globalThis, { copied: text }),
    });
  });
  return () =>
    page.evaluate(() => {
      const { copied }: { copied?: string } = Object(globalThis);
      return copied ?? '';
    });
}

/** The page hears of what happens. */
export function isLive(page: Page): Promise<void> {
  return page.locator('.connection', { hasText: 'live' }).waitFor();
}
