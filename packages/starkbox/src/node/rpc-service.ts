// JSON-RPC dispatchers of a node: one for its chain, and one for each scratch chain that repeats a journal.
import { Chain } from '../chain/chain.js';
import { realMilliseconds } from '../chain/world/clock.js';
import type { World } from '../chain/world/world.js';
import { type DumpOptions, longestInline } from '../dump/dump.js';
import type { JournalCall } from '../dump/journal.js';
import { checkCalls, repeatCalls } from '../dump/replay-journal.js';
import { refuse } from '../errors.js';
import { onNetwork } from '../fork/open-fork.js';
import { JsonText } from '../json/json.js';
import { L1 } from '../l1/l1.js';
import type { Log } from '../log.js';
import { discovery } from '../rpc/discover.js';
import { createMethods, type Served } from '../rpc/methods/table.js';
import { overFork } from '../rpc/origin-routing.js';
import type { HandlerTable } from '../rpc/protocol/call-context.js';
import { Dispatcher, type DispatcherOptions } from '../rpc/protocol/dispatcher.js';
import type { Handlers } from '../rpc/protocol/handlers.js';
import { readDocuments, Schema } from '../rpc/protocol/schema.js';
import { limitTransactions } from '../rpc/protocol/transaction-limits.js';
import { RequestLog } from '../rpc/request-log/request-log.js';
import { SandboxNews } from '../rpc/subscriptions/sandbox-news.js';
import { Subscriptions } from '../rpc/subscriptions/subscriptions.js';
import { openVersion } from '../rpc/versions/versions.js';
import type { CONFIG } from '../spec.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { Binding } from './binding.js';
import type { ChainBase, ChainBases } from './open-chain.js';
import type { Origins } from './origins.js';
import { aboutNode, secretsOf } from './recording.js';
import type { Settings } from './settings.js';

export interface RpcServiceParts {
  readonly settings: Settings;
  readonly base: ChainBase;
  readonly bases: ChainBases;
  readonly origins: Origins;
  readonly chain: Chain;
  /** Whether the chain is stored in a data directory. */
  readonly isStored: boolean;
  readonly binding: Binding;
  readonly telemetry: Telemetry;
  readonly version: string;
  readonly log: Log;
  /** Called while an image is read or written. */
  readonly progress: DumpOptions['onProgress'];
}

export class RpcService {
  readonly schema: Schema = new Schema(readDocuments);
  readonly subscriptions: Subscriptions;
  readonly sandbox: SandboxNews;
  readonly requests: RequestLog;
  /** The L1 of the node's chain. */
  readonly l1: L1;
  /** The dispatcher of the node's chain. */
  readonly dispatcher: Dispatcher;
  readonly #parts: RpcServiceParts;
  /** The handlers of the node's chain. */
  readonly #handlers: HandlerTable;
  readonly #older = new Map<string, Dispatcher>();
  #discovered: JsonText | undefined;

  constructor(parts: RpcServiceParts) {
    this.#parts = parts;
    const { chain, base } = parts;
    this.subscriptions = new Subscriptions(base.config.maximumSubscriptions);
    this.sandbox = new SandboxNews(chain, this.subscriptions);
    this.requests = new RequestLog({
      subscriptions: this.subscriptions,
      now: realMilliseconds,
      secrets: () => secretsOf(parts),
      about: () => aboutNode(parts),
    });
    this.l1 = this.#l1Of(chain);
    this.#handlers = this.#handlersOf(chain, this.l1);
    this.dispatcher = this.#dispatcherOf(this.#handlers, true);
  }

  /** The dispatcher of an older version of the specification; created when it is first used. */
  older(name: string): Dispatcher {
    const { version } = this.#parts;
    let dispatcher = this.#older.get(name);
    if (!dispatcher) {
      const opened = openVersion(name, this.#handlers, this.schema, version);
      dispatcher = this.#dispatcherOf(opened.handlers, true, opened);
      this.#older.set(name, dispatcher);
    }
    return dispatcher;
  }

  /** The config of a chain as `devnet_getConfig` shows it. */
  configOf(chain: Chain): CONFIG {
    const { bases, binding, base } = this.#parts;
    const shown = bases.shown(chain.options);
    const port = binding.port ?? base.config.port;
    return { ...shown, server_config: { ...shown.server_config, port } };
  }

  dumpOptions(chain: Chain): DumpOptions {
    const { settings, base, version, progress } = this.#parts;
    const { config } = base;
    return {
      chain,
      keepsJournal: settings.keepsJournal,
      path: config.dumpPath,
      directory: config.dumpDir,
      format: config.dumpFormat,
      longestInline: longestInline(config.requestBodySizeLimit),
      writtenBy: `starkbox ${version}`,
      check: (calls) => checkCalls(calls, this.schema),
      repeat: (calls) => this.#repeat(calls),
      onProgress: progress,
    };
  }

  /** The world after a journal's calls, made on a scratch chain. */
  async #repeat(calls: readonly JournalCall[]): Promise<World> {
    await checkCalls(calls, this.schema);
    const scratch = await Chain.create(this.#parts.chain.options);
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
    return new L1({ chain, log: this.#parts.log });
  }

  /** A dispatcher of the node's chain on which no method is restricted. */
  unrestricted(): Dispatcher {
    return this.#dispatcherOf(this.#handlers, true, { restricted: [] });
  }

  #handlersOf(chain: Chain, l1: L1): HandlerTable {
    const { config } = this.#parts.base;
    const handlers: Handlers = createMethods({
      ...this.#served(chain, l1),
      discover: () => this.#discover(Object.keys(handlers)),
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
    const { base, binding, telemetry, log } = this.#parts;
    const { config } = base;
    return new Dispatcher({
      handlers,
      schema: schema ?? this.schema,
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
    const { base, version } = this.#parts;
    const { config } = base;
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

  /** Created once, because it takes long. */
  #discover(methods: readonly string[]): JsonText {
    this.#discovered ??= new JsonText(
      discovery(readDocuments(), new Set(methods), this.#parts.version),
    );
    return this.#discovered;
  }

  /** Options for the chain on another network. */
  async #refork(url: string, block: number | string | undefined) {
    const { isStored, origins, bases, settings } = this.#parts;
    if (isStored) refuse('A chain that is kept on disk cannot be put on another network.');
    await origins.flush();
    const forked = await origins.open(onNetwork(settings.config, url, block));
    return (await bases.create(forked)).options;
  }
}
