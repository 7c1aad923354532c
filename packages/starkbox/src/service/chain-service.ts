// Service of one chain: dispatchers of all versions, subscriptions, request log and L1.
import { Chain } from '../chain/chain.js';
import { realMilliseconds } from '../chain/world/clock.js';
import type { World } from '../chain/world/world.js';
import { type DumpOptions, longestInline } from '../dump/dump.js';
import type { JournalCall } from '../dump/journal.js';
import { checkCalls, repeatCalls } from '../dump/replay-journal.js';
import { refuse } from '../errors.js';
import { onNetwork } from '../fork/open-fork.js';
import type { JsonText } from '../json/json.js';
import { L1 } from '../l1/l1.js';
import type { Log } from '../log.js';
import { createMethods, type Served } from '../rpc/methods/table.js';
import { overFork } from '../rpc/origin-routing.js';
import type { HandlerTable } from '../rpc/protocol/call-context.js';
import { Dispatcher, type DispatcherOptions } from '../rpc/protocol/dispatcher.js';
import type { Handlers } from '../rpc/protocol/handlers.js';
import type { Schema } from '../rpc/protocol/schema.js';
import { limitTransactions } from '../rpc/protocol/transaction-limits.js';
import { RequestLog } from '../rpc/request-log/request-log.js';
import { announceSoon } from '../rpc/subscriptions/chain-news.js';
import { SandboxNews } from '../rpc/subscriptions/sandbox-news.js';
import { Subscriptions } from '../rpc/subscriptions/subscriptions.js';
import { openVersion } from '../rpc/versions/versions.js';
import type { CONFIG } from '../spec.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { Binding } from './binding.js';
import type { ChainBase, ChainBases } from './chain-bases.js';
import type { Origins } from './origins.js';
import { aboutNode, type RecordedNode, secretsOf } from './recording.js';
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
  readonly schema: Schema;
  /** The documents of the methods that are served. */
  readonly discover: (methods: readonly string[]) => JsonText;
}

export interface OwnParts {
  readonly base: ChainBase;
  readonly chain: Chain;
  /** Whether the chain is stored in a data directory. */
  readonly isStored: boolean;
}

/**
 * A chain with its dispatchers, subscriptions, request log and L1. Parts that only calls need are
 * created by the first call, so that a branch costs little.
 */
export class ChainService {
  readonly chain: Chain;
  readonly base: ChainBase;
  readonly subscriptions: Subscriptions;
  readonly sandbox: SandboxNews;
  /** Where it is served. */
  readonly binding: Binding = new Binding();
  readonly #shared: SharedParts;
  readonly #isStored: boolean;
  #requests: RequestLog | undefined;
  #l1: L1 | undefined;
  #handlers: HandlerTable | undefined;
  #dispatcher: Dispatcher | undefined;
  #older: Map<string, Dispatcher> | undefined;
  #isClosed = false;

  constructor(shared: SharedParts, { base, chain, isStored }: OwnParts) {
    this.#shared = shared;
    this.chain = chain;
    this.base = base;
    this.#isStored = isStored;
    const subscriptions = new Subscriptions(base.config.maximumSubscriptions);
    this.subscriptions = subscriptions;
    this.sandbox = new SandboxNews(chain, subscriptions);
    chain.watch((change) => announceSoon(subscriptions, change), 'announcing to subscribers');
    chain.watchAll((turn) => this.sandbox.turned(turn), 'announcing to explorers');
  }

  /** A service of a chain that begins as this one is now, and shares nothing that changes. */
  branch(): ChainService {
    if (this.#isClosed) throw new Error('The chain is closed');
    return new ChainService(this.#shared, {
      base: this.base,
      chain: this.chain.branch(),
      isStored: false,
    });
  }

  /** Starts the interval of blocks, if there is one. */
  start(): void {
    const { log } = this.#shared;
    this.chain.start((error) => log.error({ error }, 'closing a block by the clock failed'));
  }

  /** The L1 of the chain. */
  get l1(): L1 {
    this.#l1 ??= this.#l1Of(this.chain);
    return this.#l1;
  }

  get requests(): RequestLog {
    this.#requests ??= new RequestLog({
      subscriptions: this.subscriptions,
      now: realMilliseconds,
      secrets: () => secretsOf(this.#recorded),
      about: () => aboutNode(this.#recorded),
    });
    return this.#requests;
  }

  get dispatcher(): Dispatcher {
    this.#dispatcher ??= this.#dispatcherOf(this.#ownHandlers, true);
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
    this.sandbox.close();
  }

