// Service of one chain: dispatchers of all versions, subscriptions, request log and L1.

import type { CONFIG } from '@starkbox/spec';
import { beginTimeNow } from '../chain/block-controls.js';
import { Chain } from '../chain/chain.js';
import type { ChainOptions } from '../chain/chain-options.js';
import type { GenesisRecord } from '../chain/genesis/genesis-record.js';
import type { Abis } from '../chain/queries/abis.js';
import { Explainer, failureLine } from '../chain/queries/explain.js';
import { type Clock, realMilliseconds } from '../chain/world/clock.js';
import type { DebugInfos } from '../debug-info/debug-infos.js';
import { type DumpOptions, type LoadedWorld, longestInline } from '../dump/dump.js';
import { genesisIn, type JournalCall } from '../dump/journal.js';
import { checkCalls, repeatCalls } from '../dump/replay-journal.js';
import { refuse } from '../errors.js';
import { onNetwork } from '../fork/open-fork.js';
import { L1 } from '../l1/l1.js';
import type { Log } from '../log.js';
import { explainErrors, type OnRefused } from '../rpc/explain-errors.js';
import type { InstanceControls } from '../rpc/methods/sandbox.js';
import type { Served } from '../rpc/methods/table.js';
import { overFork } from '../rpc/origin-routing.js';
import type { Handler, HandlerLookup } from '../rpc/protocol/call-context.js';
import {
  Dispatcher,
  type DispatcherOptions,
  type HandlerSource,
} from '../rpc/protocol/dispatcher.js';
import { MethodIndex } from '../rpc/protocol/method-table.js';
import { limitTransactions } from '../rpc/protocol/transaction-limits.js';
import { RequestLog } from '../rpc/request-log/request-log.js';
import { announceSoon } from '../rpc/subscriptions/chain-notifications.js';
import { SandboxNotifications } from '../rpc/subscriptions/sandbox-notifications.js';
import { Subscriptions } from '../rpc/subscriptions/subscriptions.js';
import type { Store } from '../store/store.js';
import type { StoredChain } from '../store/stored-chain.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { Binding } from './binding.js';
import type { ChainBase, ChainBases } from './chain-bases.js';
import type { Origins } from './origins.js';
import type { Protocol } from './protocol.js';
import { aboutNodeForCallers, type RecordedNode, secretsOf } from './recording.js';
import type { Settings } from './settings.js';

/** What all chains of a node have in common. */
export interface SharedParts {
  readonly settings: Pick<Settings, 'config' | 'keepsJournal'>;
  readonly bases: ChainBases;
  readonly origins: Origins;
  readonly telemetry: Telemetry;
  readonly version: string;
  readonly log: Log;
  /** Called while an image is read or written. */
  readonly progress: DumpOptions['onProgress'];
  readonly protocol: Protocol;
  /** The data directory. */
  readonly store: Store | undefined;
  readonly debugInfos: DebugInfos;
  readonly abis: Abis;
  /** The further chains of the node. */
  readonly instances: () => InstanceMethods;
}

/** What the methods of a chain need of the registry of instances. */
export interface InstanceMethods {
  /** Instances that are listed; in an object store, those in memory. */
  readonly count: number;
  /** Creation, list and deletion, as a chain of the node calls them. */
  controlsFor(caller: ChainService): InstanceControls;
  /** A handler of a chain that clients call within their rights and quotas. */
  guarded(service: ChainService, method: string, handler: Handler): Handler;
}

export interface OwnParts {
  readonly base: ChainBase;
  readonly chain: Chain;
  /** Where a data directory keeps the chain. */
  readonly stored?: StoredChain | undefined;
  /** Options over those of the node, each over the ones before; none by default. */
  readonly options?: readonly object[];
}

/** Branches that a program dropped without closing them. */
const DROPPED = new FinalizationRegistry<() => void>((release) => release());

/**
 * A chain with its dispatchers, subscriptions, request log and L1. Parts that only calls need are
 * created by the first call, so that a branch costs little.
 */
export class ChainService {
  readonly chain: Chain;
  readonly base: ChainBase;
  readonly subscriptions: Subscriptions;
  readonly sandbox: SandboxNotifications;
  /** Where it is served. */
  readonly binding: Binding = new Binding();
  readonly shared: SharedParts;
  /** Where a data directory keeps the chain. */
  readonly stored: StoredChain | undefined;
  /** Options over those of the node, each over the ones before. */
  readonly options: readonly object[];
  readonly #firstClock: Clock;
  #requests: RequestLog | undefined;
  #explainer: Explainer | undefined;
  #l1: L1 | undefined;
  #handlers: HandlerLookup | undefined;
  #dispatcher: Dispatcher | undefined;
  #older: Map<string, Dispatcher> | undefined;
  #isClosed = false;
  /** Ends the hold on what the world of a branch has on disk. */
  #release: (() => void) | undefined;

