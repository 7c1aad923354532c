// Second runs of what failed, with the machine's trace.
import { isObject, type Members, membersOf } from '@starkbox/abi/basics';
import {
  type Block,
  type ExecutionFlags,
  type Retrace,
  type RetraceOptions,
  type SlotWrite,
  type State,
  Transaction,
} from '@starkbox/engine';
import type { BLOCK_ID, FUNCTION_CALL, Methods } from '@starkbox/spec';
import { fail, refuse } from '../../errors.js';
import { parse } from '../../json/json.js';
import { STRK } from '../../predeployed.js';
import { endSharedSlice, Slices } from '../../scheduling/slices.js';
import type { Chain } from '../chain.js';
import { type BlockRules, contextOf } from '../execution/block-context.js';
import { withExecutionErrors } from '../execution/execution-errors.js';
import { balanceIn } from '../execution/fund-account.js';
import { readBroadcasted } from '../execution/prepare-transaction.js';
import { isReverted } from '../history/block-keys.js';
import type { Broadcasted } from '../history/stored-texts.js';
import { oldHash } from '../steps/close-block.js';
import { directWriteBefore } from '../world/direct-writes.js';
import { blockNumber, stateBefore, stateByNumber } from '../world/find-block.js';
import { isImpersonated } from '../world/impersonation.js';
import { findTransaction, transactionAt, type World } from '../world/world.js';

/** Transactions of the same block that are executed before the one that is traced. */
export const MAX_EARLIER = 1_000;

/** What a second run tells besides frames and where they failed. */
type RetraceDetail = Omit<RetraceOptions, 'first' | 'firstWrite'> & {
  /** Ends the run between two transactions. */
  readonly signal?: AbortSignal | undefined;
};

/** Where a transaction is in its chain. Rejects a transaction that cannot run again, with the reason. */
export function locateRepeatable(
  { world, options }: Chain,
  hash: string,
): NonNullable<ReturnType<typeof findTransaction>> {
  const located = findTransaction(world, hash);
  if (!located && options.fork) {
    refuse(
      `This chain has no transaction ${hash}. Transactions of the forked network cannot run again here: fork at the block before it, and send it again.`,
    );
  }
  if (!located) return fail('TXN_HASH_NOT_FOUND');
  const { block, index } = located;
  if (!stateBefore(world, block)) {
    refuse(
      `The state before block ${block} is no longer available, so its transactions cannot run again. Start the node without --state-archive-capacity none, and send the transaction again.`,
    );
  }
  if (index > MAX_EARLIER) {
    refuse(
      `The transaction has index ${index} in its block. The node can run at most ${MAX_EARLIER} earlier transactions again: send it in a smaller block.`,
    );
  }
  return located;
}

/** A transaction of a block, run again on the state before it; undefined if that state is not kept. */
export async function retraceTransaction(
  chain: Chain,
  hash: string,
  detail: RetraceDetail = {},
): Promise<Retrace | undefined> {
  const { world } = chain;
  const located = findTransaction(world, hash);
  if (!located || located.index > MAX_EARLIER) return undefined;
  const { block, index } = located;
  const [traced] = await retraceBlock(chain, world, { block, first: index, last: index }, detail);
  return traced;
}

/** Transactions of a block, after those before them; none if the state before the block is not kept. */
export async function retraceBlock(
  chain: Chain,
  world: World,
  range: {
    readonly block: number;
    readonly first: number;
    readonly last: number;
  },
  detail: RetraceDetail,
): Promise<readonly Retrace[]> {
  const { first, last } = range;
  const repetition = await repeatBlock(chain, world, range, detail.signal);
  if (!repetition) return [];
  const { state, context, transactions, flags, firstWrite } = repetition;
  const skipped = transactions.length - (last - first + 1);
  const options = { first: skipped, firstWrite, ...detail };
  const traced = await withExecutionErrors(
    chain.executions.retrace(state, context, transactions, flags, options),
  );
  return traced.map((retrace, at) =>
    flags[skipped + at]?.chargeFee ? withoutFee(retrace) : retrace,
  );
}

/** Transactions that run again, and the state before them. */
export interface Repetition {
  readonly state: State;
  readonly context: Block;
  readonly transactions: readonly Transaction[];
  readonly flags: readonly ExecutionFlags[];
  /** A slot that is written before them. */
  readonly firstWrite?: SlotWrite | undefined;
}

/**
 * The transactions of a block up to `last`, from the last direct write before `first` on; undefined if the state before
 * the block is not kept, or after an abort.
 */
export async function repeatBlock(
  chain: Chain,
  world: World,
  { block, first, last }: { readonly block: number; readonly first: number; readonly last: number },
  signal: AbortSignal | undefined,
): Promise<Repetition | undefined> {
  const written = directWriteBefore(world, block, first);
  const state = written?.state ?? stateBefore(world, block);
  if (!state) return undefined;
  const charges = chain.options.chargesFee !== false;
  const transactions: Transaction[] = [];
  const flags: ExecutionFlags[] = [];
  const slices = new Slices();
  for (let index = written?.index ?? 0; index <= last; index += 1) {
    const record = transactionAt(world, block, index);
    if (!record) return undefined;
    const values = membersOf(parse(record.transaction));
    const transaction = await readAgain(values, world, chain.options.chainId);
    transactions.push(transaction);
    flags.push({
      validate: membersOf(parse(record.trace))['validate_invocation'] !== undefined,
      // Only with its fee a transaction that used all of its gas ends where it did.
      chargeFee:
        charges && isReverted(record.receipt) && (await canPay(state, transaction, values)),
      unboundedGas: !charges,
      strictNonce: false,
    });
    if (slices.isOver) await slices.next();
    if (signal?.aborted) return undefined;
  }
  const context = contextOf(world, chain.options, block);
  const firstWrite = written ? undefined : oldHash(block, world.history, chain.options.fork);
  return { state, context, transactions, flags, firstWrite };
}

