// Instances in an object store, by a package that is installed for it.
import type { Config } from '../config/options.js';
import { ConfigError } from '../config/rules.js';
import { codeOf, RpcError } from '../errors.js';
import type { HostingPackage, InstanceStore } from '../service/instance-registry.js';

/** It depends on this package, so that no import of it is resolved by a build. */
const PACKAGE: string = '@starkbox/hosting';

/** Opens the store of `--instance-store`, if it is given. */
export async function openInstanceStore(config: Config): Promise<InstanceStore | undefined> {
  if (config.instanceStore === undefined) return undefined;
  const { openInstanceStore: open } = await loadHosting();
  return open(config);
}

/** @throws ConfigError if the package is not installed */
export async function loadHosting(): Promise<HostingPackage> {
  const loaded: unknown = await import(PACKAGE).catch((error: unknown) => {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigError(
      `--instance-store needs the package ${PACKAGE}: run \`npm install ${PACKAGE}\` where starkbox is installed`,
      'instanceStore',
    );
  });
  if (!isHosting(loaded)) {
    throw new Error(
      `the package ${PACKAGE} uses another copy of starkbox: install the same version of both, or run \`npm run build:bundle\` in the repository`,
    );
  }
  return loaded;
}

function isHosting(loaded: unknown): loaded is HostingPackage {
  return Object(loaded).RpcError === RpcError;
}
