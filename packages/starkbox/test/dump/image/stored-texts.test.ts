// Stored transactions, receipts and traces with any member changed: rejected on load, or readable by every method.
import { imageOf } from '@starkbox/test-support/fixture';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transactionHash } from '../../../src/chain/history/packed-block.js';
import { allTexts, type TransactionTexts } from '../../../src/chain/history/packed-texts.js';
import { checkTransaction } from '../../../src/chain/world/check-records.js';
import { createChain, type LocalChain } from '../../../src/index.js';
import { grow } from './every-kind.js';
import { ask, explainTransaction, reportOnBlocks } from './read-everything.js';
import { changed, type Json, type Parts, partsOf, textsIn, withTexts } from './sections.js';

const OPTIONS = { seed: 0, accounts: 2, blockGenerationOn: 'demand' } as const;
let node: LocalChain;
let parts: Parts;

beforeAll(async () => {
  const source = await createChain({ ...OPTIONS, startTime: 1_700_000_000 });
  await grow(source);
  await source.request('devnet_createBlock');
  parts = await partsOf(Buffer.from(await imageOf(source), 'base64'));
  await source.close();
  node = await createChain(OPTIONS);
}, 60_000);
afterAll(() => node.close());

const NAMES = ['transaction', 'receipt', 'trace'] as const;
type Name = (typeof NAMES)[number];

interface Mutation {
  readonly block: number;
  readonly index: number;
  readonly hash: string;
  readonly name: Name;
  readonly path: string;
  readonly text: string;
  readonly texts: TransactionTexts;
}

/** In place of a member; `undefined` leaves it out. */
const VALUES: readonly unknown[] = [undefined, null, 5, -1, true, 'x', [], {}, [null], '0x0', [[]]];

/** The paths of all members; of a list, of its first and last items. */
function* paths(value: unknown): Generator<readonly string[]> {
  if (typeof value !== 'object' || value === null) return;
  const names = Object.keys(value);
  const visited = Array.isArray(value)
    ? new Set([...names.slice(0, 1), ...names.slice(-1)])
    : names;
  for (const name of visited) {
    yield [name];
    for (const path of paths(Reflect.get(value, name))) yield [name, ...path];
  }
}

function put(value: unknown, [name, ...rest]: readonly string[], newValue: unknown): unknown {
  if (name === undefined) return newValue;
  const copy: Json = Array.isArray(value) ? Object([...value]) : { ...Object(value) };
  copy[name] = put(copy[name], rest, newValue);
  return copy;
}

function* mutations(): Generator<Mutation> {
  for (const [number, block] of parts.blocks.entries()) {
    for (const [index, texts] of allTexts(block.texts).entries()) {
      const hash = transactionHash(block, index);
      for (const name of NAMES) {
        const value: unknown = JSON.parse(texts[name]);
        for (const path of paths(value)) {
          for (const newValue of VALUES) {
            const text = JSON.stringify(put(value, path, newValue));
            const dottedPath = path.join('.');
            yield { block: number, index, hash, name, path: dottedPath, text, texts };
          }
        }
      }
    }
  }
}

const outcomeOf = ({ texts, name, text, hash }: Mutation): unknown => {
  try {
    checkTransaction({ ...texts, [name]: text }, hash, 'transaction 7');
    return undefined;
  } catch (error) {
    return error;
  }
};

test('what is rejected names the transaction and the member', () => {
  let rejected = 0;
  for (const mutation of mutations()) {
    const error = outcomeOf(mutation);
    if (error === undefined) continue;
    rejected += 1;
    const [member = ''] = mutation.path.split('.');
    const { message } = Object(error);
    expect([mutation.path, message]).toEqual([
      mutation.path,
      expect.stringMatching(new RegExp(`^transaction 7, ${mutation.name}(\\.${member}|[.:])`)),
    ]);
  }
  expect(rejected).toBeGreaterThan(10_000);
});

test('a message whose calldata lacks its sender on L1 is rejected', () => {
  const senderless = [...mutations()].filter(({ name, path, text }) => {
    const { type, calldata } = Object(JSON.parse(text));
    return (
      name === 'transaction' &&
      path === 'calldata' &&
      type === 'L1_HANDLER' &&
      calldata?.length === 0
    );
  });
  expect(senderless).not.toEqual([]);
  expect(senderless.filter((mutation) => outcomeOf(mutation) === undefined)).toEqual([]);
});

/** Of how many accepted changes one is loaded. For all of them: TEST_EVERY=1. */
const EVERY = Number(process.env['TEST_EVERY'] ?? 8);

/** The index of a block holds its events, so that a change of them is rejected with the block. */
const isIndexed = ({ name, path }: Mutation): boolean =>
  name === 'receipt' && path.startsWith('events') && !path.includes('data');

test('what is loaded can be explained, traced, reported and listed', async () => {
  const accepted = [...mutations()].filter((mutation) => outcomeOf(mutation) === undefined);
  const tried = accepted.filter((mutation, at) => !isIndexed(mutation) && at % EVERY === 0);
  // One of each transaction at a time.
  const byTransaction = new Map<string, Mutation[]>();
  for (const mutation of tried)
    byTransaction.set(mutation.hash, [...(byTransaction.get(mutation.hash) ?? []), mutation]);
  const rounds = Math.max(...[...byTransaction.values()].map(({ length }) => length));
  for (let round = 0; round < rounds; round += 1) {
    const mutationsOfRound = [...byTransaction.values()].flatMap((list) => list[round] ?? []);
    await load(mutationsOfRound);
    for (const { hash } of mutationsOfRound) await explainTransaction(node, hash);
    await reportOnBlocks(node);
  }
  expect(rounds).toBeGreaterThan(64 / EVERY);
}, 600_000);

async function load(loaded: readonly Mutation[]): Promise<void> {
  const blocks = [...parts.blocks];
  for (const { block: number, index, name, text } of loaded) {
    const block = blocks[number];
    if (!block) throw new Error(`there is no block ${number}`);
    const textIndex = 4 * index + { transaction: 0, receipt: 2, trace: 3 }[name];
    blocks[number] = withTexts(block, textsIn(block).with(textIndex, text));
  }
  const image = await changed(parts, { blocks });
  const { error } = await ask(node, 'devnet_load', { image: image.toString('base64') });
  expect(error).toBeUndefined();
}
