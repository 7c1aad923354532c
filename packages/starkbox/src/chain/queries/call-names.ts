// Names of contracts and functions for the calls of an execution.
import { type Abi, type Names, selectorOf } from '@starkbox/abi';
import { contractName, type GivenNames } from '@starkbox/abi/internal';
import type { DebugInfos } from '../../debug-info/debug-infos.js';
import type { Abis } from './abis.js';
import type { ContractNames } from './contract-names.js';

const CONSTRUCTOR = selectorOf('constructor');

/** Where names come from. */
export interface NameSources {
  readonly infos: DebugInfos;
  readonly abis: Abis;
  readonly names: () => Promise<ContractNames>;
}

interface NamedCall {
  readonly contract_address: string;
  readonly class_hash: string;
  readonly entry_point_selector: string;
}

/** Names of the contracts of some calls. */
interface CallNames {
  readonly own: Names;
  readonly given?: GivenNames;
}

export async function namesOfCalls(
  sources: NameSources,
  calls: readonly NamedCall[],
): Promise<CallNames> {
  const names = await sources.names();
  const given = await names.readGivenNames(
    calls.map(({ contract_address }) => contract_address),
    calls.map(({ class_hash }) => class_hash),
  );
  return { own: names.own, given };
}

/** The names of the contract and of the function of a call. */
export function callNames(
  call: NamedCall,
  abi: Abi | undefined,
  { own, given }: CallNames,
): { readonly contract_name: string; readonly function_name?: string } {
  const { contract_address, class_hash, entry_point_selector: selector } = call;
  const declared = selector === CONSTRUCTOR ? abi?.constructor_ : undefined;
  const functionName = (abi?.functions.get(selector) ?? declared)?.name;
  return {
    contract_name: contractName(contract_address, class_hash, abi, own, given).name,
    ...(functionName === undefined ? {} : { function_name: functionName }),
  };
}
