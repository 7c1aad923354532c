// Store of objects by key, with conditional writes: a folder, or a service with the API of S3.
import { stopwatch } from 'starkbox/registry';

/** An object, and what a conditional write needs to replace it. */
export interface StoredObject {
  readonly bytes: Buffer;
  /** Changes with each write. */
  readonly tag: string;
  /** Seconds since it was written, by the clock of the store alone. */
  readonly age: number;
}

/** What must hold for a write: the object does not exist, or has this tag. */
export type Condition = 'absent' | { readonly tag: string };

/**
 * The outcome of a request is unknown: a write may have been done, or may still be done. All other
 * errors mean that nothing was written.
 */
export class UncertainError extends Error {
  override readonly name = 'UncertainError';
}

/** Whether a request is sent again whose outcome is unknown. */
export type MayRetry = () => boolean;

/** Sends requests again for some seconds from now on. */
export function retryFor(seconds: number): MayRetry {
  const elapsed = stopwatch();
  return () => elapsed() <= seconds;
}

export interface ObjectStore {
  /** For messages: where the objects are, without credentials. */
  readonly displayName: string;
  /** The number of requests so far. */
  readonly requests: number;
  /** No other process uses the store while this one has it open. */
  readonly isExclusive: boolean;

  /** @throws UncertainError if the store does not answer */
  get(key: string): Promise<StoredObject | undefined>;

  /**
   * Writes an object as a whole; once it resolves, the object is durable.
   *
   * @returns the tag of the new object; undefined if the condition does not hold
   * @throws UncertainError
   */
  put(key: string, bytes: Uint8Array, condition?: Condition): Promise<string | undefined>;

  /** No error if there is no such object. @throws UncertainError */
  delete(key: string): Promise<void>;

  /**
   * Up to `limit` keys with a prefix, in their order, after a key.
   *
   * @throws UncertainError
   */
  list(prefix: string, after: string | undefined, limit: number): Promise<readonly string[]>;

  close(): Promise<void>;
}

const PAGE = 1_000;

/** Pages of all keys with a prefix, in their order. */
export async function* pagesOfKeys(
  store: ObjectStore,
  prefix: string,
): AsyncGenerator<readonly string[]> {
  let after: string | undefined;
  while (true) {
    const keys = await store.list(prefix, after, PAGE);
    yield keys;
    if (keys.length < PAGE) return;
    after = keys.at(-1);
  }
}
