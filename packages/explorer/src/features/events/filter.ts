// Knows what events somebody looks for: as an address of the page, as a filter for the node, as JSON for a program.
import { canonicalFelt, selectorOf } from '@starkbox/abi';
import type { Params } from '../../rpc/methods.js';

export interface EventFilter {
  readonly address: string | undefined;
  /** The name of the event, which is its first key. */
  readonly name: string | undefined;
  /** For each position what may stand there; none means anything. */
  readonly keys: readonly (readonly string[])[];
  readonly from: number | undefined;
  readonly to: number | undefined;
}

const NUMBER = /^\d{1,15}$/;
const NAME = /^[A-Za-z_]\w{0,80}$/;

/**
 * Keys as somebody writes them: positions parted by commas, choices by bars, a star for anything. Undefined
 * if one of them is no felt.
 */
export function readKeys(text: string): readonly (readonly string[])[] | undefined {
  if (text.trim() === '') return [];
  const positions = text.split(',').map((position) => {
    const wanted = position.trim();
    if (wanted === '' || wanted === '*') return [];
    return wanted.split('|').map((one) => canonicalFelt(one) ?? '');
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
    name: NAME.test(name) ? name : undefined,
    keys: readKeys(query.get('keys') ?? '') ?? [],
    from: number('from'),
    to: number('to'),
  };
}

/** Keys with the name among them. */
export function keysOf({ name, keys }: EventFilter): readonly (readonly string[])[] {
  if (name === undefined) return keys;
  const [first = [], ...rest] = keys;
  return [[...new Set([selectorOf(name), ...first])], ...rest];
}

type Wire = Params<'starknet_getEvents'>['filter'];

/** Between two blocks, both included; the last may be the one being built. */
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

type Wish = Params<'starknet_subscribeEvents'>;

export function subscription(filter: EventFilter): Wish {
  const keys = keysOf(filter);
  return {
    ...(filter.address === undefined ? {} : { from_address: filter.address }),
    ...(keys.length === 0 ? {} : { keys }),
  };
}

/** A node tells of an event when it reaches the status that was asked for, and not when it skips it. */
export function wishes(filter: EventFilter): readonly Wish[] {
  return (['PRE_CONFIRMED', 'ACCEPTED_ON_L2'] as const).map((finality_status) => ({
    ...subscription(filter),
    finality_status,
  }));
}
