// Methods that query events.

import type { BLOCK_ID } from '@starkbox/spec';
import type { Chain } from '../../chain/chain.js';
import { type EventFilter, EventPager } from '../../chain/queries/find-events.js';
import { findBlock, pendingNumber } from '../../chain/world/find-block.js';
import type { World } from '../../chain/world/world.js';
import { fail, invalidParams } from '../../errors.js';
import { type Fork, isOriginToken } from '../../fork/fork.js';
import { JsonText, stringify } from '../../json/json.js';
import type { HandlerGroup } from '../protocol/handlers.js';

/** Of events, as nodes of public networks have them or more; a token gives the rest. */
const MAX_PAGE = 10_000;

export function eventMethods(chain: Chain): HandlerGroup {
  const reader = new EventPager();
  const local = (world: World, filter: EventFilter) => {
    const { events, next } = reader.page(world, filter);
    return {
      events: events.map(({ block, ...event }) => {
        if (block === undefined) return event;
        return { ...event, block_hash: block.hash, block_number: block.number };
      }),
      continuation_token: next,
    };
  };

  /** First the pages of the origin, then those of this chain. */
  const across = async (
    world: World,
    fork: Fork,
    filter: EventFilter,
    signal: AbortSignal | undefined,
  ) => {
    const find = async (id: BLOCK_ID): Promise<number> =>
      findBlock(world, id) ?? fork.find(id, world.acceptedOnL1, signal);
    const from = filter.from_block ? await find(filter.from_block) : 0;
    const to = filter.to_block ? await find(filter.to_block) : pendingNumber(world);
    if (from > to) return { events: [], continuation_token: undefined };
    const { continuation_token: token, chunk_size, address, keys } = filter;
    const idOf = (number: number): BLOCK_ID =>
      number === pendingNumber(world) ? 'pre_confirmed' : { block_number: number };
    const here: EventFilter = {
      ...filter,
      from_block: idOf(Math.max(from, fork.next)),
      to_block: idOf(to),
    };
    if (from >= fork.next || (token && !isOriginToken(token))) {
      if (to < fork.next) fail('INVALID_CONTINUATION_TOKEN');
      return local(world, here);
    }
    if (chunk_size < 1) invalidParams('params.filter.chunk_size: must be at least 1');
    const range = {
      from,
      to,
      addresses: typeof address === 'string' ? [address] : (address ?? undefined),
      keys: keys ?? [],
    };
    const page = await fork.eventPage(range, chunk_size, token ?? undefined, signal);
    const { next } = page;
    const events = page.events.map((event) => new JsonText(stringify(event)));
    if (next !== undefined || to < fork.next) return { events, continuation_token: next };
    const rest = local(world, { ...here, continuation_token: null });
    if (events.length === 0) return rest;
    return { events, continuation_token: rest.events.length === 0 ? undefined : '0' };
  };

  return {
    starknet_getEvents({ filter: requested }, { session }) {
      // A larger page ends at the limit, and its token goes on from there.
      const filter = { ...requested, chunk_size: Math.min(requested.chunk_size, MAX_PAGE) };
      const { world, options } = chain;
      if (!options.fork) return local(world, filter);
      return across(world, options.fork, filter, session.signal);
    },
  };
}
