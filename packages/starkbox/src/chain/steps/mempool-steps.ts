// Steps of the mempool: admission, selection, pre-confirmation.
import { padFelt, toFelt } from '@starkbox/abi/basics';
import { type ClassLimits, EngineError, type Full, Transaction } from '@starkbox/engine';
import { fail, refuse } from '../../errors.js';
import { stringify } from '../../json/json.js';
import { felts, objectText } from '../../json/reader.js';
import { inSlices, Slices } from '../../scheduling/slices.js';
import { refuseSubmission } from '../execution/execution-errors.js';
import { compileOnce, type Submission } from '../execution/prepare-transaction.js';
import { recordSubmitted } from '../execution/transaction-record.js';
import { underRules } from '../mempool/apply-rules.js';
import {
  type Dropped,
  findByNonce,
  inMempool,
  type Mempool,
  type PoolTransaction,
  type QueuedTransaction,
  sizeOf,
  withDropped,
  withNext,
  withoutExecuted,
  withSelected,
  withWaiting,
} from '../mempool/mempool.js';
import { DEFAULT_ORDER, type MempoolOrder, type PoolRules } from '../mempool/rules.js';
import type { NetworkConditions } from '../network/conditions.js';
import { isKnown, nextTime, type World } from '../world/world.js';
import { type InclusionRules, tryToInclude } from './include-transaction.js';

export interface MempoolRules extends InclusionRules {
  readonly classLimits: ClassLimits;
}

/** Hashes of executed transactions in their order, and those that were rejected. */
export interface PreConfirmed {
  readonly included: readonly string[];
  readonly dropped: readonly Dropped[];
  /** Whether the next transaction has no room in the block. */
  readonly isFull: boolean;
}

/** More than a test sends, because a node that makes no blocks would fill its memory. */
const MAX_WAITING = 10_000;
const MEGABYTE = 2 ** 20;
/** Of the texts that wait, in megabytes: an average of 13 kB, several times that of usual transactions. */
const MAX_SIZE = 128;
/** Of one sender, so that others can send as well: 24 of the longest transactions, or 10,000 usual ones. */
const MAX_SIZE_OF_SENDER = 32;
/** A longer text waits alone: beside it, a transaction that is ready to run takes as much memory again. */
const MAX_PREPARED_LENGTH = 2 ** 16;

/** As many as there are. */
export const UNLIMITED: number = Number.POSITIVE_INFINITY;

/** The order of a mempool, and what can be executed: by the network's conditions, or else by the chain's options. */
export function poolRulesOf(
  { network, gas }: World,
  { mempoolOrder = DEFAULT_ORDER, chargesFee }: Pick<MempoolRules, 'mempoolOrder' | 'chargesFee'>,
): PoolRules {
  if (!network) return { order: mempoolOrder, gate: undefined };
  const { conditions, rounds } = network;
  const isMarket = conditions.gas_market !== false && chargesFee !== false;
  return {
    order: orderOf(conditions) ?? mempoolOrder,
    gate: { round: rounds, price: isMarket ? gas.current.l2_gas_price_fri : undefined },
  };
}

function orderOf({ order, seed }: NetworkConditions): MempoolOrder | undefined {
  if (order === null) return undefined;
  return typeof order === 'string' ? { kind: order, seed } : { kind: 'list', seed, list: order };
}

/** The world with a mempool that follows its rules now. */
export async function withRules(world: World, rules: MempoolRules): Promise<World> {
  const mempool = await ruledBy(world, rules);
  return mempool === world.mempool ? world : { ...world, mempool };
}

function ruledBy(world: World, rules: MempoolRules): Promise<Mempool> {
  return inSlices(underRules(world.mempool, poolRulesOf(world, rules)));
}

/**
 * The world with a transaction in its mempool; throws what a gateway would answer.
 *
 * @param delay blocks until it can be executed
 */
