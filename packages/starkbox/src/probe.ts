// Probe: hooks around a node's work, for metrics and traces.

/** A piece of work. Its labels come from short lists, never from clients. */
export type Work =
  /** By canonical name; `unknown` for what is no method. */
  | { readonly kind: 'request'; readonly method: string }
  | { readonly kind: 'execution'; readonly of: Execution }
  /** The closing of a block. */
  | { readonly kind: 'block' }
  /** A change of the chain, without waiting in the queue. */
  | { readonly kind: 'change' }
  /** A request to the origin of a fork. */
  | { readonly kind: 'upstream'; readonly method: string };

export type Execution = 'transaction' | 'call' | 'simulation';

export interface Probe {
  /** Runs the work and observes its duration and its outcome. */
  around<T>(work: Work, run: () => Promise<T>): Promise<T>;
  /** A change waited in the queue for so many seconds. */
  waited(seconds: number): void;
  /** A read of the origin was in the cache, or was not. */
  looked(method: string, isKept: boolean): void;
}

export function during<T>(probe: Probe | undefined, work: Work, run: () => Promise<T>): Promise<T> {
  return probe ? probe.around(work, run) : run();
}

/** Several probes as one. */
export function joinProbes(probes: readonly Probe[]): Probe | undefined {
  const [first, ...others] = probes;
  if (!first || others.length === 0) return first;
  return {
    around: (work, run) =>
      probes.reduceRight((inner, probe) => () => probe.around(work, inner), run)(),
    waited: (seconds) => {
      for (const probe of probes) probe.waited(seconds);
    },
    looked: (method, isKept) => {
      for (const probe of probes) probe.looked(method, isKept);
    },
  };
}

/** Seconds that do not depend on the time of day. */
export function stopwatch(): () => number {
  const begin = process.hrtime();
  return () => {
    const [seconds, nanoseconds] = process.hrtime(begin);
    return seconds + nanoseconds / 1e9;
  };
}

/** A synchronous step of serving a call. */
export type Stage = 'validate' | 'handle' | 'write';

/** How a call ended. */
export interface CallReport {
  /** By canonical name; `unknown` for what is no method. */
  readonly method: string;
  /** The id that the client sent. */
  readonly id: unknown;
  readonly transport: 'http' | 'ws' | 'in-process';
  readonly seconds: number;
  readonly errorCode: number | undefined;
}

/** Shows long work to a person. */
export interface WorkDisplay {
  /** Shows the work until the returned function is called. */
  begin(text: string): () => void;
  /** How far the work that began last has come. */
  detail(text: string): void;
}

export async function showing<T>(
  display: WorkDisplay | undefined,
  text: string,
  run: () => T | Promise<T>,
): Promise<T> {
  const end = display?.begin(text);
  try {
    return await run();
  } finally {
    end?.();
  }
}
