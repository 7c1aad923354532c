// A chain in memory without files, processes and servers, for a Web Worker.

import { Chain } from '../chain/chain.js';
import { Abis } from '../chain/queries/abis.js';
import { UsageError } from '../config/option.js';
import { type ConfigInput, type ConfigKey, defaultConfig, isConfigKey } from '../config/options.js';
import { checkConfig, checkGiven } from '../config/rules.js';
import { readInput } from '../config/source.js';
import { DebugInfos } from '../debug-info/debug-infos.js';
import { imageOf } from '../dump/dump.js';
import { worldInBytes } from '../dump/load-dump.js';
import type { Log } from '../log.js';
import { ChainBases } from '../service/chain-bases.js';
import { ChainService, type SharedParts } from '../service/chain-service.js';
import { type Instances, instancesOf } from '../service/instances.js';
import { withNetworkDefaults } from '../service/options-from-config.js';
import { Origins } from '../service/origins.js';
import { Protocol } from '../service/protocol.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { isBrowserKey } from './options.js';

/** A chain with its instances. */
export interface WorkerChain {
  readonly service: ChainService;
  readonly instances: Instances;
  /** The chain as an image. */
  image(): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

export interface WorkerOptions {
  readonly config: ConfigInput;
  readonly image: Uint8Array | undefined;
  readonly log: Log;
  /** The version of this package. */
  readonly version: string;
}

/** No metrics, no traces: a tab has its own tools for both. */
const NO_TELEMETRY: Telemetry = {
  probe: undefined,
  onCall: undefined,
  onStall: () => {},
  observe: () => {},
  openPage: async () => undefined,
  close: async () => {},
};

/**
 * Opens a chain.
 *
 * @throws UsageError if an option is unknown, needs Node, or has a value that the command would reject
 */
export async function openWorkerChain({
  config: input,
  image,
  log,
  version,
}: WorkerOptions): Promise<WorkerChain> {
  const settings = settingsOf(input);
  const origins = new Origins(settings.given, log, undefined);
  const forked = await origins.open(settings.config);
  const bases = new ChainBases(false, log, undefined);
  const base = await bases.create(forked);
  const shared: SharedParts = {
    settings,
    bases,
    origins,
    telemetry: NO_TELEMETRY,
    version,
    log,
    onFailed: () => {},
    progress: undefined,
    protocol: new Protocol(base.config.restrictedMethods, version),
    store: undefined,
    debugInfos: new DebugInfos(),
    abis: new Abis(),
    instances: () => instances,
  };
  const chain = await Chain.create(base.options);
  const service = new ChainService(shared, { base, chain });
  const instances: Instances = instancesOf(service);
  if (image) {
    const { world, options } = await worldInBytes(service.dumpOptions(chain), image);
    await chain.replace(world, options);
  }
  service.start();
  return {
    service,
    instances,
    image: () => imageOf(service.dumpOptions(chain)),
    async close() {
      await instances.close();
      await service.close();
      await origins.close();
    },
  };
}

function settingsOf(
  input: ConfigInput,
): SharedParts['settings'] & { given: ReadonlySet<ConfigKey> } {
  for (const key of Object.keys(input)) {
    if (isConfigKey(key) && !isBrowserKey(key)) throw new UsageError(refusalOf(key));
  }
  const { values, keys } = readInput(input);
  // There is no folder for a cache.
  const config = withNetworkDefaults(
    defaultConfig({ ...values, forkUpstreamCaching: false }),
    keys,
  );
  checkGiven(keys, config, { name: (key) => key, from: () => '' }, keys);
  checkConfig(config);
  return { config, given: keys, keepsJournal: false };
}

function refusalOf(key: ConfigKey): string {
  const instead =
    key === 'dataDir' || key.startsWith('dump')
      ? 'Save the chain with saveImage(), and load it with the option image.'
      : 'Use createChain of starkbox on Node.';
  return `'${key}' is not an option in a browser, which has no files, processes and ports. ${instead}`;
}
