// Service of one chain: dispatchers of all versions, subscriptions, request log and L1.

import type { CONFIG } from '@starkbox/spec';
import { streamBlocks } from '../chain/block-builder.js';
import { beginTimeNow } from '../chain/block-controls.js';
import { Chain, type ChainOptions } from '../chain/chain.js';
import { SLOT_READER } from '../chain/execution/apply-state-diff.js';
import type { GenesisRecord } from '../chain/genesis/genesis-record.js';
import type { Abis } from '../chain/queries/abis.js';
import { Explainer } from '../chain/queries/explain.js';
import { type Clock, realMilliseconds } from '../chain/world/clock.js';
import type { World } from '../chain/world/world.js';
import type { Config } from '../config/options.js';
import type { DebugInfos } from '../debug-info/debug-infos.js';
import { type DumpOptions, imageProgress, type LoadedWorld, longestInline } from '../dump/dump.js';
import { genesisIn, type JournalCall } from '../dump/journal.js';
import { checkCalls, repeatCalls } from '../dump/replay-journal.js';
import { refuse } from '../errors.js';
import { onNetwork } from '../fork/open-fork.js';
import { L1 } from '../l1/l1.js';
import type { Log } from '../log.js';
import type { WorkDisplay } from '../probe.js';
import { explainErrors, type OnFailed } from '../rpc/explain-errors.js';
import { showLong } from '../rpc/long-requests.js';
import type { Paymasters } from '../rpc/methods/paymaster.js';
import type { InstanceControls } from '../rpc/methods/sandbox.js';
import type { Served } from '../rpc/methods/table.js';
import { overFork } from '../rpc/origin-routing.js';
import type { HandlerLookup } from '../rpc/protocol/call-context.js';
import { Dispatcher, type DispatcherOptions } from '../rpc/protocol/dispatcher.js';
import { MethodIndex } from '../rpc/protocol/method-table.js';
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
import { secretsOf } from './secrets.js';

/** What all chains of a node have in common. */
export interface SharedParts {
  readonly settings: {
    readonly config: Config;
    /** Whether calls are recorded for a dump. */
    readonly keepsJournal: boolean;
  };
  readonly bases: ChainBases;
  readonly origins: Origins;
  readonly telemetry: Telemetry;
  readonly version: string;
  readonly log: Log;
  /** Called when a call, an estimate, a simulation or a submission fails. */
  readonly onFailed: OnFailed;
  /** Shows long work, if someone is watching. */
  readonly progress: WorkDisplay | undefined;
  readonly protocol: Protocol;
  /** The data directory. */
  readonly store: Store | undefined;
  readonly debugInfos: DebugInfos;
  readonly abis: Abis;
  /** The further chains of the node. */
  readonly instances: () => InstanceMethods;
}

/** What the methods of a chain need of the instances of its node. */
export interface InstanceMethods {
  readonly count: number;
  /** Creation, list and deletion, as a chain of the node calls them. */
  controlsFor(caller: ChainService): InstanceControls;
}

export interface OwnParts {
  readonly base: ChainBase;
  readonly chain: Chain;
  /** Where a data directory keeps the chain. */
  readonly stored?: StoredChain | undefined;
  /** Options over those of the node, each over the ones before; none by default. */
  readonly options?: readonly object[];
}

/** The methods of a dispatcher, with the schemas of their parameters. */
interface ServedMethods {
  readonly index: MethodIndex;
  readonly schema: NonNullable<DispatcherOptions['schema']>;
}

/** The key of the dispatcher of the newest version. */
const NEWEST = 'newest';
/** The key of the paymaster's dispatcher, and the prefix of its methods. */
const PAYMASTER = 'paymaster_';

/** Branches that a program dropped without closing them. */
const DROPPED = new FinalizationRegistry<() => void>((release) => release());