function withoutFee(traced: Retrace): Retrace {
  const { frames } = traced;
  return {
    ...traced,
    frames: frames.slice(
      0,
      feeIndex(frames, ({ depth }) => depth === 0),
    ),
  };
}

/**
 * The index of the transfer of the fee, which comes last, or the number of calls. No account has the address of the
 * token.
 */
export function feeIndex<C extends { readonly contract_address: string }>(
  calls: readonly C[],
  isOutermost: (call: C) => boolean,
): number {
  const index = calls.findIndex((call) => call.contract_address === STRK && isOutermost(call));
  return index < 0 ? calls.length : index;
}

/** Whether an account holds what its transaction may cost; it may be given that in the same block. */
async function canPay(
  state: State,
  { address, type }: Transaction,
  { resource_bounds, tip }: Members,
): Promise<boolean> {
  if (type === 'L1_HANDLER') return false;
  let most = 0n;
  for (const [resource, bound] of Object.entries(membersOf(resource_bounds))) {
    const { max_amount, max_price_per_unit } = membersOf(bound);
    const price = resource === 'l2_gas' ? [max_price_per_unit, tip] : [max_price_per_unit];
    for (const part of price) most += BigInt(String(max_amount)) * BigInt(String(part));
  }
  return (await balanceIn(state, STRK, address)) >= most;
}

/** The state after a block, where something that was not included is run again. */
export interface RetraceLocation {
  readonly world: World;
  readonly number: number;
  readonly state: State;
  /** Of another block than the one with the number. */
  readonly context?: Block;
}

/** The context of a location. */
export function contextAt({ world, number, context }: RetraceLocation, rules: BlockRules): Block {
  return context ?? contextOf(world, rules, number);
}

/** Where a call or a transaction runs that is not included: after a block. */
export function locationAt(world: World, id: BLOCK_ID = 'pre_confirmed'): RetraceLocation {
  const number = blockNumber(world, id);
  return { world, number, state: stateByNumber(world, number, id) };
}

/** Rejects a request that does not name exactly one execution. */
export function checkSubject({
  transaction_hash,
  call,
  transactions,
}: Pick<
  Methods['devnet_openDebugTrace']['params'],
  'transaction_hash' | 'call' | 'transactions'
>): void {
  const subjects = [transaction_hash, call, transactions].filter((value) => value !== undefined);
  if (subjects.length === 1) return;
  refuse(
    `Expected one of transaction_hash, call and transactions; got ${subjects.length} of them.`,
  );
}

/** A call, run again. */
export function retraceCall(
  chain: Chain,
  call: FUNCTION_CALL,
  location: RetraceLocation,
  detail: Pick<RetraceDetail, 'visited' | 'signal'> = {},
): Promise<Retrace> {
  const context = contextAt(location, chain.options);
  return chain.executions.retraceCall(location.state, context, call, detail);
}

interface AttemptOptions {
  readonly validate: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The last of some transactions that were not included, run again as an estimate runs them. */
export async function retraceAttempt(
  chain: Chain,
  broadcasted: readonly (Broadcasted | Message)[],
  location: RetraceLocation,
  options: AttemptOptions,
): Promise<Retrace | undefined> {
  const { state, context, transactions, flags } = await repeatAttempt(
    chain,
    broadcasted,
    location,
    options,
  );
  const [traced] = await chain.executions.retrace(state, context, transactions, flags, {
    signal: options.signal,
  });
  return traced;
}

/** Transactions that were not included, as an estimate runs them. */
export async function repeatAttempt(
  chain: Chain,
  broadcasted: readonly (Broadcasted | Message)[],
  location: RetraceLocation,
  { validate, signal }: AttemptOptions,
): Promise<Repetition> {
  const { world, state } = location;
  const { chainId } = chain.options;
  const transactions: Transaction[] = [];
  for (const values of broadcasted) {
    await endSharedSlice();
    transactions.push(
      values.type === 'L1_HANDLER'
        ? readMessage(values, chainId)
        : await readBroadcasted(values, chainId, {}, signal),
    );
  }
  const flags = transactions.map(({ address }) => ({
    validate: validate && !isImpersonated(world.impersonation, address),
    chargeFee: false,
    unboundedGas: true,
    strictNonce: false,
    query: true,
  }));
  return { state, context: contextAt(location, chain.options), transactions, flags };
}

/** A message from L1 whose fee is estimated. */
export interface Message {
  readonly type: 'L1_HANDLER';
  readonly contract_address: string;
  readonly entry_point_selector: string;
  readonly calldata: readonly string[];
}

function readMessage(message: Message, chainId: string): Transaction {
  const values = { ...message, version: '0x0', nonce: '0x0', paid_fee_on_l1: PAID };
  return new Transaction({ ...values, l1_transaction_hash: null }, chainId);
}

/** More than any message pays: what was paid for it is not part of its transaction. */
const PAID = '0xffffffffffffffff';

/** A transaction as the record of a block has it. */
async function readAgain(values: Members, world: World, chainId: string): Promise<Transaction> {
  if (values['type'] === 'L1_HANDLER') {
    return new Transaction({ ...values, paid_fee_on_l1: PAID, l1_transaction_hash: null }, chainId);
  }
  const hash = values['class_hash'];
  const declared =
    values['type'] === 'DECLARE' && typeof hash === 'string'
      ? await world.pendingState.class(hash)
      : undefined;
  if (!isObject(values)) throw new TypeError('a transaction is no object');
  return new Transaction(values, chainId, declared);
}
