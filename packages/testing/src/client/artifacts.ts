// Compiled classes that tests have deployed: their debug information becomes part of the bundle of a failing test.
import type { LocalChain } from 'starkbox';
import type { RpcProvider } from 'starknet';

/** More files than a project deploys in a test. */
const MAX_COUNT = 100;

/** Paths of classes that this process has declared, or that its fixtures read. */
const locations = new Set<string | URL>();

const chains = new WeakMap<RpcProvider, Pick<LocalChain, 'addArtifact'>>();

/** Remembers a class by its file; content without a file has none. */
export function rememberArtifact(artifact: string | URL | object): void {
  const isLocation = typeof artifact === 'string' || artifact instanceof URL;
  if (isLocation && locations.size < MAX_COUNT) locations.add(artifact);
}

/** Remembers the chain in this process that a provider reaches. */
export function rememberChain(provider: RpcProvider, chain: Pick<LocalChain, 'addArtifact'>): void {
  chains.set(provider, chain);
}

/** Reads the debug information of all remembered classes. One that cannot be read is left out. */
export async function addArtifacts(provider: RpcProvider): Promise<void> {
  const chain = chains.get(provider);
  if (!chain) return;
  for (const location of locations) await chain.addArtifact(location).catch(() => false);
}