  get #recorded(): RecordedNode {
    return { base: this.base, chain: this.chain, version: this.#shared.version };
  }

  get #ownHandlers(): HandlerTable {
    this.#handlers ??= this.#handlersOf(this.chain, this.l1);
    return this.#handlers;
  }

  /** The dispatcher of an older version of the specification; created when it is first used. */
  older(name: string): Dispatcher {
    const { version, schema } = this.#shared;
    this.#older ??= new Map();
    let dispatcher = this.#older.get(name);
    if (!dispatcher) {
      const opened = openVersion(name, this.#ownHandlers, schema, version);
      dispatcher = this.#dispatcherOf(opened.handlers, true, opened);
      this.#older.set(name, dispatcher);
    }
    return dispatcher;
  }

  /** The config of a chain as `devnet_getConfig` shows it. */
  configOf(chain: Chain): CONFIG {
    const shown = this.#shared.bases.shown(chain.options);
    const port = this.binding.port ?? this.base.config.port;
    return { ...shown, server_config: { ...shown.server_config, port } };
  }

  dumpOptions(chain: Chain): DumpOptions {
    const { settings, version, progress, schema } = this.#shared;
    const { config } = this.base;
    return {
      chain,
      keepsJournal: settings.keepsJournal,
      path: config.dumpPath,
      directory: config.dumpDir,
      format: config.dumpFormat,
      longestInline: longestInline(config.requestBodySizeLimit),
      writtenBy: `starkbox ${version}`,
      check: (calls) => checkCalls(calls, schema),
      repeat: (calls) => this.#repeat(calls),
      onProgress: progress,
    };
  }

  /** The world after a journal's calls, made on a scratch chain. */
  async #repeat(calls: readonly JournalCall[]): Promise<World> {
    await checkCalls(calls, this.#shared.schema);
    const scratch = await Chain.create(this.chain.options);
    const l1 = this.#l1Of(scratch);
    try {
      const dispatcher = this.#dispatcherOf(this.#handlersOf(scratch, l1), false);
      await repeatCalls(dispatcher, scratch, calls);
      return scratch.world;
    } finally {
      await l1.close();
      await scratch.close();
    }
  }

  #l1Of(chain: Chain): L1 {
    return new L1({ chain, log: this.#shared.log });
  }

  /** A dispatcher of the node's chain on which no method is restricted. */
  unrestricted(): Dispatcher {
    return this.#dispatcherOf(this.#ownHandlers, true, { restricted: [] });
  }

  #handlersOf(chain: Chain, l1: L1): HandlerTable {
    const { config } = this.base;
    const handlers: Handlers = createMethods({
      ...this.#served(chain, l1),
      discover: () => this.#shared.discover(Object.keys(handlers)),
    });
    return limitTransactions(overFork(handlers, chain), {
      felts: config.maximumCalldataLength,
      transactions: config.maximumSimulationBatch,
    });
  }

  /** @param isOwn whether the handlers are those of the node's chain, whose calls are observed */
  #dispatcherOf(
    handlers: HandlerTable,
    isOwn: boolean,
    { schema, renamed, restricted }: Partial<DispatcherOptions> = {},
  ): Dispatcher {
    const { binding } = this;
    const { telemetry, log } = this.#shared;
    const { config } = this.base;
    return new Dispatcher({
      handlers,
      schema: schema ?? this.#shared.schema,
      ...(renamed && { renamed }),
      restricted: restricted ?? config.restrictedMethods,
      socketUrl: () => binding.authority && `ws://${binding.authority}/ws`,
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

  #served(chain: Chain, l1: L1): Omit<Served, 'discover'> {
    const { version } = this.#shared;
    const { config } = this.base;
    return {
      chain,
      postman: l1.postman,
      timeline: l1.snapshots,
      subscriptions: this.subscriptions,
      limits: {
        addresses: config.maximumFilterAddresses,
        keys: config.maximumFilterKeys,
        chunk: config.maximumChunkSize,
      },
      config: () => this.configOf(chain),
      refork: ({ url, block }) => this.#refork(url, block),
      version,
      dump: this.dumpOptions(chain),
      requests: this.requests,
      sandbox: this.sandbox,
    };
  }

  /** Options for the chain on another network. */
  async #refork(url: string, block: number | string | undefined) {
    const { origins, bases, settings } = this.#shared;
    if (this.#isStored) refuse('A chain that is kept on disk cannot be put on another network.');
    await origins.flush();
    const forked = await origins.open(onNetwork(settings.config, url, block));
    return (await bases.create(forked)).options;
  }
}
