// Header of an image.

import { type GenesisRecord, readGenesisRecord } from '../../chain/genesis/genesis-record.js';
import type { World } from '../../chain/world/world.js';
import { boolean, count, felt, object, string } from '../../json/reader.js';

/** Every number is verified against the sections. */
export interface ImageHeader {
  /** Name and version of the program that wrote it. */
  readonly written_by: string;
  readonly chain_id: string;
  readonly first_block: number;
  readonly last_block: number;
  readonly last_block_hash: string;
  /** Timestamps of the first and the last block. */
  readonly first_timestamp: number;
  readonly last_timestamp: number;
  readonly transactions: number;
  readonly events: number;
  /** Transactions in the pending block. */
  readonly pending_transactions: number;
  readonly contracts: number;
  readonly classes: number;
  readonly slots: number;
  /** Whether states of older blocks are included. */
  readonly keeps_history: boolean;
  /** Number of calls in the journal; `null` without one. */
  readonly journal_calls: number | null;
  /** Options of its accounts; the image in a bundle has none. */
  readonly genesis?: GenesisRecord;
}

/** Facts that are not part of the world. */
export interface ImageContext {
  readonly chainId: string;
  /** Name and version of the program. */
  readonly writtenBy: string;
  /** Whether the journal holds every call that made the world. */
  readonly keepsJournal: boolean;
  readonly genesis?: GenesisRecord | undefined;
}

export function imageHeader(
  world: World,
  { chainId, writtenBy, keepsJournal, genesis }: ImageContext,
): ImageHeader {
  const { history, pendingState: state, pending, journal, keepsHistory } = world;
  const { slots, contracts, classes } = state.figures();
  return {
    written_by: writtenBy,
    chain_id: chainId,
    first_block: history.first,
    last_block: history.next - 1,
    last_block_hash: history.latest?.hash ?? '0x0',
    first_timestamp: history.header(history.first)?.timestamp ?? 0,
    last_timestamp: history.latest?.timestamp ?? 0,
    transactions: history.transactionCount,
    events: history.eventCount,
    pending_transactions: pending.transactions.size,
    contracts,
    classes,
    slots,
    keeps_history: keepsHistory,
    journal_calls: keepsJournal ? journal.size : null,
    ...(genesis ? { genesis } : {}),
  };
}

/** Parses a header and checks its types; its values are verified against the sections. */
export function readHeader(text: string): ImageHeader {
  const members = object(JSON.parse(text), 'header');
  const words = (name: keyof ImageHeader): string => string(members[name], `header.${name}`);
  const number = (name: keyof ImageHeader): number => count(members[name], `header.${name}`);
  return {
    written_by: words('written_by'),
    chain_id: words('chain_id'),
    first_block: number('first_block'),
    last_block: number('last_block'),
    last_block_hash: felt(members['last_block_hash'], 'header.last_block_hash'),
    first_timestamp: number('first_timestamp'),
    last_timestamp: number('last_timestamp'),
    transactions: number('transactions'),
    events: number('events'),
    pending_transactions: number('pending_transactions'),
    contracts: number('contracts'),
    classes: number('classes'),
    slots: number('slots'),
    keeps_history: boolean(members['keeps_history'], 'header.keeps_history'),
    journal_calls: members['journal_calls'] === null ? null : number('journal_calls'),
    ...(members['genesis'] === undefined
      ? {}
      : { genesis: readGenesisRecord(members['genesis'], 'header.genesis') }),
  };
}
