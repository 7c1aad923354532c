// Executions whose changes are dropped: calls, estimates, simulations, proofs.
import { encodeShortString, padFelt, toFelt } from '@starkbox/abi/basics';
import type { Invocation } from '@starkbox/abi/internal';
import type {
  ExecutionFlags,
  Gas,
  Rejected,
  Rejection,
  Reports,
  State,
  Transaction,
} from '@starkbox/engine';
import type {
  BLOCK_ID,
  CONTRACT_EXECUTION_ERROR,
  FEE_ESTIMATE,
  FEE_ESTIMATE_COMMON,
  FUNCTION_CALL,
  MESSAGE_FEE_ESTIMATE,
  MSG_FROM_L1,
  ORDERED_MESSAGE,
  SIMULATION_FLAG,
} from '@starkbox/spec';
import { effectiveBlockGeneration } from '../../block-settings.js';
import { fail, refuse } from '../../errors.js';
import { endSharedSlice } from '../../scheduling/slices.js';
import type { Chain } from '../chain.js';
import { contextOf } from '../execution/block-context.js';
import { callError, executionError, withExecutionErrors } from '../execution/execution-errors.js';
import { type SimulationOptions, startTimeLimit } from '../execution/executions.js';
import { prove } from '../execution/mock-proof.js';
import { hasUsableBounds, readBroadcasted } from '../execution/prepare-transaction.js';
import type { HeaderPrices } from '../history/header.js';
import { type Broadcasted, readTrace, traceText } from '../history/stored-texts.js';
import { l1Handler } from '../steps/l1-handler.js';
import { findBlock, noBlock, stateByNumber } from '../world/find-block.js';
import { headerPrices } from '../world/gas-prices.js';
import { isImpersonated } from '../world/impersonation.js';
import type { World } from '../world/world.js';

const ENTRY_POINT_NOT_FOUND = encodeShortString('ENTRYPOINT_NOT_FOUND');

/** Calls a function at a block; its result. */
export async function call(
  chain: Chain,
  request: FUNCTION_CALL,
  where: Where,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { state, context, number } = at(chain, where);
  if ((await state.classHashAt(request.contract_address)) === '0x0') fail('CONTRACT_NOT_FOUND');
  // The coverage repeats a call on the state after its block.
  if (!isLocation(where)) chain.calls?.add(request, number);
  const { result, failure } = await chain.executions.call(state, context, request, {
    signal,
  });
  if (!failure) return result;
  if (failure.returned[0]?.[0] === ENTRY_POINT_NOT_FOUND && failure.frames.length <= 1) {
    fail('ENTRYPOINT_NOT_FOUND');
  }
  return fail('CONTRACT_ERROR', { revert_error: callError(failure) });
}

/** Estimated fees of transactions, each executed after the ones before it. */
export async function estimateFee(
  chain: Chain,
  transactions: readonly Broadcasted[],
  { skipValidate }: { readonly skipValidate: boolean },
  where: Where,
  signal?: AbortSignal,
): Promise<readonly FEE_ESTIMATE[]> {
  const { prices, ...location } = at(chain, where);
  const flags = { validate: !skipValidate, chargeFee: false, unboundedGas: true };
  const options = { report: 'estimate', signal } as const;
  const { reports } = await run(chain, location, transactions, flags, options);
  return reports.map((report, index) => {
    if (report.outcome === 'rejected') return failed(index, estimateError(report.rejection));
    if (report.fault) return failed(index, executionError(report.fault));
    return feeOf(report.receipt.execution_resources, prices, 'FRI');
  });
}

export interface Simulated {
  /** As JSON text. */
  readonly trace: string;
  readonly fee: FEE_ESTIMATE;
}

export interface Simulation {
  readonly transactions: readonly Simulated[];
  /** As JSON text, if requested. */
  readonly initialReads: string | undefined;
}

/** Traces and fees of transactions, each executed after the ones before it. */
export async function simulate(
  chain: Chain,
  transactions: readonly Broadcasted[],
  flags: readonly SIMULATION_FLAG[],
  where: Where,
  signal?: AbortSignal,
): Promise<Simulation> {
  const { prices, ...location } = at(chain, where);
  const chargeFee = !flags.includes('SKIP_FEE_CHARGE') && chain.options.chargesFee !== false;
  if (chargeFee) {
    const unusable = transactions.findIndex(
      (transaction) => !hasUsableBounds(transaction.resource_bounds),
    );
    if (unusable >= 0) failed(unusable, BOUNDS_TOO_SMALL);
  }
  const { reports, initialReads } = await run(
    chain,
    location,
    transactions,
    { validate: !flags.includes('SKIP_VALIDATE'), chargeFee, unboundedGas: !chargeFee },
    { report: 'simulation', initialReads: flags.includes('RETURN_INITIAL_READS'), signal },
  );
  const simulated = reports.map((report, index): Simulated => {
    if (report.outcome === 'rejected') return failed(index, simulationError(report.rejection));
    const fee = feeOf(report.receipt.execution_resources, prices, 'FRI');
    return { trace: traceText(report), fee };
  });
  return { transactions: simulated, initialReads };
}

