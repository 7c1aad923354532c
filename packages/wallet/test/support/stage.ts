// A node with the wallet, the site of a dapp, and requests of its pages.
/// <reference lib="dom" />
import { type ListeningNode, startNode } from '@starkbox/test-support';
import { getWallet, type PageWallet } from '@starkbox/wallet/playwright';
import type { Page } from 'playwright-core';
import { sharedPages } from '../../../explorer/test/support/stage.js';
import { openSite, type Site } from './site.js';

export const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
const BALANCE_OF = '0x2e4263afad30923c891518314c3c95dbe830a16874e8abc5777a9a20b54c76e';

export interface Visit {
  readonly page: Page;
  readonly wallet: PageWallet;
  /** Failed scripts and breaches of the content security policy. */
  readonly complaints: readonly string[];
}

interface TransferCall {
  readonly contract_address: string;
  readonly entry_point: string;
  readonly calldata: string[];
}

export interface Stage {
  readonly node: ListeningNode;
  readonly site: Site;
  address(index: number): string;
  /** STRK of an account, in fri. */
  balance(index: number): Promise<bigint>;
  /** Parameters of a request that sends an amount to account 1. */
  transfer(amount: string): { readonly calls: TransferCall[] };
  open(path?: string): Promise<Visit>;
  /** A page with the wallet of another node or of an instance, which approves everything. */
  openFor(rpcUrl: string): Promise<Visit>;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const node = await startNode({ listen: true, wallet: true });
  const site = await openSite(new URL(node.url).origin);
  const address = (index: number): string => node.node.accounts[index]?.address ?? '';
  return {
    node,
    site,
    address,
    async balance(index) {
      const [low = '0x0'] = await node.client.call('starknet_call', {
        request: {
          contract_address: STRK,
          entry_point_selector: BALANCE_OF,
          calldata: [address(index)],
        },
        block_id: 'pre_confirmed',
      });
      return BigInt(low);
    },
    transfer: (amount) => ({
      calls: [
        { contract_address: STRK, entry_point: 'transfer', calldata: [address(1), amount, '0'] },
      ],
    }),
    open: (path = '/?data-policy=approve') => visit(`${site.origin}${path}`),
    async openFor(rpcUrl) {
      const opened = await visit(`${site.origin}/bare`);
      await opened.page.addScriptTag({ url: new URL('wallet.js', rpcUrl).href });
      await opened.wallet.setPolicy('approve');
      return opened;
    },
    async close() {
      await site.close();
      await node.close();
    },
  };
}

async function visit(url: string): Promise<Visit> {
  const page = await (await sharedPages()).take();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) complaints.push(message.text());
  });
  await page.goto(url);
  return { page, wallet: getWallet(page), complaints };
}

/** The answer to a request of the page, or the code and the reason of its error. */
export function ask(page: Page, type: string, params?: unknown): Promise<unknown> {
  return page.evaluate(
    async ([type, params]) => {
      const wallet = Reflect.get(window, 'starknet_starkbox');
      return wallet.request({ type, params }).catch((error: { code: number; data: unknown }) => ({
        code: error.code,
        data: error.data,
      }));
    },
    [type, params] as const,
  );
}

export const connect = (page: Page): Promise<unknown> => ask(page, 'wallet_requestAccounts');
