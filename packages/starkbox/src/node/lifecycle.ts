// Opening and closing of a node's parts, in order.
import { FileError } from '../files/regular-file.js';
import type { Log } from '../log.js';
import { showing, type WorkDisplay } from '../probe.js';

/** The steps of a start, in order. */
export const START_STEPS = [
  'options',
  'data directory',
  'checks',
  'telemetry',
  'origin',
  'genesis',
  'store',
  'chain',
  'dump file',
  'paymaster',
  'L1',
  'first calls',
  'artifacts',
] as const;

/** The steps of `listen`, in order. */
export const LISTEN_STEPS = ['metrics page', 'HTTP server'] as const;

export type Step = (typeof START_STEPS)[number] | (typeof LISTEN_STEPS)[number];

/** Steps that may take seconds, as the progress shows them. */
const LONG_STEPS: Readonly<Partial<Record<Step, string>>> = {
  'data directory': 'opening the data directory',
  origin: 'connecting to the network to fork',
  genesis: 'preparing accounts and contracts',
  store: 'reading the data directory',
  'dump file': 'loading the dump file',
  L1: 'connecting to L1',
  'first calls': 'making the first calls',
  artifacts: 'reading artifacts',
};

/** Something that was opened. Closing it more than once does no harm. */
export interface Part {
  /** Starts no new work; called on every part before the first one is closed. */
  stop?(): void;
  close(): Promise<void> | void;
}

/** A file that was not written needs a sentence; only a fault of this program needs a stack. */
export function logClosingError(log: Log, err: unknown): void {
  if (err instanceof FileError) log.error(err.message);
  else log.error({ err }, 'unexpected error');
}

/** Parts that are open. They are closed once, in reverse order, also if some of them fail to close. */
export class ClosingStack implements Part {
  readonly #parts: Part[] = [];
  readonly #log: Log;
  #closed: Promise<void> | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  push(...parts: readonly Part[]): void {
    if (this.#closed) throw new Error('The node is closed');
    this.#parts.push(...parts);
  }

  stop(): void {
    for (const part of this.#parts.toReversed()) part.stop?.();
  }

  /** Rejects with the first error, after every part had its turn. */
  close(): Promise<void> {
    this.#closed ??= this.#closeAll();
    return this.#closed;
  }

  async #closeAll(): Promise<void> {
    this.stop();
    const errors: unknown[] = [];
    for (const part of this.#parts.toReversed()) {
      try {
        await part.close();
      } catch (error) {
        errors.push(error);
      }
    }
    for (const error of errors.slice(1)) logClosingError(this.#log, error);
    if (errors.length > 0) throw errors[0];
  }
}

/** The opening of a node, or of its listeners: steps that push what they open on one closing stack. */
export class Lifecycle implements Part {
  readonly #log: Log;
  readonly #beforeStep: ((step: Step) => void) | undefined;
  readonly #display: WorkDisplay | undefined;
  readonly #stack: ClosingStack;

  /**
   * @param beforeStep called before each step; a test throws from it
   * @param display shows steps that take long
   */
  constructor(log: Log, beforeStep?: (step: Step) => void, display?: WorkDisplay) {
    this.#log = log;
    this.#beforeStep = beforeStep;
    this.#display = display;
    this.#stack = new ClosingStack(log);
  }

  /** Runs all steps of an opening. If one fails, closes what is open and rejects with its error. */
  async run<T>(steps: () => Promise<T>): Promise<T> {
    try {
      return await steps();
    } catch (error) {
      await this.close().catch((err: unknown) =>
        this.#log.error({ err }, 'closing after a failed start failed'),
      );
      throw error;
    }
  }

  /** A step that leaves nothing open. */
  async step<T>(name: Step, run: () => T | Promise<T>): Promise<T> {
    this.#beforeStep?.(name);
    const text = LONG_STEPS[name];
    return text === undefined ? run() : showing(this.#display, text, run);
  }

  /** A step whose result is closed with the node. */
  async open<T extends Part | undefined>(name: Step, open: () => T | Promise<T>): Promise<T> {
    const part = await this.step(name, open);
    if (part) this.#stack.push(part);
    return part;
  }

  /** Parts that are closed with the node; the last one first. */
  push(...parts: readonly Part[]): void {
    this.#stack.push(...parts);
  }

  /** Steps with a closing stack of their own. */
  openNested(): Lifecycle {
    return new Lifecycle(this.#log, this.#beforeStep, this.#display);
  }

  stop(): void {
    this.#stack.stop();
  }

  close(): Promise<void> {
    return this.#stack.close();
  }
}