/** Estimated fee of a message from L1. */
export async function estimateMessageFee(
  chain: Chain,
  message: MSG_FROM_L1,
  id: BLOCK_ID,
  signal?: AbortSignal,
): Promise<MESSAGE_FEE_ESTIMATE> {
  const { state, context, prices } = at(chain, id);
  if ((await state.classHashAt(message.to_address)) === '0x0') fail('CONTRACT_NOT_FOUND');
  const { transaction } = l1Handler(
    {
      l1_contract_address: toFelt(BigInt(message.from_address)),
      l2_contract_address: message.to_address,
      entry_point_selector: message.entry_point_selector,
      payload: message.payload,
      paid_fee_on_l1: '0x1',
      nonce: '0x0',
    },
    chain.options.chainId,
  );
  const options = { report: 'estimate', signal } as const;
  const [report] = await withExecutionErrors(
    chain.executions.simulate(state, context, [transaction], { query: true }, options),
  );
  if (!report || report.outcome === 'rejected') {
    return fail('CONTRACT_ERROR', {
      revert_error: report ? executionError(report.rejection) : 'nothing was executed',
    });
  }
  if (report.fault) fail('CONTRACT_ERROR', { revert_error: executionError(report.fault) });
  return feeOf(report.receipt.execution_resources, prices, 'WEI');
}

const CANNOT_PROVE =
  'This node cannot prove transactions: start it with --proof-mode devnet to create and verify mock proofs';

export interface Proof {
  readonly proof: string;
  readonly proof_facts: readonly string[];
  readonly l2_to_l1_messages: readonly ORDERED_MESSAGE[];
}

/** A mock proof that a transaction succeeds at a block. */
export async function proveTransaction(
  chain: Chain,
  values: Broadcasted,
  id: BLOCK_ID,
  signal?: AbortSignal,
): Promise<Proof> {
  if (chain.options.proofMode !== 'devnet') refuse(CANNOT_PROVE);
  if (values.type !== 'INVOKE') refuse('Only invoke transactions are supported for proving');
  const { chainId } = chain.options;
  const { world } = chain;
  const location = locate(chain, world, id, () =>
    refuse('Transaction execution failed: No block found'),
  );
  const transaction = await readBroadcasted(values, chainId, {}, signal);
  const flags = { chargeFee: false, unboundedGas: true, query: true };
  const options = { report: 'simulation', signal } as const;
  const [report] = await withExecutionErrors(
    chain.executions.simulate(location.state, location.context, [transaction], flags, options),
  );
  if (!report || report.outcome === 'rejected') {
    refuse(`Transaction execution failed: ${report?.rejection.message ?? 'nothing was executed'}`);
  }
  if (report.outcome === 'reverted') {
    refuse('Transaction execution failed: invoke execution did not succeed');
  }
  const messages = orderedMessages(report.trace);
  const proven = prove({
    chainId,
    blockNumber: location.number,
    blockHash: world.history.hash(location.number) ?? '0x0',
    transactionHash: transaction.hash,
    messages,
  });
  return { ...proven, l2_to_l1_messages: messages };
}

/** The block, state and world of an execution. */
interface PlainLocation {
  readonly number: number;
  readonly state: State;
  readonly context: ReturnType<typeof contextOf>;
  readonly world: World;
}

/** Where to execute, and the prices of fees. */
export interface ExecutionLocation extends PlainLocation {
  readonly prices: HeaderPrices;
}

/** After a block, or at a location that differs from its state. */
export type Where = BLOCK_ID | ExecutionLocation;

function isLocation(where: Where): where is ExecutionLocation {
  return typeof where === 'object' && 'state' in where;
}

function at(chain: Chain, where: Where): ExecutionLocation {
  if (isLocation(where)) return where;
  const { world } = chain;
  const location = locate(chain, world, where, () => noBlock(world));
  const header = world.history.header(location.number);
  return { ...location, prices: header?.prices ?? headerPrices(world.gas.current) };
}

