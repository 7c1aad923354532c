// Second runs of what failed, with the machine's trace.
import { type ExecutionFlags, type Retrace, type State, Transaction } from '@starkbox/engine';
import { parse } from '../../json/json.js';
import { isObject, type Members, membersOf } from '../../json/reader.js';
import type { FUNCTION_CALL } from '../../spec.js';
import type { Chain } from '../chain.js';
import { contextOf } from '../steps/block-context.js';
import { type Broadcasted, read } from '../steps/prepare-transaction.js';
import { latestHeader, pendingNumber, stateByNumber } from '../world/find-block.js';
import { findTransaction, transactionAt, type World } from '../world/world.js';

/** Transactions of the same block that are executed before the one that is traced. */
const MOST_EARLIER = 1_000;

/** A transaction of a block, run again on the state before it; undefined if that state is not kept. */
export async function retraceTransaction(
  chain: Chain,
  hash: string,
  visited = false,
): Promise<Retrace | undefined> {
  const { world } = chain;
  const found = findTransaction(world, hash);
  if (!found || found.index > MOST_EARLIER) return undefined;
  const state = stateBefore(world, found.block);
  if (!state) return undefined;
  const transactions: Transaction[] = [];
  const flags: ExecutionFlags[] = [];
  for (let index = 0; index <= found.index; index += 1) {
    const record = transactionAt(world, found.block, index);
    if (!record) return undefined;
    const values = membersOf(parse(record.transaction));
    transactions.push(await readAgain(values, world, chain.options.chainId));
    flags.push({
      validate: membersOf(parse(record.trace))['validate_invocation'] !== undefined,
      // The balance may have been given to the account in the same block.
      chargeFee: false,
      unboundedGas: chain.options.chargesFee === false,
      strictNonce: false,
    });
  }
  const context = contextOf(world, chain.options, found.block);
  const [traced] = await chain.executions.retrace(state, context, transactions, flags, visited);
  return traced;
}

/** A call, run again on the state after a block. */
export function retraceCall(
  chain: Chain,
  call: FUNCTION_CALL,
  { state, number }: { readonly state: State; readonly number: number },
): Promise<Retrace> {
  const context = contextOf(chain.world, chain.options, number);
  return chain.executions.retraceCall(state, context, call);
}

/** The last of some transactions that were not included, run again as an estimate runs them. */
export async function retraceAttempt(
  chain: Chain,
  broadcasted: readonly Broadcasted[],
  { state, number }: { readonly state: State; readonly number: number },
): Promise<Retrace | undefined> {
  const transactions: Transaction[] = [];
  for (const values of broadcasted) {
    transactions.push(await read(values, chain.options.chainId, {}));
  }
  const context = contextOf(chain.world, chain.options, number);
  const flags = { chargeFee: false, unboundedGas: true, strictNonce: false, query: true };
  const [traced] = await chain.executions.retrace(state, context, transactions, flags, false);
  return traced;
}

/** The state before a block; undefined if it is not kept. */
function stateBefore(world: World, block: number): State | undefined {
  const number = block - 1;
  const isKept = world.keepsHistory || number === latestHeader(world).number;
  if (!isKept || number < world.history.first || number >= pendingNumber(world)) return undefined;
  return stateByNumber(world, number, { block_number: number });
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
