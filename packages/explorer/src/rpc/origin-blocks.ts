// Blocks below a fork and their transactions, which the origin has and the node does not list.
import { readMulticall } from '@starkbox/abi/internal';
import type { BLOCK_ROW, TRANSACTION_FILTER, TRANSACTION_ROW } from '@starkbox/spec';
import { call } from './client.js';
import type { Result } from './methods.js';

type FullBlock = Result<'starknet_getBlockWithReceipts'>;

/** Blocks per request; few, because full blocks are large. */
const AT_ONCE = 20;

/** Blocks from a number downwards, and the next number. */
async function readFullBlocks(
  from: number,
  oldest = 0,
): Promise<{ readonly blocks: readonly FullBlock[]; readonly next: number | undefined }> {
  const count = Math.max(0, Math.min(AT_ONCE, from - oldest + 1));
  const blocks = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      call('starknet_getBlockWithReceipts', { block_id: { block_number: from - at } }),
    ),
  );
  const next = from - count;
  return { blocks, next: next < oldest ? undefined : next };
}

function rowOfBlock(block: FullBlock): BLOCK_ROW[] {
  if (!('block_hash' in block)) return [];
  const fees = { FRI: 0n, WEI: 0n };
  for (const { receipt } of block.transactions)
    fees[receipt.actual_fee.unit] += BigInt(receipt.actual_fee.amount);
  const receipts = block.transactions.map(({ receipt }) => receipt);
  return [
    {
      block_number: block.block_number,
      block_hash: block.block_hash,
      timestamp: block.timestamp,
      transaction_count: receipts.length,
      failed_count: receipts.filter(({ execution_status }) => execution_status === 'REVERTED')
        .length,
      event_count: receipts.reduce((sum, { events }) => sum + events.length, 0),
      fee: { fri: fees.FRI.toString(), wei: fees.WEI.toString() },
      l2_gas: receipts.reduce(
        (sum, { execution_resources: resources }) => sum + resources.l2_gas,
        0,
      ),
      finality_status: block.status === 'ACCEPTED_ON_L1' ? 'ACCEPTED_ON_L1' : 'ACCEPTED_ON_L2',
    },
  ];
}

export async function readOriginBlocks(from: number) {
  const { blocks, next } = await readFullBlocks(from);
  return { rows: blocks.flatMap(rowOfBlock), next };
}

/** A row with what filters look at beside it. */
interface Candidate {
  readonly row: TRANSACTION_ROW;
  readonly selectors: readonly string[];
  readonly reason: string | undefined;
}

function rowsInBlock(block: FullBlock): Candidate[] {
  return block.transactions
    .map(({ transaction, receipt }, index): Candidate => {
      const calls =
        transaction.type === 'L1_HANDLER'
          ? [
              {
                contract: transaction.contract_address,
                selector: transaction.entry_point_selector,
              },
            ]
          : 'calldata' in transaction
            ? (readMulticall(transaction.calldata) ?? [])
            : [];
      const [first] = calls;
      const sender = 'sender_address' in transaction ? transaction.sender_address : undefined;
      const reason = 'revert_reason' in receipt ? receipt.revert_reason : undefined;
      const row: TRANSACTION_ROW = {
        transaction_hash: receipt.transaction_hash,
        block_number: block.block_number,
        index,
        timestamp: block.timestamp,
        type: transaction.type,
        ...(sender === undefined ? {} : { sender_address: sender }),
        ...(first && {
          call: { contract_address: first.contract, selector: first.selector },
        }),
        call_count: calls.length,
        execution_status: receipt.execution_status,
        finality_status: 'ACCEPTED_ON_L2',
        fee: receipt.actual_fee,
        l2_gas: receipt.execution_resources.l2_gas,
        ...(reason === undefined ? {} : { revert_reason: reason.slice(-300) }),
      };
      return { row, selectors: calls.map(({ selector }) => selector), reason };
    })
    .reverse();
}

function passes({ row, selectors, reason }: Candidate, filter: TRANSACTION_FILTER): boolean {
  const { type, status, sender, contract, selector, revert_reason: text } = filter;
  return (
    (type === undefined || row.type === type) &&
    (status === undefined || row.execution_status === status) &&
    (sender === undefined || row.sender_address === sender) &&
    (contract === undefined ||
      row.sender_address === contract ||
      row.call?.contract_address === contract) &&
    (selector === undefined || selectors.includes(selector)) &&
    (text === undefined || (reason?.toLowerCase().includes(text.toLowerCase()) ?? false))
  );
}

/** Transactions of blocks from a number downwards. */
export async function readOriginTransactions(from: number, filter: TRANSACTION_FILTER) {
  const { block_number: only, from_block: oldest = 0, to_block: newest = from } = filter;
  const { blocks, next } = await readFullBlocks(
    Math.min(from, only ?? newest),
    Math.max(only ?? 0, oldest),
  );
  const matches = blocks
    .flatMap(rowsInBlock)
    .filter((candidate) => passes(candidate, filter))
    .map(({ row }) => row);
  return { rows: matches, next };
}
