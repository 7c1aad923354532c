// Simulating and sending of calls, and reading of their results.
import {
  type Bounds,
  type ExecutionResult,
  type Invoke,
  readAbi,
  type TracedTransaction,
  type UserCall,
} from '@starkbox/abi';
import { toFelt } from '@starkbox/abi/basics';
import { boundsFrom, callFormatOf, type Fee, invokeOf, NO_BOUNDS } from '@starkbox/abi/internal';
import type { Target } from '@starkbox/debugger';
import type { ReactNode } from 'react';
import { call, explanationIn, RpcFailure } from '../../rpc/client.js';
import type { Params, Result, Trace } from '../../rpc/methods.js';
import { queries } from '../../rpc/queries.js';
import { act } from '../action.js';
import type { Explanation } from '../transaction/explanation.js';
import { privateKeyOf } from './keys.js';

type Simulation = Result<'starknet_simulateTransactions'>;
type Simulated = Extract<Simulation, readonly unknown[]>[number];
export type BlockId = Params<'starknet_simulateTransactions'>['block_id'];
export type Overrides = NonNullable<Params<'devnet_simulateTransactions'>['overrides']>;

/** The calls of one account. */
export interface Step {
  readonly sender: string;
  readonly calls: readonly UserCall[];
}

/** Result of a step, simulated or sent. */
export interface Run {
  readonly transaction: TracedTransaction;
  readonly trace: Trace | undefined;
  readonly verdict: ExecutionResult;
  readonly fee: bigint;
  readonly l2Gas: bigint;
  readonly estimate: Fee | undefined;
  /** Block whose state was used; undefined for the newest. */
  readonly on: number | undefined;
  /** Only for sent transactions. */
  readonly hash: string | undefined;
  /** Asks the node why a simulated step fails. */
  readonly explain?: () => Promise<Explanation | undefined>;
  /** What a debugger of a simulated step runs. */
  readonly debugTarget?: Target;
}

const FLAGS = ['SKIP_VALIDATE', 'SKIP_FEE_CHARGE'] as const;

/** What sending needs of an account. */
async function account(contract_address: string, block_id: BlockId, overrides: Overrides = {}) {
  const overridden = <T extends { readonly contract_address: string }>(list: readonly T[] = []) =>
    list.find((override) => override.contract_address === contract_address);
  const [nonce, class_hash] = await Promise.all([
    overridden(overrides.nonces)?.nonce ??
      call('starknet_getNonce', { block_id, contract_address }),
    overridden(overrides.classes)?.class_hash ??
      call('starknet_getClassHashAt', { block_id, contract_address }),
  ]);
  const abi = await queries.fetchQuery({
    queryKey: ['class', class_hash],
    queryFn: async () => readAbi((await call('starknet_getClass', { block_id, class_hash })).abi),
  });
  return { nonce, format: callFormatOf(abi) };
}

/** Transactions of the steps, with increasing nonces per account. */
async function prepare(
  steps: readonly Step[],
  block_id: BlockId,
  overrides: Overrides | undefined,
): Promise<readonly Invoke[]> {
  const senders = [...new Set(steps.map(({ sender }) => sender))];
  const accounts = new Map(
    await Promise.all(
      senders.map(async (sender) => [sender, await account(sender, block_id, overrides)] as const),
    ),
  );
  const counts = new Map<string, bigint>();
  return steps.map(({ sender, calls }) => {
    const { nonce = '0x0', format } = accounts.get(sender) ?? {};
    const before = counts.get(sender) ?? 0n;
    counts.set(sender, before + 1n);
    return invokeOf(sender, calls, toFelt(BigInt(nonce) + before), NO_BOUNDS, format);
  });
}

/** Parameters of the simulation request. */
export async function simulation(
  steps: readonly Step[],
  block_id: BlockId,
  overrides?: Overrides,
): Promise<Params<'starknet_simulateTransactions'>> {
  return {
    block_id,
    transactions: await prepare(steps, block_id, overrides),
    simulation_flags: FLAGS,
  };
}

/** Simulates the steps in order on one state. */
export async function simulate(
  steps: readonly Step[],
  block_id: BlockId,
  overrides?: Overrides,
): Promise<readonly Run[]> {
  const params = await simulation(steps, block_id, overrides);
  const on =
    typeof block_id === 'object' && 'block_number' in block_id ? block_id.block_number : undefined;
  // Without overrides as other clients do it: the origin of a fork then answers for its blocks.
  const answer = overrides
    ? await call('devnet_simulateTransactions', { ...params, overrides })
    : await call('starknet_simulateTransactions', params);
  const all = 'simulated_transactions' in answer ? answer.simulated_transactions : answer;
  return all.flatMap((simulation, at) => {
    const transaction = params.transactions[at];
    if (!transaction) return [];
    const debugTarget: Target = {
      transactions: params.transactions.slice(0, at + 1),
      blockId: block_id,
      skipValidate: true,
      ...(overrides ? { overrides } : {}),
    };
    const run = { ...simulated(transaction, simulation, on), debugTarget };
    return run.verdict.execution_status === 'SUCCEEDED'
      ? [run]
      : [{ ...run, explain: () => explainStep(params, at, overrides) }];
  });
}

