// Knows which contracts, classes and slots a chain has made, by walking back through what its blocks changed.
import type { State, StateDiff } from '@starkbox/engine';
import { fail } from '../errors.js';
import type { CLASS_ROW, CONTRACT_ROW, STORAGE_ROW } from '../spec.js';
import { latestHeader, pendingNumber, stateDiffText } from './block.js';
import { DECLARES, DEPLOYS, UNKNOWN, writes } from './landmarks.js';
import { type Page, readPage } from './page.js';
import type { World } from './world.js';

export interface PageWish {
  readonly cursor: string | undefined;
  readonly limit: number;
}

export function listContracts(world: World, wish: PageWish): Promise<Page<CONTRACT_ROW>> {
  const rowOf = async (address: string, block: number): Promise<CONTRACT_ROW> => ({
    contract_address: address,
    // It may have been replaced since.
    class_hash: await world.state.classHashAt(address),
    deployed_in: block,
    ...labelled(world, address),
  });
  return readPage({
    ...wish,
    world,
    from: pendingNumber(world),
    marks: [[DEPLOYS, UNKNOWN]],
    rowsIn: (block) =>
      diffOf(world, block).deployed_contracts.map(
        ({ address }) =>
          () =>
            rowOf(address, block),
      ),
  });
}

export function listClasses(world: World, wish: PageWish): Promise<Page<CLASS_ROW>> {
  return readPage({
    ...wish,
    world,
    from: pendingNumber(world),
    marks: [[DECLARES, UNKNOWN]],
    rowsIn: (block) => {
      const { declared_classes, deprecated_declared_classes } = diffOf(world, block);
      const rowOf = (hash: string, kind: CLASS_ROW['kind']) => (): CLASS_ROW => ({
        class_hash: hash,
        declared_in: block,
        kind,
        ...labelled(world, hash),
      });
      return [
        ...deprecated_declared_classes.map((hash) => rowOf(hash, 'cairo0')),
        ...declared_classes.map(({ class_hash }) => rowOf(class_hash, 'sierra')),
      ];
    },
  });
}

/** The slots of a contract that are not zero, the last written first. */
export async function listStorage(
  world: World,
  address: string,
  wish: PageWish & { readonly isPending: boolean },
): Promise<Page<STORAGE_ROW>> {
  const { isPending, cursor, limit } = wish;
  const state = isPending ? world.state : world.latest;
  const from = isPending ? pendingNumber(world) : latestHeader(world).number;
  const rowOf = (key: string, value: string, block: number): STORAGE_ROW | undefined =>
    // A slot is shown where it was last written, so once.
    value !== '0x0' && since(world, state, address, key, from) === block
      ? { key, value, last_update_block: block }
      : undefined;
  const page = await readPage({
    world,
    from,
    cursor,
    limit,
    marks: [[writes(address), UNKNOWN]],
    rowsIn: (block) =>
      diffOf(world, block)
        .storage_diffs.filter((diff) => diff.address === address)
        .flatMap(({ storage_entries }) => storage_entries)
        .map(
          ({ key, value }) =>
            () =>
              rowOf(key, value, block),
        ),
  });
  if (page.rows.length === 0 && (await state.classHashAt(address)) === '0x0') {
    fail('CONTRACT_NOT_FOUND');
  }
  return page;
}

function since(
  world: World,
  state: State,
  address: string,
  key: string,
  upTo: number,
): number | undefined {
  return state.storageSince(address, key) ?? world.past?.storageSince(address, key, upTo);
}

function diffOf(world: World, block: number): StateDiff {
  return JSON.parse(stateDiffText(world, block));
}

function labelled({ labels }: World, value: string): { readonly label?: string } {
  const label = labels.get(value);
  return label === undefined ? {} : { label };
}
