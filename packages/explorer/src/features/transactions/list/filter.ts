// Filter of transactions: in the page's address, as parameters of the node, in words.
import { type Names, selectorOf } from '@starkbox/abi';
import { canonicalFelt } from '@starkbox/abi/basics';
import { functionName } from '../../../format/names.js';
import { escapeText } from '../../../format/untrusted-text.js';
import { numberIn } from '../../../parts/inputs.js';
import { TYPE_NAMES } from '../../../parts/transaction/transaction-list.js';
import type { TransactionFilter } from '../../../rpc/queries.js';

export const TYPES = ['INVOKE', 'DECLARE', 'DEPLOY_ACCOUNT', 'L1_HANDLER'] as const;
const MAX_TEXT_LENGTH = 200;
const NAME = /^[A-Za-z_]\w{0,80}$/;

/** Names of the parameters in the address; all others of the page are no filter. */
export const FILTERS = [
  'status',
  'type',
  'sender',
  'contract',
  'function',
  'block',
  'from',
  'to',
  'panic',
] as const;
export type FilterName = (typeof FILTERS)[number];

/** The selector of a function, from its name or as it is. */
export function selectorIn(text: string): string | undefined {
  return NAME.test(text) ? selectorOf(text) : canonicalFelt(text);
}

export function readFilter(params: URLSearchParams): TransactionFilter {
  const type = TYPES.find((name) => name === params.get('type'));
  const status = params.get('status');
  const sender = canonicalFelt(params.get('sender') ?? '');
  const contract = canonicalFelt(params.get('contract') ?? '');
  const selector = selectorIn(params.get('function')?.trim() ?? '');
  const block = numberIn(params.get('block'));
  const from = numberIn(params.get('from'));
  const to = numberIn(params.get('to'));
  const panic = params.get('panic')?.trim().slice(0, MAX_TEXT_LENGTH) ?? '';
  return {
    ...(type === undefined ? {} : { type }),
    ...(status === 'SUCCEEDED' || status === 'REVERTED' ? { status } : {}),
    ...(sender === undefined ? {} : { sender }),
    ...(contract === undefined ? {} : { contract }),
    ...(selector === undefined ? {} : { selector }),
    ...(block === undefined ? {} : { block_number: block }),
    ...(from === undefined ? {} : { from_block: from }),
    ...(to === undefined ? {} : { to_block: to }),
    ...(panic === '' ? {} : { revert_reason: panic }),
  };
}

/** The filters of an address alone, always in the same order. */
export function filterQuery(params: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    FILTERS.flatMap((name): [string, string][] => {
      const value = params.get(name)?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

/** The value of a filter in words. */
export function filterValueText(name: string, value: string, names: Names): string {
  // An address of the page can have any text.
  const text = escapeText(value, MAX_TEXT_LENGTH).text;
  if (name === 'type') return (Object.hasOwn(TYPE_NAMES, value) && TYPE_NAMES[value]) || text;
  if (name === 'status') return text.toLowerCase();
  if (name === 'function') return functionName(value) ?? text;
  if (name === 'panic') return `“${text}”`;
  return names.get(value) ?? text;
}

/** A filter in words. */
export function filterText(name: string, value: string, names: Names): string {
  const text = filterValueText(name, value, names);
  if (name === 'type' || name === 'status') return text;
  if (name === 'from' || name === 'to') return `${name} block ${text}`;
  return name === 'panic' ? `message ${text}` : `${name} ${text}`;
}
