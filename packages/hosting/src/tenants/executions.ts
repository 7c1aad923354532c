// Quotas of a tenant's executions: how many run at a time, and how many begin per minute.
import { ERRORS, ExecutionMeter, milliseconds, RpcError, Semaphore } from 'starkbox/registry';
import type { Tenant } from './tenant-file.js';

export interface QueueLimits {
  /** Executions of a tenant that may wait. */
  readonly queue: number;
  /** Seconds that one may wait. */
  readonly queueTimeout: number;
}

const MINUTE_MILLISECONDS = 60_000;

export class TenantExecutions {
  readonly #slots: Semaphore;
  readonly #bucket: TokenBucket | undefined;
  readonly #name: string;
  #total = 0;

  constructor({ name, quotas }: Tenant, waiting: QueueLimits) {
    const { executions, executionsPerMinute } = quotas;
    this.#name = name;
    this.#slots = new Semaphore({
      ...waiting,
      places: executions,
      subject: `The tenant ${name} has reached its limit of concurrent executions (maximum_executions: ${executions})`,
    });
    this.#bucket =
      executionsPerMinute === undefined ? undefined : new TokenBucket(executionsPerMinute);
  }

  /** How many were made. */
  get total(): number {
    return this.#total;
  }

  /**
   * Work that executes: it takes a slot, and begins only if the quota of the minute allows it.
   *
   * @param count executions that the work makes at least; those beyond it are counted when they are made
   */
  async run<T>(count: number, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const seconds = this.#bucket?.take(count) ?? 0;
    if (seconds > 0) {
      throw new RpcError(
        ERRORS.SERVICE_BUSY.code,
        `The tenant ${this.#name} may begin ${this.#bucket?.perMinute} executions per minute on this node (executions_per_minute): try again in ${seconds} s`,
      );
    }
    return this.#slots.run(() => this.metered(count, work), signal);
  }

  /** Counts the executions of some work against the quota of the minute. @param paid those that were counted already */
  async metered<T>(paid: number, work: () => Promise<T>): Promise<T> {
    const meter = new ExecutionMeter();
    try {
      return await meter.during(work);
    } finally {
      this.#total += Math.max(paid, meter.count);
      this.#bucket?.owe(meter.count - paid);
    }
  }
}

/** Tokens for a minute, which come back evenly. */
class TokenBucket {
  readonly perMinute: number;
  #tokens: number;
  #filled = milliseconds();

  constructor(perMinute: number) {
    this.perMinute = perMinute;
    this.#tokens = perMinute;
  }

  /** Takes tokens; if there are too few, takes none and returns the seconds until there are enough. */
  take(count: number): number {
    const now = milliseconds();
    const refilled = ((now - this.#filled) / MINUTE_MILLISECONDS) * this.perMinute;
    this.#tokens = Math.min(this.perMinute, this.#tokens + refilled);
    this.#filled = now;
    // One call of more executions than a minute has would never be made.
    const needed = Math.min(count, this.perMinute);
    const missing = needed - this.#tokens;
    if (missing > 0) return Math.ceil((missing / this.perMinute) * 60);
    this.#tokens -= needed;
    return 0;
  }

  /** Takes tokens for what was done already: the next work waits until they have come back. */
  owe(count: number): void {
    if (count > 0) this.#tokens = Math.max(this.#tokens - count, -this.perMinute);
  }
}
