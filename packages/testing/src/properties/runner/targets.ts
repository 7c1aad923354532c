// The contracts and actors of a check, read from the options and the chain.
import { readAbi } from '@starkbox/abi';
import { canonicalFelt } from '@starkbox/abi/basics';
import { classNameOf } from '@starkbox/abi/internal';
import type { LocalTestChain } from '../../test-chain.js';
import type { Actor, Target } from '../histories/vocabulary.js';
import type { CalledContract, InvariantOptions } from '../model/options.js';
import { classConstants } from '../values/class-constants.js';

type Listed = InvariantOptions['contracts'][number];

/** @throws TypeError if there is none, or something else is listed */
export async function targetsOf(
  chain: LocalTestChain,
  contracts: readonly Listed[],
): Promise<readonly Target[]> {
  const names = new Map<string, number>();
  const targets: Target[] = [];
  for (const listed of contracts) {
    const { address, ...functions } = chosenOf(listed);
    const { abi: abiText, classHash } = await classAt(chain, address);
    const abi = readAbi(abiText);
    const name = lowerFirst(classNameOf(abi) ?? 'contract');
    const count = (names.get(name) ?? 0) + 1;
    names.set(name, count);
    targets.push({
      name: count === 1 ? name : `${name}${count}`,
      address,
      abi,
      constants: await constantsOf(chain, classHash),
      ...functions,
    });
  }
  return targets;
}

async function classAt(
  chain: LocalTestChain,
  address: string,
): Promise<{ readonly abi: unknown; readonly classHash: string }> {
  const at = { block_id: 'pre_confirmed', contract_address: address } as const;
  try {
    const classHash = await chain.request('starknet_getClassHashAt', at);
    const { abi } = await chain.request('starknet_getClassAt', at);
    return { abi, classHash };
  } catch (error) {
    throw new TypeError(
      `contracts lists ${address}, but the chain has no contract there: deploy the contract first (${error instanceof Error ? error.message : error})`,
      { cause: error },
    );
  }
}

/** Numbers in the code of a class; none of a class that has no CASM, such as one of Cairo 0. */
async function constantsOf(chain: LocalTestChain, classHash: string): Promise<readonly bigint[]> {
  try {
    return classConstants(
      await chain.request('starknet_getCompiledCasm', { class_hash: classHash }),
    );
  } catch {
    return [];
  }
}

function chosenOf(listed: Listed): CalledContract {
  if (typeof listed === 'string') return { address: addressOf(listed, 'contracts') };
  const address = addressOf(listed.address, 'contracts');
  // The functions of a starknet.js contract are an object.
  const functions = Array.isArray(listed.functions)
    ? { functions: listed.functions.map(String) }
    : {};
  const exclude =
    'exclude' in listed && listed.exclude !== undefined ? { exclude: listed.exclude } : {};
  return { address, ...functions, ...exclude };
}

function addressOf(value: unknown, option: string): string {
  const address = typeof value === 'string' ? canonicalFelt(value) : undefined;
  if (address !== undefined) return address;
  throw new TypeError(
    `${option} must list addresses as hex strings, not ${String(value)}: pass for example '0x1234'`,
  );
}

/** The actors, or the predeployed accounts. */
export function actorsOf(
  chain: LocalTestChain,
  chosen: readonly string[] | undefined,
): readonly Actor[] {
  const accounts = chain.accounts.map(({ address }) => addressOf(address, 'accounts'));
  const actors = chosen?.map((address) => addressOf(address, 'actors')) ?? accounts;
  return actors.map((address, at) => {
    const index = accounts.indexOf(address);
    return { address, name: index < 0 ? `actor${at}` : `account${index}` };
  });
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
