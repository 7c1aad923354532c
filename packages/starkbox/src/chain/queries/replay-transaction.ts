// Replay of an origin's transaction on the state before it, or on an overridden one.
import { listOf, type Members, membersOf, toFelt } from '@starkbox/abi/basics';
import {
  Block,
  Class,
  type SourceQuestion,
  State,
  StateSource,
  Transaction,
} from '@starkbox/engine';
import { fail, refuse } from '../../errors.js';
import { HASH_BUFFER, HASH_CONTRACT } from '../../fork/block-hashes.js';
import type { Fork } from '../../fork/fork.js';
import { parse } from '../../json/json.js';
import { originStateDiff } from '../../json/state-diff.js';
import { ETH, STRK } from '../../predeployed.js';
import { isReplayable, nearestVersion, OLDEST_REPLAYED } from '../../starknet-versions.js';
import {
  applyChange,
  checkShape,
  compileGiven,
  declaredIn,
  type StateChange,
} from '../execution/apply-state-diff.js';
import type { BlockRules, ContextHeader } from '../execution/block-context.js';
import { executionError, withExecutionErrors } from '../execution/execution-errors.js';
import type { Executions } from '../execution/executions.js';
import { SEQUENCER } from '../genesis/accounts.js';
import type { HeaderPrices } from '../history/header.js';
import { storedReceipt, traceText } from '../history/stored-texts.js';
import { enginePrices } from '../world/gas-prices.js';

/** A value that differs, by its path; `was` or `is` is left out where the value is absent. */
export interface Difference {
  readonly path: string;
  readonly was?: unknown;
  readonly is?: unknown;
}

export interface ReplayedTransaction {
  readonly receipt: object;
  /** As JSON text. */
  readonly trace: string;
  readonly differences: readonly Difference[];
}

/** A transaction of the origin, ready to run again. */
export interface OriginExecution {
  /** The state before it. */
  readonly state: State;
  readonly context: Block;
  readonly transaction: Transaction;
  /** Its index in the block. */
  readonly index: number;
  readonly receipt: Members;
  readonly trace: Members;
}

/**
 * Prepares a transaction of the origin after the earlier ones of its block. The changes of these
 * come from their traces: these are the actual changes, and reading them needs no execution.
 */
export async function originExecution(
  fork: Fork,
  rules: BlockRules,
  hash: string,
  overrides: StateChange | undefined,
  signal?: AbortSignal,
): Promise<OriginExecution> {
  if (overrides) checkShape(overrides);
  const request = async (method: string, params: Members): Promise<unknown> =>
    parse((await fork.answer(method, params, undefined, signal)).text);
  const receipt = membersOf(
    await request('starknet_getTransactionReceipt', { transaction_hash: hash }),
  );
  const number = Number(receipt['block_number']);
  const [values, block] = await Promise.all([
    request('starknet_getTransactionByHash', { transaction_hash: hash }).then(membersOf),
    originBlock(fork, number, signal),
  ]);
  const index = block.traces.findIndex((trace) => trace.hash === hash);
  const { trace } = block.traces[index] ?? fail('TXN_HASH_NOT_FOUND');
  block.prefetch(trace);
  let { state } = block;
  for (const earlier of block.traces.slice(0, index)) {
    state = await afterOriginTransaction(fork, state, earlier.trace);
  }
  if (overrides) {
    const overridden = await compileGiven(overrides.classes ?? [], {});
    state = await applyChange(state, overrides, overridden);
  }
  const transaction = await originTransaction(fork, values, rules.chainId);
  return {
    state,
    context: originContext(rules, originHeader(block.header)),
    transaction,
    index,
    receipt,
    trace,
  };
}

/** A block of the origin, whose transactions can run again. */
export interface OriginBlock {
  readonly number: number;
  readonly header: Members;
  /** The state before its first transaction. */
  readonly state: State;
  /** In the order of its transactions. */
  readonly traces: readonly OriginTrace[];
  /** Begins the reads that a trace implies. */
  readonly prefetch: (trace: Members) => void;
}

export interface OriginTrace {
  readonly hash: string;
  readonly trace: Members;
}

