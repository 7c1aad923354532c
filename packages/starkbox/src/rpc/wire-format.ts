// Shapes of blocks, transactions and receipts on the wire.
import type {
  BLOCK_HEADER,
  PRE_CONFIRMED_BLOCK_HEADER,
  TXN_EXECUTION_STATUS,
  TXN_FINALITY_STATUS,
  TXN_RESPONSE_FLAG,
  TXN_STATUS,
} from '@starkbox/spec';
import { SEQUENCER } from '../chain/genesis/accounts.js';
import type { Header, TransactionRecord } from '../chain/history/header.js';
import { readReceipt } from '../chain/history/stored-texts.js';
import type { QueuedTransaction } from '../chain/mempool/mempool.js';
import { pendingNumber } from '../chain/world/find-block.js';
import { headerPrices } from '../chain/world/gas-prices.js';
import { type Located, nextTime, type World } from '../chain/world/world.js';
import { JsonText } from '../json/json.js';
import { NEWEST_VERSION } from '../starknet-versions.js';

export function wireHeader(header: Header): BLOCK_HEADER {
  return {
    block_hash: header.hash,
    parent_hash: header.parentHash,
    block_number: header.number,
    new_root: '0x0',
    timestamp: header.timestamp,
    sequencer_address: header.sequencer ?? SEQUENCER,
    ...header.prices,
    l1_da_mode: 'BLOB',
    starknet_version: header.starknetVersion ?? NEWEST_VERSION,
    state_diff_commitment: header.stateDiffCommitment,
    state_diff_length: header.stateDiffLength,
    transaction_commitment: header.transactionCommitment,
    event_commitment: header.eventCommitment,
    receipt_commitment: header.receiptCommitment,
    transaction_count: header.transactionCount,
    event_count: header.eventCount,
  };
}

/** The block under construction, as if it were closed now. */
export function wirePendingHeader(world: World): PRE_CONFIRMED_BLOCK_HEADER {
  return {
    block_number: pendingNumber(world),
    timestamp: nextTime(world),
    sequencer_address: world.blocks.sequencer ?? SEQUENCER,
    ...headerPrices(world.gas.current),
    l1_da_mode: 'BLOB',
    starknet_version: world.blocks.starknetVersion ?? NEWEST_VERSION,
  };
}

export function blockFinality(world: World, number: number): 'ACCEPTED_ON_L1' | 'ACCEPTED_ON_L2' {
  const { acceptedOnL1 } = world;
  return acceptedOnL1 !== undefined && number <= acceptedOnL1 ? 'ACCEPTED_ON_L1' : 'ACCEPTED_ON_L2';
}

export function finality(world: World, number: number): TXN_FINALITY_STATUS {
  return number === pendingNumber(world) ? 'PRE_CONFIRMED' : blockFinality(world, number);
}

/** Adds members to a JSON object that is already written. */
function addMembers(text: string, members: object): JsonText {
  const added = JSON.stringify(members);
  return new JsonText(added === '{}' ? text : `${text.slice(0, -1)},${added.slice(1)}`);
}

export function wireTransaction(
  { transaction, hash, proofFacts }: Pick<TransactionRecord, 'transaction' | 'hash' | 'proofFacts'>,
  flags: readonly TXN_RESPONSE_FLAG[] | undefined,
  shows: { readonly hash: boolean; readonly finality_status?: TXN_STATUS },
): JsonText {
  const isInvoke = transaction.startsWith('{"type":"INVOKE"');
  return addMembers(transaction, {
    ...(shows.hash ? { transaction_hash: hash } : {}),
    finality_status: shows.finality_status,
    ...(flags?.includes('INCLUDE_PROOF_FACTS') && isInvoke
      ? { proof_facts: proofFacts ?? [] }
      : {}),
  });
}

/** A receipt inside of its block, without the members that the block has. */
export function wireReceipt(
  world: World,
  { record, block }: Pick<Located, 'record' | 'block'>,
): JsonText {
  return addMembers(record.receipt, { finality_status: finality(world, block) });
}

export function wireReceiptWithBlock(
  world: World,
  { record, block }: Pick<Located, 'record' | 'block'>,
): JsonText {
  return addMembers(record.receipt, {
    finality_status: finality(world, block),
    block_hash: world.history.hash(block),
    block_number: block,
  });
}

/** The status of a transaction in the mempool. */
export function poolStatus({ position }: QueuedTransaction): 'RECEIVED' | 'CANDIDATE' {
  return position === undefined ? 'RECEIVED' : 'CANDIDATE';
}

/** As `TXN_STATUS_RESULT`, with everything that is known of a transaction that ran. */
export interface TransactionStatus {
  readonly finality_status: TXN_FINALITY_STATUS;
  readonly execution_status: TXN_EXECUTION_STATUS;
  /** `null` where nothing failed. */
  readonly failure_reason: string | null;
}

export function wireStatus(
  world: World,
  { record, block }: Pick<Located, 'record' | 'block'>,
): TransactionStatus {
  const receipt = readReceipt(record.receipt);
  return {
    finality_status: finality(world, block),
    failure_reason: receipt.revert_reason ?? null,
    execution_status: receipt.execution_status,
  };
}
