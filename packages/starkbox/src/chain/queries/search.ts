// Search for blocks, transactions, contracts, classes, labels and methods by a text.
import { type CANDIDATE, canonicalName, METHODS } from '@starkbox/spec';
import { hex, PRIME } from '../../felt.js';
import { inMempool } from '../mempool/mempool.js';
import { findTransaction, type World } from '../world/world.js';

const LIMIT = 20;
/** Shorter texts match nearly every method. */
const SHORTEST_METHOD_QUERY = 3;
/** Longer texts match nothing. */
const LONGEST_QUERY = 200;

/** All matches, the likeliest first. */
export async function search(world: World, query: string): Promise<readonly CANDIDATE[]> {
  const text = query.trim().toLowerCase();
  if (text === '' || text.length > LONGEST_QUERY) return [];
  const results: CANDIDATE[] = [];
  if (/^#?\d{1,15}$/.test(text)) results.push(...blockWith(world, Number(text.replace('#', ''))));
  if (/^0x[\da-f]{1,64}$/.test(text) && BigInt(text) < PRIME) {
    results.push(...(await named(world, hex(BigInt(text)))));
  }
  for (const [value, label] of world.labels) {
    if (label.toLowerCase().includes(text)) results.push({ kind: 'label', value, label });
  }
  return [...results, ...methodsLike(text)].slice(0, LIMIT);
}

function blockWith({ history }: World, number: number): readonly CANDIDATE[] {
  const header = history.header(number);
  return header ? [{ kind: 'block', value: String(number), detail: header.hash }] : [];
}

/** Everything that has this felt as its hash or address. */
async function named(world: World, felt: string): Promise<readonly CANDIDATE[]> {
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
  // A fork requests it from the origin; if that fails, it counts as no contract.
  const classHash = await state.classHashAt(felt).catch(() => '0x0');
  if (classHash !== '0x0') {
    results.push({ kind: 'contract', value: felt, detail: `class ${classHash}`, ...labelled });
  }
  const declared = state.classSince(felt) ?? archived?.classSince(felt);
  if (declared !== undefined) {
    results.push({
      kind: 'class',
      value: felt,
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
  if (plain.length < SHORTEST_METHOD_QUERY) return [];
  return Object.keys(METHODS)
    .filter((name) => name.toLowerCase().includes(plain))
    .map((value) => ({ kind: 'method', value }));
}
