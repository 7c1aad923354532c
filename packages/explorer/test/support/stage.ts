// A node with the explorer, and pages of the shared browser that show it.
/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { Class } from '@starkbox/engine';
import { type ListeningNode, startNode } from '@starkbox/test-support';
import type { BrowserContextOptions, Download, Page, Request, WebSocket } from 'playwright-core';
import type { Call } from 'starknet';
import { inject } from 'vitest';
import { connectPages, type Pages } from './pages.js';

export const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';

/** The selector of `get`, which reads a counter. */
const GET = '0x17c00f03de8b5bd58d2016b59d251c13056b989171c5852949903bc043bc27';

/** @param gas the most L2 gas */
function boundsOf(gas: bigint) {
  const price = { max_price_per_unit: 5_000_000_000n };
  return {
    l1_gas: { ...price, max_amount: 0n },
    l2_gas: { ...price, max_amount: gas },
    l1_data_gas: { ...price, max_amount: 40_000n },
  };
}

const resourceBounds = boundsOf(400_000_000n);

export interface Stage {
  readonly node: ListeningNode;
  readonly origin: string;
  address(index: number): string;
  /** Sends a transaction, and waits until it is executed. */
  send(from: number, calls: Call[]): Promise<string>;
  /** Sends a transaction; its hash. */
  post(from: number, calls: Call[], details?: { readonly nonce: bigint }): Promise<string>;
  transfer(whom: number, amount: bigint): Call;
  deploy(
    name: string,
    constructorCalldata?: string[],
    change?: (sierra: { abi: unknown }) => void,
  ): Promise<string>;
  /**
   * A page of the explorer, until the test ends. Without options it is a reused page with empty storage;
   * with options, even none (`{}`), it is in a new context.
   */
  open(path: string, options?: BrowserContextOptions): Promise<Visit>;
  /** Pages of the explorer that share their storage, one after the other, until the test ends. */
  openTabs(paths: readonly string[]): Promise<readonly (Visit & { readonly path: string })[]>;
  close(): Promise<void>;
}

export interface Visit {
  readonly page: Page;
  /** Failed scripts and breaches of the content security policy. */
  readonly complaints: string[];
  /** Requests that it made, by path. */
  readonly requests: string[];
  /** Its connections, of which the last may be open. */
  readonly sockets: WebSocket[];
  /** Waits until no request is under way and none follows within a few frames. */
  settled(): Promise<void>;
  /** Ends the visit before the test ends. */
  leave(): Promise<void>;
}

/** The explorer collects calls and notifications for some milliseconds before it asks the node. */
const GATHER_MILLISECONDS = 120;

let connecting: Promise<Pages> | undefined;

/** The pages of this process; test files run one after the other in it. */
export function sharedPages(): Promise<Pages> {
  connecting ??= connectPages(inject('browserEndpoint'));
  return connecting;
}

/** Starts a node with the explorer. Opening the first page connects to the browser. */
export async function setStage(config: Parameters<typeof startNode>[0] = {}): Promise<Stage> {
  const node = await startNode({ ...config, listen: true, ui: true });
  const origin = new URL(node.url).origin;
  const address = (index: number): string => node.node.accounts[index]?.address ?? '';
  const post: Stage['post'] = async (from, calls, details) =>
    (await node.account(from).execute(calls, { resourceBounds, ...details })).transaction_hash;
  const send = async (from: number, calls: Call[]): Promise<string> => {
    const transaction_hash = await post(from, calls);
    await node.provider.waitForTransaction(transaction_hash);
    return transaction_hash;
  };
  return {
    node,
    origin,
    address,
    send,
    post,
    transfer: (whom, amount) => ({
      contractAddress: STRK,
      entrypoint: 'transfer',
      calldata: [address(whom), amount, 0n],
    }),
    async deploy(name, constructorCalldata = [], change = undefined) {
      const { deploy } = await node.account(0).declareAndDeploy({
        ...(await compiled(name, change)),
        constructorCalldata,
      });
      return deploy.contract_address;
    },
    async open(path, options) {
      return visit(origin, path, await (await sharedPages()).take(options));
    },
    async openTabs(paths) {
      const pages = await sharedPages();
      const visits: (Visit & { readonly path: string })[] = [];
      for (const path of paths) {
        const [first] = visits;
        const page = first ? await pages.takeBeside(first.page) : await pages.take();
        visits.push({ path, ...(await visit(origin, path, page)) });
      }
      return visits;
    },
    close: () => node.close(),
  };
}