  constructor(shared: SharedParts, { base, chain, stored, options = [] }: OwnParts) {
    this.shared = shared;
    this.chain = chain;
    this.base = base;
    this.stored = stored;
    this.options = options;
    this.#firstClock = chain.world.clock;
    const subscriptions = new Subscriptions(base.config.maximumSubscriptions, (err) =>
      shared.log.error({ err }, 'sending notifications to subscribers failed'),
    );
    this.subscriptions = subscriptions;
    this.sandbox = new SandboxNotifications(chain, subscriptions, () => shared.instances().count);
    chain.watch((change) => announceSoon(subscriptions, change), 'announcing to subscribers');
    chain.watchAll((turn) => this.sandbox.turned(turn), 'announcing to explorers');
  }

  /** Whether the chain is kept in a data directory. */
  get isStored(): boolean {
    return this.stored !== undefined;
  }

  /** Whether it is closed, or is about to be. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** A service of a chain in memory that begins as this one is now, and shares nothing that changes. */
  branch(): ChainService {
    if (this.#isClosed) throw new Error('The chain is closed');
    const { base, chain, options } = this;
    const branch = new ChainService(this.shared, { base, chain: chain.branch(), options });
    const release = this.shared.store?.hold(chain.world);
    if (release) {
      branch.#release = release;
      DROPPED.register(branch, release);
    }
    return branch;
  }

  /** Lets a given time of the start begin now: until a client can connect, seconds may pass. */
  beginTime(): Promise<void> {
    return this.isStored ? Promise.resolve() : beginTimeNow(this.chain, this.#firstClock);
  }

  /** Starts the interval of blocks, if there is one. */
  start(): void {
    const { log } = this.shared;
    this.chain.start((error) => log.error({ error }, 'closing a block by the clock failed'));
  }

  /** The L1 of the chain. */
  get l1(): L1 {
    this.#l1 ??= this.#l1Of(this.chain);
    return this.#l1;
  }

  get explainer(): Explainer {
    this.#explainer ??= this.#explainerOf(this.chain);
    return this.#explainer;
  }

  #explainerOf(chain: Chain): Explainer {
    return new Explainer(chain, this.shared.debugInfos, this.shared.abis);
  }

  get requests(): RequestLog {
    this.#requests ??= new RequestLog({
      subscriptions: this.subscriptions,
      now: realMilliseconds,
      secrets: () => secretsOf(this.#recorded),
      about: () => aboutNodeForCallers(this.#recorded),
    });
    return this.#requests;
  }

  get dispatcher(): Dispatcher {
    this.#dispatcher ??= this.#newest(this.#ownHandlers, true);
    return this.#dispatcher;
  }

  stop(): void {
    this.#isClosed = true;
    this.#l1?.stop();
  }

  /** Waits for running changes. */
  async close(): Promise<void> {
    this.stop();
    await this.#l1?.close();
    await this.chain.close();
    this.subscriptions.close();
    this.sandbox.close();
    this.#release?.();
  }

  /** What its world was made with: after a load, the accounts can be others than those of `base`. */
  get current(): ChainBase {
    return this.shared.bases.of(this.chain.options);
  }

  get #recorded(): RecordedNode {
    return { base: this.current, chain: this.chain, version: this.shared.version };
  }

