// Checks of a chain against the model: its head after every command, and all of it at the end.
import {
  type BLOCK_ID,
  type EMITTED_EVENT,
  ERRORS,
  type EVENTS_CHUNK,
  type STATE_DIFF,
} from '@starkbox/spec';
import * as cast from './accounts-and-contracts.js';
import { agree, agreeExactly } from './agreement.js';
import type { NodeAndModel } from './node-and-model.js';
import { type NodeClient, turningPoints, valueQuestion } from './reading.js';
import {
  balanceOf,
  className,
  declaredName,
  type Included,
  nextTime,
  type Prices,
  readWide,
  transactionsOf,
  type Values,
  valuesAt,
  type World,
  withNewestHash,
} from './world.js';

/** Contracts that are there whatever happens. */
const FIXED = new Set([cast.STRK, cast.ETH, '0x1']);

/** Classes that are long, and always there but after a restart. */
const PLACED = new Set(
  [cast.counterClass, cast.messengerClass].map(({ compiledClass }) =>
    declaredName(compiledClass.hash),
  ),
);

const wirePrices = (prices: Prices) => ({
  l1_gas_price: both(prices.gas_price_fri, prices.gas_price_wei),
  l1_data_gas_price: both(prices.data_gas_price_fri, prices.data_gas_price_wei),
  l2_gas_price: both(prices.l2_gas_price_fri, prices.l2_gas_price_wei),
});
const both = (fri: number, wei: number) => ({
  price_in_fri: cast.hex(fri),
  price_in_wei: cast.hex(wei),
});
const hashesOf = (transactions: readonly Included[]) => transactions.map(({ hash }) => hash);

function finality({ blocks, acceptedOnL1 }: World, number: number) {
  if (number === blocks.length) return 'PRE_CONFIRMED';
  return number <= (acceptedOnL1 ?? -1) ? 'ACCEPTED_ON_L1' : 'ACCEPTED_ON_L2';
}

// After every command.

/** Counts, the newest block, and the one under construction with all that it changed. */
export async function checkHead(stage: NodeAndModel): Promise<void> {
  const { door } = stage;
  const status = await door.ask('devnet_getStatus');
  const { impersonated, auto, pending, blocks } = stage.world;
  agree(
    { ...status, impersonated_accounts: status.impersonated_accounts.toSorted() },
    {
      block_count: blocks.length,
      transaction_count: transactionsOf(stage.world).length,
      pre_confirmed_tx_count: pending.length,
      impersonated_accounts: [...impersonated].sort(),
      auto_impersonate: auto,
    },
    'the status',
  );

  const latest = await door.ask('starknet_getBlockWithTxHashes', { block_id: 'latest' });
  const hash = 'block_hash' in latest ? latest.block_hash : '0x0';
  const isNew = blocks.at(-1)?.hash === undefined;
  if (isNew)
    agree(
      blocks.some((block) => block.hash === hash),
      false,
      `whether ${hash} was used`,
    );
  stage.world = withNewestHash(stage.world, hash);
  agree(latest, headerOf(stage.world, blocks.length - 1), 'latest');
  if (isNew && blocks.length > 1) await checkStateUpdate(stage, blocks.length - 1);

  const open = await door.ask('starknet_getBlockWithTxHashes', { block_id: 'pre_confirmed' });
  const pendingHeader = {
    block_number: blocks.length,
    timestamp: nextTime(stage.world, stage.wall.now()),
    ...wirePrices(stage.world.current),
    transactions: hashesOf(pending),
    block_hash: undefined,
  };
  agree(open, pendingHeader, 'pre_confirmed');
  await checkStateUpdate(stage, blocks.length);
  stage.blocks.add(hash);
  for (const transactionHash of hashesOf(pending)) stage.transactions.add(transactionHash);
  for (const transactionHash of hashesOf(blocks.at(-1)?.transactions ?? []))
    stage.transactions.add(transactionHash);
}

function headerOf(world: World, number: number): object {
  const { blocks } = world;
  const block = blocks[number];
  if (!block) return {};
  return {
    status: finality(world, number),
    block_hash: block.hash,
    parent_hash: blocks[number - 1]?.hash ?? '0x0',
    block_number: number,
    timestamp: block.timestamp,
    ...wirePrices(block.prices),
    transaction_count: block.transactions.length,
    transactions: hashesOf(block.transactions),
  };
}

// What blocks changed.

