// Instance in memory, opened from a manifest that this node owns.

import { setTimeout as delay } from 'node:timers/promises';
import {
  baseWith,
  Chain,
  ChainService,
  milliseconds,
  refuse,
  withOptionErrors,
} from 'starkbox/registry';
import { HostedChain } from './hosted-chain.js';
import { hostedOptions } from './initial-contents.js';
import type { LayerStore } from './layers/layer-store.js';
import type { OwnedManifest } from './owned-manifest.js';

/** How long a request waits for an instance that is being written. */
const WRITE_MILLISECONDS = 20_000;

/** An instance in memory. */
export interface LoadedInstance {
  readonly id: string;
  readonly tenant: string | undefined;
  /** The lease of this node under which it was loaded. */
  readonly lease: string;
  readonly hosted: HostedChain;
  readonly service: ChainService;
  /** Requests that are being answered. */
  active: number;
  /** By a clock that is never set. */
  lastUsed: number;
  /** While it is written back or deleted. */
  hibernating: Promise<void> | undefined;
  /** When it may be written again after a failure, by the same clock. */
  writtenFrom: number;
  /** Milliseconds from the last failure to the next attempt; 0 before the first. */
  pause: number;
}

export async function openInstance(
  manifest: OwnedManifest,
  root: ChainService,
  layers: LayerStore,
  { lease, isDurable }: { readonly lease: string; readonly isDurable: boolean },
): Promise<LoadedInstance> {
  const { id, tenant, options } = manifest.current.record;
  const base =
    options.length === 0 ? root.base : await withOptionErrors(() => baseWith(options, root));
  const hosted = await HostedChain.open(manifest, layers, { ...hostedOptions(root), isDurable });
  const { stored } = hosted;
  const saved = await stored.read();
  if (!saved) throw new Error(`the store has no chain of instance ${id}`);
  // The instances of a tenant are one client, so that more of them are not served more often.
  const executions = root.chain.executions.ofClient(tenant);
  const chain = new Chain(base.options, saved, stored, executions);
  const service = new ChainService(root.shared, { base, chain, stored, options });
  service.binding.mount(root.binding, `/instances/${id}`);
  service.start();
  const lastUsed = milliseconds();
  const unwritten = { hibernating: undefined, writtenFrom: 0, pause: 0 };
  return { id, tenant, lease, hosted, service, active: 0, lastUsed, ...unwritten };
}

/** Sockets that wait for notifications keep an instance in memory. */
export function hasSubscribers({ subscriptions }: ChainService): boolean {
  return Object.values(subscriptions.counts()).some((count) => count > 0);
}

/** The first that is not in use; one that could not be written only if there is no other. */
export function longestIdle(instances: Iterable<LoadedInstance>): LoadedInstance | undefined {
  const now = milliseconds();
  let failed: LoadedInstance | undefined;
  for (const instance of instances) {
    if (instance.active > 0 || instance.hibernating) continue;
    if (instance.writtenFrom <= now) return instance;
    failed ??= instance;
  }
  return failed;
}

/** An error of the write is left to its caller. @throws RpcError if it takes long */
export async function waitForWrite(writing: Promise<void>): Promise<void> {
  const late = new AbortController();
  const isLate = delay(WRITE_MILLISECONDS, true, { ref: false, signal: late.signal });
  const isDone = writing.then(
    () => false,
    () => false,
  );
  try {
    if (!(await Promise.race([isDone, isLate]))) return;
  } finally {
    late.abort();
    isLate.catch(() => undefined);
  }
  refuse(
    'Nothing changed: the instance is being written to the store, which does not respond. Send the request again.',
  );
}
