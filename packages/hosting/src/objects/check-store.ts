// Check that a store does conditional writes, without which two nodes could hold one instance.
import { randomBytes } from 'node:crypto';
import { type Condition, type ObjectStore, UncertainError } from './object-store.js';

const ROUNDS = 8;
const WRITERS = 8;

/** The tag of a write; undefined if it was refused; the error if its outcome is unknown. */
type WriteOutcome = string | undefined | UncertainError;

/**
 * Races writers for objects below `checks/`, which it deletes.
 *
 * @throws if a condition was not kept, or if the outcomes of all races are unknown
 */
export async function checkConditionalWrites(store: ObjectStore): Promise<void> {
  const name = randomBytes(8).toString('hex');
  const keys = Array.from({ length: ROUNDS }, (_, round) => `checks/${name}-${round}`);
  const errors: UncertainError[] = [];
  try {
    for (const key of keys) {
      const error = await checkRound(store, key);
      if (error) errors.push(error);
    }
  } finally {
    await Promise.allSettled(keys.map((key) => store.delete(key)));
  }
  if (errors.length === ROUNDS) throw errors.at(-1);
}

/** @returns an error where the outcome of a request is unknown */
async function checkRound(store: ObjectStore, key: string): Promise<UncertainError | undefined> {
  const first = await race(store, key, 'absent');
  if (first instanceof UncertainError) return first;
  const stored = await store.get(key);
  if (stored?.tag !== first) throw unfit(store, 'a read did not return the data just written');
  const second = await race(store, key, { tag: first });
  if (second instanceof UncertainError) return second;
  for (const condition of ['absent', { tag: first }] as const) {
    const outcome = await attempt(store, key, 'third', condition);
    if (outcome instanceof UncertainError) return outcome;
    if (outcome !== undefined) throw unfit(store, 'a write replaced an object that had changed');
  }
  return undefined;
}

/** @returns the tag of the one write that was done */
async function race(
  store: ObjectStore,
  key: string,
  condition: Condition,
): Promise<string | UncertainError> {
  const kind = condition === 'absent' ? 'first' : 'second';
  const outcomes = await Promise.all(
    Array.from({ length: WRITERS }, (_, writer) =>
      attempt(store, key, `${kind} ${writer}`, condition),
    ),
  );
  const tags = outcomes.filter((outcome) => typeof outcome === 'string');
  if (tags.length > 1)
    throw unfit(store, `${tags.length} of ${WRITERS} racing writers won together`);
  const uncertain = outcomes.find((outcome) => outcome instanceof UncertainError);
  if (uncertain) return uncertain;
  return tags[0] ?? unwon(store);
}

async function attempt(
  store: ObjectStore,
  key: string,
  text: string,
  condition: Condition,
): Promise<WriteOutcome> {
  try {
    return await store.put(key, Buffer.from(text), condition);
  } catch (error) {
    if (error instanceof UncertainError) return error;
    throw error;
  }
}

function unwon(store: ObjectStore): never {
  throw unfit(store, `none of ${WRITERS} racing writers won`);
}

function unfit(store: ObjectStore, what: string): Error {
  return new Error(
    `The object store ${store.displayName} does not support conditional writes: ${what}. It cannot store leases, because two nodes could hold the same lease. Use S3, R2, MinIO or Ceph, or a folder for a single node`,
  );
}
