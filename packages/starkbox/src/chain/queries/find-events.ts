// Search for events by range, emitter and keys, in pages whose cost does not grow with the chain.

import type { EventData } from '@starkbox/engine';
import type { BLOCK_ID } from '@starkbox/spec';
import { BoundedMap } from '../../bounded-map.js';
import { fail, invalidParams } from '../../errors.js';
import { readReceipt } from '../history/stored-texts.js';
import { blockNumber, pendingNumber } from '../world/find-block.js';
import type { Included, World } from '../world/world.js';

export interface EventFilter {
  readonly from_block?: BLOCK_ID | null;
  readonly to_block?: BLOCK_ID | null;
  readonly address?: string | readonly string[] | null;
  readonly keys?: readonly (readonly string[])[] | null;
  readonly continuation_token?: string | null;
  readonly chunk_size: number;
}

/** An event and its position; `block` is undefined for the pending block. */
export interface FoundEvent extends EventData {
  readonly block: ClosedPlace | undefined;
  readonly transaction_hash: string;
  readonly transaction_index: number;
  readonly event_index: number;
}

export interface ClosedPlace {
  readonly number: number;
  readonly hash: string;
}

export interface EventPage {
  readonly events: readonly FoundEvent[];
  readonly next: string | undefined;
}

/** The start of a page. */
interface Position {
  readonly block: number;
  /** How many matching events of that block belong to earlier pages. */
  readonly skip: number;
}

/** Ends of pages that are kept. */
const CACHED_ENDS = 1024;

/**
 * Events in pages. A token is the number of a page, so it gives the number of events to skip. A
 * cache holds the positions where recent pages ended; without a valid entry, events are counted
 * from the first block.
 */
export class EventPager {
  readonly #ends = new BoundedMap<string, Position & { readonly hash: string | undefined }>(
    CACHED_ENDS,
  );

  page(world: World, filter: EventFilter): EventPage {
    const { chunk_size, continuation_token } = filter;
    if (chunk_size < 1) invalidParams('params.filter.chunk_size: must be at least 1');
    const page = pageNumber(continuation_token);
    const last = pendingNumber(world);
    const from = filter.from_block ? blockNumber(world, filter.from_block) : world.history.first;
    const to = filter.to_block ? blockNumber(world, filter.to_block) : last;

    const query = matcher(filter);
    const name = JSON.stringify([from, to, query.addresses, query.keys, chunk_size]);
    const cached = page === 0 ? undefined : this.#recall(world, `${name}${page}`);
    const start = cached ?? { block: from, skip: page * chunk_size };

    const events: FoundEvent[] = [];
    let { skip } = start;
    for (const block of candidates(world, start.block, to, query)) {
      const found = eventsOf(world, block).filter((event) => matches(event, query));
      const taken = Math.min(skip, found.length);
      skip -= taken;
      const room = chunk_size - events.length;
      events.push(...found.slice(taken, taken + room));
      const used = taken + room;
      if (found.length > used) {
        this.#remember(world, `${name}${page + 1}`, { block, skip: used });
        return { events, next: String(page + 1) };
      }
    }
    return { events, next: undefined };
  }

  #recall(world: World, name: string): Position | undefined {
    const end = this.#ends.get(name);
    // The block may have been aborted and another one closed since.
    return end && world.history.hash(end.block) === end.hash ? end : undefined;
  }

  #remember(world: World, name: string, position: Position): void {
    this.#ends.set(name, { ...position, hash: world.history.hash(position.block) });
  }
}

function pageNumber(token: string | null | undefined): number {
  if (token === undefined || token === null) return 0;
  if (!/^\d{1,15}$/.test(token)) fail('INVALID_CONTINUATION_TOKEN');
  return Number(token);
}

interface Query {
  /** `undefined`: any emitter. */
  readonly addresses: readonly string[] | undefined;
  readonly keys: readonly (readonly string[])[];
}

function matcher({ address, keys }: EventFilter): Query {
  return {
    addresses: typeof address === 'string' ? [address] : (address ?? undefined),
    keys: keys ?? [],
  };
}

export function matches(
  { from_address, keys: own }: Pick<EventData, 'from_address' | 'keys'>,
  { addresses, keys }: Query,
): boolean {
  if (addresses && !addresses.includes(from_address)) return false;
  return keys.every((allowed, position) => {
    if (allowed.length === 0) return true;
    const key = own[position];
    return key !== undefined && allowed.includes(key);
  });
}

function* candidates(world: World, from: number, to: number, query: Query): Iterable<number> {
  const last = pendingNumber(world);
  yield* world.history.eventBlocks({ from, to: Math.min(to, last - 1), ...query });
  if (from <= last && to >= last) yield last;
}

/** All events of a block, in order. */
export function eventsOf(world: World, block: number): readonly FoundEvent[] {
  const found = world.history.outcome(block);
  if (!found) {
    if (block !== pendingNumber(world)) return [];
    return world.pending.transactions.toArray().flatMap(pendingEvents);
  }
  const place = { number: block, hash: found.hash };
  return found.receipts.flatMap((receipt, index) => {
    const { events } = readReceipt(receipt);
    return placed(events, place, found.transactions[index] ?? '0x0', index);
  });
}

/** The events of one transaction of the pending block. */
export function pendingEventsOf({ pending }: World, index: number): readonly FoundEvent[] {
  const included = pending.transactions.get(index);
  return included ? pendingEvents(included, index) : [];
}

function pendingEvents({ record, receipt }: Included, index: number): readonly FoundEvent[] {
  return placed(receipt.events, undefined, record.hash, index);
}

function placed(
  events: readonly EventData[],
  block: ClosedPlace | undefined,
  hash: string,
  index: number,
): readonly FoundEvent[] {
  return events.map((event, event_index) => ({
    ...event,
    block,
    transaction_hash: hash,
    transaction_index: index,
    event_index,
  }));
}