/** The traces of a block of the origin. */
export async function originTraces(
  fork: Fork,
  number: number,
  signal?: AbortSignal,
): Promise<readonly OriginTrace[]> {
  const params = { block_id: { block_number: number } };
  const { text } = await fork.answer('starknet_traceBlockTransactions', params, undefined, signal);
  return listOf(parse(text)).map((item) => {
    const { transaction_hash: hash, trace_root: trace } = membersOf(item);
    return { hash: String(hash), trace: membersOf(trace) };
  });
}

/** Reads a block of the origin with the state before it. */
export async function originBlock(
  fork: Fork,
  number: number,
  signal?: AbortSignal,
): Promise<OriginBlock> {
  if (number === 0) refuse('The first block has no previous state');
  const [header, traces, parent] = await Promise.all([
    fork.header(number, signal),
    originTraces(fork, number, signal),
    fork.at(number - 1),
  ]);
  let state = State.create({ version: number, source: new StateSource(parent.ask) });
  const old = number - HASH_BUFFER;
  if (old >= 0) {
    const entry = { key: toFelt(old), value: await fork.hashOf(old) };
    const write = { address: HASH_CONTRACT, storage_entries: [entry] };
    state = await state.apply({ storage_diffs: [write] });
  }
  const prefetch = (trace: Members): void => parent.prefetchReads(readsOf(trace));
  return { number, header, state, traces, prefetch };
}

/** The state after a transaction of the origin, by its trace. */
export async function afterOriginTransaction(
  fork: Fork,
  state: State,
  trace: Members,
): Promise<State> {
  const diff = originStateDiff(trace['state_diff']);
  const classes = await Promise.all(declaredIn(diff).map((hash) => classOf(fork, hash)));
  return state.apply(diff, classes);
}

/** @param values a transaction as the origin returns it */
export async function originTransaction(
  fork: Fork,
  values: Members,
  chainId: string,
): Promise<Transaction> {
  const { transaction_hash: _hash, class_hash, ...rest } = values;
  const declared =
    values['type'] === 'DECLARE' && typeof class_hash === 'string'
      ? await classOf(fork, class_hash)
      : undefined;
  return new Transaction(
    {
      ...rest,
      ...(class_hash === undefined ? {} : { class_hash }),
      // The origin does not return the fee that was paid on L1; this one always suffices.
      ...(values['type'] === 'L1_HANDLER' && !('paid_fee_on_l1' in values)
        ? { paid_fee_on_l1: toFelt(2n ** 127n) }
        : {}),
    },
    chainId,
    declared,
  );
}

/** Executes a transaction of the origin again, and compares the outcomes. */
export async function replayTransaction(
  fork: Fork,
  { options: rules, executions }: { readonly options: BlockRules; readonly executions: Executions },
  hash: string,
  overrides: StateChange | undefined,
  signal?: AbortSignal,
): Promise<ReplayedTransaction> {
  const prepared = await originExecution(fork, rules, hash, overrides, signal);
  const { state, context, transaction, index } = prepared;
  const [execution] = await withExecutionErrors(
    executions.simulate(state, context, [transaction], {}, { report: 'execution', signal }),
  );
  if (!execution) throw new Error('an execution returned no report');
  if (execution.outcome === 'rejected') {
    return fail('TRANSACTION_EXECUTION_ERROR', {
      transaction_index: index,
      execution_error: executionError(execution.rejection),
    });
  }
  const trace = traceText(execution);
  const receipt = storedReceipt(execution.receipt);
  const {
    finality_status: _finality,
    block_hash: _block,
    block_number: _number,
    ...before
  } = prepared.receipt;
  return {
    receipt,
    trace,
    differences: [
      ...differences('receipt', before, JSON.parse(JSON.stringify(receipt))),
      ...differences('trace', prepared.trace, JSON.parse(trace)),
    ],
  };
}

/** The values of an origin's block that its context depends on. */
export interface OriginHeader extends Omit<ContextHeader, 'starknetVersion'> {
  /** Its rules are of this version; of the newest one if unknown. */
  readonly starknetVersion: string | undefined;
  readonly usesBlobs: boolean;
}

