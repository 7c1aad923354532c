// Lists read by standard methods, for the origin of a fork and for restricted nodes.

import { canonicalFelt, shortAddress, shortHash } from '@starkbox/abi/basics';
import { readMulticall } from '@starkbox/abi/internal';
import type { BLOCK_ROW, CANDIDATE, TRANSACTION_FILTER, TRANSACTION_ROW } from '@starkbox/spec';
import { call } from './client.js';
import type { Result } from './methods.js';

type FullBlock = Result<'starknet_getBlockWithReceipts'>;

/** Blocks per request; few, because full blocks are large. */
const AT_ONCE = 20;

/** Blocks from a number downwards, and the next number. */
async function readFullBlocks(
  from: number,
): Promise<{ readonly blocks: readonly FullBlock[]; readonly next: number | undefined }> {
  const numbers = Array.from({ length: Math.min(AT_ONCE, from + 1) }, (_, at) => from - at);
  const blocks = await Promise.all(
    numbers.map((block_number) =>
      call('starknet_getBlockWithReceipts', { block_id: { block_number } }),
    ),
  );
  const next = from - numbers.length;
  return { blocks, next: next < 0 ? undefined : next };
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

export async function readStandardBlocks(from: number) {
  const { blocks, next } = await readFullBlocks(from);
  return { rows: blocks.flatMap(rowOfBlock), next };
}

/** A row with what filters look at beside it. */
interface Found {
  readonly row: TRANSACTION_ROW;
  readonly selectors: readonly string[];
  readonly reason: string | undefined;
}

function rowsInBlock(block: FullBlock): Found[] {
  const isSealed = 'block_hash' in block;
  return block.transactions
    .map(({ transaction, receipt }, index): Found => {
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
        finality_status: isSealed ? 'ACCEPTED_ON_L2' : 'PRE_CONFIRMED',
        fee: receipt.actual_fee,
        l2_gas: receipt.execution_resources.l2_gas,
        ...(reason === undefined ? {} : { revert_reason: reason.slice(-300) }),
      };
      return { row, selectors: calls.map(({ selector }) => selector), reason };
    })
    .reverse();
}

function passes({ row, selectors, reason }: Found, filter: TRANSACTION_FILTER): boolean {
  const { type, status, sender, contract, selector, revert_reason: text } = filter;
  const { block_number: only, from_block: from = 0, to_block: to = row.block_number } = filter;
  return (
    row.block_number >= (only ?? from) &&
    row.block_number <= (only ?? to) &&
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

/** Transactions of blocks from a number downwards; `pre_confirmed` starts with the pre-confirmed block. */
export async function readStandardTransactions(
  from: number | 'pre_confirmed',
  filter: TRANSACTION_FILTER,
) {
  const { block_number: only, from_block: oldest = 0, to_block: newest } = filter;
  const matches = (blocks: readonly FullBlock[]): TRANSACTION_ROW[] =>
    blocks
      .flatMap(rowsInBlock)
      .filter((candidate) => passes(candidate, filter))
      .map(({ row }) => row);
  const read = async (first: number, before: readonly FullBlock[] = []) => {
    const start = Math.min(first, newest ?? first);
    const { blocks, next } = await readFullBlocks(start);
    const isOver = next === undefined || next < oldest;
    return { rows: matches([...before, ...blocks]), next: isOver ? undefined : next };
  };
  if (from !== 'pre_confirmed') return read(from);
  const [pending, { block_number: head }] = await Promise.all([
    call('starknet_getBlockWithReceipts', { block_id: 'pre_confirmed' }),
    call('starknet_blockHashAndNumber'),
  ]);
  if (only === undefined) return read(head, [pending]);
  if (only > head) return { rows: matches([pending]), next: undefined };
  const block = await call('starknet_getBlockWithReceipts', { block_id: { block_number: only } });
  return { rows: matches([block]), next: undefined };
}

/** Search by trying each kind of object. */
export async function standardSearch(line: string): Promise<readonly CANDIDATE[]> {
  const candidates: CANDIDATE[] = [];
  const block_id = 'pre_confirmed';
  if (/^\d{1,15}$/.test(line)) {
    const block_number = Number(line);
    await call('starknet_getBlockWithTxHashes', { block_id: { block_number } }).then(
      () => candidates.push({ kind: 'block', value: line }),
      () => {},
    );
    return candidates;
  }
  const felt = canonicalFelt(line);
  if (felt === undefined) return [];
  const kinds = [
    ['transaction', call('starknet_getTransactionStatus', { transaction_hash: felt })],
    ['block', call('starknet_getBlockWithTxHashes', { block_id: { block_hash: felt } })],
    ['contract', call('starknet_getClassHashAt', { block_id, contract_address: felt })],
    ['class', call('starknet_getClass', { block_id, class_hash: felt })],
  ] as const;
  await Promise.all(
    kinds.map(([kind, params]) =>
      params.then(
        () => candidates.push({ kind, value: felt }),
        () => {},
      ),
    ),
  );
  return candidates;
}

/** Contracts and classes of the newest blocks, from their state updates. */
async function readUpdates() {
  const { block_number } = await call('starknet_blockHashAndNumber');
  const numbers = Array.from(
    { length: Math.min(AT_ONCE * 5, block_number + 1) },
    (_, at) => block_number - at,
  );
  return Promise.all(
    numbers.map(async (number) => ({
      number,
      diff: (await call('starknet_getStateUpdate', { block_id: { block_number: number } }))
        .state_diff,
    })),
  );
}

export async function readStandardContracts() {
  return (await readUpdates()).flatMap(({ number, diff }) =>
    diff.deployed_contracts.map(({ address, class_hash }) => ({
      contract_address: address,
      class_hash,
      deployed_in: number,
      name: shortAddress(address),
      name_source: 'ADDRESS' as const,
    })),
  );
}

export async function readStandardClasses() {
  return (await readUpdates()).flatMap(({ number, diff }) => [
    ...diff.declared_classes.map(({ class_hash }) => ({
      class_hash,
      declared_in: number,
      kind: 'sierra' as const,
      name: shortHash(class_hash),
      name_source: 'ADDRESS' as const,
    })),
    ...diff.deprecated_declared_classes.map((class_hash) => ({
      class_hash,
      declared_in: number,
      kind: 'cairo0' as const,
      name: shortHash(class_hash),
      name_source: 'ADDRESS' as const,
    })),
  ]);
}