async function checkStateUpdate(stage: NodeAndModel, number: number): Promise<void> {
  const { world, door } = stage;
  const update = await door.ask('starknet_getStateUpdate', { block_id: blockId(world, number) });
  agree('block_hash' in update ? update.block_hash : undefined, world.blocks[number]?.hash);
  const changes = changesBetween(valuesAt(world, number - 1), valuesAt(world, number));
  agreeExactly(flat(update.state_diff), changes, `the changes of block ${number}`);
}

function blockId({ blocks }: World, number: number): BLOCK_ID {
  return number === blocks.length ? 'pre_confirmed' : { block_number: number };
}

function changesBetween(before: Values, after: Values): Readonly<Record<string, string>> {
  const changes: Record<string, string> = {};
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(name), after.get(name)];
    if (was === is) continue;
    const isReplaced = name.startsWith('class') && was !== undefined;
    changes[isReplaced ? `replaced ${name}` : name] = is ?? '0x0';
  }
  return changes;
}

/** A state difference by the names of the model. */
function flat(diff: STATE_DIFF): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...diff.storage_diffs.flatMap(({ address, storage_entries }) =>
      storage_entries.map(({ key, value }) => [`slot ${address} ${key}`, value]),
    ),
    ...diff.nonces.map(({ contract_address, nonce }) => [`nonce ${contract_address}`, nonce]),
    ...diff.deployed_contracts.map(({ address, class_hash }) => [className(address), class_hash]),
    ...diff.replaced_classes.map(({ contract_address, class_hash }) => [
      `replaced ${className(contract_address)}`,
      class_hash,
    ]),
    ...diff.declared_classes.map(({ class_hash, compiled_class_hash }) => [
      `declared ${class_hash}`,
      compiled_class_hash,
    ]),
    ...diff.deprecated_declared_classes.map((hash) => [`deprecated ${hash}`, '']),
  ]);
}

// At the end.

export async function checkAll(stage: NodeAndModel): Promise<void> {
  const { world, door } = stage;
  await checkBlocks(stage);
  await checkValues(stage);
  await checkGone(stage);
  agreeExactly(await door.ask('devnet_setGasPrice', {}), world.next, 'the next prices');
  const flushed = await door.ask('devnet_postmanFlush', { dry_run: true });
  agree(flushed.messages_to_l1.length, world.outgoing.length, 'messages to L1');
  const { result, error } = await door.answer('starknet_getBlockWithTxHashes', {
    block_id: 'l1_accepted',
  });
  if (world.acceptedOnL1 === undefined)
    agree(error?.code, ERRORS.BLOCK_NOT_FOUND.code, 'l1_accepted');
  else agree(result, headerOf(world, world.acceptedOnL1), 'l1_accepted');
}

/** Blocks, their transactions, receipts, traces and events, each as the others say. */
async function checkBlocks({ world, door }: NodeAndModel): Promise<void> {
  const events: EMITTED_EVENT[] = [];
  for (let number = 0; number <= world.blocks.length; number += 1) {
    const block_id = blockId(world, number);
    const closed = world.blocks[number];
    const included = closed?.transactions ?? world.pending;
    const block = await door.ask('starknet_getBlockWithReceipts', { block_id });
    if (closed) {
      agree({ ...block, transactions: hashesOf(included) }, headerOf(world, number));
      const again = { block_hash: closed.hash };
      const byHash = await door.ask('starknet_getBlockWithTxHashes', { block_id: again });
      agree(byHash, headerOf(world, number), `block ${number} by hash`);
    }
    const blockFields = closed ? { block_hash: closed.hash ?? '', block_number: number } : {};
    for (const [index, { receipt }] of block.transactions.entries()) {
      const expectedReceipt = receiptOf(world, number, included[index]);
      agree(receipt, expectedReceipt, `receipt ${index} of block ${number}`);
      const transaction_hash = receipt.transaction_hash;
      const alone = await door.ask('starknet_getTransactionReceipt', { transaction_hash });
      agreeExactly(alone, { ...receipt, ...blockFields, block_number: number });
      const status = await door.ask('starknet_getTransactionStatus', { transaction_hash });
      const { finality_status, execution_status } = expectedReceipt;
      agree(status, { finality_status, execution_status }, 'a status');
      for (const [event_index, event] of receipt.events.entries()) {
        const transaction_index = index;
        events.push({ ...event, ...blockFields, transaction_hash, transaction_index, event_index });
      }
    }
    agree(block.transactions.length, included.length, `transactions of block ${number}`);
    const traces = await door.ask('starknet_traceBlockTransactions', { block_id });
    const traced = Array.isArray(traces) ? traces : [];
    agree(
      traced.map((trace) => trace.transaction_hash),
      hashesOf(included),
      `traces of block ${number}`,
    );
  }
  await checkEvents(door, events);
}