export async function admit(
  world: World,
  submission: Submission,
  rules: MempoolRules,
  delay = 0,
): Promise<World> {
  const { network } = world;
  const pool = await ruledBy(world, rules);
  const arrived = poolTransactionOf(submission);
  const { hash, sender, nonce } = arrived;
  if (isKnown(world, hash) || inMempool(pool, hash)) fail('DUPLICATE_TX');
  const account = BigInt(await world.pendingState.nonceAt(sender));
  const rival = findByNonce(pool, sender, nonce);
  const isDeployment = arrived.type === 'DEPLOY_ACCOUNT';
  const hasInvalidNonce = nonce < account || (isDeployment && nonce > 0n);
  if (hasInvalidNonce || rival?.position !== undefined) {
    const mismatch = { address: sender, account: toFelt(account), given: toFelt(nonce) };
    refuseSubmission({ reason: 'nonce', message: '', frames: [], nonce: mismatch });
  }
  await assertSenderExists(world, arrived);
  const since = network && network.rounds + delay;
  let freed = pool;
  if (rival) {
    if (network?.conditions.gas_market) assertEscalates(rival, arrived);
    else if (rival.tip >= arrived.tip) fail('REPLACEMENT_TRANSACTION_UNDERPRICED');
    freed = withDropped(pool, rival, `Replaced by ${hash}, which has a higher tip.`);
  }
  assertHasRoom(freed, arrived);
  return { ...world, mempool: withWaiting(freed, arrived, account, { since }) };
}

/** Throws if a transaction would make the pool, or what its sender has there, too large. */
export function assertHasRoom(pool: Mempool, arrived: PoolTransaction): void {
  const { sender } = arrived;
  const whatToDo = 'Make a block, or remove some with devnet_mempoolRemove';
  if (pool.waiting.size >= MAX_WAITING) {
    refuse(`The mempool is full: it holds ${MAX_WAITING} transactions. ${whatToDo}`);
  }
  const size = sizeOf(arrived);
  if (pool.size + size > MAX_SIZE * MEGABYTE) {
    refuse(
      `The mempool is full: with this transaction, it would hold more than ${MAX_SIZE} MiB. ${whatToDo}`,
    );
  }
  const sizeOfSender = pool.senders.get(sender)?.size ?? 0;
  if (sizeOfSender + size > MAX_SIZE_OF_SENDER * MEGABYTE) {
    refuse(
      `The sender ${sender} has too much in the mempool: with this transaction, it would have more than ${MAX_SIZE_OF_SENDER} MiB there. ${whatToDo}`,
    );
  }
}

/**
 * By how many percent a replacement exceeds the tip and the price of the replaced transaction, rounded up:
 * fee_escalation_percentage in github.com/starkware-libs/sequencer at commit 60161ba of 2026-08-20,
 * crates/apollo_mempool_config/src/config.rs and crates/apollo_mempool/src/mempool.rs.
 */
const ESCALATION = 10n;

function assertEscalates(rival: PoolTransaction, arrived: PoolTransaction): void {
  for (const name of ['tip', 'maxPrice'] as const) {
    const least = rival[name] + (rival[name] * ESCALATION + 99n) / 100n;
    if (arrived[name] >= least) continue;
    const member = name === 'tip' ? 'tip' : 'max_price_per_unit of L2 gas';
    fail(
      'REPLACEMENT_TRANSACTION_UNDERPRICED',
      `To replace ${rival.hash}, the ${member} must be at least ${toFelt(least)}, ${ESCALATION} % more; got ${toFelt(arrived[name])}.`,
    );
  }
}

/** A sender exists, or comes to be by this transaction or by one that waits. */
async function assertSenderExists(
  { pendingState: state, mempool }: World,
  { type, sender }: PoolTransaction,
): Promise<void> {
  if (type === 'DEPLOY_ACCOUNT' || findByNonce(mempool, sender, 0n)?.type === 'DEPLOY_ACCOUNT')
    return;
  if ((await state.classHashAt(sender)) !== '0x0') return;
  fail('VALIDATION_FAILURE', `Requested contract address ${padFelt(sender)} is not deployed.`);
}

