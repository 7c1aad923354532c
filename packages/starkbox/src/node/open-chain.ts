// Opening of a node's chain, and of the folder whose classes replace those of its contracts.
import type { Artifacts } from '../artifacts/artifacts.js';
import { Chain, type ChainOptions } from '../chain/chain.js';
import type { Config } from '../config/options.js';
import { ConfigError } from '../config/rules.js';
import type { DebugInfos } from '../debug-info/debug-infos.js';
import { reasonOf } from '../errors.js';
import type { Log } from '../log.js';
import type { OpenedStore } from '../store/open.js';

/** The chain of a store, or a new one. */
export function openChain(options: ChainOptions, opened: OpenedStore | undefined): Promise<Chain> {
  return opened ? Chain.openStored(options, opened.stored, opened.saved) : Chain.create(options);
}

/** Watches the folder of `--artifacts`, if one is given. */
export async function openArtifacts(
  chain: Chain,
  { artifacts }: Config,
  debugInfos: DebugInfos,
  log: Log,
): Promise<Artifacts | undefined> {
  if (artifacts === undefined) return undefined;
  const { Artifacts } = await import('../artifacts/artifacts.js');
  return Artifacts.watch(chain, artifacts, debugInfos, log).catch((error: unknown) => {
    throw new ConfigError(`--artifacts ${artifacts}: ${reasonOf(error)}`, 'artifacts');
  });
}
