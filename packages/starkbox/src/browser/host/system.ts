// The process, its timers and its thread in browsers: as much of Node's as a chain uses.

/** A timer with the methods of Node's. A tab need not be kept alive by it. */
class Timer {
  readonly #begin: () => number;
  id: number;

  /** @param begin starts the timer, and returns its handle */
  constructor(begin: () => number) {
    this.#begin = begin;
    this.id = begin();
  }

  unref(): this {
    return this;
  }

  /** Begins the time of a timeout again. */
  refresh(): this {
    self.clearTimeout(this.id);
    this.id = this.#begin();
    return this;
  }
}

/** The timers of browsers, whose handles are numbers. */
interface BrowserTimers {
  setTimeout(run: () => void, milliseconds?: number): number;
  setInterval(run: () => void, milliseconds?: number): number;
  clearTimeout(id: number | undefined): void;
  clearInterval(id: number | undefined): void;
}

declare const self: BrowserTimers;

export function setTimeout(run: () => void, milliseconds?: number): Timer {
  return new Timer(() => self.setTimeout(run, milliseconds));
}

export function setInterval(run: () => void, milliseconds?: number): Timer {
  return new Timer(() => self.setInterval(run, milliseconds));
}

export function clearTimeout(timer: Timer | undefined): void {
  self.clearTimeout(timer?.id);
}

export function clearInterval(timer: Timer | undefined): void {
  self.clearInterval(timer?.id);
}

const { port1: turns, port2: nextTurn } = new MessageChannel();
const due: (() => void)[] = [];
turns.addEventListener('message', () => due.shift()?.());
turns.start();

/** By a message: browsers delay nested timers by four milliseconds. */
export function setImmediate(run: () => void): Timer {
  due.push(run);
  nextTurn.postMessage(undefined);
  return new Timer(() => 0);
}

const begin = performance.now();

function hrtime(since: readonly [number, number] = [0, 0]): [number, number] {
  const nanoseconds = Math.round((performance.now() - begin) * 1e6);
  const difference = nanoseconds - (since[0] * 1e9 + since[1]);
  return [Math.floor(difference / 1e9), difference % 1e9];
}

/** What WebAssembly can address. */
const MEMORY = 4 * 2 ** 30;

export const process: object = {
  env: {},
  hrtime,
  cwd: () => '/',
  uptime: () => performance.now() / 1e3,
  availableMemory: () => MEMORY,
  emitWarning: (message: string) => console.warn(message),
  on: () => {},
};

/** A worker is one thread. */
export function availableParallelism(): number {
  return 1;
}

export function homedir(): string {
  return '/';
}

export function tmpdir(): string {
  return '/tmp';
}

/** Browsers do not count listeners. */
export function setMaxListeners(): void {}

type Callback<T> = (error: unknown, value: T) => void;

export function promisify<A, B, T>(
  run: (first: A, second: B, callback: Callback<T>) => void,
): (first: A, second: B) => Promise<T> {
  return (first, second) =>
    new Promise((resolve, reject) => {
      run(first, second, (error, value) => (error ? reject(error) : resolve(value)));
    });
}

/** Counts of executions are for nodes with quotas: in a tab there is no store. */
export class AsyncLocalStorage {
  run<T>(_store: unknown, work: () => T): T {
    return work();
  }

  getStore(): undefined {
    return undefined;
  }
}

export const AsyncResource: object = {
  bind: <T>(work: T): T => work,
};
