// Validation of the blocks of an image; checksums do not protect against a hand-made image.

import { listOf, type Members } from '@starkbox/abi/basics';
import {
  address,
  count,
  felt,
  felts,
  hexBits,
  hexNumber,
  isFelt,
  list,
  object,
  objectText,
  oneOf,
  optional,
  string,
} from '../../json/reader.js';
import { Slices } from '../../scheduling/slices.js';
import { type Emitted, eventMarks } from '../history/event-index.js';
import {
  type PackedBlock,
  pricesOf,
  storedMarks,
  transactionHash,
  transactionHashCount,
} from '../history/packed-block.js';
import { eachText, TEXTS_OF_TRANSACTION, type TransactionTexts } from '../history/packed-texts.js';
import { checkCalls } from '../history/stored-trace.js';
import { readMessage } from './messages.js';

const FELT_BYTES = 32;
/** The field prime as big-endian latin1 bytes, which compare like the numbers. */
const PRIME = Buffer.from(`0800000000000011${'0'.repeat(47)}1`, 'hex').toString('latin1');
const PRICE = /^0x[1-9a-f][0-9a-f]{0,31}$/;
const TYPES = ['INVOKE', 'DECLARE', 'DEPLOY_ACCOUNT', 'L1_HANDLER'] as const;
type TransactionType = (typeof TYPES)[number];

/** Classes that transactions declare, and the place of the declaration in messages. */
export type Declarations = Map<string, string>;

/**
 * Rejects with the block number unless the block can follow its predecessor.
 *
 * @param declarations gets those of the block
 */
export async function checkBlock(
  number: number,
  block: PackedBlock,
  before: PackedBlock | undefined,
  declarations: Declarations,
): Promise<void> {
  try {
    checkFrame(block, before);
    for (const [index, hash] of await checkTexts(block, before)) {
      declarations.set(hash, `block ${number}: transaction ${index}, transaction.class_hash`);
    }
  } catch (error) {
    throw new Error(`block ${number}: ${error instanceof Error ? error.message : error}`);
  }
}

function checkFrame(block: PackedBlock, before: PackedBlock | undefined): void {
  for (let at = 0; at < block.felts.length; at += FELT_BYTES) {
    must(block.felts.slice(at, at + FELT_BYTES) < PRIME, 'a hash is not a felt');
  }
  must(block.parentHash === undefined || !before, 'its parent is not the block before it');
  must(
    block.parentHash === undefined || isFelt(block.parentHash),
    "its parent's hash is not a felt",
  );
  must(
    block.sequencer === undefined || isFelt(block.sequencer),
    "its sequencer's address is not a felt",
  );
  for (const value of [block.timestamp, block.stateDiffLength]) {
    must(Number.isSafeInteger(value), 'a number is out of range');
  }
  for (const { price_in_fri, price_in_wei } of before?.prices === block.prices
    ? []
    : pricesOf(block.prices)) {
    must(PRICE.test(price_in_fri) && PRICE.test(price_in_wei), 'a gas price is out of range');
  }
}

/**
 * Holds the texts of one transaction at a time: those of a block can unpack to gigabytes.
 *
 * @returns the declared classes, each with the index of its transaction
 */
