// Search for contracts, classes, functions and events in the newest part of the chain.
import type { CANDIDATE, CONTRACT_NAME } from '@starkbox/spec';
import type { World } from '../world/world.js';
import type { Abis } from './abis.js';
import type { ContractNames } from './contract-names.js';
import { listClasses, listContracts } from './list-contracts.js';
import { readCursor } from './page.js';
import { type FeltPart, hasPart, type SearchResult } from './search-query.js';

/** The newest contracts and classes are searched. */
const MAX_CONTRACTS = 500;
const MAX_CLASSES = 200;
/** Candidates of each kind. */
const MAX_COUNT = { contract: 8, class: 4, function: 5, event: 3 } as const;

export interface NameSearch {
  readonly world: World;
  readonly names: ContractNames;
  readonly abis: Abis;
}

/** Either a part of a name, in lower case, or a selector and a part of an address. */
export interface NameQuery {
  readonly text?: string;
  readonly felt?: string | undefined;
  readonly part?: FeltPart;
}

export async function searchNames(from: NameSearch, query: NameQuery): Promise<SearchResult> {
  const contracts = await newestContracts(from);
  const classes = await newestClasses(from, contracts.rows);
  const contractsByClass = new Map<string, string>();
  for (const { contract_address, class_hash } of contracts.rows) {
    if (class_hash !== undefined && !contractsByClass.has(class_hash)) {
      contractsByClass.set(class_hash, contract_address);
    }
  }
  const ends = [contracts.end, classes.end].flatMap((end) => end ?? []);
  return {
    candidates: [
      ...contractsLike(from, contracts.rows, query),
      ...classesLike(classes.rows, query),
      ...(await membersLike(from, { classes: classes.rows, contractsByClass }, query)),
    ],
    ...(ends.length === 0 ? {} : { searched_to_block: Math.max(...ends) }),
  };
}

/** Rows, newest first, and the oldest block that was read, unless that is the first. */
interface Newest<Row> {
  readonly rows: readonly Row[];
  readonly end: number | undefined;
}

const endOf = (next: string | undefined): number | undefined =>
  next === undefined ? undefined : readCursor(next)[0];

async function newestContracts({ world, names }: NameSearch): Promise<Newest<CONTRACT_NAME>> {
  const page = await listContracts(world, { cursor: undefined, limit: MAX_CONTRACTS });
  const addresses = page.rows.map(({ contract_address }) => contract_address);
  // Accounts and well-known contracts are as old as the chain.
  const own = [...names.own.keys()].filter((felt) => !world.labels.has(felt));
  return { rows: await names.contracts([...addresses, ...own]), end: endOf(page.next) };
}

interface ClassRow {
  readonly class_hash: string;
  readonly name: string;
  readonly isNamed: boolean;
}

/** Declared classes, and those of the contracts: a fork has classes of its origin. */
async function newestClasses(
  { world, names }: NameSearch,
  contracts: readonly CONTRACT_NAME[],
): Promise<Newest<ClassRow>> {
  const page = await listClasses(world, { cursor: undefined, limit: MAX_CLASSES });
  const hashes = new Set(page.rows.map(({ class_hash }) => class_hash));
  for (const { class_hash } of contracts) {
    if (class_hash !== undefined && hashes.size < 2 * MAX_CLASSES) hashes.add(class_hash);
  }
  const rows = await names.classes(hashes);
  return {
    rows: rows.map(({ class_hash, name, name_source }) => ({
      class_hash,
      name,
      isNamed: name_source !== 'ADDRESS',
    })),
    end: endOf(page.next),
  };
}

/** 0 for the whole name, 1 for its begin, 2 for another part; undefined if the text is no part of it. */
function rankOf(name: string, text: string): number | undefined {
  const place = name.toLowerCase().indexOf(text);
  if (place < 0) return undefined;
  if (place > 0) return 2;
  return name.length === text.length ? 0 : 1;
}

interface Match {
  readonly rank: number;
  readonly candidate: CANDIDATE;
}

function best(matches: readonly Match[], most: number): readonly CANDIDATE[] {
  return matches
    .toSorted((first, other) => first.rank - other.rank)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

function contractsLike(
  { world }: NameSearch,
  rows: readonly CONTRACT_NAME[],
  { text, part }: NameQuery,
): readonly CANDIDATE[] {
  const matches = rows.flatMap(
    ({ contract_address: value, name, name_source, class_hash }): Match[] => {
      // Labels are found by themselves.
      const isNamed = name_source !== 'ADDRESS' && !world.labels.has(value);
      const rank = text !== undefined && isNamed ? rankOf(name, text) : undefined;
      const isMatch = rank !== undefined || (part !== undefined && hasPart(value, part));
      if (!isMatch || class_hash === undefined) return [];
      const detail = `class ${class_hash}`;
      return [{ rank: rank ?? 0, candidate: { kind: 'contract', value, name, detail } }];
    },
  );
  return best(matches, MAX_COUNT.contract);
}

function classesLike(rows: readonly ClassRow[], { text, part }: NameQuery): readonly CANDIDATE[] {
  const matches = rows.flatMap(({ class_hash: value, name, isNamed }): Match[] => {
    const rank = text !== undefined && isNamed ? rankOf(name, text) : undefined;
    const isMatch = rank !== undefined || (part !== undefined && hasPart(value, part));
    return isMatch ? [{ rank: rank ?? 0, candidate: { kind: 'class', value, name } }] : [];
  });
  return best(matches, MAX_COUNT.class);
}

interface Searched {
  readonly classes: readonly ClassRow[];
  /** The newest contract of each class. */
  readonly contractsByClass: ReadonlyMap<string, string>;
}

/** Functions and events, each once, with the newest contract and class that have it. */
async function membersLike(
  { world, abis }: NameSearch,
  { classes, contractsByClass }: Searched,
  { text, felt }: NameQuery,
): Promise<readonly CANDIDATE[]> {
  const found = { function: new Map<string, Match>(), event: new Map<string, Match>() };
  for (const { class_hash, name: className } of classes) {
    const facts = await abis.factsOf(class_hash, world.pendingState);
    if (!facts) continue;
    const contract = contractsByClass.get(class_hash);
    const kinds = [
      ['function', facts.functions],
      ['event', facts.events],
    ] as const;
    for (const [kind, members] of kinds) {
      for (const [selector, name] of members) {
        const rank = text === undefined ? undefined : rankOf(name, text);
        if (rank === undefined && selector !== felt) continue;
        const earlier = found[kind].get(selector);
        if (earlier && (earlier.candidate.contract_address !== undefined || !contract)) continue;
        const candidate: CANDIDATE = {
          kind,
          value: selector,
          name: name.slice(0, MAX_NAME_LENGTH),
          detail: `in ${className}`,
          class_hash,
          ...(contract === undefined ? {} : { contract_address: contract }),
        };
        found[kind].set(selector, { rank: rank ?? 0, candidate });
      }
    }
  }
  return [
    ...best([...found.function.values()], MAX_COUNT.function),
    ...best([...found.event.values()], MAX_COUNT.event),
  ];
}

/** Characters of the name of a function or event. */
const MAX_NAME_LENGTH = 100;
