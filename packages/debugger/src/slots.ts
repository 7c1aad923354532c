// Names of storage slots, and their values by these names.
import { isObject } from '@starkbox/abi/basics';
import { decodeSlot, keyText, slotPartText } from '@starkbox/abi/internal';
import type { NAMED_SLOT } from '@starkbox/spec';
import type { Caller, StorageEntry, Value } from './debugger.js';
import { type PathStep, readLiteral } from './expressions.js';
import { leaf, valueOfDecoded } from './values-by-abi.js';

/** By {@link slotId}. */
export type SlotNames = ReadonlyMap<string, NAMED_SLOT>;

type Slot = Pick<StorageEntry, 'contractAddress' | 'key'>;

/** Slots whose names the node looks up. */
const MAX_SLOTS = 5_000;
/** Limits of a request. */
const MAX_KEYS = 500;
const MAX_FELTS = 500;

export const slotId = ({ contractAddress, key }: Slot): string => `${contractAddress} ${key}`;

/**
 * Names of slots; none if the node does not name them.
 *
 * @param felts which may be keys of maps
 */
export async function nameSlots(
  call: Caller,
  slots: readonly Slot[],
  felts: readonly string[],
  transaction: string | undefined,
): Promise<SlotNames> {
  const keysOf = new Map<string, string[]>();
  for (const { contractAddress, key } of slots.slice(0, MAX_SLOTS)) {
    const keys = keysOf.get(contractAddress);
    if (keys) keys.push(key);
    else keysOf.set(contractAddress, [key]);
  }
  const hint = transaction === undefined ? {} : { transaction_hash: transaction };
  const names = new Map<string, NAMED_SLOT>();
  for (const [contract_address, keys] of keysOf) {
    for (let first = 0; first < keys.length; first += MAX_KEYS) {
      const contracts = [{ contract_address, keys: keys.slice(first, first + MAX_KEYS) }];
      const params = { contracts, ...hint, felts: felts.slice(0, MAX_FELTS) };
      const answer = await call('devnet_nameStorage', params).catch(() => undefined);
      const list = isObject(answer) ? answer['slots'] : undefined;
      for (const slot of Array.isArray(list) ? list : []) {
        if (!isNamedSlot(slot)) continue;
        names.set(slotId({ contractAddress: slot.contract_address, key: slot.key }), slot);
      }
    }
  }
  return names;
}

function isNamedSlot(value: unknown): value is NAMED_SLOT {
  return (
    isObject(value) &&
    typeof value['contract_address'] === 'string' &&
    typeof value['key'] === 'string' &&
    typeof value['name'] === 'string' &&
    typeof value['variable'] === 'string' &&
    Array.isArray(value['path'])
  );
}

/** `balances[0x1]`, or `balances[0x1].low` for a part of the value. */
export function slotNameText(slot: NAMED_SLOT): string {
  const part = slotPartText(slot);
  if (part === undefined) return slot.name;
  return part.startsWith('+') ? `${slot.name} ${part}` : `${slot.name}.${part}`;
}

/** The value of the slots that a path names, as `balances[0x1]` does; undefined if none has the name. */
export function slotValue(
  entries: readonly StorageEntry[],
  names: SlotNames,
  steps: readonly PathStep[],
): Value | undefined {
  const [only] = steps;
  if (steps.length === 1 && only && 'key' in only) {
    const key = readLiteral(only.key);
    const entry = entries.find((slot) => typeof key === 'bigint' && BigInt(slot.key) === key);
    return entry && leaf('felt252', entry.value);
  }
  const matches = entries.flatMap((entry) => {
    const slot = names.get(slotId(entry));
    return slot && isNamed(slot, steps) ? [{ entry, slot }] : [];
  });
  const [first] = matches;
  if (!first) return undefined;
  const lastStep = steps.at(-1);
  const part = lastStep && 'member' in lastStep ? lastStep.member : undefined;
  const exact = matches.find(({ slot }) => slot.part !== undefined && slot.part === part);
  if (exact) return leaf('felt252', exact.entry.value);
  const low = matches.find(({ slot }) => slot.part === 'low') ?? first;
  const high = matches.find(({ slot }) => slot.part === 'high');
  const value = decodeSlot(low.slot, low.entry.value, high?.entry.value);
  const isWhole = low.slot.part === 'low' && high !== undefined;
  return valueOfDecoded(value, isWhole ? 'u256' : (low.slot.type ?? 'felt252'));
}

/** Whether the steps are the variable, keys and members of a slot, perhaps with its part behind them. */
function isNamed(slot: NAMED_SLOT, steps: readonly PathStep[]): boolean {
  const names: PathStep[] = [
    { member: slot.variable },
    ...slot.path.map(
      ({ keys, member }): PathStep =>
        keys ? { key: keys.map((key) => keyText(key, PLAIN)).join(',') } : { member: member ?? '' },
    ),
  ];
  const withPart = slot.part === undefined ? names : [...names, { member: slot.part }];
  return [names, withPart].some(
    (path) =>
      path.length === steps.length && path.every((name, index) => isSameStep(name, steps[index])),
  );
}

const PLAIN = { address: (felt: string): string => felt, felt: (felt: string): string => felt };

function isSameStep(step: PathStep, other: PathStep | undefined): boolean {
  if (!other) return false;
  if ('member' in step) return 'member' in other && step.member === other.member;
  if (!('key' in other)) return false;
  const [keys, others] = [step.key.split(','), other.key.split(',')];
  return keys.length === others.length && keys.every((key, index) => isSameKey(key, others[index]));
}

function isSameKey(key: string, other: string | undefined): boolean {
  const value = readLiteral(key);
  return value === undefined ? key.trim() === other?.trim() : value === readLiteral(other ?? '');
}