/**
 * A chain with its dispatchers, subscriptions, request log and L1.
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
  // What only calls use is created late, so that a branch without calls costs little.
  #l1: L1 | undefined;
  #explainer: Explainer | undefined;
  #requests: RequestLog | undefined;
  /** By version of the specification; undefined before the first call. */
  #dispatchers: Map<string, Dispatcher> | undefined;
  #handlers: HandlerLookup | undefined;
  /** Undefined before its first call. */
  #paymaster: Promise<Paymasters> | undefined;
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
    const subscriptions = new Subscriptions((err) =>
      shared.log.error({ err }, 'sending notifications to subscribers failed'),
    );
    this.subscriptions = subscriptions;
    this.sandbox = new SandboxNotifications(chain, subscriptions, () => shared.instances().count);
    chain.watch((change) => announceSoon(subscriptions, change), 'announcing to subscribers');
    chain.watchAll((turn) => this.sandbox.notifyOf(turn), 'announcing to explorers');
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
  branch(world: World = this.chain.world): ChainService {
    if (this.#isClosed) throw new Error('The chain is closed');
    const { base, chain, options } = this;
    const branch = new ChainService(this.shared, { base, chain: chain.branch(world), options });
    const release = this.shared.store?.hold(world);
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

  /** Starts the timers of blocks and of acceptance on L1, if any. */
  start(): void {
    const { log } = this.shared;
    this.chain.start(
      (error) => log.error({ error }, 'a change by a timer of blocks failed'),
      streamBlocks,
    );
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

  get requests(): RequestLog {
    this.#requests ??= new RequestLog({
      subscriptions: this.subscriptions,
      now: realMilliseconds,
      secrets: () => secretsOf(this.current.config, this.chain),
    });
    return this.#requests;
  }

  #explainerOf(chain: Chain): Explainer {
    return new Explainer(chain, this.shared.debugInfos, this.shared.abis, this.shared.log);
  }

  get dispatcher(): Dispatcher {
    return this.#dispatcherFor(NEWEST, () => this.#dispatcherOf(this.#ownHandlers, true));
  }

  /** The dispatcher of an older version of the specification. */
  older(version: string): Dispatcher {
    return this.#dispatcherFor(version, () => {
      const newest = this.#ownHandlers;
      const older = this.shared.protocol.older(version);
      return this.#dispatcherOf(older.handlersOver(newest), true, older);
    });
  }

  /** The dispatcher of the methods of the paymaster alone. */
  get paymasterDispatcher(): Dispatcher {
    return this.#dispatcherFor(PAYMASTER, () => {
      const handlers = this.#ownHandlers;
      const { names, schema } = this.shared.protocol;
      const index = new MethodIndex(
        names.filter((name) => name.startsWith(PAYMASTER)),
        this.base.config.restrictedMethods,
      );
      return this.#dispatcherOf(handlers, true, { index, schema });
    });
  }

  /** The paymaster of the chain, loaded when it is first needed; undefined without one. */
  paymaster(): Promise<Paymasters> | undefined {
    if (!this.base.config.paymaster) return undefined;
    this.#paymaster ??= import('../paymaster/paymaster.js').then(
      ({ Paymaster }) => new Paymaster(this.chain, this.shared.abis),
    );
    return this.#paymaster;
  }

  #dispatcherFor(version: string, create: () => Dispatcher): Dispatcher {
    this.#dispatchers ??= new Map();
    const existing = this.#dispatchers.get(version);
    if (existing) return existing;
    const dispatcher = create();
    this.#dispatchers.set(version, dispatcher);
    return dispatcher;
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

  get #ownHandlers(): HandlerLookup {
    this.#handlers ??= this.#handlersOf(this.chain);
    return this.#handlers;
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
      hasDataDirectory: settings.config.dataDir !== undefined,
      path: config.dumpPath,
      directory: config.dumpDir,
      format: config.dumpFormat,
      longestInline: longestInline(config.requestBodySizeLimit),
      writtenBy: `starkbox ${version}`,
      check: (calls) => checkCalls(calls, protocol.schema),
      repeat: (calls) => this.#repeat(calls),
      genesis: () => this.shared.bases.genesisOf(chain.options),
      optionsWith: (genesis) => this.#optionsWith(chain, genesis),
      onProgress: progress && ((step) => progress.detail(imageProgress(step))),
    };
  }

  async #optionsWith(chain: Chain, genesis: GenesisRecord | undefined): Promise<ChainOptions> {
    return this.shared.bases.withGenesis(chain.options, genesis, this.isStored);
  }

  /** The world after a journal's calls, made on a scratch chain. */
  async #repeat(calls: readonly JournalCall[]): Promise<LoadedWorld> {
    const { schema } = this.shared.protocol;
    await checkCalls(calls, schema);
    const scratch = await Chain.create(await this.#optionsWith(this.chain, genesisIn(calls)));
    const l1 = this.#l1Of(scratch);
    try {
      const dispatcher = this.#dispatcherOf(this.#handlersOf(scratch, l1), false);
      await repeatCalls(dispatcher, scratch, calls);
      return { world: scratch.world, options: scratch.options };
    } finally {
      await l1.close();
      await scratch.close();
    }
  }

  #l1Of(chain: Chain): L1 {
    return new L1({ chain, log: this.shared.log });
  }

  /** A dispatcher of the node's chain on which no method is restricted. */
  openUnrestricted(): Dispatcher {
    const handlers = this.#ownHandlers;
    const { names, schema } = this.shared.protocol;
    return this.#dispatcherOf(handlers, true, { index: new MethodIndex(names), schema });
  }

  #handlersOf(chain: Chain, l1?: L1): HandlerLookup {
    const forked = overFork(chain);
    const explainer = chain === this.chain ? this.explainer : this.#explainerOf(chain);
    const served = this.#servedOf(chain, explainer, l1 ?? this.l1);
    // Calls of a journal are repeated for their effects.
    const explained =
      chain === this.chain ? { chain, explainer, onFailed: this.shared.onFailed } : undefined;
    return this.shared.protocol.handlersOf(served, (name, handler) => {
      // Inside of the routing: errors of the origin are passed on unchanged.
      const explaining = explained ? explainErrors(name, handler, explained) : handler;
      return showLong(name, forked(name, explaining), explained && this.shared.progress);
    });
  }

  /** A chain as its handlers use it. */
  #servedOf(chain: Chain, explainer: Explainer, { postman, snapshots }: L1): Served {
    const { shared, subscriptions, sandbox, requests } = this;
    const { debugInfos: infos, version, log, protocol } = shared;
    const longest = this.base.config.maximumResponseSize;
    return {
      chain,
      explainer,
      postman,
      timeline: snapshots,
      subscriptions,
      sandbox,
      requests,
      version,
      dump: this.dumpOptions(chain),
      bundles: { chain, explainer, infos, version, longest, log },
      instances: shared.instances().controlsFor(this),
      paymaster: () => this.paymaster(),
      config: () => this.configOf(chain),
      refork: ({ url, block }) => this.refork(url, block),
      discover: () => protocol.discover(),
    };
  }

  /** @param isOwn whether the handlers are those of the node's chain, whose calls are observed */
  #dispatcherOf(
    handlerOf: HandlerLookup,
    isOwn: boolean,
    { index, schema }: ServedMethods = this.shared.protocol,
  ): Dispatcher {
    const { binding } = this;
    const { telemetry, log } = this.shared;
    const { config } = this.base;
    return new Dispatcher({
      handlers: { index, handlerOf },
      schema,
      socketUrl: () => binding.url && `${binding.url.replace(/^http/, 'ws')}/ws`,
      log,
      maxAnswer: config.maximumResponseSize,
      onStall: telemetry.onStall,
      listReader: SLOT_READER,
      ...(isOwn
        ? { probe: telemetry.probe, onCall: telemetry.onCall, observer: this.requests }
        : {}),
    });
  }

  /** Options for the chain on another network. */
  async refork(url: string, block: number | string | undefined): Promise<ChainOptions> {
    const { origins, bases, settings } = this.shared;
    if (this.isStored) refuse('A chain on disk cannot fork another network.');
    await origins.flush();
    const forked = await origins.open(onNetwork(settings.config, url, block));
    return (await bases.create(forked)).options;
  }
}
