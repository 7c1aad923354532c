// Steps of the mempool: admission, selection, pre-confirmation, removal.
import { type ClassLimits, EngineError, Transaction } from '@starkbox/engine';
import { fail, refuse } from '../../errors.js';
import { hex, padded } from '../../felt.js';
import { onlyOriginFailures } from '../../fork/fork.js';
import { stringify } from '../../json/json.js';
import { felts, objectText } from '../../json/reader.js';
import { inSlices, Slices, sliced } from '../../scheduling/slices.js';
import {
  cleared,
  DEFAULT_ORDER,
  type Dropped,
  inMempool,
  inOrder,
  type Mempool,
  type MempoolOrder,
  type PoolTransaction,
  type Waiting,
  withDropped,
  withNext,
  withNonce,
  withoutExecuted,
  withoutWaiting,
  withSelected,
  withWaiting,
} from '../mempool/mempool.js';
import { type Cause, callCause } from '../world/cause.js';
import { isKnown, nextTime, type World } from '../world/world.js';
import { refuseSubmission } from './execution-errors.js';
import { attempt, type InclusionRules } from './include-transaction.js';
import { compileOnce, type Submission, sentIn } from './prepare-transaction.js';

export interface MempoolRules extends InclusionRules {
  readonly classLimits: ClassLimits;
  readonly mempoolOrder?: MempoolOrder | undefined;
  /** How many transactions may wait. */
  readonly maximumMempool?: number | undefined;
}

/** Hashes of executed transactions in their order, and those that were rejected. */
export interface PreConfirmed {
  readonly included: readonly string[];
  readonly dropped: readonly Dropped[];
}

/** What these steps use of the chain. */
interface MempoolHost {
  readonly options: MempoolRules;
  /** The current one. */
  readonly world: World;
  readonly write: <T>(
    cause: Cause | undefined,
    step: (world: World) => Promise<readonly [World, T]>,
  ) => Promise<T>;
  readonly closeNow: (world: World) => Promise<readonly [World, string]>;
}

const EVERY = Number.POSITIVE_INFINITY;

export class MempoolSteps {
  readonly #host: MempoolHost;

  constructor(host: MempoolHost) {
    this.#host = host;
  }

  /** Selects the next transactions for the block under construction; their hashes, in order. */
  select(count: number = EVERY, cause?: Cause): Promise<readonly string[]> {
    return this.#host.write(cause, (world) => selected(world, count, this.#host.options));
  }

  /** Executes the next transactions into the pending block. */
  async preConfirm(count: number = EVERY, cause?: Cause): Promise<PreConfirmed> {
    if (this.#host.options.fork) await this.#readAhead(count);
    return this.#host.write(cause, (world) => preConfirmed(world, count, this.#host.options));
  }

  /** Executes all transactions that can be, and closes the block. */
  async seal(): Promise<PreConfirmed & { readonly block: string }> {
    if (this.#host.options.fork) await this.#readAhead(EVERY);
    // Both enter the queue of changes now, so that no other change comes between them.
    let isExecuted = false;
    const preConfirm = callCause('devnet_mempoolPreConfirm', null);
    const executed = this.#host.write(preConfirm, async (world) => {
      const done = await preConfirmed(world, EVERY, this.#host.options);
      isExecuted = true;
      return done;
    });
    const closed = this.#host.write(callCause('devnet_createBlock', null), (world) =>
      isExecuted ? this.#host.closeNow(world) : refuse('The transactions were not executed'),
    );
    const [done, block] = await Promise.all([executed, closed]);
    return { ...done, block };
  }

  /**
   * Has the origin's answers cached before the writer needs them, so that no other change waits for
   * them. What was sent to this process was read ahead when it came.
   */
  async #readAhead(count: number): Promise<void> {
    const world = this.#host.world;
    let isPrepared = true;
    for await (const [, { prepared }] of sliced(world.mempool.waiting.from())) {
      if (prepared === undefined) isPrepared = false;
    }
    if (isPrepared) return;
    await onlyOriginFailures(preConfirmed(world, count, this.#host.options));
  }

  /** Removes a transaction. */
  remove(hash: string, cause?: Cause): Promise<void> {
    return this.#host.write(cause, async (world) => {
      const one = inMempool(world.mempool, hash) ?? fail('TXN_HASH_NOT_FOUND');
      return [{ ...world, mempool: withoutWaiting(world.mempool, one) }, undefined];
    });
  }

  /** Removes all transactions; how many there were. */
  clear(cause?: Cause): Promise<number> {
    return this.#host.write(cause, async (world) => {
      const { size } = world.mempool.waiting;
      return [size === 0 ? world : { ...world, mempool: cleared(world.mempool) }, size];
    });
  }
}