  get #ownHandlers(): HandlerLookup {
    this.#handlers ??= this.#handlersOf(this.chain);
    return this.#handlers;
  }

  /** The dispatcher of an older version of the specification; created when it is first used. */
  older(name: string): Dispatcher {
    this.#older ??= new Map();
    let dispatcher = this.#older.get(name);
    if (!dispatcher) {
      const newest = this.#ownHandlers;
      const version = this.shared.protocol.older(name);
      const { index, schema } = version;
      const handlerOf = version.handlersOver(newest);
      dispatcher = this.#dispatcherOf({ index, handlerOf }, true, schema);
      this.#older.set(name, dispatcher);
    }
    return dispatcher;
  }

  /** The config of a chain as `devnet_getConfig` shows it. */
  configOf(chain: Chain): CONFIG {
    const { shown } = this.shared.bases.of(chain.options);
    const port = this.binding.port ?? this.base.config.port;
    return { ...shown, server_config: { ...shown.server_config, port } };
  }

  dumpOptions(chain: Chain): DumpOptions {
    const { settings, version, progress, protocol } = this.shared;
    const { config } = this.base;
    return {
      chain,
      keepsJournal: settings.keepsJournal,
      path: config.dumpPath,
      directory: config.dumpDir,
      format: config.dumpFormat,
      longestInline: longestInline(config.requestBodySizeLimit),
      writtenBy: `starkbox ${version}`,
      check: (calls) => checkCalls(calls, protocol.schema),
      repeat: (calls) => this.#repeat(calls),
      genesis: () => this.shared.bases.genesisOf(chain.options),
      optionsWith: (genesis) => this.#optionsWith(chain, genesis),
      onProgress: progress,
    };
  }

  async #optionsWith(chain: Chain, genesis: GenesisRecord | undefined): Promise<ChainOptions> {
    const { bases, settings } = this.shared;
    const isKept = this.isStored || settings.config.instanceStore !== undefined;
    return bases.withGenesis(chain.options, genesis, isKept);
  }

  /** The world after a journal's calls, made on a scratch chain. */
  async #repeat(calls: readonly JournalCall[]): Promise<LoadedWorld> {
    const { schema } = this.shared.protocol;
    await checkCalls(calls, schema);
    const scratch = await Chain.create(await this.#optionsWith(this.chain, genesisIn(calls)));
    const l1 = this.#l1Of(scratch);
    try {
      const dispatcher = this.#newest(this.#handlersOf(scratch, l1), false);
      await repeatCalls(dispatcher, scratch, calls);
      return { world: scratch.world, options: scratch.options };
    } finally {
      await l1.close();
      await scratch.close();
    }
  }

  readonly #onRefused: OnRefused = (hash, explained) => {
    const { log } = this.shared;
    log.info(failureLine(hash, explained));
    log.debug(explained.text);
  };

  #l1Of(chain: Chain): L1 {
    return new L1({ chain, log: this.shared.log });
  }

  /** A dispatcher of the node's chain on which no method is restricted. */
  unrestricted(): Dispatcher {
    const handlerOf = this.#ownHandlers;
    const index = new MethodIndex(this.shared.protocol.names);
    return this.#dispatcherOf({ index, handlerOf }, true);
  }

  #newest(handlerOf: HandlerLookup, isOwn: boolean): Dispatcher {
    const { index } = this.shared.protocol;
    return this.#dispatcherOf({ index, handlerOf }, isOwn);
  }

  #handlersOf(chain: Chain, l1?: L1): HandlerLookup {
    const { config } = this.base;
    const limits = {
      felts: config.maximumCalldataLength,
      transactions: config.maximumSimulationBatch,
    };
    const forked = overFork(chain);
    const served = this.#served(chain, l1);
    // Calls of a journal are repeated for their effects.
    const explained =
      chain === this.chain
        ? { chain, explainer: served.explainer, onRefused: this.#onRefused }
        : undefined;
    return this.shared.protocol.handlersOf(served, (name, handler) => {
      // Inside of the routing: errors of the origin are passed on unchanged.
      const explaining = explained ? explainErrors(name, handler, explained) : handler;
      const whole = limitTransactions(name, forked(name, explaining), limits);
      return this.shared.instances().guarded(this, name, whole);
    });
  }

  /** @param isOwn whether the handlers are those of the node's chain, whose calls are observed */
  #dispatcherOf(
    handlers: HandlerSource,
    isOwn: boolean,
    schema: DispatcherOptions['schema'] = this.shared.protocol.schema,
  ): Dispatcher {
    const { binding } = this;
    const { telemetry, log } = this.shared;
    const { config } = this.base;
    return new Dispatcher({
      handlers,
      schema,
      socketUrl: () => binding.url && `${binding.url.replace(/^http/, 'ws')}/ws`,
      log,
      maxBatch: config.maximumBatchLength,
      maxDepth: config.maximumJsonDepth,
      maxValues: config.maximumJsonValues,
      maxAnswer: config.maximumAnswerSize,
      onStall: telemetry.onStall,
      ...(isOwn
        ? { probe: telemetry.probe, onCall: telemetry.onCall, observer: this.requests }
        : {}),
    });
  }

  /** @param scratch the L1 of a scratch chain; by default that of the service, created when it is needed */
  #served(chain: Chain, scratch?: L1): Served {
    const { version, protocol } = this.shared;
    const { config } = this.base;
    const service = this;
    return {
      chain,
      get postman() {
        return (scratch ?? service.l1).postman;
      },
      get timeline() {
        return (scratch ?? service.l1).snapshots;
      },
      subscriptions: this.subscriptions,
      limits: {
        addresses: config.maximumFilterAddresses,
        keys: config.maximumFilterKeys,
        chunk: config.maximumChunkSize,
      },
      config: () => this.configOf(chain),
      refork: ({ url, block }) => this.#refork(url, block),
      version,
      get dump() {
        return service.dumpOptions(chain);
      },
      get requests() {
        return service.requests;
      },
      explainer: chain === this.chain ? this.explainer : this.#explainerOf(chain),
      sandbox: this.sandbox,
      get instances() {
        return service.shared.instances().controlsFor(service);
      },
      discover: () => protocol.discover(),
    };
  }

  /** Options for the chain on another network. */
  async #refork(url: string, block: number | string | undefined) {
    const { origins, bases, settings } = this.shared;
    if (this.isStored) refuse('A chain that is kept on disk cannot be put on another network.');
    await origins.flush();
    const forked = await origins.open(onNetwork(settings.config, url, block));
    return (await bases.create(forked)).options;
  }
}