export function originHeader(header: Members): OriginHeader {
  const price = (name: keyof HeaderPrices): HeaderPrices['l1_gas_price'] => {
    const { price_in_fri: fri, price_in_wei: wei } = membersOf(header[name]);
    return { price_in_fri: String(fri ?? '0x1'), price_in_wei: String(wei ?? '0x1') };
  };
  const { starknet_version: version, sequencer_address: sequencer, l1_da_mode: mode } = header;
  return {
    number: Number(header['block_number']),
    timestamp: Number(header['timestamp']),
    sequencer: typeof sequencer === 'string' ? sequencer : SEQUENCER,
    prices: {
      l1_gas_price: price('l1_gas_price'),
      l1_data_gas_price: price('l1_data_gas_price'),
      l2_gas_price: price('l2_gas_price'),
    },
    starknetVersion:
      typeof version === 'string' && version !== ''
        ? meteredVersion(version, Number(header['block_number']))
        : undefined,
    usesBlobs: mode !== 'CALLDATA',
  };
}

/** The context of an origin's block, with the rules of its Starknet version. */
export function originContext(
  { chainId }: Pick<BlockRules, 'chainId'>,
  header: OriginHeader,
): Block {
  const { number, timestamp, sequencer = SEQUENCER, prices, starknetVersion, usesBlobs } = header;
  return new Block({
    number,
    timestamp,
    sequencer_address: sequencer,
    chain_id: chainId,
    fee_tokens: { strk: STRK, eth: ETH },
    gas_prices: enginePrices(prices),
    ...(starknetVersion === undefined ? {} : { starknet_version: starknetVersion }),
    use_kzg_da: usesBlobs,
  });
}

/** The version whose constants meter a block of the origin. */
function meteredVersion(version: string, number: number): string {
  const { version: nearest, relation } = nearestVersion(version);
  if (relation !== 'older') return nearest;
  if (isReplayable(version)) return version;
  return refuse(
    `Block ${number} has Starknet ${version}, and replay needs ${OLDEST_REPLAYED} or later: choose a transaction of a later block`,
  );
}

async function classOf(fork: Fork, hash: string): Promise<Class> {
  const text = await fork.read({ kind: 'class', class_hash: hash });
  return text === null ? fail('CLASS_HASH_NOT_FOUND') : Class.compile(text);
}

/** Reads that a trace implies: of the called contracts, and of the changed values. */
function readsOf(trace: Members): readonly SourceQuestion[] {
  const { nonces, storage_diffs } = originStateDiff(trace['state_diff']);
  const calls = Object.entries(trace)
    .filter(([name]) => name.endsWith('_invocation'))
    .flatMap(([, call]) => callsIn(membersOf(call)));
  return [
    ...nonces.map(({ contract_address: address }) => ({ kind: 'nonce', address }) as const),
    ...storage_diffs.flatMap(({ address, storage_entries }) =>
      storage_entries.map(({ key }) => ({ kind: 'storage', address, key }) as const),
    ),
    ...textsAt(calls, 'contract_address').map(
      (address) => ({ kind: 'class_hash', address }) as const,
    ),
    ...textsAt(calls, 'class_hash').map((class_hash) => ({ kind: 'class', class_hash }) as const),
  ];
}

/** A call and all calls inside of it. */
function callsIn(call: Members): readonly Members[] {
  return [call, ...listOf(call['calls']).flatMap((inner) => callsIn(membersOf(inner)))];
}

function textsAt(calls: readonly Members[], name: string): readonly string[] {
  return [...new Set(calls.map((call) => call[name]).filter((text) => typeof text === 'string'))];
}

function differences(path: string, was: unknown, is: unknown): readonly Difference[] {
  if (Object.is(was, is)) return [];
  if (typeof was !== 'object' || typeof is !== 'object' || was === null || is === null) {
    return [{ path, ...(was === undefined ? {} : { was }), ...(is === undefined ? {} : { is }) }];
  }
  const [before, after] = [membersOf(was), membersOf(is)];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const isList = Array.isArray(was) && Array.isArray(is);
  return [...names].flatMap((name) =>
    differences(isList ? `${path}[${name}]` : `${path}.${name}`, before[name], after[name]),
  );
}
