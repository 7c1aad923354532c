// Pages of events, newest first, from a method that returns the oldest first.
import { readAbi } from '@starkbox/abi';
import { learnNames } from '../format/names.js';
import { call } from './client.js';
import { type EventFilter, wireFilter } from './event-filter.js';
import type { Result } from './methods.js';
import { queries } from './queries.js';

export type Emitted = Result<'starknet_getEvents'>['events'][number];

export interface EventRow extends Emitted {
  /** Class of the emitting contract in that block. */
  readonly classHash: string | undefined;
}

export interface EventPage {
  readonly rows: readonly EventRow[];
  /** The last block that was not searched. */
  readonly next: number | undefined;
}

const CHUNK = 500;
const FIRST_BLOCKS = 32;
/** Block ranges without events grow until one is found. */
const GROWTH = 4;
const MAX_STRETCHES = 10;
/** Most events of a page; the rest of the range is the next page. */
const MAX_CHUNKS = 4;

export const idOf = ({ transaction_hash, event_index }: Emitted): string =>
  `${transaction_hash} ${event_index}`;

/** @param last the block to begin at; undefined for the one being built */
export async function readEvents(
  filter: EventFilter,
  last: number | undefined,
  head: number,
): Promise<EventPage> {
  const lowest = filter.from ?? 0;
  let top = last ?? filter.to;
  let size = FIRST_BLOCKS;
  for (let stretch = 0; stretch < MAX_STRETCHES; stretch++) {
    const bottom = Math.max(lowest, (top ?? head) - size + 1);
    const { events, isWhole } = await readStretch(filter, bottom, top);
    // A range with too many events is read again with fewer blocks, so that its end is known.
    if (!isWhole && (top ?? head) > bottom) {
      size = Math.max(1, Math.floor(size / (2 * GROWTH)));
      continue;
    }
    const next = bottom > lowest ? bottom - 1 : undefined;
    if (events.length > 0) return { rows: await withClasses(events.reverse()), next };
    if (next === undefined) return { rows: [], next };
    top = next;
    size *= GROWTH;
  }
  return { rows: [], next: top };
}

async function readStretch(
  filter: EventFilter,
  from: number,
  to: number | undefined,
): Promise<{ events: Emitted[]; isWhole: boolean }> {
  const events: Emitted[] = [];
  let token: string | undefined;
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    const answer = await call('starknet_getEvents', {
      filter: {
        ...wireFilter(filter, { from, to }, CHUNK),
        ...(token === undefined ? {} : { continuation_token: token }),
      },
    });
    events.push(...answer.events);
    token = answer.continuation_token;
    if (token === undefined) return { events, isWhole: true };
  }
  return { events, isWhole: false };
}

/**
 * The class of a contract may have changed. It is read at both ends of the range and, only where they differ,
 * for every block. The current class is read along, because it is nearly always the one.
 */
export async function withClasses(events: readonly Emitted[]): Promise<readonly EventRow[]> {
  const blocks = new Map<string, Set<number>>();
  for (const { from_address, block_number = PENDING } of events) {
    const numbers = blocks.get(from_address) ?? new Set();
    blocks.set(from_address, numbers.add(block_number));
  }
  const classHashes = new Map<string, string | undefined>();
  await Promise.all(
    [...blocks].map(async ([address, numbers]) => {
      const [[first, last]] = await Promise.all([
        Promise.all([hashAt(address, Math.min(...numbers)), hashAt(address, Math.max(...numbers))]),
        readClassNow(address),
      ]);
      await Promise.all(
        [...numbers].map(async (block) => {
          const hash = first === last ? first : await hashAt(address, block);
          classHashes.set(`${address} ${block}`, hash);
        }),
      );
    }),
  );
  return events.map((event) => ({
    ...event,
    classHash: classHashes.get(`${event.from_address} ${event.block_number ?? PENDING}`),
  }));
}

/** The pre-confirmed block sorts above all others. */
const PENDING = Number.MAX_SAFE_INTEGER;

async function hashAt(contract_address: string, block: number): Promise<string | undefined> {
  const key = ['class-hash-at', contract_address, block];
  const cached = queries.getQueryData<string>(key);
  if (cached !== undefined) return cached;
  const block_id = block === PENDING ? 'pre_confirmed' : { block_number: block };
  const classHash = await call('starknet_getClassHashAt', { block_id, contract_address }).catch(
    () => undefined,
  );
  if (classHash !== undefined && block !== PENDING) queries.setQueryData(key, classHash);
  return classHash;
}

async function readClassNow(contract_address: string): Promise<void> {
  if (queries.getQueryData(['class-now', contract_address]) !== undefined) return;
  const params = { block_id: 'pre_confirmed', contract_address } as const;
  const [hash, contractClass] = await Promise.all([
    call('starknet_getClassHashAt', params).catch(() => undefined),
    call('starknet_getClassAt', params).catch(() => undefined),
  ]);
  if (hash === undefined || !contractClass) return;
  const abi = learnNames(readAbi(contractClass.abi));
  queries.setQueryData(['class-now', contract_address], hash);
  if (queries.getQueryData(['class', hash]) === undefined) {
    queries.setQueryData(['class', hash], abi);
  }
}