/** A class with the hashes that the engine computes, because starknet.js takes a second for them. */
async function compiled(name: string, change?: (sierra: { abi: unknown }) => void) {
  const file = new URL(`../../../../contracts/cairo/${name}.sierra.json`, import.meta.url);
  const contract = JSON.parse(readFileSync(file, 'utf8'));
  change?.(contract);
  const { hash, compiledClassHash } = await Class.compile(JSON.stringify(contract));
  if (compiledClassHash === undefined) throw new Error(`${name} is not a Sierra class`);
  // The class hash covers the ABI as starknet.js spells it, which differs for unusual characters.
  return { contract, compiledClassHash, ...(change ? {} : { classHash: hash }) };
}

async function visit(origin: string, path: string, page: Page): Promise<Visit> {
  const complaints: string[] = [];
  const requests: string[] = [];
  const sockets: WebSocket[] = [];
  page.on('websocket', (socket) => sockets.push(socket));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    if (/Content Security Policy|Trusted|violat/i.test(text)) complaints.push(text);
  });
  const underWay = new Set<Request>();
  page.on('request', (request) => {
    requests.push(request.url());
    underWay.add(request);
  });
  page.on('requestfinished', (request) => underWay.delete(request));
  page.on('requestfailed', (request) => underWay.delete(request));
  const settled = async (): Promise<void> => {
    for (;;) {
      const before = requests.length;
      await page.evaluate(
        (pause) =>
          new Promise((resolve) =>
            requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, pause))),
          ),
        GATHER_MILLISECONDS,
      );
      if (underWay.size === 0 && requests.length === before) return;
    }
  };
  await page.goto(`${origin}/ui/${path}`);
  await page.locator('h1').waitFor();
  const leave = async (): Promise<void> => (await sharedPages()).release(page);
  return { page, complaints, requests, sockets, settled, leave };
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

/** What was downloaded. The browser is another program, so its file is not read directly. */
export async function contentOf(download: Download): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of await download.createReadStream()) parts.push(part);
  return Buffer.concat(parts);
}

/** Waits until the page is subscribed to the node. */
export function isLive(page: Page): Promise<void> {
  return page.locator('.connection', { hasText: 'live' }).waitFor();
}

/** Waits for heartbeats of the node, which come every two seconds, or until the connection ends. */
export async function beats(socket: WebSocket | undefined, count: number): Promise<void> {
  for (let beat = 0; beat < count && socket?.isClosed() === false; beat++) {
    await socket
      .waitForEvent('framereceived', ({ payload }) => String(payload).includes('"beat"'))
      .catch(() => {});
  }
}

/** A reused page of the explorer that is subscribed to the node. */
export async function openLive(stage: Stage, path: string): Promise<Visit> {
  const visit = await stage.open(path);
  await isLive(visit.page);
  return visit;
}

/** The number that a counter contract has in the pre-confirmed block. */
export async function countOf({ node }: Stage, counter: string): Promise<bigint> {
  const [count = '0x0'] = await node.client.call('starknet_call', {
    request: { contract_address: counter, entry_point_selector: GET, calldata: [] },
    block_id: 'pre_confirmed',
  });
  return BigInt(count);
}

/** Waits until the page shows the node's newest block, so that it has received earlier notifications as well. */
export async function showsHead({ node }: Stage, page: Page): Promise<void> {
  const head = await node.client.call('starknet_blockNumber', {});
  await page
    .locator('.strip .head', { hasText: `#${head.toLocaleString('en-US')} ·` })
    .waitFor({ state: 'attached' });
}

/** Calls of the transaction with deep calls, and the depth of each: more than 5,000 frames. */
export const DEEP_CALLS = 110;
const DEPTH = 46;

/** Sends a transaction with deep calls; its hash. */
export async function sendDeepCalls({ node }: Stage, reverter: string): Promise<string> {
  const { transaction_hash } = await node.account(0).execute(
    Array.from({ length: DEEP_CALLS }, () => ({
      contractAddress: reverter,
      entrypoint: 'recurse',
      calldata: [String(DEPTH - 1)],
    })),
    { resourceBounds: boundsOf(900_000_000n) },
  );
  return transaction_hash;
}

/** Fails each request of a page that holds a call of the method; pages read again when the route is removed. */
export function failCalls(page: Page, method: string): Promise<unknown> {
  const error = { code: -32603, message: 'Internal error', data: 'the disk is full' };
  const failed = (request: unknown) => ({ jsonrpc: '2.0', id: Object(request).id, error });
  return page.route('**/rpc', async (route) => {
    const text = route.request().postData() ?? '';
    if (!text.includes(`"${method}"`)) return route.continue();
    const body: unknown = JSON.parse(text);
    return route.fulfill({ json: Array.isArray(body) ? body.map(failed) : failed(body) });
  });
}
