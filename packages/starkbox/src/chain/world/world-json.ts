// JSON codec for the parts of a world other than blocks, states and journal.
import type { Receipt } from '@starkbox/engine';
import {
  type BlockGeneration,
  type BlockSettings,
  EXPECTED_BLOCK_GENERATION,
  EXPECTED_L1_ACCEPTANCE,
  type L1Acceptance,
  readBlockGeneration,
  readL1Acceptance,
  showBlockGeneration,
  USUAL_BLOCKS,
} from '../../block-settings.js';
import { PersistentSet } from '../../immutable.js';
import { MAX_DEPTH, parse, stringify } from '../../json/json.js';
import {
  boolean,
  count,
  felt,
  felts,
  gasPrice,
  integer,
  list,
  MAX_VALUES,
  object,
  objectText,
  oneOf,
  optional,
  string,
} from '../../json/reader.js';
import { STARKNET_VERSIONS } from '../../starknet-versions.js';
import { isEngineReceipt } from '../history/stored-texts.js';
import { networkFromJson, networkToJson } from '../network/network.js';
import { checkGas, checkReceipt, checkTransaction } from './check-records.js';
import type { Clock } from './clock.js';
import type { Gas, GasPrices } from './gas-prices.js';
import type { Impersonation } from './impersonation.js';
import { labelsFromJson, labelsToJson, NO_LABELS } from './labels.js';
import { mempoolFromJson, mempoolToJson } from './mempool-json.js';
import { messagesFromJson, messagesToJson } from './messages.js';
import { type Included, NOTHING_PENDING, type Pending, type World, withIncluded } from './world.js';

/** The parts in the `moment` section of an image. */
export type WorldParts = Omit<
  World,
  'pendingState' | 'latestState' | 'history' | 'archived' | 'directWrites' | 'journal'
>;

/** Exact for integers above 2^53. */
export function worldJson(parts: WorldParts): string {
  const {
    clock,
    gas,
    blocks,
    impersonation,
    messages,
    labels,
    acceptedOnL1,
    keepsHistory,
    pending,
    network,
  } = parts;
  return stringify({
    clock: {
      offset: clock.offset,
      exact: clock.exact ?? null,
      ...(clock.step === undefined ? {} : { step: clock.step }),
    },
    gas,
    ...(Object.values(blocks).every((setting) => setting === undefined) ? {} : { blocks }),
    ...(network ? { network: networkToJson(network) } : {}),
    impersonation: { accounts: [...impersonation.accounts], auto: impersonation.auto },
    messages: messagesToJson(messages),
    ...(labels.isEmpty() ? {} : { labels: labelsToJson(labels) }),
    accepted_on_l1: acceptedOnL1 ?? null,
    keeps_history: keepsHistory,
    mempool: mempoolToJson(parts.mempool),
    pending: pending.transactions.toArray().map(includedToJson),
  });
}

/** Plain data for JSON of a transaction in the pending block. */
export function includedToJson({ record, signature, receipt }: Included): unknown {
  return {
    hash: record.hash,
    transaction: record.transaction,
    proof_facts: record.proofFacts ?? null,
    shown_receipt: record.receipt,
    trace: record.trace,
    signature,
    receipt: JSON.stringify(receipt),
  };
}

/**
 * Reads the result of `worldJson`; throws a `SyntaxError` or a `TypeError` for other texts. The
 * mempool must then be settled on the state.
 */
export function readWorldJson(text: string): WorldParts {
  const parts = object(parse(text, MAX_DEPTH, MAX_VALUES), 'moment');
  return Object.freeze({
    clock: readClock(parts['clock']),
    gas: readGas(parts['gas']),
    blocks: parts['blocks'] === undefined ? USUAL_BLOCKS : readBlocks(parts['blocks']),
    ...(parts['network'] === undefined ? {} : { network: networkFromJson(parts['network']) }),
    impersonation: readImpersonation(parts['impersonation']),
    messages: messagesFromJson(parts['messages']),
    labels: parts['labels'] === undefined ? NO_LABELS : labelsFromJson(parts['labels']),
    acceptedOnL1: optional(parts['accepted_on_l1'], 'accepted_on_l1', count),
    keepsHistory: boolean(parts['keeps_history'], 'keeps_history'),
    mempool: mempoolFromJson(parts['mempool']),
    pending: readPending(parts['pending']),
  });
}