async function checkTexts(
  block: PackedBlock,
  before: PackedBlock | undefined,
): Promise<readonly (readonly [index: number, classHash: string])[]> {
  const transactions = transactionHashCount(block);
  const added = block.transactionsUpTo - (before?.transactionsUpTo ?? 0);
  must(added === transactions, 'its number of transactions is wrong');
  must(
    block.texts.every(({ size }) => size > 0 && size % TEXTS_OF_TRANSACTION === 0),
    'a chunk of its data is incomplete',
  );
  const texts = block.texts.reduce((sum, { size }) => sum + size, 0);
  must(texts === transactions * TEXTS_OF_TRANSACTION, 'data of its transactions is missing');
  const slices = new Slices();
  const marks = new Set(storedMarks(block));
  const declared: [index: number, classHash: string][] = [];
  let [index, eventCount] = [0, 0];
  for (const transaction of eachText(block.texts)) {
    const hash = transactionHash(block, index);
    const { events, classHash } = checkTransaction(transaction, hash, `transaction ${index}`);
    must(
      eventMarks(events).every((mark) => marks.has(mark)),
      `its index lacks an event of transaction ${index}`,
    );
    if (classHash !== undefined) declared.push([index, classHash]);
    eventCount += events.length;
    index += 1;
    if (slices.isOver) await slices.next();
  }
  const expected = block.eventsUpTo - (before?.eventsUpTo ?? 0);
  must(eventCount === expected, 'its number of events is wrong');
  if (block.stateDiff) {
    must(block.stateDiff.size === 1, 'its state difference is not a single string');
    checkStateDiff(objectText(block.stateDiff.part(0), 'state difference'), 'state difference');
  }
  return declared;
}

/** What other parts of an image have to match. */
interface CheckedTransaction {
  readonly events: readonly Emitted[];
  /** The class that it declares. */
  readonly classHash: string | undefined;
}

/** Validates the texts of a transaction. */
export function checkTransaction(
  { transaction, receipt, trace, proofFacts }: TransactionTexts,
  hash: string,
  where: string,
): CheckedTransaction {
  const values = objectText(transaction, `${where}, transaction`);
  const type = oneOf(values['type'], `${where}, transaction.type`, TYPES);
  checkSent(values, type, `${where}, transaction`);
  checkTrace(objectText(trace, `${where}, trace`), type, `${where}, trace`);
  if (proofFacts !== undefined) felts(proofFacts, `${where}, proof facts`);
  const received = objectText(receipt, `${where}, receipt`);
  must(
    received['transaction_hash'] === hash,
    `${where}, receipt: it belongs to another transaction`,
  );
  must(received['type'] === type, `${where}, receipt.type: expected ${type}`);
  return {
    events: checkReceipt(received, `${where}, receipt`),
    classHash: type === 'DECLARE' ? string(values['class_hash'], where) : undefined,
  };
}

/** Names of members by transaction type. */
interface SentMembers {
  readonly address?: string;
  readonly felts: readonly string[];
  readonly lists: readonly string[];
}

const SENT: Readonly<Record<TransactionType, SentMembers>> = {
  INVOKE: {
    address: 'sender_address',
    felts: ['nonce'],
    lists: ['calldata', 'signature', 'paymaster_data', 'account_deployment_data'],
  },
  DECLARE: {
    address: 'sender_address',
    felts: ['nonce', 'class_hash', 'compiled_class_hash'],
    lists: ['signature', 'paymaster_data', 'account_deployment_data'],
  },
  DEPLOY_ACCOUNT: {
    felts: ['nonce', 'class_hash', 'contract_address_salt'],
    lists: ['constructor_calldata', 'signature', 'paymaster_data'],
  },
  L1_HANDLER: {
    address: 'contract_address',
    felts: ['entry_point_selector', 'nonce'],
    lists: ['calldata'],
  },
};
const RESOURCES = ['l1_gas', 'l1_data_gas', 'l2_gas'] as const;
const AVAILABILITY = ['nonce_data_availability_mode', 'fee_data_availability_mode'] as const;

/** Validates a transaction as methods return it. */
export function checkSent(values: Members, type: TransactionType, where: string): void {
  const members = SENT[type];
  if (members.address !== undefined)
    address(values[members.address], `${where}.${members.address}`);
  for (const name of members.felts) felt(values[name], `${where}.${name}`);
  for (const name of members.lists) felts(values[name], `${where}.${name}`);
  if (type === 'L1_HANDLER') checkMessageSent(values, where);
  else checkOffer(values, where);
}

function checkMessageSent(values: Members, where: string): void {
  oneOf(values['version'], `${where}.version`, ['0x0']);
  must(listOf(values['calldata']).length > 0, `${where}.calldata: expected the sender on L1`);
  hexNumber(values['paid_fee_on_l1'], `${where}.paid_fee_on_l1`);
  optional(values['l1_transaction_hash'], `${where}.l1_transaction_hash`, hexNumber);
}

