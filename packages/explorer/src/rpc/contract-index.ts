// The newest contracts of the chain with their names, for filters by name, lists of tokens and counts by class.
import type { CONTRACT_NAME } from '@starkbox/spec';
import type { Unit } from '../format/amount.js';
import { call } from './client.js';
import { liveNow } from './live-state.js';
import { type ContractRow, readContracts, useCurrent } from './queries.js';
import { unitOfContract } from './tokens.js';

export interface IndexedContract extends ContractRow {
  readonly name: string;
  /** Whether the name is more than a short address. */
  readonly isNamed: boolean;
  /** For tokens. */
  readonly unit: Unit | undefined;
}

export interface ContractIndex {
  /** Newest first. */
  readonly contracts: readonly IndexedContract[];
  /** Whether the chain has no older contracts. */
  readonly isWhole: boolean;
}

const PAGE_SIZE = 200;
const MAX_CONTRACTS = 1_000;

/** The last index, whose rows need not be read again. */
let last: { readonly epoch: number; readonly index: ContractIndex } | undefined;

interface ReadRows {
  readonly rows: readonly ContractRow[];
  readonly isWhole: boolean;
}

/** Reads until the rows of the last index begin. */
async function readRows(old: ContractIndex | undefined): Promise<ReadRows> {
  const placeOf = new Map(old?.contracts.map((row, at) => [row.contract_address, at]));
  const rows: ContractRow[] = [];
  let cursor: string | undefined;
  while (rows.length < MAX_CONTRACTS) {
    const page = await readContracts(cursor, PAGE_SIZE);
    rows.push(...page.rows);
    const end = page.rows.at(-1);
    const place = end && placeOf.get(end.contract_address);
    if (old && place !== undefined) {
      const all = [...rows, ...old.contracts.slice(place + 1)];
      const isWhole = old.isWhole && all.length <= MAX_CONTRACTS;
      return { rows: all.slice(0, MAX_CONTRACTS), isWhole };
    }
    cursor = page.next;
    if (cursor === undefined) return { rows, isWhole: true };
  }
  return { rows: rows.slice(0, MAX_CONTRACTS), isWhole: false };
}

async function readIndex(): Promise<ContractIndex> {
  const { epoch } = liveNow();
  const old = last?.epoch === epoch ? last.index : undefined;
  const { rows, isWhole } = await readRows(old);
  const known = new Map(old?.contracts.map((row) => [row.contract_address, row]));
  // Another label or class may have brought another name.
  const unknown = rows.filter((row) => {
    const before = known.get(row.contract_address);
    return before?.class_hash !== row.class_hash || before.label !== row.label;
  });
  const names = new Map((await readNames(unknown)).map((facts) => [facts.contract_address, facts]));
  const contracts = rows.map((row): IndexedContract => {
    const facts = names.get(row.contract_address);
    const before = known.get(row.contract_address);
    if (!facts && before) return before;
    return {
      ...row,
      name: row.label ?? facts?.name ?? '',
      isNamed: row.label !== undefined || (facts !== undefined && facts.name_source !== 'ADDRESS'),
      unit: unitOfContract(row.contract_address, facts),
    };
  });
  const index = { contracts, isWhole };
  last = { epoch, index };
  return index;
}

async function readNames(rows: readonly ContractRow[]): Promise<readonly CONTRACT_NAME[]> {
  if (rows.length === 0) return [];
  const contract_addresses = rows.map(({ contract_address }) => contract_address);
  // A restricted node gives no names.
  return call('devnet_nameContracts', { contract_addresses }).then(
    ({ contracts }) => contracts,
    () => [],
  );
}

/** Undefined until it is read; read again after each change of the chain. */
export function useContractIndex({ isWanted = true } = {}) {
  return useCurrent(['contract index'], readIndex, { isWanted });
}
