// The chain of the page: in this tab, or at a node that `?node=` names.
import type { Chain, RemoteChain } from 'starkbox/client';
import { fromBase64, toBase64 } from './bytes.js';

export interface LoadProgress {
  readonly loaded: number;
  readonly total: number;
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
  readonly chain: RemoteChain;
  /** @param client which part of the explorer opens it */
  openSocket(client: string): ChainSocket;
}

/** With the same accounts everywhere, links hold little besides the changes. */
const SEED = 0;

/** The node whose chain the page uses; null if the chain is in this tab. */
export function nodeOfPage(): string | null {
  return new URLSearchParams(location.search).get('node');
}

/** Opens the chain; its engine is loaded now. */
export async function openChain(onProgress: (progress: LoadProgress) => void): Promise<PageChain> {
  const node = nodeOfPage();
  return node === null ? openTabChain(onProgress) : connectNode(node);
}

async function openTabChain(onProgress: (progress: LoadProgress) => void): Promise<PageChain> {
  const { createChain } = await import('starkbox/browser');
  const chain = await createChain({
    seed: SEED,
    onProgress: ({ loaded, total = ENGINE_BYTES }) => onProgress({ loaded, total }),
  });
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

/** Returns the image of a new chain with these classes declared. */
export async function newImage(
  chain: RemoteChain,
  artifacts: readonly object[],
): Promise<Uint8Array<ArrayBuffer>> {
  const { instance_id } = await chain.request('devnet_createInstance', {
    options: { seed: SEED },
  });
  try {
    const instance = await chain.instances.connect(instance_id);
    for (const artifact of artifacts) await instance.declare(artifact);
    const image = await imageOfChain(instance);
    await instance.close();
    return image;
  } finally {
    await chain.instances.delete(instance_id);
  }
}
