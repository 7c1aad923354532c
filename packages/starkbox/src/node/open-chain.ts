// Opening of a node's chain, and of the folder whose classes replace those of its contracts.
import type { Artifacts } from '../artifacts/artifacts.js';
import { Chain, type ChainOptions } from '../chain/chain.js';
import type { Config } from '../config/options.js';
import { ConfigError } from '../config/rules.js';
import type { DebugInfos } from '../debug-info/debug-infos.js';
import { reasonOf } from '../errors.js';
import type { HostedInstances } from '../hosting/hosted-instances.js';
import type { Log } from '../log.js';
import type { ChainService } from '../service/chain-service.js';
import type { OpenedStore } from '../store/open.js';
import type { Part } from './lifecycle.js';

/** The chain of a store, or a new one. */
export function openChain(options: ChainOptions, opened: OpenedStore | undefined): Promise<Chain> {
  return opened ? Chain.kept(options, opened.stored, opened.saved) : Chain.create(options);
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

/** The object store of the instances, and the tenants that they belong to. */
export interface Hosting extends Part {
  /** Names of tenants by the digests of their tokens. */
  readonly tenants: ReadonlyMap<string, string> | undefined;
  instancesOf(service: ChainService): HostedInstances;
}

/** Opens the object store, if one is given. */
export async function openHosting(config: Config): Promise<Hosting | undefined> {
  const { instanceStore } = config;
  if (instanceStore === undefined) return undefined;
  // Loaded only when needed.
  const { openInstanceStore, openTenants, hostInstances } = await import('../hosting/open.js');
  const tenants = await openTenants(config);
  const objects = await openInstanceStore(instanceStore);
  return {
    tenants: tenants?.byDigest,
    instancesOf: (service) => hostInstances(service, objects, tenants, config),
    close: () => objects.close(),
  };
}