export function poolTransactionOf(submission: Submission): PoolTransaction {
  const { transaction, values } = submission;
  const { transaction: text, proofFacts } = recordSubmitted(submission);
  return {
    hash: transaction.hash,
    type: values.type,
    sender: transaction.address,
    nonce: BigInt(transaction.nonce),
    tip: BigInt(values.tip),
    maxPrice: BigInt(values.resource_bounds.l2_gas.max_price_per_unit),
    transaction: text,
    proofFacts,
    contractClass: values.type === 'DECLARE' ? stringify(values.contract_class) : undefined,
    prepared: text.length > MAX_PREPARED_LENGTH ? undefined : transaction,
  };
}

export async function select(
  world: World,
  count: number,
  rules: MempoolRules,
): Promise<readonly [World, readonly string[]]> {
  let pool = await ruledBy(world, rules);
  const hashes: string[] = [];
  const slices = new Slices();
  while (hashes.length < count) {
    const selection = withSelected(pool);
    if (!selection) break;
    pool = selection[0];
    hashes.push(selection[1].hash);
    if (slices.isOver) await slices.next();
  }
  return [hashes.length === 0 ? world : { ...world, mempool: pool }, hashes];
}

export async function preConfirm(
  world: World,
  count: number,
  rules: MempoolRules,
): Promise<readonly [World, PreConfirmed]> {
  let now: World = { ...world, mempool: await ruledBy(world, rules) };
  const included: string[] = [];
  const dropped: Dropped[] = [];
  let isFull = false;
  while (included.length < count) {
    const selection = withNext(now.mempool);
    if (!selection) break;
    const [mempool, queued] = selection;
    const execution = await executeQueued(now, queued, rules);
    if ('full' in execution) {
      isFull = true;
      break;
    }
    if ('next' in execution) {
      now = { ...execution.next, mempool: withoutExecuted(mempool, queued) };
      included.push(queued.hash);
    } else {
      const { hash, sender, nonce } = queued;
      const { reason } = execution;
      dropped.push({ hash, sender, nonce, reason });
      now = { ...now, mempool: withDropped(mempool, queued, reason) };
    }
  }
  const isUnchanged = included.length === 0 && dropped.length === 0;
  return [isUnchanged ? world : now, { included, dropped, isFull }];
}

async function executeQueued(
  world: World,
  queued: QueuedTransaction,
  rules: MempoolRules,
): Promise<{ readonly next: World } | { readonly reason: string } | { readonly full: Full }> {
  const prepared = queued.prepared ?? (await reread(queued, rules));
  if (typeof prepared === 'string') return { reason: prepared };
  const { transaction, proofFacts } = queued;
  const submitted = () => ({
    signature: felts(objectText(transaction, 'transaction')['signature'], 'signature'),
    transaction,
    proofFacts,
  });
  const candidate = { transaction: prepared, submitted, strictNonce: true, tip: queued.tip };
  const inclusion = await tryToInclude(world, candidate, rules, nextTime(world));
  if ('full' in inclusion && inclusion.full.isTooLarge) {
    const { tooLarge } = await import('../network/blocks/block-room.js');
    return { reason: tooLarge(world, inclusion.full) };
  }
  return 'rejection' in inclusion ? { reason: inclusion.rejection.message } : inclusion;
}

/** A stored transaction, ready to run, or why it cannot be read. */
async function reread(
  { transaction: text, contractClass, proofFacts, hash }: PoolTransaction,
  { chainId, classLimits }: MempoolRules,
): Promise<Transaction | string> {
  const { class_hash, ...values } = objectText(text, 'transaction');
  const isDeclaration = contractClass !== undefined;
  const submitted = isDeclaration ? values : { ...values, ...(class_hash ? { class_hash } : {}) };
  const facts = proofFacts ? { proof_facts: proofFacts } : {};
  try {
    const declared = isDeclaration ? await compileOnce(contractClass, classLimits) : undefined;
    const read = new Transaction({ ...submitted, ...facts }, chainId, declared);
    return read.hash === hash ? read : `Its hash is ${read.hash} on this chain.`;
  } catch (error) {
    // A file may hold what no client could have sent.
    if (error instanceof EngineError) return error.message;
    throw error;
  }
}
