// Instance in memory, opened from a manifest that this node owns.
import { Chain } from '../chain/chain.js';
import { milliseconds } from '../scheduling/slices.js';
import { ChainService } from '../service/chain-service.js';
import { baseWith, withOptionErrors } from '../service/instance-chains.js';
import { hostedOptions } from './beginnings.js';
import { HostedChain } from './hosted-chain.js';
import type { LayerStore } from './layers/layer-store.js';
import type { OwnedManifest } from './owned-manifest.js';

/** An instance in memory. */
export interface Awake {
  readonly id: string;
  readonly tenant: string | undefined;
  /** The lease of this node under which it was woken. */
  readonly lease: string;
  readonly hosted: HostedChain;
  readonly service: ChainService;
  /** Requests that are being answered. */
  active: number;
  /** By a clock that is never set. */
  lastUsed: number;
  /** While it is written back. */
  hibernating: Promise<void> | undefined;
}

export async function openInstance(
  manifest: OwnedManifest,
  root: ChainService,
  layers: LayerStore,
  { lease, isDurable }: { readonly lease: string; readonly isDurable: boolean },
): Promise<Awake> {
  const { id, tenant, options } = manifest.current.record;
  const base =
    options.length === 0 ? root.base : await withOptionErrors(() => baseWith(options, root));
  const hosted = await HostedChain.open(manifest, layers, { ...hostedOptions(root), isDurable });
  const { stored } = hosted;
  const saved = await stored.read();
  if (!saved) throw new Error(`the store has no chain of instance ${id}`);
  const chain = new Chain(base.options, saved, stored, root.chain.executions);
  const service = new ChainService(root.shared, { base, chain, stored, options });
  service.binding.mount(root.binding, `/instances/${id}`);
  service.start();
  const lastUsed = milliseconds();
  return { id, tenant, lease, hosted, service, active: 0, lastUsed, hibernating: undefined };
}

/** Sockets that wait for news keep an instance awake. */
export function hasSubscribers({ subscriptions }: ChainService): boolean {
  return Object.values(subscriptions.counts()).some((count) => count > 0);
}
