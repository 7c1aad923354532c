// Writes to storage by the names of variables.
import { valueText } from '@starkbox/abi';
import { shortAddress } from '@starkbox/abi/basics';
import { decodeSlot, plainFeltText, type SlotName, slotPartText } from '@starkbox/abi/internal';
import type { CallBranch, Chain } from 'starkbox';
import type { AddressNames } from './value-text.js';

/** A slot of a contract. */
export interface Slot {
  readonly address: string;
  readonly key: string;
}

/** A slot with its name, for example `balances[alice]`; its key if the name was not found. */
export interface NamedSlotText extends Slot {
  readonly text: string;
  readonly name: SlotName | undefined;
}

export const slotId = ({ address, key }: Slot): string => `${address} ${key}`;

/**
 * Names slots by the variables of their classes.
 *
 * @param felts keys of maps to try: addresses and numbers that the calls mention
 */
export async function nameSlots(
  chain: Pick<Chain, 'request'>,
  slots: readonly Slot[],
  felts: readonly string[],
  names: AddressNames,
): Promise<readonly NamedSlotText[]> {
  const addresses = [...new Set(slots.map(({ address }) => address))];
  if (addresses.length === 0) return [];
  const { slots: slotNames } = await chain.request('devnet_nameStorage', {
    contracts: addresses.map((address) => ({
      contract_address: address,
      keys: slots.filter((slot) => slot.address === address).map(({ key }) => key),
    })),
    felts: [...new Set(felts)].slice(0, MAX_FELTS),
  });
  const bySlot = new Map(
    slotNames.map((slot) => [slotId({ address: slot.contract_address, key: slot.key }), slot]),
  );
  return slots.map((slot) => {
    const name = bySlot.get(slotId(slot));
    const contract = names.get(slot.address) ?? shortAddress(slot.address);
    if (!name) return { ...slot, name, text: `${contract} slot ${shortAddress(slot.key)}` };
    return { ...slot, name, text: `${contract}.${withNames(name.name, names)}` };
  });
}

const MAX_FELTS = 200;

/** Replaces addresses of the node's text by the names of the test. */
function withNames(text: string, names: AddressNames): string {
  let replaced = text;
  for (const [address, name] of names) {
    replaced = replaced.replaceAll(address, name).replaceAll(shortAddress(address), name);
  }
  return replaced;
}

/** The value of a slot as its type says. */
export function slotValueText(
  { name }: Pick<NamedSlotText, 'name'>,
  value: string,
  high: string | undefined,
  names: AddressNames,
): string {
  const address = (felt: string): string => names.get(felt) ?? shortAddress(felt);
  if (!name) return plainFeltText(value, (felt) => names.get(felt) ?? felt);
  return valueText(decodeSlot(name, value, high), {
    felt: (felt) => plainFeltText(felt, (text) => names.get(text) ?? text),
    address,
    classHash: shortAddress,
  });
}

/** The slot behind another, which has the upper half of a u256. */
export const slotAfter = ({ address, key }: Slot): Slot => ({
  address,
  key: `0x${(BigInt(key) + 1n).toString(16)}`,
});

/** Slots without the upper halves whose lower half is listed too. */
export function withoutUpperHalves(slots: readonly NamedSlotText[]): readonly NamedSlotText[] {
  const lower = new Set(
    slots.filter(({ name }) => name?.part === 'low').map((slot) => slotId(slotAfter(slot))),
  );
  return slots.filter((slot) => slot.name?.part !== 'high' || !lower.has(slotId(slot)));
}

/** Changed slots in lines: `vault.total: 5 → 4`. */
export async function changedSlotLines(
  before: CallBranch,
  after: CallBranch,
  slots: readonly NamedSlotText[],
  names: AddressNames,
): Promise<readonly string[]> {
  const textOf = async (branch: CallBranch, slot: NamedSlotText): Promise<string> => {
    const next = slotAfter(slot);
    const high =
      slot.name?.part === 'low' ? await branch.storageAt(next.address, next.key) : undefined;
    return slotValueText(slot, await branch.storageAt(slot.address, slot.key), high, names);
  };
  const lines: string[] = [];
  for (const slot of withoutUpperHalves(slots)) {
    const [old, current] = [await textOf(before, slot), await textOf(after, slot)];
    const part = slot.name?.part === 'low' ? undefined : slot.name && slotPartText(slot.name);
    const label = part === undefined ? slot.text : `${slot.text} (${part})`;
    if (old !== current) lines.push(`${label}: ${old} → ${current}`);
  }
  return lines;
}
