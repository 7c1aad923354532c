// Difference of two chains: the last block they share, and what each changed since.
import { type Diff, mergeDiffs } from '../../parts/transaction/merged-diff.js';
import { request } from '../../rpc/client.js';
import type { Result } from '../../rpc/methods.js';
import type { BlockRow } from '../../rpc/queries.js';
import { whatIsForked } from '../../rpc/subscriptions.js';

/** Most blocks of each chain whose state updates are read. */
export const MAX_BLOCKS = 500;
/** Most values that are compared; each may need a read on the other chain. */
const MAX_VALUES = 400;
const LISTED = 200;

/** What one chain did after the last common block. */
export interface Side {
  readonly head: number;
  /** Newest first. */
  readonly blocks: readonly BlockRow[];
}

type StateLocation =
  | { readonly what: 'slot'; readonly contract: string; readonly key: string }
  | { readonly what: 'nonce'; readonly contract: string }
  | { readonly what: 'class'; readonly contract: string }
  | { readonly what: 'declared'; readonly hash: string };

/** A value that differs; undefined where a chain has none. */
export type DifferingValue = StateLocation & {
  readonly id: string;
  readonly values: readonly [string | undefined, string | undefined];
};

export interface ChainDifference {
  /** Undefined where even the first blocks differ. */
  readonly common: number | undefined;
  readonly sides: readonly [Side, Side];
  /** Undefined where the chains parted too long ago. */
  readonly values: readonly DifferingValue[] | undefined;
  /** Whether there are more values than were compared. */
  readonly isCut: boolean;
}

/** Blocks are compared by content too, because without hashing their hashes are numbers. */
async function identity(chain: string, block_number: number): Promise<string> {
  const params = { block_id: { block_number } };
  const block = await request('starknet_getBlockWithTxHashes', params, chain);
  const hash = 'block_hash' in block ? block.block_hash : '';
  return [hash, block.timestamp, ...block.transactions].join(' ');
}

/** The last block that both chains have; blocks up to `known` are the same. */
async function lastCommon(
  chains: readonly [string, string],
  equalUpTo: number,
  end: number,
): Promise<number | undefined> {
  const isSame = async (number: number): Promise<boolean> => {
    const [ours, theirs] = await Promise.all(chains.map((chain) => identity(chain, number)));
    return ours === theirs;
  };
  let [low, high] = [equalUpTo, end];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (await isSame(middle)) low = middle;
    else high = middle - 1;
  }
  return low < 0 ? undefined : low;
}

async function readSide(chain: string, head: number, common: number): Promise<Side> {
  const blocks: BlockRow[] = [];
  let before: number | undefined = head + 1;
  while (before !== undefined && before > common + 1 && blocks.length < MAX_BLOCKS) {
    const limit = Math.min(LISTED, before - common - 1);
    const page: Result<'devnet_listBlocks'> = await request(
      'devnet_listBlocks',
      { limit, before },
      chain,
    );
    blocks.push(...page.blocks);
    before = page.blocks.length === 0 ? undefined : page.next;
  }
  return { head, blocks };
}

async function changesOf(chain: string, { head }: Side, common: number): Promise<Diff> {
  const numbers = Array.from({ length: head - common }, (_, at) => common + 1 + at);
  const updates = await Promise.all(
    numbers.map((block_number) =>
      request('starknet_getStateUpdate', { block_id: { block_number } }, chain),
    ),
  );
  return mergeDiffs(updates.map(({ state_diff }) => state_diff));
}

/** The changed values of a difference, by their place. */
function valuesOf(diff: Diff): ReadonlyMap<string, readonly [StateLocation, string]> {
  const values = new Map<string, readonly [StateLocation, string]>();
  for (const { address, class_hash } of diff.deployed_contracts) {
    values.set(`${address} 0 class`, [{ what: 'class', contract: address }, class_hash]);
  }
  for (const { contract_address: contract, class_hash } of diff.replaced_classes) {
    values.set(`${contract} 0 class`, [{ what: 'class', contract }, class_hash]);
  }
  for (const { contract_address: contract, nonce } of diff.nonces) {
    values.set(`${contract} 1 nonce`, [{ what: 'nonce', contract }, nonce]);
  }
  for (const { address: contract, storage_entries } of diff.storage_diffs) {
    for (const { key, value } of storage_entries) {
      values.set(`${contract} 2 ${key}`, [{ what: 'slot', contract, key }, value]);
    }
  }
  const declared = [
    ...diff.declared_classes.map(({ class_hash }) => class_hash),
    ...diff.deprecated_declared_classes,
  ];
  for (const hash of declared) values.set(`- ${hash}`, [{ what: 'declared', hash }, hash]);
  return values;
}

/** A value that a chain did not change since. */
export async function unchanged(
  chain: string,
  location: StateLocation,
): Promise<string | undefined> {
  if (location.what === 'declared') return undefined;
  const at = { block_id: 'latest', contract_address: location.contract };
  try {
    if (location.what === 'nonce') return await request('starknet_getNonce', at, chain);
    if (location.what === 'class') return await request('starknet_getClassHashAt', at, chain);
    const stored = await request('starknet_getStorageAt', { ...at, key: location.key }, chain);
    return typeof stored === 'string' ? stored : stored.value;
  } catch {
    // The contract does not exist on this chain.
    return undefined;
  }
}

async function differing(
  chains: readonly [string, string],
  diffs: readonly [Diff, Diff],
): Promise<{ readonly values: readonly DifferingValue[]; readonly isCut: boolean }> {
  const [leftValues, rightValues] = [valuesOf(diffs[0]), valuesOf(diffs[1])];
  const ids = [...new Set([...leftValues.keys(), ...rightValues.keys()])].sort();
  const values = await Promise.all(
    ids.slice(0, MAX_VALUES).flatMap((id) => {
      const location = (leftValues.get(id) ?? rightValues.get(id))?.[0];
      if (!location) return [];
      const valueOn = async (side: 0 | 1): Promise<string | undefined> =>
        (side === 0 ? leftValues : rightValues).get(id)?.[1] ?? unchanged(chains[side], location);
      return [
        Promise.all([valueOn(0), valueOn(1)]).then(
          (both): DifferingValue => ({ ...location, id, values: both }),
        ),
      ];
    }),
  );
  return {
    values: values.filter(({ values: [a, b] }) => a !== b),
    isCut: ids.length > MAX_VALUES,
  };
}

/** @param chains the paths of two chains of the node */
export async function compareChains(chains: readonly [string, string]): Promise<ChainDifference> {
  const [leftHead, rightHead, fork] = await Promise.all([
    request('starknet_blockNumber', {}, chains[0]),
    request('starknet_blockNumber', {}, chains[1]),
    whatIsForked(),
  ]);
  // Older blocks are the origin's, which both share.
  const equalUpTo = Math.min(fork ? fork.block : -1, leftHead, rightHead);
  const common = await lastCommon(chains, equalUpTo, Math.min(leftHead, rightHead));
  const after = common ?? -1;
  const sides = await Promise.all([
    readSide(chains[0], leftHead, after),
    readSide(chains[1], rightHead, after),
  ]);
  if (Math.max(leftHead, rightHead) - after > MAX_BLOCKS) {
    return { common, sides, values: undefined, isCut: true };
  }
  const diffs = await Promise.all([
    changesOf(chains[0], sides[0], after),
    changesOf(chains[1], sides[1], after),
  ]);
  return { common, sides, ...(await differing(chains, diffs)) };
}
