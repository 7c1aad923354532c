// A chain in this process, as a program holds it.

import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Class, storageAddress } from '@starkbox/engine';
import type { Genesis } from '../chain/genesis/genesis.js';
import type { World } from '../chain/world/world.js';
import { type Chain, ChainControls, type ChainSnapshot, goneSnapshot } from '../client/chain.js';
import { MAX_UNREAD_NOTIFICATIONS } from '../client/subscription.js';
import type { Config } from '../config/options.js';
import { assertOptions, readSources, sourceOf } from '../config/source.js';
import { PackageTexts } from '../debug-info/source-texts.js';
import { readRegular } from '../files/regular-file.js';
import type { L1Facts } from '../l1/l1-facts.js';
import type { PredeployedAccount, PredeployedContract } from '../predeployed.js';
import type { ChainService } from '../service/chain-service.js';
import { CallBranch } from './call-branch.js';
import { inProcessFetch } from './in-process-fetch.js';
import { subscribeInProcess } from './subscription.js';

/** Where a chain listens. */
export interface ServerAddress {
  /** The host name or IP address. */
  readonly host: string;
  /** The port. */
  readonly port: number;
  /** The URL for clients. */
  readonly url: string;
  /** The URL of the metrics page, if there is one. */
  readonly metricsUrl?: string | undefined;
}

/** Options of `listen`. */
export interface ListenOptions {
  /** The port; 0 takes a free one. */
  readonly port?: number;
  /** The host name or IP address. */
  readonly host?: string;
}

const LISTEN_OPTIONS: readonly (keyof ListenOptions)[] = ['port', 'host'];

function readListenOptions(options: ListenOptions): ListenOptions {
  assertOptions(options, 'listen', '{ port: 0 }', LISTEN_OPTIONS);
  const { values } = readSources([sourceOf(options, 'the options of listen')]);
  const { port, host } = values;
  return { ...(port === undefined ? {} : { port }), ...(host === undefined ? {} : { host }) };
}

/** What opens the servers of a chain and closes what belongs to it. */
export interface Host {
  listen(options: ListenOptions): Promise<ServerAddress>;
  close(): Promise<void>;
}

/** Where clients may send requests that `chain.fetch` answers: nothing is resolved or connected. */
const IN_PROCESS_URL = 'http://starkbox.invalid/rpc';

const IN_PROCESS = { transport: 'in-process' } as const;

/** A chain in this process. `createChain` and `branch` create it. */
export class LocalChain extends ChainControls {
  /** A `fetch` that stays in the process: for clients that take one, with `rpcUrl`. */
  readonly fetch: typeof fetch;
  readonly rpcUrl: string = IN_PROCESS_URL;
  /** The L1 that it was started with. */
  readonly l1: L1Facts | undefined;
  readonly #service: ChainService;
  readonly #hostOf: (service: ChainService) => Host;
  readonly #host: Host;

  /** @internal `createChain` and `branch` create chains. */
  constructor(
    service: ChainService,
    hostOf: (service: ChainService) => Host,
    start: { readonly host?: Host; readonly l1?: L1Facts | undefined } = {},
  ) {
    super({
      slotOf: storageAddress,
      readArtifact: async (location) => readRegular(pathOf(location), String(location)),
      call: async (method, params) =>
        this.#openService().dispatcher.call(method, params, IN_PROCESS),
      subscribe: (method, params) =>
        subscribeInProcess(this.#openService(), method, params, MAX_UNREAD_NOTIFICATIONS),
    });
    this.#service = service;
    this.#hostOf = hostOf;
    this.#host = start.host ?? hostOf(service);
    this.l1 = start.l1;
    this.fetch = inProcessFetch(() => this.#openService());
  }

  #openService(): ChainService {
    if (this.#service.isClosed) {
      throw new Error(
        'The chain is closed: create another with createChain, or branch an open chain',
      );
    }
    return this.#service;
  }

  /** The options of the chain, defaults included. */
  get config(): Config {
    return this.#service.current.config;
  }

  get accounts(): readonly PredeployedAccount[] {
    return this.#genesis.accounts;
  }

  get accountClassHash(): string {
    return this.#genesis.accountClass.hash;
  }

  get tokens(): Chain['tokens'] {
    const { eth, strk } = this.#genesis;
    return { eth, strk };
  }

  get udc(): PredeployedContract {
    return this.#genesis.udc;
  }

  /** Class hashes of the Argent accounts, with the option `predeclareArgent`. */
  get argent(): { readonly regular: string; readonly multisig: string } | undefined {
    return this.#genesis.argent;
  }

  get #genesis(): Genesis {
    return this.#service.current.genesis;
  }

