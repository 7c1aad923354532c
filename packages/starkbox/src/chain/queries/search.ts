// Search for blocks, transactions, contracts, classes, functions, events, errors, labels and methods by a text.
import { type CANDIDATE, canonicalName, METHODS } from '@starkbox/spec';
import { inMempool } from '../mempool/mempool.js';
import { findTransaction, type World } from '../world/world.js';
import { errorsWith, hashesLike } from './search-history.js';
import { type NameSearch, searchNames } from './search-names.js';
import { feltIn, partIn, type SearchResult } from './search-query.js';

const LIMIT = 20;
/** Methods that are found beside other things. */
const MAX_METHODS = 5;
/** Shorter texts match nearly every method and function. */
const SHORTEST_NAME = 3;
/** Shorter texts match nearly every error. */
const SHORTEST_ERROR = 4;
/** Longer texts match nothing. */
const MAX_QUERY_LENGTH = 200;

/** All matches, the likeliest first. */
export async function search(names: NameSearch, query: string): Promise<SearchResult> {
  const { world } = names;
  const text = query.trim().toLowerCase();
  if (text === '' || text.length > MAX_QUERY_LENGTH) return { candidates: [] };
  const exact: CANDIDATE[] = [];
  if (/^#?\d{1,15}$/.test(text)) exact.push(...blockWith(world, Number(text.replace('#', ''))));
  const felt = feltIn(text);
  if (felt !== undefined) exact.push(...(await findNamed(names, felt)));
  for (const [value, label] of world.labels) {
    if (label.toLowerCase().includes(text)) exact.push({ kind: 'label', value, label });
  }
  const found = await searchMore(names, { text, felt, isFound: exact.length > 0 });
  const others = [...exact, ...found.candidates];
  const methods = methodsLike(text).slice(0, others.length === 0 ? LIMIT : MAX_METHODS);
  const { searched_to_block } = found;
  return {
    candidates: [...others.slice(0, LIMIT - methods.length), ...methods],
    ...(searched_to_block === undefined ? {} : { searched_to_block }),
  };
}

interface Query {
  readonly text: string;
  /** The query as a felt. */
  readonly felt: string | undefined;
  /** Whether it is known already what it means. */
  readonly isFound: boolean;
}

/** What needs a walk through the newest part of the chain. */
async function searchMore(
  names: NameSearch,
  { text, felt, isFound }: Query,
): Promise<SearchResult> {
  const { world } = names;
  const part = partIn(text);
  if (part) {
    if (isFound && felt !== undefined) return { candidates: [] };
    const ofNames = await searchNames(names, { felt, part });
    const ofHistory = await hashesLike(world, part);
    return joinResults([ofNames, ofHistory]);
  }
  if (felt !== undefined || text.length < SHORTEST_NAME) return { candidates: [] };
  const ofNames = await searchNames(names, { text });
  const ofErrors = text.length < SHORTEST_ERROR ? [] : [await errorsWith(world, text)];
  return joinResults([ofNames, ...ofErrors]);
}

function joinResults(results: readonly SearchResult[]): SearchResult {
  const ends = results.flatMap(({ searched_to_block }) => searched_to_block ?? []);
  return {
    candidates: results.flatMap(({ candidates }) => candidates),
    ...(ends.length === 0 ? {} : { searched_to_block: Math.max(...ends) }),
  };
}

function blockWith({ history }: World, number: number): readonly CANDIDATE[] {
  const header = history.header(number);
  return header ? [{ kind: 'block', value: String(number), detail: header.hash }] : [];
}

/** Everything that has this felt as its hash or address. */
async function findNamed(
  { world, names }: NameSearch,
  felt: string,
): Promise<readonly CANDIDATE[]> {
  const { history, pendingState: state, archived, labels } = world;
  const label = labels.get(felt);
  const labelled = label === undefined ? {} : { label };
  const results: CANDIDATE[] = [];
  const block = history.numberOf(felt);
  if (block !== undefined) results.push({ kind: 'block', value: String(block), detail: felt });
  const transaction = findTransaction(world, felt);
  if (transaction) {
    const detail = `block ${transaction.block}`;
    results.push({ kind: 'transaction', value: felt, detail, ...labelled });
  } else if (inMempool(world.mempool, felt)) {
    results.push({ kind: 'transaction', value: felt, detail: 'in the mempool', ...labelled });
  }
  const [contract] = await names.contracts([felt]);
  if (contract?.class_hash !== undefined) {
    const { name, class_hash } = contract;
    const detail = `class ${class_hash}`;
    results.push({ kind: 'contract', value: felt, name, detail, ...labelled });
  }
  const declared = state.classSince(felt) ?? archived?.classSince(felt);
  if (declared !== undefined) {
    const [row] = await names.classes([felt]);
    results.push({
      kind: 'class',
      value: felt,
      ...(row ? { name: row.name } : {}),
      detail: `declared in block ${declared}`,
      ...labelled,
    });
  }
  return results.length === 0 && label !== undefined
    ? [{ kind: 'label', value: felt, label }]
    : results;
}

function methodsLike(text: string): readonly CANDIDATE[] {
  const plain = canonicalName(text);
  if (plain.length < SHORTEST_NAME) return [];
  return Object.keys(METHODS)
    .filter((name) => name.toLowerCase().includes(plain))
    .map((value) => ({ kind: 'method', value }));
}