/** Simulations say that a transaction fails, and estimates of it why. */
async function explainStep(
  { block_id, transactions }: Params<'starknet_simulateTransactions'>,
  at: number,
  overrides: Overrides | undefined,
): Promise<Explanation | undefined> {
  const estimate: Params<'starknet_estimateFee'> = {
    request: transactions.slice(0, at + 1),
    simulation_flags: ['SKIP_VALIDATE'],
    block_id,
  };
  try {
    if (overrides) {
      const { request, block_id: id } = estimate;
      const simulation_flags = ['SKIP_VALIDATE'] as const;
      await call('devnet_estimateFee', { request, simulation_flags, block_id: id, overrides });
    } else await call('starknet_estimateFee', estimate);
  } catch (error) {
    const { data } = error instanceof RpcFailure ? error : { data: undefined };
    // An earlier step that fails ends the estimate.
    const isThis =
      typeof data === 'object' &&
      data !== null &&
      'transaction_index' in data &&
      data.transaction_index === at;
    return isThis ? explanationIn(data) : undefined;
  }
  return undefined;
}

function simulated(
  transaction: TracedTransaction,
  { transaction_trace, fee_estimation }: Simulated,
  on: number | undefined,
): Run {
  const execute =
    'execute_invocation' in transaction_trace ? transaction_trace.execute_invocation : undefined;
  const reason =
    execute && 'revert_reason' in execute
      ? execute.revert_reason
      : execute?.is_reverted
        ? 'The call was reverted.'
        : undefined;
  return {
    transaction,
    trace: transaction_trace,
    verdict:
      reason === undefined
        ? { execution_status: 'SUCCEEDED' }
        : { execution_status: 'REVERTED', revert_reason: reason },
    fee: BigInt(fee_estimation.overall_fee),
    l2Gas: BigInt(fee_estimation.l2_gas_consumed),
    estimate: fee_estimation,
    on,
    hash: undefined,
  };
}

export interface Sending extends Step {
  readonly bounds: Bounds;
  /** Whether its private key is known; else the account is impersonated. */
  readonly isOurs: boolean;
  readonly what: string;
  readonly tell: (hash: string) => ReactNode;
}

/** Sends a step. The private key is read now, used once and not stored. */
export async function send(sending: Sending): Promise<string | undefined> {
  const { sender, calls, bounds, isOurs, what, tell } = sending;
  const { nonce, format } = await account(sender, 'pre_confirmed');
  const transaction = invokeOf(sender, calls, nonce, bounds, format);
  if (isOurs) {
    const [chainId, key, { signInvoke }] = await Promise.all([
      call('starknet_chainId'),
      privateKeyOf(sender),
      import('@starkbox/signing'),
    ]);
    if (key === undefined) throw new Error('There is no private key for this account.');
    return submit(what, signInvoke(transaction, chainId, key), tell);
  }
  return impersonated(sender, () => submit(what, transaction, tell));
}

/** Runs `work` while the account is impersonated, and restores its setting. */
export async function impersonated<T>(account_address: string, work: () => Promise<T>): Promise<T> {
  const { impersonated_accounts, auto_impersonate } = await call('devnet_getStatus');
  const isOnAlready = auto_impersonate || impersonated_accounts.includes(account_address);
  if (!isOnAlready) await call('devnet_impersonateAccount', { account_address });
  try {
    return await work();
  } finally {
    if (!isOnAlready) await call('devnet_stopImpersonateAccount', { account_address });
  }
}

async function submit(
  what: string,
  invoke_transaction: Invoke,
  tell: Sending['tell'],
): Promise<string | undefined> {
  const added = await act(
    what,
    'starknet_addInvokeTransaction',
    { invoke_transaction },
    ({ transaction_hash }) => tell(transaction_hash),
  );
  return added?.transaction_hash;
}

const TRANSACTION_NOT_FOUND = 29;
const MAX_ATTEMPTS = 50;
const PAUSE_MILLISECONDS = 100;

/** Result of a transaction, once it is in a block. */
export async function readRun(hash: string): Promise<Run> {
  const params = { transaction_hash: hash };
  for (let attempt = 0; ; attempt++) {
    try {
      const [transaction, receipt, trace] = await Promise.all([
        call('starknet_getTransactionByHash', params),
        call('starknet_getTransactionReceipt', params),
        call('starknet_traceTransaction', params).catch(() => undefined),
      ]);
      return {
        transaction,
        trace,
        verdict: receipt,
        fee: BigInt(receipt.actual_fee.amount),
        l2Gas: BigInt(receipt.execution_resources.l2_gas),
        estimate: undefined,
        on: 'block_number' in receipt ? Number(receipt.block_number) - 1 : undefined,
        hash,
      };
    } catch (error) {
      const isEarly = error instanceof RpcFailure && error.code === TRANSACTION_NOT_FOUND;
      if (!isEarly || attempt >= MAX_ATTEMPTS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
  }
}

export const boundsOf = (run: Run): Bounds | undefined => run.estimate && boundsFrom(run.estimate);
