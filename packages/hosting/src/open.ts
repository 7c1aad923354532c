// Opening of the instances in an object store, for a node.
import {
  type Config,
  ConfigError,
  type InstanceStore,
  queueTimeoutOf,
  reasonOf,
} from 'starkbox/registry';
import { HostedInstances } from './hosted-instances.js';
import { removeOld } from './lease.js';
import { Membership } from './membership.js';
import { checkConditionalWrites } from './objects/check-store.js';
import type { ObjectStore } from './objects/object-store.js';
import { awsSettings, openObjectStore } from './objects/open.js';
import { readTenants } from './tenants/tenant-file.js';
import { Tenants } from './tenants/tenants.js';

/**
 * Opens the store of `--instance-store`, and the tenants of `--tenants`.
 *
 * @throws ConfigError if one of them cannot be used
 */
export async function openInstanceStore(config: Config): Promise<InstanceStore> {
  const tenants = await openTenants(config);
  const objects = await openChecked(config.instanceStore ?? '');
  return {
    registryOf(root) {
      const membership = new Membership(objects, {
        url: () => config.nodeUrl ?? root.binding.url ?? '',
        seconds: config.leaseSeconds,
        log: root.shared.log,
      });
      return new HostedInstances(root, objects, membership, {
        isDurable: config.durable,
        idleSeconds: config.hibernateAfter,
        mostLoaded: config.maximumLoadedInstances,
        publicUrl: config.publicUrl,
        token: config.authToken,
        tenants,
      });
    },
    close: () => objects.close(),
  };
}

/** Opens a store, and proves that of racing writes one wins. */
async function openChecked(store: string): Promise<ObjectStore> {
  let objects: ObjectStore | undefined;
  try {
    objects = await openObjectStore(store, awsSettings());
    await checkConditionalWrites(objects);
    await removeOld(objects);
    return objects;
  } catch (error) {
    await objects?.close();
    throw new ConfigError(`--instance-store: ${reasonOf(error)}`);
  }
}

async function openTenants(config: Config): Promise<Tenants | undefined> {
  const { tenants, authToken, maximumWaitingExecutions: queue } = config;
  if (tenants === undefined) return undefined;
  return new Tenants(await readTenants(tenants, authToken), {
    queue,
    patience: queueTimeoutOf(config),
  });
}