function locate(chain: Chain, world: World, id: BLOCK_ID, missing: () => never): PlainLocation {
  const number = findBlock(world, id) ?? missing();
  const state = stateByNumber(world, number, id);
  return { number, state, context: contextOf(world, chain.options, number), world };
}

/** Executes transactions one after another and drops the changes. */
async function run<Kind extends keyof Reports>(
  chain: Chain,
  { state, context, world }: PlainLocation,
  broadcasted: readonly Broadcasted[],
  flags: ExecutionFlags,
  options: SimulationOptions<Kind>,
): Promise<{
  readonly reports: readonly (Reports[Kind] | Rejected)[];
  readonly initialReads: string | undefined;
}> {
  const { chainId } = chain.options;
  const generation = effectiveBlockGeneration(world, chain.options);
  const transactions: Transaction[] = [];
  // Classes take long to compile.
  const checkTime = startTimeLimit(chain.options, `${broadcasted.length} transactions`);
  // No limits of size: the classes are dropped.
  for (const values of broadcasted) {
    checkTime(transactions.length);
    // The semaphore then refuses the aborted run.
    if (options.signal?.aborted) break;
    transactions.push(await readBroadcasted(values, chainId, {}, options.signal));
    await endSharedSlice();
  }
  const each = transactions.map(
    ({ address, type }): ExecutionFlags => ({
      ...flags,
      query: true,
      validate: flags.validate !== false && !isImpersonated(world.impersonation, address),
      strictNonce: generation === 'transaction' || type === 'DECLARE',
    }),
  );
  const reports = await withExecutionErrors(
    chain.executions.simulate(state, context, transactions, each, options),
  );
  return { reports, initialReads: reports.at(-1)?.initialReads };
}

const BOUNDS_TOO_SMALL =
  "The transaction's resources don't cover validation or the minimal transaction fee.";

function failed(index: number, error: CONTRACT_EXECUTION_ERROR): never {
  return fail('TRANSACTION_EXECUTION_ERROR', { transaction_index: index, execution_error: error });
}

function estimateError(rejection: Rejection): CONTRACT_EXECUTION_ERROR {
  if (rejection.reason === 'nonce') return 'Account transaction nonce is invalid.';
  if (rejection.reason === 'validation') return `Account validation failed: ${rejection.message}`;
  return executionError(rejection);
}

function simulationError(rejection: Rejection): CONTRACT_EXECUTION_ERROR {
  const { nonce } = rejection;
  if (nonce) {
    return (
      `Invalid transaction nonce of contract at address ${padFelt(nonce.address)}. ` +
      `Account nonce: ${padFelt(nonce.account)}; got: ${padFelt(nonce.given)}.`
    );
  }
  return executionError(rejection);
}

/** The fee without a tip, which the sender chooses. */
function feeOf<Unit extends 'FRI' | 'WEI'>(
  gas: Gas,
  prices: HeaderPrices,
  unit: Unit,
): FEE_ESTIMATE_COMMON & { readonly unit: Unit } {
  const price = (of: HeaderPrices['l1_gas_price']): string =>
    unit === 'FRI' ? of.price_in_fri : of.price_in_wei;
  const l1 = price(prices.l1_gas_price);
  const data = price(prices.l1_data_gas_price);
  const l2 = price(prices.l2_gas_price);
  return {
    l1_gas_consumed: toFelt(gas.l1_gas),
    l1_gas_price: l1,
    l1_data_gas_consumed: toFelt(gas.l1_data_gas),
    l1_data_gas_price: data,
    l2_gas_consumed: toFelt(gas.l2_gas),
    l2_gas_price: l2,
    overall_fee: toFelt(
      BigInt(gas.l1_gas) * BigInt(l1) +
        BigInt(gas.l1_data_gas) * BigInt(data) +
        BigInt(gas.l2_gas) * BigInt(l2),
    ),
    unit,
  };
}

/** Messages that a transaction sent, in order. */
function orderedMessages(trace: string): readonly ORDERED_MESSAGE[] {
  const { execute_invocation: root } = readTrace(trace);
  if (root === undefined || !('calls' in root)) return [];
  const messagesOf = ({ messages, calls }: Invocation): readonly ORDERED_MESSAGE[] => [
    ...(messages ?? []),
    ...calls.flatMap(messagesOf),
  ];
  return messagesOf(root).toSorted((a, b) => a.order - b.order);
}
