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
  const wanted = query.trim().toLowerCase();
  if (wanted === '' || wanted.length > LONGEST_QUERY) return [];
  const found: CANDIDATE[] = [];
  if (/^#?\d{1,15}$/.test(wanted)) found.push(...blockWith(world, Number(wanted.replace('#', ''))));
  if (/^0x[\da-f]{1,64}$/.test(wanted) && BigInt(wanted) < PRIME) {
    found.push(...(await named(world, hex(BigInt(wanted)))));
  }
  for (const [value, label] of world.labels) {
    if (label.toLowerCase().includes(wanted)) found.push({ kind: 'label', value, label });
  }
  return [...found, ...methodsLike(wanted)].slice(0, LIMIT);
}

function blockWith({ history }: World, number: number): readonly CANDIDATE[] {
  const header = history.header(number);
  return header ? [{ kind: 'block', value: String(number), detail: header.hash }] : [];
}

/** Everything that has this felt as its hash or address. */
async function named(world: World, felt: string): Promise<readonly CANDIDATE[]> {
  const { history, pendingState: state, archived, labels } = world;
  const label = labels.get(felt);
  const named = label === undefined ? {} : { label };
  const found: CANDIDATE[] = [];
  const block = history.numberOf(felt);
  if (block !== undefined) found.push({ kind: 'block', value: String(block), detail: felt });
  const transaction = findTransaction(world, felt);
  if (transaction) {
    const detail = `block ${transaction.block}`;
    found.push({ kind: 'transaction', value: felt, detail, ...named });
  } else if (inMempool(world.mempool, felt)) {
    found.push({ kind: 'transaction', value: felt, detail: 'in the mempool', ...named });
  }
  // A fork requests it from the origin; if that fails, it counts as no contract.
  const classHash = await state.classHashAt(felt).catch(() => '0x0');
  if (classHash !== '0x0') {
    found.push({ kind: 'contract', value: felt, detail: `class ${classHash}`, ...named });
  }
  const declared = state.classSince(felt) ?? archived?.classSince(felt);
  if (declared !== undefined) {
    found.push({ kind: 'class', value: felt, detail: `declared in block ${declared}`, ...named });
  }
  return found.length === 0 && label !== undefined
    ? [{ kind: 'label', value: felt, label }]
    : found;
}

function methodsLike(wanted: string): readonly CANDIDATE[] {
  const plain = canonicalName(wanted);
  if (plain.length < SHORTEST_METHOD_QUERY) return [];
  return Object.keys(METHODS)
    .filter((name) => name.toLowerCase().includes(plain))
    .map((value) => ({ kind: 'method', value }));
}
