// Event filter: in the page's address, as RPC parameters, as JSON.
import { selectorOf } from '@starkbox/abi';
import { canonicalFelt } from '@starkbox/abi/basics';
import type { Params } from './methods.js';

export interface EventFilter {
  readonly address: string | undefined;
  /** Name of the event, which is hashed into the first key. */
  readonly name: string | undefined;
  /** Allowed keys for each position; an empty list allows any. */
  readonly keys: readonly (readonly string[])[];
  readonly from: number | undefined;
  readonly to: number | undefined;
}

const NUMBER = /^\d{1,15}$/;
const NAME = /^[A-Za-z_]\w{0,80}$/;

export const isEventName = (text: string): boolean => NAME.test(text);

/**
 * Keys as typed: positions separated by commas, alternatives by bars, a star for any key. Undefined if one of
 * them is not a felt.
 */
export function readKeys(text: string): readonly (readonly string[])[] | undefined {
  if (text.trim() === '') return [];
  const positions = text.split(',').map((position) => {
    const alternatives = position.trim();
    if (alternatives === '' || alternatives === '*') return [];
    return alternatives.split('|').map((felt) => canonicalFelt(felt) ?? '');
  });
  return positions.some((choices) => choices.includes('')) ? undefined : positions;
}

export function readFilter(query: URLSearchParams): EventFilter {
  const number = (name: string): number | undefined => {
    const text = query.get(name);
    return text !== null && NUMBER.test(text) ? Number(text) : undefined;
  };
  const name = query.get('name')?.trim() ?? '';
  return {
    address: canonicalFelt(query.get('address') ?? ''),
    name: isEventName(name) ? name : undefined,
    keys: readKeys(query.get('keys') ?? '') ?? [],
    from: number('from'),
    to: number('to'),
  };
}

/** Keys including the selector of the name. */
export function keysOf({ name, keys }: EventFilter): readonly (readonly string[])[] {
  if (name === undefined) return keys;
  const [first = [], ...rest] = keys;
  return [[...new Set([selectorOf(name), ...first])], ...rest];
}

type Wire = Params<'starknet_getEvents'>['filter'];

/** Block range, inclusive; the last block may be the pre-confirmed one. */
export function wireFilter(
  filter: EventFilter,
  range: { readonly from: number | undefined; readonly to: number | undefined },
  chunk: number,
): Wire {
  const keys = keysOf(filter);
  return {
    from_block: { block_number: range.from ?? 0 },
    to_block: range.to === undefined ? 'pre_confirmed' : { block_number: range.to },
    ...(filter.address === undefined ? {} : { address: filter.address }),
    ...(keys.length === 0 ? {} : { keys }),
    chunk_size: chunk,
  };
}

type SubscribedFilter = Params<'starknet_subscribeEvents'>;

export function subscription(filter: EventFilter): SubscribedFilter {
  const keys = keysOf(filter);
  return {
    ...(filter.address === undefined ? {} : { from_address: filter.address }),
    ...(keys.length === 0 ? {} : { keys }),
  };
}
