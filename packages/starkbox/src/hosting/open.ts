// Opening of the instances in an object store, for a node.
import { awsSettings } from '../config/environment.js';
import { type Config, queueTimeoutOf } from '../config/options.js';
import { ConfigError } from '../config/rules.js';
import { reasonOf } from '../errors.js';
import type { ChainService } from '../service/chain-service.js';
import { HostedInstances } from './hosted-instances.js';
import { removeOld } from './lease.js';
import { Membership } from './membership.js';
import { checkConditionalWrites } from './objects/check-store.js';
import type { ObjectStore } from './objects/object-store.js';
import { openObjectStore } from './objects/open.js';
import { readTenants } from './tenants/tenant-file.js';
import { Tenants } from './tenants/tenants.js';

/** Opens a store, and proves that of racing writes one wins. */
export async function openInstanceStore(place: string): Promise<ObjectStore> {
  let objects: ObjectStore | undefined;
  try {
    objects = await openObjectStore(place, awsSettings());
    await checkConditionalWrites(objects);
    await removeOld(objects);
    return objects;
  } catch (error) {
    await objects?.close();
    throw new ConfigError(`--instance-store: ${reasonOf(error)}`);
  }
}

/** The tenants of `--tenants`, if it is given. */
export async function openTenants(config: Config): Promise<Tenants | undefined> {
  const { tenants, authToken, maximumWaitingExecutions: queue } = config;
  if (tenants === undefined) return undefined;
  return new Tenants(await readTenants(tenants, authToken), {
    queue,
    queueTimeout: queueTimeoutOf(config),
  });
}

export function hostInstances(
  root: ChainService,
  objects: ObjectStore,
  tenants: Tenants | undefined,
  config: Config,
): HostedInstances {
  const { log } = root.shared;
  const membership = new Membership(objects, {
    url: () => config.nodeUrl ?? root.binding.url ?? '',
    seconds: config.leaseSeconds,
    log,
  });
  return new HostedInstances(root, objects, membership, {
    isDurable: config.durable,
    idleSeconds: config.hibernateAfter,
    mostAwake: config.maximumAwakeInstances,
    publicUrl: config.publicUrl,
    token: config.authToken,
    tenants,
  });
}
