// Files that a node loads its chain from and dumps it to.
import type { World } from '../chain/world/world.js';
import type { Config } from '../config/options.js';
import { type DumpOptions, dumpAtExit } from '../dump/dump.js';
import { JournalFile } from '../dump/journal-file.js';
import { worldInFile } from '../dump/load-dump.js';
import { RpcError, reasonOf } from '../errors.js';
import { FileError, fileExists } from '../files/regular-file.js';
import type { Log } from '../log.js';
import { showing, type WorkDisplay } from '../probe.js';
import type { Part } from './lifecycle.js';

/** The file of `--dump-path`, written when `--dump-on` says so. */
export class DumpFiles implements Part {
  readonly #config: Config;
  readonly #options: DumpOptions;
  readonly #log: Log;
  readonly #progress: WorkDisplay | undefined;
  #journal: JournalFile | undefined;
  /** The world after loading. */
  #loaded: World | undefined;
  #hasLoaded = false;
  #isRunning = false;

  constructor(config: Config, options: DumpOptions, log: Log, progress?: WorkDisplay) {
    this.#progress = progress;
    this.#config = config;
    this.#options = options;
    this.#log = log;
  }

  /** Whether the chain is that of the file. */
  get hasLoaded(): boolean {
    return this.#hasLoaded;
  }

  /** Puts the chain in the state that the file holds, if there is one. */
  async load(): Promise<void> {
    const { chain } = this.#options;
    const { dumpPath } = this.#config;
    if (dumpPath !== undefined && fileExists(dumpPath)) {
      const { world, options } = await worldInFile(this.#options, dumpPath).catch(
        (error: unknown) => {
          throw new Error(`Failed to load ${dumpPath}: ${reasonOf(error)}`);
        },
      );
      await chain.replace(world, options);
      this.#hasLoaded = true;
    }
    this.#loaded = chain.world;
  }

  /** Writes the journal after each change, with `--dump-on block`. */
  follow(): void {
    const { dumpOn, dumpPath } = this.#config;
    if (dumpOn !== 'block' || dumpPath === undefined) return;
    const { chain, genesis } = this.#options;
    this.#journal = new JournalFile(chain, genesis, dumpPath, this.#log);
  }

  /** The node is running: from now on, closing dumps. A failed start leaves the file as it is. */
  run(): void {
    this.#isRunning = true;
  }

  /** @throws FileError if the file cannot be written */
  async close(): Promise<void> {
    try {
      await this.#write();
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      throw new FileError(`The chain was not dumped: ${error.message}`);
    }
  }

  async #write(): Promise<void> {
    if (!this.#isRunning || !this.#loaded) return;
    const [options, loaded] = [this.#options, this.#loaded];
    const { path, chain } = options;
    this.#journal?.finish(chain);
    if (this.#config.dumpOn !== 'exit') return;
    const dump = (): Promise<boolean> => dumpAtExit(options, loaded);
    if (!(await showing(this.#progress, `writing ${path}`, dump))) {
      this.#log.info(`No change: ${path} was not written`);
      return;
    }
    this.#log.info(`Dumped the chain up to block ${chain.world.history.next - 1} to ${path}`);
  }
}
