// Step that executes a transaction and includes it in the pending block.
import {
  BlockWeights,
  type ExecutionFlags,
  type Full,
  type Rejection,
  type Transaction,
} from '@starkbox/engine';
import { effectiveBlockGeneration, hasMempool } from '../../block-settings.js';
import { fail } from '../../errors.js';
import { onlyOriginFailures } from '../../fork/fork.js';
import { during } from '../../probe.js';
import { makeContext, pendingContext } from '../execution/block-context.js';
import { refuseSubmission, withExecutionErrors } from '../execution/execution-errors.js';
import { type Executions, executeForWriter, type OnPrinted } from '../execution/executions.js';
import { fundAccount } from '../execution/fund-account.js';
import type { PreparedTransaction } from '../execution/prepare-transaction.js';
import {
  recordExecuted,
  recordSubmitted,
  type SubmittedRecord,
} from '../execution/transaction-record.js';
import { inMempool, withoutWaiting } from '../mempool/mempool.js';
import type { MempoolOrder } from '../mempool/rules.js';
import { isImpersonated } from '../world/impersonation.js';
import { isKnown, nextTime, type World, withIncluded } from '../world/world.js';
import { type ClosingRules, closeIfDue, closingOf, openHeader, withClosed } from './close-block.js';
import { withNoncesOf } from './return-transactions.js';

export interface InclusionRules extends ClosingRules {
  /** In fri: what an account without STRK gets before its transaction. */
  readonly funding?: bigint | undefined;
  readonly onPrinted?: OnPrinted | undefined;
  /** Unless network conditions set another one. */
  readonly mempoolOrder?: MempoolOrder | undefined;
}

export interface InclusionOptions {
  /** Throws the error of a rejected transaction, in place of the usual one. */
  readonly refuse?: ((rejection: Rejection) => never) | undefined;
  /** Whether its block, which has no other transaction, is closed with it. */
  readonly closes?: boolean;
  /** What the world is if the block has no room for the transaction; throws by default. */
  readonly whenFull?: ((full: Full) => World) | undefined;
}

/** A step that executes a transaction, and closes its block where each has its own. */
export async function executeTransaction(
  world: World,
  prepared: PreparedTransaction,
  rules: InclusionRules,
  refuse?: (rejection: Rejection) => never,
): Promise<World> {
  const [time, closes] = [nextTime(world), closesWithNext(world, rules)];
  const included = await include(world, prepared, rules, time, { refuse, closes });
  const next = await withNoncesOf(included, [prepared.transaction.address]);
  return closes ? next : closeIfDue(next, rules, time);
}

/**
 * As `executeTransaction`, where blocks have a capacity; throws for a transaction that no block has room for. Where each
 * transaction has its own block, a block that has others before is closed first.
 */
export async function executeIfRoom(
  world: World,
  prepared: PreparedTransaction,
  rules: InclusionRules,
): Promise<{ readonly next: World } | { readonly full: Full }> {
  const time = nextTime(world);
  let full: Full | undefined;
  const whenFull = (outcome: Full): World => {
    full = outcome;
    return world;
  };
  const included = await include(world, prepared, rules, time, { whenFull });
  if (!full) {
    const next = await withNoncesOf(included, [prepared.transaction.address]);
    return { next: await closeIfDue(next, rules, time) };
  }
  if (full.isTooLarge) {
    const { refuseFull } = await import('../network/blocks/block-room.js');
    return refuseFull(world, full);
  }
  const closed = await closeIfDue(world, rules, time);
  return closed === world ? { full } : executeIfRoom(closed, prepared, rules);
}

/** Whether the engine can execute a transaction and close its block in one go. */
function closesWithNext(
  world: World,
  rules: Pick<InclusionRules, 'blockGeneration' | 'lite'>,
): boolean {
  const isAlone = world.pending.transactions.size === 0 && world.network === undefined;
  return isAlone && !rules.lite && effectiveBlockGeneration(world, rules) === 'transaction';
}

/**
 * The world with a transaction in its pending block.
 *
 * @param time the timestamp in the block context
 */
