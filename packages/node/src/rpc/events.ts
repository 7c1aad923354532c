// Answers queries for events.
import type { Chain } from '../chain/chain.js';
import { EventReader } from '../chain/events.js';
import type { Group } from './handlers.js';

export function eventMethods(chain: Chain): Group<'starknet_getEvents'> {
  const reader = new EventReader();
  return {
    starknet_getEvents({ filter }) {
      const { world } = chain;
      const { events, next } = reader.page(world, filter);
      return {
        events: events.map(({ block, ...event }) => {
          if (block === undefined) return event;
          return { ...event, block_hash: world.history.header(block)?.hash, block_number: block };
        }),
        continuation_token: next,
      };
    },
  };
}
