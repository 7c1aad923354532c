// Loads the client of an Ethereum node late: signatures and encodings of L1 are large, and most nodes have no L1.
import type { Ethereum } from './client.js';

/** The publicly known key of the first account of test nodes. */
export const DEFAULT_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

/** A client of the node at a URL; sends no request yet. */
export async function ethereumAt(url: string): Promise<Ethereum> {
  const { Ethereum } = await import('./client.js');
  return new Ethereum(url);
}

/** Throws if the key is not a private key. */
export async function checkKey(key: string): Promise<void> {
  const { accountOf } = await import('./client.js');
  accountOf(key);
}