export async function include(
  world: World,
  prepared: PreparedTransaction,
  rules: InclusionRules,
  time: number,
  { refuse, closes = false, whenFull }: InclusionOptions = {},
): Promise<World> {
  const { transaction, values } = prepared;
  if (isKnown(world, transaction.hash)) fail('DUPLICATE_TX');
  const generation = effectiveBlockGeneration(world, rules);
  const strictNonce =
    generation === 'transaction' || hasMempool(generation) || transaction.type === 'DECLARE';
  const submitted = () => recordSubmitted(prepared);
  const tip = values.type === 'L1_HANDLER' ? undefined : values.tip;
  const inclusion = await tryToInclude(
    world,
    { transaction, submitted, strictNonce, closes, tip },
    rules,
    time,
  );
  if ('next' in inclusion) return withoutQueued(inclusion.next, transaction.hash);
  if ('full' in inclusion) {
    const { refuseFull } = await import('../network/blocks/block-room.js');
    return whenFull?.(inclusion.full) ?? refuseFull(world, inclusion.full);
  }
  const { rejection } = inclusion;
  await assertDeclared(world, prepared, rejection);
  refuse?.(rejection);
  return refuseSubmission(rejection, values.type === 'L1_HANDLER' ? undefined : values);
}

/** The world without a transaction in its mempool, which is in a block now. */
function withoutQueued(world: World, hash: string): World {
  const queued = inMempool(world.mempool, hash);
  return queued ? { ...world, mempool: withoutWaiting(world.mempool, queued) } : world;
}

/** A transaction to execute. */
export interface Candidate {
  readonly transaction: Transaction;
  /** Called if the transaction is included. */
  readonly submitted: () => SubmittedRecord;
  /** Whether a nonce above that of the account is refused. */
  readonly strictNonce: boolean;
  /** Whether its block, which has no other transaction, is closed with it. */
  readonly closes?: boolean;
  /** By which it competes for room. */
  readonly tip?: string | bigint | undefined;
}

/** The world with a transaction in its block, why the engine rejects it, or that the block has no room for it. */
export type Inclusion =
  | { readonly next: World }
  | { readonly rejection: Rejection }
  | { readonly full: Full };

export async function tryToInclude(
  world: World,
  { transaction, submitted, strictNonce, closes = false, tip = 0n }: Candidate,
  rules: InclusionRules,
  time: number,
): Promise<Inclusion> {
  const { probe } = rules;
  const { network } = world;
  const header = openHeader(world, rules, time, false);
  const context = makeContext(rules, header);
  const state = await fundAccount(world.pendingState, transaction, rules.funding);
  const flags = { ...flagsOf(world, transaction, rules), strictNonce };
  const closing = closes ? closingOf(world, header, rules) : undefined;
  const call = { context, transaction, flags, closing };
  const execution = network?.weights
    ? await (await import('../network/blocks/block-room.js')).executeInRoom(
        world,
        state,
        { ...call, tip },
        rules,
      )
    : await withExecutionErrors(executeForWriter(state, call, probe));
  if (execution.printed.length > 0) rules.onPrinted?.(execution.printed, transaction.hash);
  if (execution.outcome === 'rejected') return { rejection: execution.rejection };
  if (execution.outcome === 'full') return { full: execution };
  const included = recordExecuted(transaction.hash, submitted(), execution);
  const pending = withIncluded(world.pending, included);
  if ('next' in execution) {
    const next = { ...world, pendingState: execution.next, pending };
    const weights = 'weights' in execution ? execution.weights : undefined;
    return {
      next:
        network && weights instanceof BlockWeights
          ? { ...next, network: { ...network, weights } }
          : next,
    };
  }
  const { closed } = execution;
  return {
    next: await during(probe, { kind: 'block' }, async () =>
      withClosed({ ...world, pending }, header, closed, rules),
    ),
  };
}

/**
 * Executes a transaction ahead of the writer, so that its reads from the origin are cached when the
 * writer executes it. A slow or failing origin then delays no other change.
 */
export async function readAhead(
  world: World,
  { transaction }: Pick<PreparedTransaction, 'transaction'>,
  rules: InclusionRules,
  executions: Executions,
): Promise<void> {
  const context = pendingContext(world, rules, nextTime(world));
  // Transactions of the same sender may precede it, so that its nonce is too high for now.
  const flags = { ...flagsOf(world, transaction, rules), strictNonce: false };
  await onlyOriginFailures(executions.readAhead(world.pendingState, context, transaction, flags));
}

function flagsOf(world: World, { address }: Transaction, rules: InclusionRules): ExecutionFlags {
  const validate = !isImpersonated(world.impersonation, address);
  return rules.chargesFee === false
    ? { validate, chargeFee: false, unboundedGas: true }
    : { validate };
}

/** Reports an undeclared class, which the engine rejects as a balance or constructor error. */
async function assertDeclared(
  { pendingState: state }: World,
  { values }: PreparedTransaction,
  { reason }: Rejection,
): Promise<void> {
  const failedEarlier = reason === 'nonce' || reason === 'resource_bounds';
  if (values.type !== 'DEPLOY_ACCOUNT' || failedEarlier) return;
  if (!(await state.class(values.class_hash))) fail('CLASS_HASH_NOT_FOUND');
}
