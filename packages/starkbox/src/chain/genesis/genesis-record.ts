// Record of the options that determine the accounts of a chain, as dumps hold it.
import type { Members } from '@starkbox/abi/basics';
import { boolean, count, felt, object, oneOf, string } from '../../json/reader.js';
import { MAX_ACCOUNTS, readAccountGroups } from '../../predeployed.js';

const U32 = 2 ** 32 - 1;
/** A number below 2^256 has no more digits. */
const BALANCE = /^\d{1,78}$/;

export interface GenesisRecord {
  readonly seed: number;
  /** Number of accounts. */
  readonly accounts: number;
  /** `custom` for a class from a file. */
  readonly account_class: 'cairo0' | 'cairo1' | 'custom';
  readonly account_class_hash: string;
  /** Decimal, in wei and in fri. */
  readonly initial_balance: string;
  readonly predeclare_argent: boolean;
  /** Accounts of other classes, as `argent=2,cairo0=1`. */
  readonly more_accounts?: string;
}

/** Throws a `TypeError` for values that no chain has. */
export function readGenesisRecord(value: unknown, where: string): GenesisRecord {
  const record = object(value, where);
  return {
    seed: upTo(U32, record, 'seed', where),
    accounts: upTo(MAX_ACCOUNTS, record, 'accounts', where),
    account_class: oneOf(record['account_class'], `${where}.account_class`, [
      'cairo0',
      'cairo1',
      'custom',
    ]),
    account_class_hash: felt(record['account_class_hash'], `${where}.account_class_hash`),
    initial_balance: balance(record['initial_balance'], `${where}.initial_balance`),
    predeclare_argent: boolean(record['predeclare_argent'], `${where}.predeclare_argent`),
    ...(record['more_accounts'] !== undefined && {
      more_accounts: groups(record['more_accounts'], `${where}.more_accounts`),
    }),
  };
}

function upTo(most: number, record: Members, name: string, where: string): number {
  const number = count(record[name], `${where}.${name}`);
  if (number > most) throw new TypeError(`${where}.${name}: expected at most ${most}`);
  return number;
}

function groups(value: unknown, where: string): string {
  const text = string(value, where);
  if (readAccountGroups(text)) return text;
  throw new TypeError(`${where}: expected classes with numbers, such as argent=2,cairo0=1`);
}

function balance(value: unknown, where: string): string {
  const text = string(value, where);
  if (!BALANCE.test(text)) throw new TypeError(`${where}: expected a decimal number of 256 bits`);
  return text;
}

/** Whether two chains begin with the same accounts. */
export function isSameGenesis(first: GenesisRecord, other: GenesisRecord): boolean {
  return JSON.stringify(ordered(first)) === JSON.stringify(ordered(other));
}

function ordered(record: GenesisRecord): readonly unknown[] {
  const { seed, accounts, account_class, account_class_hash, initial_balance } = record;
  const classOf = account_class === 'custom' ? account_class_hash : account_class;
  return [
    seed,
    accounts,
    classOf,
    BigInt(initial_balance).toString(),
    record.predeclare_argent,
    record.more_accounts ?? '',
  ];
}