/** What a transaction of an account offers to pay. */
function checkOffer(values: Members, where: string): void {
  oneOf(values['version'], `${where}.version`, ['0x3']);
  hexBits(values['tip'], `${where}.tip`, 64);
  const bounds = object(values['resource_bounds'], `${where}.resource_bounds`);
  for (const name of RESOURCES) {
    const path = `${where}.resource_bounds.${name}`;
    const bound = object(bounds[name], path);
    hexBits(bound['max_amount'], `${path}.max_amount`, 64);
    hexBits(bound['max_price_per_unit'], `${path}.max_price_per_unit`, 128);
  }
  for (const name of AVAILABILITY) oneOf(values[name], `${where}.${name}`, ['L1', 'L2']);
}

function checkTrace(trace: Members, type: TransactionType, where: string): void {
  oneOf(trace['type'], `${where}.type`, [type]);
  checkCalls(trace, where);
  if (trace['state_diff'] !== undefined) {
    checkStateDiff(object(trace['state_diff'], `${where}.state_diff`), `${where}.state_diff`);
  }
  checkGas(trace['execution_resources'], `${where}.execution_resources`);
}

/** Validates a receipt and returns its events. */
export function checkReceipt(receipt: Members, where: string): readonly Emitted[] {
  const fee = object(receipt['actual_fee'], `${where}.actual_fee`);
  felt(fee['amount'], `${where}.actual_fee.amount`);
  oneOf(fee['unit'], `${where}.actual_fee.unit`, ['FRI', 'WEI']);
  oneOf(receipt['execution_status'], `${where}.execution_status`, ['SUCCEEDED', 'REVERTED']);
  if (receipt['revert_reason'] !== undefined) {
    string(receipt['revert_reason'], `${where}.revert_reason`);
  }
  checkGas(receipt['execution_resources'], `${where}.execution_resources`);
  if (receipt['contract_address'] !== undefined) {
    felt(receipt['contract_address'], `${where}.contract_address`);
  }
  if (receipt['message_hash'] !== undefined)
    string(receipt['message_hash'], `${where}.message_hash`);
  list(receipt['messages_sent'], `${where}.messages_sent`, readMessage);
  return list(receipt['events'], `${where}.events`, readEvent);
}

export function checkGas(value: unknown, where: string): void {
  const gas = object(value, where);
  for (const name of RESOURCES) count(gas[name], `${where}.${name}`);
}

function readEvent(value: unknown, where: string): Emitted {
  const { from_address, keys, data } = object(value, where);
  felts(data, `${where}.data`);
  return {
    from_address: felt(from_address, `${where}.from_address`),
    keys: felts(keys, `${where}.keys`),
  };
}

const DIFF_LISTS = {
  storage_diffs: ['address'],
  nonces: ['contract_address', 'nonce'],
  deployed_contracts: ['address', 'class_hash'],
  declared_classes: ['class_hash', 'compiled_class_hash'],
  replaced_classes: ['contract_address', 'class_hash'],
  migrated_compiled_classes: ['class_hash', 'compiled_class_hash'],
} as const;

function checkStateDiff(diff: Members, where: string): void {
  for (const [name, members] of Object.entries(DIFF_LISTS)) {
    if (name === 'migrated_compiled_classes' && diff[name] === undefined) continue;
    list(diff[name], `${where}.${name}`, (value, path) => {
      const entry = object(value, path);
      for (const member of members) felt(entry[member], `${path}.${member}`);
      if (name === 'storage_diffs') {
        list(entry['storage_entries'], `${path}.storage_entries`, readSlot);
      }
    });
  }
  felts(diff['deprecated_declared_classes'], `${where}.deprecated_declared_classes`);
}

function readSlot(value: unknown, where: string): void {
  const { key, value: slotValue } = object(value, where);
  felt(key, `${where}.key`);
  felt(slotValue, `${where}.value`);
}

function must(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}
