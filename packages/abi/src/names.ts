// Names of contracts, accounts and classes, and of functions whose ABI is not at hand.
import type { Abi } from './abi.js';
import { shortAddress } from './felt.js';
import { selectorOf } from './selector.js';

export const STRK_ADDRESS = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
export const ETH_ADDRESS = '0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7';

/** By address. */
export type Names = ReadonlyMap<string, string>;

/** Contracts that every sandbox has. */
export const FIXTURE_NAMES: Names = new Map([
  [STRK_ADDRESS, 'STRK'],
  [ETH_ADDRESS, 'ETH'],
  ['0x2ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125', 'UDC'],
  ['0x41a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf', 'UDC (legacy)'],
  ['0x1caf2df5ed5dde1ae3faef4acd72522ac3cb16e23f6dc4c7f9faed67124c511', 'minter'],
  ['0x1000', 'sequencer'],
]);

/**
 * The names of fixtures, accounts and labelled contracts.
 *
 * @param accounts the addresses of the accounts, in order
 * @param labels pairs of an address and its label
 */
export function namesOf(
  accounts: readonly string[],
  labels: Iterable<readonly [address: string, label: string]>,
): Names {
  const names = new Map(FIXTURE_NAMES);
  accounts.forEach((address, at) => {
    names.set(address, `account ${at}`);
  });
  for (const [address, label] of labels) names.set(address, label);
  // A repeated name is shown with the address, so that no label can impersonate another contract.
  const counts = new Map<string, number>();
  for (const name of names.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const [address, name] of names) {
    if ((counts.get(name) ?? 0) > 1) names.set(address, `${name} ${shortAddress(address)}`);
  }
  return names;
}

/** Classes that have no ABI with a name. */
const CLASS_NAMES: Names = new Map([
  ['0x4d07e40e93398ed3c76981e72dd1fd22557a78ce36c0515f679e27f0bb5bc5f', 'Account (Cairo 0)'],
  ['0x7b3e05f48f0c69e4a65ce5e076a66271a527aff2c34ce1083ec6e1526997a69', 'UDC (Cairo 0)'],
]);

export interface ContractName {
  readonly name: string;
  /** Whether it belongs to this contract alone, and not to all of its class. */
  readonly isOwn: boolean;
}

/** Names that contracts and classes have beside labels. */
export interface GivenNames {
  /** Of artifacts and ABIs, by class hash. */
  readonly classes: Names;
  /** Of tokens, by address. */
  readonly tokens: Names;
}

/**
 * A label or a well-known name, else the name of the token, else the name of its class, its module or an interface,
 * else its address in short.
 */
export function contractName(
  address: string,
  classHash: string | undefined,
  abi: Abi | undefined,
  names: Names,
  givenNames?: GivenNames,
): ContractName {
  const contractLabel = names.get(address);
  if (contractLabel !== undefined) return { name: contractLabel, isOwn: true };
  const token = givenNames?.tokens.get(address);
  if (token !== undefined) return { name: token, isOwn: false };
  const className =
    classHash === undefined
      ? undefined
      : (names.get(classHash) ?? givenNames?.classes.get(classHash) ?? classLabel(classHash));
  const name = className ?? (abi && nameInAbi(abi));
  return name === undefined ? { name: shortAddress(address), isOwn: true } : { name, isOwn: false };
}

/** The name of a well-known class that has no ABI with a name. */
export function classLabel(classHash: string): string | undefined {
  return CLASS_NAMES.get(classHash);
}

/** The name of the contract in the ABI of its class, or of an interface. */
export function nameInAbi(abi: Abi): string | undefined {
  const [group] = [...abi.functions.values()].flatMap((entry) => entry.group ?? []);
  return classNameOf(abi) ?? group?.split('::').at(-1);
}

const EVENT = '::Event';

/** Sierra has no name of the contract, but the compiler names its enum of events after the contract's module. */
export function classNameOf({ events, roots }: Abi): string | undefined {
  const eventEnum = roots.filter((name) => events.get(name)?.kind === 'enum').at(-1);
  if (!eventEnum?.endsWith(EVENT)) return undefined;
  const path = eventEnum.slice(0, -EVENT.length);
  return path.slice(path.lastIndexOf(':') + 1) || undefined;
}

const COMMON = [
  '__execute__ __validate__ __validate_declare__ __validate_deploy__ constructor',
  'transfer transferFrom transfer_from approve balanceOf balance_of allowance mint burn permissioned_mint',
  'permissionedMint increase_allowance decrease_allowance increaseAllowance decreaseAllowance totalSupply',
  'deployContract deploy_contract upgrade set_public_key setPublicKey initialize swap deposit withdraw',
];

let bySelector: Map<string, string> | undefined;

/** Names of common functions, by selector. */
export function commonFunctions(): ReadonlyMap<string, string> {
  bySelector ??= new Map(
    COMMON.flatMap((line) => line.split(' ')).map((name) => [selectorOf(name), name]),
  );
  return bySelector;
}