function readClock(value: unknown): Clock {
  const { offset, exact, step } = object(value, 'clock');
  return {
    offset: integer(offset, 'clock.offset'),
    phase: 0,
    exact: optional(exact, 'clock.exact', count),
    step: optional(step, 'clock.step', count),
  };
}

function readBlocks(value: unknown): BlockSettings {
  const { generation, sequencer, starknetVersion: version, l1Acceptance } = object(value, 'blocks');
  return {
    generation: optional(generation, 'blocks.generation', readGeneration),
    sequencer: optional(sequencer, 'blocks.sequencer', felt),
    ...(version === undefined
      ? {}
      : { starknetVersion: oneOf(version, 'blocks.starknetVersion', STARKNET_VERSIONS) }),
    ...(l1Acceptance === undefined
      ? {}
      : { l1Acceptance: readAcceptance(l1Acceptance, 'blocks.l1Acceptance') }),
  };
}

function readGeneration(value: unknown, where: string): BlockGeneration {
  const text = typeof value === 'number' ? showBlockGeneration(value) : string(value, where);
  const generation = readBlockGeneration(text);
  if (generation === undefined)
    throw new TypeError(`${where}: must be ${EXPECTED_BLOCK_GENERATION}`);
  return generation;
}

function readAcceptance(value: unknown, where: string): L1Acceptance {
  const text = typeof value === 'number' ? String(value) : string(value, where);
  const acceptance = readL1Acceptance(text);
  if (acceptance === undefined) throw new TypeError(`${where}: must be ${EXPECTED_L1_ACCEPTANCE}`);
  return acceptance;
}

function readGas(value: unknown): Gas {
  const { current, next } = object(value, 'gas');
  const now = readPrices(current, 'gas.current');
  const later = readPrices(next, 'gas.next');
  // Equal prices become one object, so that block headers share it.
  return { current: now, next: stringify(now) === stringify(later) ? now : later };
}

function readPrices(value: unknown, where: string): GasPrices {
  const prices = object(value, where);
  const read = (name: keyof GasPrices): bigint => gasPrice(prices[name], `${where}.${name}`);
  return {
    gas_price_wei: read('gas_price_wei'),
    data_gas_price_wei: read('data_gas_price_wei'),
    gas_price_fri: read('gas_price_fri'),
    data_gas_price_fri: read('data_gas_price_fri'),
    l2_gas_price_wei: read('l2_gas_price_wei'),
    l2_gas_price_fri: read('l2_gas_price_fri'),
  };
}

function readImpersonation(value: unknown): Impersonation {
  const { accounts, auto } = object(value, 'impersonation');
  return {
    accounts: PersistentSet(felts(accounts, 'impersonation.accounts')),
    auto: boolean(auto, 'impersonation.auto'),
  };
}

function readPending(value: unknown): Pending {
  const pending = list(value, 'pending', includedFromJson).reduce(withIncluded, NOTHING_PENDING);
  if (pending.positions.size !== pending.transactions.size) {
    throw new TypeError('pending: expected each transaction once');
  }
  return pending;
}

/** Reads the result of `includedToJson`. */
export function includedFromJson(value: unknown, where = 'transaction'): Included {
  const members = object(value, where);
  const hash = felt(members['hash'], `${where}.hash`);
  const record = {
    hash,
    transaction: string(members['transaction'], `${where}.transaction`),
    proofFacts: optional(members['proof_facts'], `${where}.proof_facts`, felts),
    receipt: string(members['shown_receipt'], `${where}.shown_receipt`),
    trace: string(members['trace'], `${where}.trace`),
  };
  checkTransaction(record, hash, where);
  return {
    record,
    signature: felts(members['signature'], `${where}.signature`),
    receipt: readReceipt(string(members['receipt'], `${where}.receipt`), hash, `${where}.receipt`),
  };
}

/** Reads a receipt in the engine's format. */
function readReceipt(text: string, hash: string, where: string): Receipt {
  const checked = objectText(text, where);
  checkReceipt(checked, where);
  checkGas(checked['data_availability'], `${where}.data_availability`);
  if (checked['transaction_hash'] !== hash) {
    throw new TypeError(`${where}: expected the receipt of ${hash}`);
  }
  if (!isEngineReceipt(checked)) throw new TypeError(`${where}: expected a receipt`);
  return checked;
}
