// The L1 of a node: an external node, a managed Anvil, or none.
import type { Chain } from '../chain/chain.js';
import { anvilPort } from '../config/l1-options.js';
import type { Config } from '../config/options.js';
import type { Log } from '../log.js';
import type { AnvilAutosave } from './anvil/autosave.js';
import type { Anvil } from './anvil/process.js';
import type { AnvilState } from './anvil/state-files.js';
import { AutoRelay } from './auto-relay.js';
import { ethereumAt } from './ethereum/open.js';
import type { L1Facts } from './l1-facts.js';
import { PairedSnapshots } from './paired-snapshots.js';
import { Postman } from './postman.js';
import type { RouteOptions } from './route.js';

/** The L1 connection of a node. */
export class L1 {
  readonly postman: Postman;
  readonly snapshots: PairedSnapshots;
  readonly #chain: Chain;
  readonly #log: Log;
  #relay: AutoRelay | undefined;
  #anvil: Anvil | undefined;
  /** The state of an Anvil with a data directory. */
  #state: AnvilState | undefined;
  #autosave: AnvilAutosave | undefined;

  constructor(options: Omit<RouteOptions, 'settle'>) {
    this.#chain = options.chain;
    this.#log = options.log;
    const settle = async (url: string): Promise<void> => {
      if (url === this.#anvil?.url) await this.#autosave?.save();
    };
    this.postman = new Postman({ ...options, settle });
    this.snapshots = new PairedSnapshots(this.#chain, this.postman);
  }

  /** Connects, and starts the automatic relay if it is configured. */
  async open({
    l1,
    l1AutoRelay,
    dataDir,
  }: Pick<Config, 'l1' | 'l1AutoRelay' | 'dataDir'>): Promise<L1Facts | undefined> {
    const port = l1 === undefined ? undefined : anvilPort(l1);
    if (port !== undefined) await this.#startAnvil(port, dataDir);
    // A stored chain includes its link to L1 and the read position.
    else if (l1 !== undefined && this.#chain.world.messages.l1?.url !== new URL(l1).href) {
      await this.postman.load({ url: l1 });
    }
    if (l1AutoRelay !== undefined) {
      const { postman } = this;
      this.#relay = new AutoRelay({
        chain: this.#chain,
        postman,
        interval: l1AutoRelay * 1000,
        log: this.#log,
      });
      this.#relay.start();
    }
    const link = this.#chain.world.messages.l1;
    return l1 === undefined || !link
      ? undefined
      : { url: link.url, messagingContract: link.contract, isManaged: this.#anvil !== undefined };
  }

  async #startAnvil(port: number, dataDir: string | undefined): Promise<void> {
    const { startAnvil } = await import('./anvil/process.js');
    if (dataDir !== undefined) {
      this.#state = await (await import('./anvil/state-files.js')).AnvilState.open(dataDir);
    }
    this.#anvil = await startAnvil({
      port,
      state: this.#state,
      onExit: (reason) => this.#log.error(reason),
    });
    const { url } = this.#anvil;
    const node = await ethereumAt(url);
    if (this.#state) {
      const { AnvilAutosave } = await import('./anvil/autosave.js');
      this.#autosave = new AnvilAutosave(node, this.#state, this.#log);
      this.#autosave.start();
    }
    if (!(await this.postman.resume(url, this.#state?.previousUrl))) {
      await this.postman.load({ url });
    }
    const link = this.#chain.world.messages.l1;
    // A failed save is retried by the autosave.
    const save = async (): Promise<void> => this.#autosave?.save().catch(() => undefined);
    if (link) await this.snapshots.pairWith(node, link, save);
  }

  /** Stops the automatic relay; from now on an exit of Anvil is not an error. */
  stop(): void {
    this.#relay?.stop();
    this.#anvil?.expectEnd();
  }

  /** Closes the relay and ends a managed Anvil. */
  async close(): Promise<void> {
    this.stop();
    await this.postman.close();
    await this.#autosave?.stop();
    await this.#anvil?.close();
    await this.#state?.adoptExit();
  }
}
