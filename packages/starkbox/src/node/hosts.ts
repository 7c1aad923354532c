// Servers of branches, and the end of all branches with the node.
import type { Host, ListenOptions, ServerAddress } from '../library/local-chain.js';
import type { ChainService } from '../service/chain-service.js';
import type { Part } from './lifecycle.js';
import type { Listeners } from './listeners.js';

type OpenListeners = (service: ChainService) => Listeners;

/** Branches of a node. One that a program has dropped and that does nothing is not kept alive. */
export class BranchHosts implements Part {
  readonly #open: OpenListeners;
  readonly #branches = new Set<WeakRef<ChainService>>();
  readonly #dropped = new FinalizationRegistry<WeakRef<ChainService>>((reference) =>
    this.#branches.delete(reference),
  );
  /** Branches with a port. */
  readonly #listening = new Set<BranchHost>();

  /** @param open creates the listeners of a chain */
  constructor(open: OpenListeners) {
    this.#open = open;
  }

  hostOf(service: ChainService): Host {
    const reference = new WeakRef(service);
    this.#branches.add(reference);
    this.#dropped.register(service, reference);
    service.start();
    return new BranchHost(service, {
      open: this.#open,
      onListening: (host) => this.#listening.add(host),
      onClosed: (host) => {
        this.#listening.delete(host);
        this.#branches.delete(reference);
      },
    });
  }

  stop(): void {
    for (const host of this.#listening) host.stop();
    for (const reference of this.#branches) reference.deref()?.stop();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#listening].map((host) => host.close()));
    await Promise.all([...this.#branches].map((reference) => reference.deref()?.close()));
  }
}

interface HostEvents {
  readonly open: OpenListeners;
  readonly onListening: (host: BranchHost) => void;
  readonly onClosed: (host: BranchHost) => void;
}

class BranchHost implements Host {
  readonly #service: ChainService;
  readonly #events: HostEvents;
  #listeners: Listeners | undefined;
  #closing: Promise<void> | undefined;

  constructor(service: ChainService, events: HostEvents) {
    this.#service = service;
    this.#events = events;
  }

  listen(options: ListenOptions): Promise<ServerAddress> {
    if (this.#closing) return Promise.reject(new Error('The chain is closed'));
    this.#listeners ??= this.#events.open(this.#service);
    this.#events.onListening(this);
    return this.#listeners.listen(options);
  }

  stop(): void {
    this.#listeners?.stop();
    this.#service.stop();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.stop();
    await this.#listeners?.close();
    await this.#service.close();
    this.#events.onClosed(this);
    // Test runners close branches, and end the process without closing their chain.
    await this.#service.shared.origins.writeLock();
  }
}
