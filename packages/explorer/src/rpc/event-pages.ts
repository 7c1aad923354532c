// Pages of events, newest first, from a method that returns the oldest first.
import { readAbi } from '@starkbox/abi';
import { learnNames } from '../format/names.js';
import { call } from './client.js';
import { type EventFilter, wireFilter } from './event-filter.js';
import { liveNow } from './live-state.js';
import type { Result } from './methods.js';
import { type Page, queries } from './queries.js';

type Emitted = Result<'starknet_getEvents'>['events'][number];

export interface EventRow extends Emitted {
  /** Class of the emitting contract in that block. */
  readonly classHash: string | undefined;
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

/**
 * Events of a filter, newest first.
 *
 * @param cursor the last block that was not searched
 * @param newest what comes after this row is read, unless it is too much
 */
export async function readEvents(
  filter: EventFilter,
  cursor: string | undefined,
  { isTip, newest }: { readonly isTip: boolean; readonly newest: EventRow | undefined },
): Promise<Page<EventRow>> {
  const head = liveNow().head?.number ?? (await call('starknet_blockNumber'));
  const lowest = filter.from ?? 0;
  const pageFrom = async (events: Emitted[], bottom: number): Promise<Page<EventRow>> => ({
    rows: await withClasses(events.reverse()),
    next: bottom > lowest ? String(bottom - 1) : undefined,
  });
  if (newest) {
    const bottom = newest.block_number ?? head + 1;
    const { events, isWhole } = await readStretch(filter, bottom, filter.to, 1);
    if (isWhole) return pageFrom(events, bottom);
  }
  let top = cursor === undefined ? filter.to : Number(cursor);
  let size = FIRST_BLOCKS;
  for (let stretch = 0; stretch < MAX_STRETCHES; stretch++) {
    const bottom = Math.max(lowest, (top ?? head) - size + 1);
    const { events, isWhole } = await readStretch(filter, bottom, top, MAX_CHUNKS);
    // A range with too many events is read again with fewer blocks, so that its end is known.
    if (!isWhole && (top ?? head) > bottom) {
      size = Math.max(1, Math.floor(size / (2 * GROWTH)));
      continue;
    }
    if (events.length > 0 || bottom <= lowest || isTip) return pageFrom(events, bottom);
    top = bottom - 1;
    size *= GROWTH;
  }
  return { rows: [], next: top === undefined ? undefined : String(top) };
}

async function readStretch(
  filter: EventFilter,
  from: number,
  to: number | undefined,
  chunks: number,
): Promise<{ events: Emitted[]; isWhole: boolean }> {
  const events: Emitted[] = [];
  let token: string | undefined;
  for (let chunk = 0; chunk < chunks; chunk++) {
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
async function withClasses(events: readonly Emitted[]): Promise<readonly EventRow[]> {
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
