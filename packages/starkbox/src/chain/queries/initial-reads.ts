// Initial reads of a block, found by executing its transactions again.
import { type State, Transaction } from '@starkbox/engine';
import type { BLOCK_ID } from '@starkbox/spec';
import { sliced } from '../../scheduling/slices.js';
import type { Chain } from '../chain.js';
import { contextOf } from '../execution/block-context.js';
import { withExecutionErrors } from '../execution/execution-errors.js';
import type { TransactionRecord } from '../history/header.js';
import { readTransaction } from '../history/stored-texts.js';
import { stateByNumber } from '../world/find-block.js';
import { transactionsOf, type World } from '../world/world.js';

const NOTHING_READ = '{"storage":[],"nonces":[],"class_hashes":[],"declared_contracts":[]}';

/** The values that the transactions of a block read before their own writes, as JSON text. */
export async function initialReadsOf(
  chain: Pick<Chain, 'executions' | 'options'>,
  world: World,
  number: number,
  id: BLOCK_ID,
  signal?: AbortSignal,
): Promise<string> {
  const records = transactionsOf(world, number);
  if (records.length === 0) return NOTHING_READ;
  const before = stateByNumber(world, number - 1, id);
  const transactions: Transaction[] = [];
  for await (const record of sliced(records)) {
    transactions.push(await restored(record, world.pendingState, chain.options.chainId));
  }
  // Included transactions may have nonces ahead of their account's, which a strict check rejects.
  const flags = { strictNonce: false };
  const context = contextOf(world, chain.options, number);
  const options = { report: 'estimate', initialReads: true, signal } as const;
  const reports = await withExecutionErrors(
    chain.executions.simulate(before, context, transactions, flags, options),
  );
  return reports.at(-1)?.initialReads ?? NOTHING_READ;
}

async function restored(
  { transaction, proofFacts }: TransactionRecord,
  state: State,
  chainId: string,
): Promise<Transaction> {
  const values = readTransaction(transaction);
  const declared = values.type === 'DECLARE' ? await state.class(values.class_hash) : undefined;
  return new Transaction(
    proofFacts ? { ...values, proof_facts: proofFacts } : { ...values },
    chainId,
    declared,
  );
}