/** The world with a transaction in its mempool; throws what a gateway would answer. */
export async function admitted(
  world: World,
  submission: Submission,
  rules: MempoolRules,
): Promise<World> {
  const pool = await orderedBy(world.mempool, rules);
  const sent = poolTransactionOf(submission);
  const { hash, sender, nonce } = sent;
  if (isKnown(world, hash) || inMempool(pool, hash)) fail('DUPLICATE_TX');
  const account = BigInt(await world.pendingState.nonceAt(sender));
  const rival = withNonce(pool, sender, nonce);
  const isLate = nonce < account || (sent.type === 'DEPLOY_ACCOUNT' && nonce > 0n);
  if (isLate || rival?.position !== undefined) {
    const given = { address: sender, account: hex(account), given: hex(nonce) };
    refuseSubmission({ reason: 'nonce', message: '', frames: [], nonce: given });
  }
  await mustExist(world, sent);
  if (rival) {
    if (rival.tip >= sent.tip) fail('REPLACEMENT_TRANSACTION_UNDERPRICED');
    const freed = withDropped(pool, rival, `Replaced by ${hash}, which has a higher tip.`);
    return { ...world, mempool: withWaiting(freed, sent, account) };
  }
  const { maximumMempool: most = EVERY } = rules;
  if (pool.waiting.size >= most) {
    refuse(`The mempool holds ${most} transactions; --maximum-mempool-size sets the limit`);
  }
  return { ...world, mempool: withWaiting(pool, sent, account) };
}

/** A sender exists, or comes to be by this transaction or by one that waits. */
async function mustExist(
  { pendingState: state, mempool }: World,
  { type, sender }: PoolTransaction,
): Promise<void> {
  if (type === 'DEPLOY_ACCOUNT' || withNonce(mempool, sender, 0n)?.type === 'DEPLOY_ACCOUNT')
    return;
  if ((await state.classHashAt(sender)) !== '0x0') return;
  fail('VALIDATION_FAILURE', `Requested contract address ${padded(sender)} is not deployed.`);
}

function orderedBy(
  pool: Mempool,
  { mempoolOrder = DEFAULT_ORDER }: MempoolRules,
): Promise<Mempool> {
  return inSlices(inOrder(pool, mempoolOrder));
}

function poolTransactionOf(submission: Submission): PoolTransaction {
  const { transaction, values } = submission;
  const { text, proofFacts } = sentIn(submission);
  return {
    hash: transaction.hash,
    type: values.type,
    sender: transaction.address,
    nonce: BigInt(transaction.nonce),
    tip: BigInt(values.tip),
    transaction: text,
    proofFacts,
    contractClass: values.type === 'DECLARE' ? stringify(values.contract_class) : undefined,
    prepared: transaction,
  };
}

async function selected(
  world: World,
  count: number,
  rules: MempoolRules,
): Promise<readonly [World, readonly string[]]> {
  let pool = await orderedBy(world.mempool, rules);
  const hashes: string[] = [];
  const slices = new Slices();
  while (hashes.length < count) {
    const found = withSelected(pool);
    if (!found) break;
    pool = found[0];
    hashes.push(found[1].hash);
    if (slices.isOver) await slices.next();
  }
  return [hashes.length === 0 ? world : { ...world, mempool: pool }, hashes];
}

async function preConfirmed(
  world: World,
  count: number,
  rules: MempoolRules,
): Promise<readonly [World, PreConfirmed]> {
  let now: World = { ...world, mempool: await orderedBy(world.mempool, rules) };
  const included: string[] = [];
  const dropped: Dropped[] = [];
  while (included.length < count) {
    const found = withNext(now.mempool);
    if (!found) break;
    const [mempool, one] = found;
    const done = await executed(now, one, rules);
    if ('next' in done) {
      now = { ...done.next, mempool: withoutExecuted(mempool, one) };
      included.push(one.hash);
    } else {
      const { hash, sender, nonce } = one;
      dropped.push({ hash, sender, nonce, reason: done.reason });
      now = { ...now, mempool: withDropped(mempool, one, done.reason) };
    }
  }
  const isUnchanged = included.length === 0 && dropped.length === 0;
  return [isUnchanged ? world : now, { included, dropped }];
}

async function executed(
  world: World,
  one: Waiting,
  rules: MempoolRules,
): Promise<{ readonly next: World } | { readonly reason: string }> {
  const transaction = one.prepared ?? (await reread(one, rules));
  if (typeof transaction === 'string') return { reason: transaction };
  const { transaction: text, proofFacts } = one;
  const sent = () => ({
    signature: felts(objectText(text, 'transaction')['signature'], 'signature'),
    text,
    proofFacts,
  });
  const attempted = { transaction, sent, strictNonce: true };
  const done = await attempt(world, attempted, rules, nextTime(world));
  return 'next' in done ? done : { reason: done.rejection.message };
}

/** A stored transaction, ready to run, or why it cannot be read. */
async function reread(
  { transaction: text, contractClass, proofFacts, hash }: PoolTransaction,
  { chainId, classLimits }: MempoolRules,
): Promise<Transaction | string> {
  const { class_hash, ...values } = objectText(text, 'transaction');
  const isDeclaration = contractClass !== undefined;
  const given = isDeclaration ? values : { ...values, ...(class_hash ? { class_hash } : {}) };
  const facts = proofFacts ? { proof_facts: proofFacts } : {};
  try {
    const declared = isDeclaration ? await compileOnce(contractClass, classLimits) : undefined;
    const read = new Transaction({ ...given, ...facts }, chainId, declared);
    return read.hash === hash ? read : `Its hash is ${read.hash} on this chain.`;
  } catch (error) {
    // A file may hold what no client could have sent.
    if (error instanceof EngineError) return error.message;
    throw error;
  }
}
