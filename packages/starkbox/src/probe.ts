// Knows which moments of a node's work somebody may want to time; where nobody does, nothing is timed.

/** A piece of work. Its words come from short lists, whatever clients send. */
export type Work =
  /** By canonical name; `unknown` for what is no method. */
  | { readonly kind: 'request'; readonly method: string }
  | { readonly kind: 'execution'; readonly of: Execution }
  /** The closing of a block. */
  | { readonly kind: 'block' }
  /** A change of the chain, from its turn to its end. */
  | { readonly kind: 'change' }
  /** A question to the chain below a fork. */
  | { readonly kind: 'upstream'; readonly method: string };

export type Execution = 'transaction' | 'call' | 'simulation';

export interface Probe {
  /** Does the work and sees how long it takes and whether it fails. */
  around<T>(work: Work, run: () => Promise<T>): Promise<T>;
  /** A change had to wait for those before it. */
  waited(seconds: number): void;
  /** An answer of the chain below a fork was kept, or had to be asked for. */
  looked(method: string, isKept: boolean): void;
}

export function during<T>(probe: Probe | undefined, work: Work, run: () => Promise<T>): Promise<T> {
  return probe ? probe.around(work, run) : run();
}

/** Several probes as one. */
export function joined(probes: readonly Probe[]): Probe | undefined {
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
  /** The client's. */
  readonly id: unknown;
  readonly transport: 'http' | 'ws' | 'in-process';
  readonly seconds: number;
  readonly errorCode: number | undefined;
}
