// The chain of the page: in this tab, or at a node that `?node=` names.
import type { Chain } from 'starkbox/client';
import { fromBase64, toBase64 } from './bytes.js';

export interface LoadProgress {
  readonly loaded: number;
  readonly total?: number | undefined;
}

/** The members of a WebSocket that the explorer needs. */
export interface ChainSocket {
  addEventListener(
    type: 'open' | 'message' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
  send(text: string): void;
  close(): void;
}

export interface PageChain {
  readonly chain: Chain;
  /** @param client which part of the explorer opens it */
  openSocket(client: string): ChainSocket;
}

/** Opens the chain; its engine is loaded now. */
export async function openChain(onProgress: (progress: LoadProgress) => void): Promise<PageChain> {
  const node = new URLSearchParams(location.search).get('node');
  return node === null ? openTabChain(onProgress) : connectNode(node);
}

async function openTabChain(onProgress: (progress: LoadProgress) => void): Promise<PageChain> {
  const { createChain } = await import('starkbox/browser');
  // With the same accounts everywhere, links hold little besides the changes.
  const chain = await createChain({ seed: 0, onProgress });
  return {
    chain,
    openSocket: (client) => new chain.WebSocket(`${chain.wsUrl}?client=${client}`, []),
  };
}

async function connectNode(node: string): Promise<PageChain> {
  const { connect } = await import('starkbox/client');
  const chain = await connect(node);
  const url = new URL(chain.rpcUrl.replace(/^http/, 'ws').replace(/\/rpc$/, '/ws'));
  return {
    chain,
    openSocket(client) {
      url.searchParams.set('client', client);
      return new WebSocket(url);
    },
  };
}

export async function imageOfChain(chain: Chain): Promise<Uint8Array<ArrayBuffer>> {
  const dump = await chain.request('devnet_dump', { inline: true, format: 'image' });
  if ('image' in dump && dump.image !== undefined) return fromBase64(dump.image);
  throw new Error('The chain returned no image.');
}

/** Replaces the content of the chain. */
export async function loadImage(chain: Chain, image: Uint8Array): Promise<void> {
  await chain.request('devnet_load', { image: toBase64(image) });
}
