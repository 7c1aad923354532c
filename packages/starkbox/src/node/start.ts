// A node: a chain with its JSON-RPC service, and the order in which its parts are opened.
import { Abis } from '../chain/queries/abis.js';
import type { ConfigInput } from '../config/options.js';
import { readInput } from '../config/source.js';
import { DebugInfos } from '../debug-info/debug-infos.js';
import { LocalChain } from '../library/local-chain.js';
import { silentLog } from '../log.js';
import { joinProbes, type Probe, showing, type WorkDisplay } from '../probe.js';
import { ChainBases } from '../service/chain-bases.js';
import { ChainService, type SharedParts } from '../service/chain-service.js';
import { type Instances, instancesOf } from '../service/instances.js';
import { Origins } from '../service/origins.js';
import { Protocol } from '../service/protocol.js';
import { openTelemetry } from '../telemetry/telemetry.js';
import { logBlocksSoon } from './block-log.js';
import { DumpFiles } from './dump-files.js';
import { figuresOf } from './figures.js';
import { BranchHosts } from './hosts.js';
import type { Lifecycle } from './lifecycle.js';
import { Listeners, type RootParts } from './listeners.js';
import type { NodeOptions } from './node-options.js';
import { openBodyLog } from './open-body-log.js';
import { openArtifacts, openChain } from './open-chain.js';
import { checkSettings, holdDataDirectory } from './settings.js';
import { makeFirstCalls, writeConfigOut } from './start-files.js';
import { FailureLog, logTransactions } from './transaction-log.js';
import { packageVersion } from './version.js';

/** Options of a start inside of this package. */
export interface StartOptions extends NodeOptions {
  /** Fills the new chain, before it is used. */
  readonly load?: (service: ChainService) => Promise<void>;
}

/** Opens all parts of a node; if one fails, none stays open. */
export function startNode(
  input: ConfigInput,
  options: StartOptions,
  lifecycle: Lifecycle,
): Promise<LocalChain> {
  return lifecycle.run(() => openParts(input, options, lifecycle));
}

async function openParts(
  input: ConfigInput,
  { log = silentLog, progress, output = process.stdout, onOpen, load }: StartOptions,
  steps: Lifecycle,
): Promise<LocalChain> {
  const options = await steps.step('options', () => readInput(input));
  const directory = await steps.open('data directory', () => holdDataDirectory(options, log));
  const settings = await steps.step('checks', () => checkSettings(options, directory, log));
  const version = packageVersion();
  const telemetry = await steps.open('telemetry', () =>
    openTelemetry(settings.config, log, version),
  );
  const origins = new Origins(settings.given, log, withShownReads(telemetry.probe, progress));
  steps.push(origins);
  const forked = await steps.step('origin', () => origins.open(settings.config));
  const bases = new ChainBases(settings.keepsJournal, log, telemetry.probe);
  const base = await steps.step('genesis', () => bases.create(forked));
  const { config, genesis } = base;
  const stored = await steps.step('store', () => directory?.open(config, forked.fork));
  const chain = await steps.step('chain', () => openChain(base.options, stored));
  const failures = new FailureLog(log, config.printTraces ? output : undefined);
  const shared: SharedParts = {
    onFailed: failures.onFailed,
    settings,
    bases,
    origins,
    telemetry,
    version,
    log,
    progress,
    protocol: new Protocol(config.restrictedMethods, version),
    store: stored?.store,
    debugInfos: new DebugInfos(),
    abis: new Abis(),
    instances: () => instances,
  };
  const service = new ChainService(shared, { base, chain, stored: stored?.stored });
  const instances: Instances = instancesOf(service);
  const dumps = new DumpFiles(config, service.dumpOptions(chain), log, progress);
  // In reverse: changes of the chain are awaited, and then it is dumped.
  steps.push(dumps, service);

  await steps.step('dump file', () => dumps.load());
  await load?.(service);
  if (log !== silentLog) chain.watch((change) => logBlocksSoon(log, change), 'logging blocks');
  steps.push(logTransactions(service, log, failures));
  dumps.follow();
  const logBodies = await openBodyLog(config, chain, log);
  await steps.step('paymaster', async () => (await service.paymaster())?.prepare());
  const l1Facts = await steps.step('L1', () => service.l1.open(config));
  const isContinued = stored?.saved !== undefined;
  await steps.step('first calls', () =>
    makeFirstCalls(config.init, isContinued || dumps.hasLoaded, service, log),
  );
  await steps.open('artifacts', () => openArtifacts(chain, config, shared.debugInfos, log));
  service.start();
  const { next } = chain.world.history;
  const forkBlock = forked.fork?.block.number;
  onOpen?.({ block: next - 1, isContinued, isLoaded: dumps.hasLoaded, forkBlock });
  const warm = (): Promise<void> => shared.protocol.schema.warm();
  const listenersOf = (served: ChainService, root?: RootParts): Listeners =>
    new Listeners({ service: served, root, warm, log }, steps);
  const branches = new BranchHosts(listenersOf);
  const listeners = listenersOf(service, { telemetry, logBodies, instances });
  steps.push(instances, branches, listeners);
  telemetry.observe(() => figuresOf(service, listeners, origins, instances));
  dumps.run();
  return new LocalChain(service, (branch) => branches.hostOf(branch), {
    host: {
      listen: async (at) => writeConfigOut(await listeners.listen(at), config, genesis, l1Facts),
      close: () => steps.close(),
    },
    l1: l1Facts,
  });
}

/** Reads of an origin are shown while they take long. */
function withShownReads(
  probe: Probe | undefined,
  display: WorkDisplay | undefined,
): Probe | undefined {
  if (!display) return probe;
  const originReads: Probe = {
    around: (work, run) =>
      work.kind === 'upstream' ? showing(display, 'reading from the forked network', run) : run(),
    waited: () => {},
    looked: () => {},
  };
  return joinProbes(probe ? [probe, originReads] : [originReads]);
}
