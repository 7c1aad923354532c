// Lists of contracts, classes and storage slots.
import type { CLASS_ROW, CONTRACT_ROW, STORAGE_ROW } from '@starkbox/spec';
import { failContract } from '../../errors.js';
import { DECLARES, DEPLOYS } from '../history/block-keys.js';
import type { Slots } from '../world/archived-states.js';
import { latestHeader, pendingNumber, stateDiff } from '../world/find-block.js';
import type { World } from '../world/world.js';
import { type Page, readPage } from './page.js';

export interface PageRequest {
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** Rows without names: `ContractNames` has them. */
type ContractRow = Omit<CONTRACT_ROW, 'name' | 'name_source'>;
type ClassRow = Omit<CLASS_ROW, 'name' | 'name_source'>;

export function listContracts(world: World, request: PageRequest): Promise<Page<ContractRow>> {
  const rowOf = async (address: string, block: number): Promise<ContractRow> => ({
    contract_address: address,
    // The current one: the class may have been replaced since.
    class_hash: await world.pendingState.classHashAt(address),
    deployed_in: block,
    ...labelled(world, address),
  });
  return readPage({
    ...request,
    world,
    from: pendingNumber(world),
    blockKeys: [[DEPLOYS]],
    rowsIn: (block) =>
      stateDiff(world, block).deployed_contracts.map(
        ({ address }) =>
          () =>
            rowOf(address, block),
      ),
  });
}

export function listClasses(world: World, request: PageRequest): Promise<Page<ClassRow>> {
  return readPage({
    ...request,
    world,
    from: pendingNumber(world),
    blockKeys: [[DECLARES]],
    rowsIn: (block) => {
      const { declared_classes, deprecated_declared_classes } = stateDiff(world, block);
      const rowOf = (hash: string, kind: ClassRow['kind']) => (): ClassRow => ({
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

/** The slots of a contract that are not zero, in the order of their keys. */
export async function listStorage(
  world: World,
  address: string,
  request: PageRequest & { readonly isPending: boolean },
): Promise<Page<STORAGE_ROW>> {
  const { isPending, cursor, limit } = request;
  const state = isPending ? world.pendingState : world.latestState;
  const number = isPending ? pendingNumber(world) : latestHeader(world).number;
  const inMemory = state.slots(address, cursor, limit);
  const upTo = inMemory.length < limit ? undefined : inMemory.at(-1)?.key;
  const onDisk = world.archived?.slots(address, cursor, number, limit);
  const page = mergeSlots(
    limit,
    { slots: inMemory, upTo },
    onDisk ?? { slots: [], upTo: undefined },
  );
  if (page.rows.length === 0 && (await state.classHashAt(address)) === '0x0') {
    failContract(address);
  }
  return page;
}

/** A newer slot replaces an older one with the same key. */
function mergeSlots(limit: number, newer: Slots, older: Slots): Page<STORAGE_ROW> {
  const [bound] = [newer.upTo, older.upTo].flatMap((key) => key ?? []).sort(byValue);
  const slotsByKey = new Map([...older.slots, ...newer.slots].map((slot) => [slot.key, slot]));
  const slots = [...slotsByKey.values()]
    .filter(
      ({ key, value }) => value !== '0x0' && (bound === undefined || byValue(key, bound) <= 0),
    )
    .sort((first, other) => byValue(first.key, other.key));
  return {
    rows: slots
      .slice(0, limit)
      .map(({ key, value, since }) => ({ key, value, last_update_block: since })),
    next: slots.length > limit ? slots[limit - 1]?.key : bound,
  };
}

/** Felts have no leading zeros, so the longer one is larger. */
function byValue(first: string, other: string): number {
  if (first.length !== other.length) return first.length - other.length;
  return first < other ? -1 : Number(first > other);
}

function labelled({ labels }: World, value: string): { readonly label?: string } {
  const label = labels.get(value);
  return label === undefined ? {} : { label };
}