/** All of them at once; and those of one kind, page by page. */
async function checkEvents(door: NodeClient, events: readonly EMITTED_EVENT[]): Promise<void> {
  const all = await door.ask('starknet_getEvents', { filter: { chunk_size: 1000 } });
  agreeExactly(all.events, events, 'events');
  const filter = { address: cast.STRK, keys: [[cast.selector('Transfer')]], chunk_size: 5 };
  const transfers: EMITTED_EVENT[] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const from = token === '' ? {} : { continuation_token: token };
    const page: EVENTS_CHUNK = await door.ask('starknet_getEvents', {
      filter: { ...filter, ...from },
    });
    transfers.push(...page.events);
    token = page.continuation_token;
  }
  const expectedTransfers = events.filter(
    ({ from_address, keys }) => from_address === cast.STRK && keys[0] === cast.selector('Transfer'),
  );
  agreeExactly(transfers, expectedTransfers, 'transfers');
}

function receiptOf(world: World, number: number, included: Included | undefined) {
  return {
    transaction_hash: included?.hash,
    type: included?.type,
    execution_status: included?.isReverted ? 'REVERTED' : 'SUCCEEDED',
    finality_status: finality(world, number),
    actual_fee: { amount: cast.hex(included?.fee ?? 0n) },
  };
}

/** Everything that is stored, at every block where it changed and right before; and the sums. */
async function checkValues({ world, door, setup }: NodeAndModel): Promise<void> {
  const latest = world.blocks.length - 1;
  const questions = new Map<string, readonly [name: string, at: number]>();
  for (const name of world.values.keys()) questions.set(`now ${name}`, [name, latest + 1]);
  for (const [name, at] of turningPoints(world)) {
    if (setup.keepsHistory || at >= latest) questions.set(`${at} ${name}`, [name, at]);
  }
  const answers: string[] = [];
  const expected: string[] = [];
  for (const [name, at] of questions.values()) {
    if (PLACED.has(name)) continue;
    const { method, params } = valueQuestion(name, blockId(world, at));
    const { result, error } = await door.answer(method, params);
    const answer = name.startsWith('declared') ? 'declared' : result;
    answers.push(`${name} at ${at}: ${error?.code ?? answer}`);
    expected.push(`${name} at ${at}: ${valueAt(valuesAt(world, at), name)}`);
  }
  agree(answers, expected, 'values');

  for (const { values, injected } of [...world.blocks, world]) {
    const owned = cast.holders.reduce((sum, { address }) => sum + balanceOf(values, address), 0n);
    agree(owned, readWide(values, cast.STRK, cast.SUPPLY) + injected, 'all balances');
  }
  // One by a real call, at a block of any age.
  const number = setup.keepsHistory ? Math.floor(latest / 2) : latest;
  const { address } = cast.holder(latest);
  const block_id = { block_number: number };
  const { amount } = await door.ask('devnet_getAccountBalance', { address, block_id });
  agree(amount, balanceOf(valuesAt(world, number), address).toString(), 'a balance');
}

/** What a read of a value says: it, or the code of the error. */
function valueAt(values: Values, name: string): string | number {
  const [kind, address = ''] = name.split(' ');
  const value = values.get(name);
  const exists = FIXED.has(address) || values.has(className(address));
  switch (kind) {
    case 'slot':
      return value ?? (exists ? '0x0' : ERRORS.CONTRACT_NOT_FOUND.code);
    case 'nonce':
      return exists ? (value ?? '0x0') : ERRORS.CONTRACT_NOT_FOUND.code;
    case 'class':
      return value ?? ERRORS.CONTRACT_NOT_FOUND.code;
    default:
      return value === undefined ? ERRORS.CLASS_HASH_NOT_FOUND.code : 'declared';
  }
}

/** What was undone is not there any more, under any name. */
async function checkGone({ world, door, transactions, blocks }: NodeAndModel): Promise<void> {
  const includedHashes = new Set(hashesOf(transactionsOf(world)));
  for (const transaction_hash of transactions) {
    if (includedHashes.has(transaction_hash)) continue;
    const { error } = await door.answer('starknet_getTransactionStatus', { transaction_hash });
    agree(error?.code, ERRORS.TXN_HASH_NOT_FOUND.code, 'a transaction that is gone');
  }
  const closed = new Set(world.blocks.map(({ hash }) => hash));
  for (const block_hash of blocks) {
    if (closed.has(block_hash)) continue;
    const params = { block_id: { block_hash } };
    const { error } = await door.answer('starknet_getBlockTransactionCount', params);
    agree(error?.code, ERRORS.BLOCK_NOT_FOUND.code, 'a block that is gone');
  }
}
