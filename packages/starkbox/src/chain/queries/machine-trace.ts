// What the machine did in a transaction of a block: its calls with their registers, and names.
import { type Abi, type Names, selectorOf } from '@starkbox/abi';
import { contractName, type GivenNames } from '@starkbox/abi/internal';
import type { RetracedFrame, State } from '@starkbox/engine';
import type { MACHINE_CALL, MACHINE_CLASS, MACHINE_TRACE } from '@starkbox/spec';
import type { DebugInfos } from '../../debug-info/debug-infos.js';
import { refuse } from '../../errors.js';
import { parse } from '../../json/json.js';
import { listOf, membersOf } from '../../json/reader.js';
import type { Chain } from '../chain.js';
import { entryPointNames } from '../retrace/cairo-stack.js';
import { locateRepeatable, retraceTransaction } from '../retrace/retrace.js';
import type { Abis } from './abis.js';
import type { ContractNames } from './contract-names.js';

/** Steps of a transaction: their registers are an answer of 64 MB. */
const MOST_STEPS = 4_000_000;
const CONSTRUCTOR = selectorOf('constructor');

/** Where names come from. */
export interface NameSources {
  readonly infos: DebugInfos;
  readonly abis: Abis;
  readonly names: () => Promise<ContractNames>;
}

export async function machineTrace(
  chain: Chain,
  hash: string,
  sources: NameSources,
  signal?: AbortSignal,
): Promise<MACHINE_TRACE> {
  const { world } = chain;
  const { record, frames } = await retraced(chain, hash, signal);
  const names = await namesOfCalls(sources, frames);
  const calls: MACHINE_CALL[] = [];
  for (const frame of frames) {
    const abi = await sources.abis.of(frame.class_hash, world.pendingState);
    calls.push(callOf(frame, abi, names));
  }
  const withRegisters = calls.filter(({ registers }) => registers !== undefined);
  const classes: MACHINE_CLASS[] = [];
  for (const classHash of new Set(withRegisters.map(({ class_hash }) => class_hash))) {
    classes.push(await classOf(classHash, sources.infos, world.pendingState));
  }
  const { signature } = membersOf(parse(record.transaction));
  return { signature_length: listOf(signature).length, calls, classes };
}

async function retraced(chain: Chain, hash: string, signal: AbortSignal | undefined) {
  const { record } = locateRepeatable(chain, hash);
  const traced = await retraceTransaction(chain, hash, { machine: MOST_STEPS, signal });
  const frames = traced?.frames ?? [];
  if (frames.length === 0) {
    refuse(
      'The transaction ran no code: it is a declaration without validation. Profile a transaction that calls a contract.',
    );
  }
  const steps = frames.reduce((sum, frame) => sum + frame.steps, 0);
  if (steps > MOST_STEPS) {
    refuse(
      `The transaction took ${steps} steps; a trace has at most ${MOST_STEPS}. Trace a smaller transaction, for example with fewer loop iterations.`,
    );
  }
  return { record, frames };
}

function callOf(frame: RetracedFrame, abi: Abi | undefined, names: CallNames): MACHINE_CALL {
  const { stack: _stack, visited: _visited, machine, ...rest } = frame;
  if (!machine) throw new Error('a frame without a machine trace');
  return { ...rest, ...machine, ...callNames(frame, abi, names) };
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
  const given = await names.given(
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

async function classOf(classHash: string, infos: DebugInfos, state: State): Promise<MACHINE_CLASS> {
  const info = infos.get(classHash);
  if (info) {
    return {
      class_hash: classHash,
      functions: Array.from(info.functions, ([id, name]) => ({ id, name })),
      statements: Array.from(info.statements(), ([statement, functions]) => ({
        statement,
        functions,
      })),
    };
  }
  const contractClass = await state.class(classHash);
  const names = contractClass
    ? await entryPointNames(await contractClass.json(), await contractClass.abi())
    : [];
  return { class_hash: classHash, functions: Array.from(names, ([id, name]) => ({ id, name })) };
}
