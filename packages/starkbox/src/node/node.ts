// A node: a chain with its JSON-RPC service, and the order in which its parts are opened.
import type { Deployed, Genesis } from '../chain/genesis/genesis.js';
import type { Config, ConfigInput } from '../config/options.js';
import { readInput } from '../config/source.js';
import type { DumpOptions } from '../dump/dump.js';
import type { L1Facts } from '../l1/l1.js';
import { type Log, silentLog } from '../log.js';
import { announceSoon } from '../rpc/subscriptions/chain-news.js';
import { openTelemetry } from '../telemetry/telemetry.js';
import { Binding } from './binding.js';
import { logBlocks } from './block-log.js';
import { DumpFiles } from './dump-files.js';
import { figuresOf } from './figures.js';
import { Lifecycle } from './lifecycle.js';
import { type Address, Listeners } from './listeners.js';
import { ChainBases, openArtifacts, openChain } from './open-chain.js';
import { Origins } from './origins.js';
import { openRecording } from './recording.js';
import { RpcService } from './rpc-service.js';
import { checkSettings, holdDataDirectory } from './settings.js';
import { announced, makeFirstCalls } from './start-files.js';
import { packageVersion } from './version.js';

/** A running chain, and the ways to call it. */
export interface Node {
  readonly config: Config;
  readonly accounts: Genesis['accounts'];
  readonly accountClassHash: string;
  readonly tokens: { readonly eth: Deployed; readonly strk: Deployed };
  readonly udc: Deployed;
  readonly argent: Genesis['argent'];
  /** The L1 that it was started with. */
  readonly l1: L1Facts | undefined;
  /** Calls a method in this process; throws an `RpcError` where the wire would carry one. */
  request(method: string, params?: unknown): Promise<unknown>;
  /** Answers JSON-RPC text; undefined for notifications, which have no answer. */
  handle(text: string): Promise<string | undefined>;
  /** Opens the HTTP server. */
  listen(): Promise<Address>;
  /** Answers the requests under way and closes everything. */
  close(): Promise<void>;
}

export interface NodeOptions {
  readonly log?: Log;
  /** Called while an image is read or written. */
  readonly progress?: DumpOptions['onProgress'];
}

/**
 * A node with its own chain. It needs no port: `listen` opens one. Options that the command would refuse
 * throw a `UsageError` or a `ConfigError`.
 *
 * @example
 * const node = await createNode({ seed: 0 });
 * await node.request('devnet_mint', { address: '0x1', amount: 1000 });
 * const { url } = await node.listen();
 * await node.close();
 */
export function createNode(input: ConfigInput = {}, options: NodeOptions = {}): Promise<Node> {
  return startNode(input, options, new Lifecycle(options.log ?? silentLog));
}

/** Opens all parts of a node; if one fails, none stays open. */
export function startNode(
  input: ConfigInput,
  options: NodeOptions,
  lifecycle: Lifecycle,
): Promise<Node> {
  return lifecycle.run(() => openParts(input, options, lifecycle));
}

async function openParts(
  input: ConfigInput,
  { log = silentLog, progress }: NodeOptions,
  steps: Lifecycle,
): Promise<Node> {
  const given = await steps.step('options', () => readInput(input));
  const directory = await steps.open('data directory', () => holdDataDirectory(given, log));
  const settings = await steps.step('checks', () => checkSettings(given, directory, log));
  const version = packageVersion();
  const telemetry = await steps.open('telemetry', () =>
    openTelemetry(settings.config, log, version),
  );
  const origins = new Origins(settings.given, log, telemetry.probe);
  steps.push(origins);
  const forked = await steps.step('origin', () => origins.open(settings.config));
  const bases = new ChainBases(settings.keepsJournal, log, telemetry.probe);
  const base = await steps.step('genesis', () => bases.create(forked));
  const { config, genesis } = base;
  const stored = await steps.step('store', () => directory?.open(config, forked.fork));
  const chain = await steps.step('chain', () => openChain(base.options, stored));
  const binding = new Binding();
  const isStored = stored !== undefined;
  const shared = { settings, base, bases, origins, chain, binding, telemetry, version, log };
  const service = new RpcService({ ...shared, isStored, progress });
  const { dispatcher, l1, subscriptions } = service;
  const dumps = new DumpFiles(config, service.dumpOptions(chain), log);
  // In reverse: L1 is closed first, then changes of the chain are awaited, and then it is dumped.
  steps.push(dumps, chain, l1);

  await steps.step('dump file', () => dumps.load());
  chain.watch((change) => announceSoon(subscriptions, change), 'announcing to subscribers');
  chain.watchAll((turn) => service.sandbox.turned(turn), 'announcing to explorers');
  if (log !== silentLog) chain.watch((change) => logBlocks(log, change), 'logging blocks');
  dumps.follow();
  const recorder = await steps.open('request recording', () => openRecording(shared, log));
  const l1Facts = await steps.step('L1', () => l1.open(config));
  await steps.step('first calls', () =>
    makeFirstCalls(config.init, stored?.saved !== undefined || dumps.hasLoaded, service, log),
  );
  await steps.open('artifacts', () => openArtifacts(chain, config, log));
  const startClock = (): void =>
    chain.start((error) => log.error({ error }, 'closing a block by the clock failed'));
  startClock();
  const listeners = new Listeners(
    {
      ...shared,
      config,
      service,
      dispatcher: recorder.recording(dispatcher),
      older: (name) => {
        const older = recorder.recording({
          handle: (...call) => service.older(name).handle(...call),
        });
        return {
          handle: (text, session, delivery) =>
            older.handle(text, { ...session, version: name }, delivery),
        };
      },
      warm: () => Promise.all([service.schema.warm(), genesis.warm()]),
      // Clients count the interval from when they can connect.
      onListening: startClock,
    },
    steps,
  );
  steps.push(listeners);
  telemetry.observe(() => figuresOf({ chain, subscriptions, listeners, binding, origins }));
  dumps.run();

  return {
    config,
    accounts: genesis.accounts,
    accountClassHash: genesis.accountClass.hash,
    tokens: { eth: genesis.eth, strk: genesis.strk },
    udc: genesis.udc,
    argent: genesis.argent,
    l1: l1Facts,
    request: (method, params) => dispatcher.call(method, params, { transport: 'in-process' }),
    handle: (text) => dispatcher.handle(text, { transport: 'in-process' }),
    listen: async () => announced(await listeners.listen(), config, genesis, l1Facts),
    close: () => steps.close(),
  };
}