  /**
   * Handles a JSON-RPC request as a string, and returns the response; undefined for notifications.
   *
   * @throws Error if the chain is closed
   */
  readonly handle = async (text: string): Promise<string | undefined> =>
    this.#openService().dispatcher.handle(text, IN_PROCESS);

  /**
   * Reads the debug information of a compiled class, for Cairo lines in explanations and in the debugger. Source files
   * come from the Scarb package that the file is in.
   *
   * @param artifact the path of a Sierra class as a compiler writes it
   * @returns whether the class has debug information
   * @throws Error if the chain is closed, the file cannot be read, or it is no class
   */
  async addArtifact(artifact: string | URL): Promise<boolean> {
    const { debugInfos } = this.#openService().shared;
    const path = pathOf(artifact);
    const text = await readRegular(path, String(artifact));
    const { mtimeMs } = await stat(path);
    const sources = await PackageTexts.of(path, mtimeMs);
    const hash = await Class.hashOf(text);
    return debugInfos.add(hash, JSON.parse(text), () => sources) !== undefined;
  }

  /**
   * Returns a chain that begins as this one is now. Neither sees later changes of the other. The branch is kept in
   * memory, has no L1, and listens only after `listen`.
   *
   * @throws Error if the chain is closed
   */
  branch(): LocalChain {
    const service = this.#openService().branch();
    return new LocalChain(service, this.#hostOf);
  }

  /**
   * Returns a branch of this chain on which any address calls functions, without transactions.
   *
   * @throws Error if the chain is closed
   */
  callBranch(): LocalCallBranch {
    const chainOf = (service: ChainService): LocalChain => new LocalChain(service, this.#hostOf);
    return CallBranch.of({ service: this.#openService(), chainOf });
  }

  async snapshot(): Promise<ChainSnapshot> {
    const service = this.#openService();
    const isPlain = !service.isStored && service.chain.world.messages.l1 === undefined;
    const snapshot = isPlain ? worldSnapshot(service) : await storedSnapshot(service);
    return {
      restore: async () => {
        this.#openService();
        await snapshot.restore();
      },
      delete: async () => {
        this.#openService();
        await snapshot.delete();
      },
    };
  }

  /**
   * Opens the HTTP server.
   *
   * @throws UsageError if the command would reject the options
   * @throws Error if the port is taken, or the chain is closed
   */
  async listen(options: ListenOptions = {}): Promise<ServerAddress> {
    return this.#host.listen(readListenOptions(options));
  }

  /** Finishes the requests under way, ends subscriptions and closes everything. Later calls reject. */
  close(): Promise<void> {
    return this.#host.close();
  }
}

/** A branch of a `LocalChain` on which any address calls functions. */
export type LocalCallBranch = CallBranch<LocalChain>;

function pathOf(location: string | URL): string {
  return typeof location === 'string' ? location : fileURLToPath(location);
}

/** In memory a snapshot is the world itself: it costs nothing and needs no end. */
function worldSnapshot({ chain, subscriptions }: ChainService): ChainSnapshot {
  let world: World | undefined = chain.world;
  const { epoch } = subscriptions;
  return {
    restore: async () => {
      // A restart or a load may have changed the options that the world was made with.
      if (!world || subscriptions.epoch !== epoch) throw goneSnapshot();
      await chain.returnTo(world);
    },
    delete: async () => {
      world = undefined;
    },
  };
}

/** A snapshot of a chain that is stored, or has an L1 that returns with it. */
async function storedSnapshot({ l1 }: ChainService): Promise<ChainSnapshot> {
  const { snapshots } = l1;
  let id = await snapshots.snapshot();
  return {
    restore: async () => {
      if (!(await snapshots.revert(id))) throw goneSnapshot();
      id = await snapshots.snapshot();
    },
    delete: async () => {
      await snapshots.deleteSnapshot(id);
    },
  };
}
