// Validation of the blocks of an image; checksums do not protect against a hand-made image.

import {
  count,
  felt,
  felts,
  hexNumber,
  isFelt,
  list,
  type Members,
  object,
  objectText,
  oneOf,
  string,
} from '../../json/reader.js';
import { type Emitted, eventMarks } from '../history/event-index.js';
import { marksOf, type PackedBlock, pricesOf, transactionHashes } from '../history/packed-block.js';
import { allTexts, TEXTS_OF_TRANSACTION, type TransactionTexts } from '../history/packed-texts.js';
import { readMessage } from './messages.js';

const FELT_BYTES = 32;
/** The field prime as big-endian latin1 bytes, which compare like the numbers. */
const PRIME = Buffer.from(`0800000000000011${'0'.repeat(47)}1`, 'hex').toString('latin1');
const PRICE = /^0x[1-9a-f][0-9a-f]{0,31}$/;
const TYPES = ['INVOKE', 'DECLARE', 'DEPLOY_ACCOUNT', 'DEPLOY', 'L1_HANDLER'] as const;

/** Throws an error with the block number unless the block can follow its predecessor. */
export function checkBlock(
  number: number,
  block: PackedBlock,
  before: PackedBlock | undefined,
): void {
  try {
    checkFrame(block, before);
    checkTexts(block, before);
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

function checkTexts(block: PackedBlock, before: PackedBlock | undefined): void {
  const hashes = transactionHashes(block);
  const added = block.transactionsUpTo - (before?.transactionsUpTo ?? 0);
  must(added === hashes.length, 'its number of transactions is wrong');
  must(
    block.texts.every(({ size }) => size > 0 && size % TEXTS_OF_TRANSACTION === 0),
    'a chunk of its texts is incomplete',
  );
  const texts = allTexts(block.texts);
  must(texts.length === hashes.length, 'it lacks texts of its transactions');
  const events = texts.flatMap((one, index) =>
    checkTransaction(one, hashes[index] ?? '', `transaction ${index}`),
  );
  const emitted = block.eventsUpTo - (before?.eventsUpTo ?? 0);
  must(emitted === events.length, 'its number of events is wrong');
  const marks = new Set(events.length > 0 ? marksOf(block) : []);
  must(
    eventMarks(events).every((mark) => marks.has(mark)),
    'its index lacks an event',
  );
  if (block.stateDiff) checkStateDiff(block.stateDiff.part(0));
}

/** Validates the texts of a transaction and returns its events. */
export function checkTransaction(
  { transaction, receipt, trace, proofFacts }: TransactionTexts,
  hash: string,
  where: string,
): readonly Emitted[] {
  const sent = objectText(transaction, `${where}, transaction`);
  const type = oneOf(sent['type'], `${where}, transaction.type`, TYPES);
  checkSent(sent, type, `${where}, transaction`);
  const shown = objectText(trace, `${where}, trace`);
  must(shown['type'] === type, `${where}, trace.type: expected ${type}`);
  if (proofFacts !== undefined) felts(proofFacts, `${where}, proof facts`);
  const received = objectText(receipt, `${where}, receipt`);
  must(
    received['transaction_hash'] === hash,
    `${where}, receipt: it belongs to another transaction`,
  );
  must(received['type'] === type, `${where}, receipt.type: expected ${type}`);
  return checkReceipt(received, `${where}, receipt`);
}

/** Names of the felt members and of the felt list members, by transaction type. */
const SENT: Readonly<
  Record<(typeof TYPES)[number], readonly [readonly string[], readonly string[]]>
> = {
  INVOKE: [
    ['sender_address', 'nonce'],
    ['calldata', 'signature'],
  ],
  DECLARE: [['sender_address', 'nonce', 'class_hash', 'compiled_class_hash'], ['signature']],
  DEPLOY_ACCOUNT: [
    ['nonce', 'class_hash', 'contract_address_salt'],
    ['constructor_calldata', 'signature'],
  ],
  DEPLOY: [['class_hash', 'contract_address_salt'], ['constructor_calldata']],
  L1_HANDLER: [['contract_address', 'entry_point_selector', 'nonce'], ['calldata']],
};
const FEE_BOUNDS = ['l1_gas', 'l1_data_gas', 'l2_gas'];

/** Validates a transaction as methods return it. */
export function checkSent(sent: Members, type: (typeof TYPES)[number], where: string): void {
  const version = hexNumber(sent['version'], `${where}.version`);
  const [single, lists] = SENT[type];
  for (const name of single) felt(sent[name], `${where}.${name}`);
  for (const name of lists) felts(sent[name], `${where}.${name}`);
  if (version !== '0x3') return;
  hexNumber(sent['tip'], `${where}.tip`);
  felts(sent['paymaster_data'], `${where}.paymaster_data`);
  const bounds = object(sent['resource_bounds'], `${where}.resource_bounds`);
  for (const name of FEE_BOUNDS) {
    const bound = object(bounds[name], `${where}.resource_bounds.${name}`);
    hexNumber(bound['max_amount'], `${where}.resource_bounds.${name}.max_amount`);
    hexNumber(bound['max_price_per_unit'], `${where}.resource_bounds.${name}.max_price_per_unit`);
  }
  for (const name of ['nonce_data_availability_mode', 'fee_data_availability_mode']) {
    oneOf(sent[name], `${where}.${name}`, ['L1', 'L2']);
  }
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
  for (const name of FEE_BOUNDS) count(gas[name], `${where}.${name}`);
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
} as const;

function checkStateDiff(text: string): void {
  const diff = objectText(text, 'state difference');
  for (const [name, members] of Object.entries(DIFF_LISTS)) {
    list(diff[name], `state difference.${name}`, (value, where) => {
      const entry = object(value, where);
      for (const member of members) felt(entry[member], `${where}.${member}`);
      if (name === 'storage_diffs') list(entry['storage_entries'], where, readSlot);
    });
  }
  felts(diff['deprecated_declared_classes'], 'state difference.deprecated_declared_classes');
}

function readSlot(value: unknown, where: string): void {
  const { key, value: held } = object(value, where);
  felt(key, `${where}.key`);
  felt(held, `${where}.value`);
}

function must(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}
