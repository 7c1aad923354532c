// Names of contracts, accounts and classes, and of functions whose ABI is not at hand.
import type { Abi } from './abi.js';
import { shortAddress } from './felt.js';
import { selectorOf } from './selector.js';
import { visibleName } from './visible-name.js';

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
  const distinct = distinctNames(names);
  return new Map(Array.from(names, ([address, name]) => [address, distinct(address, name)]));
}

/** Names that a user or the sandbox gave. */
export interface ReservedNames {
  /** By address or class hash; these are shown as they are. */
  readonly names: Names;
  /** In lower case; another contract that has one is shown with its address. */
  readonly reserved: ReadonlySet<string>;
}

/**
 * Adds the short address to names that several contracts have, so that none can pass for another. Upper and lower case
 * make no difference.
 *
 * @param named every address or class hash that is shown, with its name
 */
export function distinctNames(
  named: Iterable<readonly [felt: string, name: string]>,
  own?: ReservedNames,
): (felt: string, name: string) => string {
  const feltsByName = new Map<string, Set<string>>();
  for (const [felt, name] of named) {
    const key = name.toLowerCase();
    feltsByName.set(key, (feltsByName.get(key) ?? new Set()).add(felt));
  }
  return (felt, name) => {
    if (own?.names.has(felt)) return name;
    const key = name.toLowerCase();
    const isRepeated = (feltsByName.get(key)?.size ?? 0) > 1 || own?.reserved.has(key) === true;
    return isRepeated ? `${name} ${shortAddress(felt)}` : name;
  };
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
  const className = nameOfClass(classHash, {
    label: classHash === undefined ? undefined : names.get(classHash),
    artifact: classHash === undefined ? undefined : givenNames?.classes.get(classHash),
    inAbi: abi && nameInAbi(abi),
  });
  return className === undefined
    ? { name: shortAddress(address), isOwn: true }
    : { name: className.name, isOwn: false };
}

/** Names that a class can have. */
interface ClassNameSources {
  readonly label: string | undefined;
  /** Of its compiled artifact. */
  readonly artifact: string | undefined;
  readonly inAbi: string | undefined;
}

interface ClassName {
  readonly name: string;
  readonly source: 'LABEL' | 'ARTIFACT' | 'CLASS';
}

/** The label of a class, else the name of its artifact, else a well-known name or the one in its ABI. */
export function nameOfClass(
  classHash: string | undefined,
  { label, artifact, inAbi }: ClassNameSources,
): ClassName | undefined {
  if (label !== undefined) return { name: label, source: 'LABEL' };
  const artifactName = visibleName(artifact ?? '');
  if (artifactName !== undefined) return { name: artifactName, source: 'ARTIFACT' };
  const name = (classHash === undefined ? undefined : CLASS_NAMES.get(classHash)) ?? inAbi;
  return name === undefined ? undefined : { name, source: 'CLASS' };
}

/** The name of the contract in the ABI of its class, or of an interface. */
export function nameInAbi(abi: Abi): string | undefined {
  const [group] = [...abi.functions.values()].flatMap((entry) => entry.group ?? []);
  return visibleName(classNameOf(abi) ?? group?.split('::').at(-1) ?? '');
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
