// Names of contracts and classes, from labels, artifacts, tokens and ABIs.
import { type Names, namesOf } from '@starkbox/abi';
import { shortAddress } from '@starkbox/abi/basics';
import {
  distinctNames,
  FIXTURE_NAMES,
  type GivenNames,
  nameOfClass,
  type ReservedNames,
} from '@starkbox/abi/internal';
import type { CLASS_NAME, CONTRACT_NAME, NAME_SOURCE, TOKEN_FACTS } from '@starkbox/spec';
import type { DebugInfos } from '../../debug-info/debug-infos.js';
import type { Genesis } from '../genesis/genesis.js';
import type { Labels } from '../world/labels.js';
import type { World } from '../world/world.js';
import type { AbiFacts, Abis } from './abis.js';
import { inParallel } from './in-parallel.js';
import { type TokenChain, TokenFacts } from './token-facts.js';

/** Contracts and classes that are read at once: on a fork, each may be a request to the origin. */
const WIDTH = 8;

/** A chain, or the content of an image. */
export interface NamedChain extends TokenChain {
  readonly world: World;
  readonly options: TokenChain['options'] & { readonly genesis: Pick<Genesis, 'accounts'> };
}

interface SourcedName {
  readonly name: string;
  readonly name_source: NAME_SOURCE;
}

/** Names that belong to a user or to the sandbox, and that no contract can take. */
interface OwnNames extends ReservedNames {
  readonly genesis: Pick<Genesis, 'accounts'>;
  readonly accounts: ReadonlySet<string>;
  readonly labels: Labels;
}

/** Names of one chain. */
export class ContractNames {
  readonly #chain: NamedChain;
  readonly #infos: DebugInfos;
  readonly #abis: Abis;
  readonly #tokens: TokenFacts;
  #own: OwnNames | undefined;

  constructor(chain: NamedChain, infos: DebugInfos, abis: Abis) {
    this.#chain = chain;
    this.#infos = infos;
    this.#abis = abis;
    this.#tokens = new TokenFacts(chain, abis);
  }

  /** Labels, predeployed accounts and well-known contracts. */
  get own(): Names {
    return this.#ownNames().names;
  }

  /** Tells contracts of one name apart, as {@link contracts} does. */
  distinctIn(
    named: Iterable<readonly [felt: string, name: string]>,
  ): (felt: string, name: string) => string {
    return distinctNames(named, this.#ownNames());
  }

  /** One row for each address, without repetitions. */
  async contracts(
    addresses: Iterable<string>,
    signal?: AbortSignal,
  ): Promise<readonly CONTRACT_NAME[]> {
    const { world } = this.#chain;
    const rows = await inParallel([...new Set(addresses)], WIDTH, (address) =>
      this.#contract(world, address, signal),
    );
    return this.#distinct(rows, ({ contract_address }) => contract_address);
  }

  /** One row for each hash, without repetitions. */
  async classes(hashes: Iterable<string>): Promise<readonly CLASS_NAME[]> {
    const { world } = this.#chain;
    const rows = await inParallel(
      [...new Set(hashes)],
      WIDTH,
      async (class_hash): Promise<CLASS_NAME> => ({
        class_hash,
        ...(this.#ofClass(class_hash, await this.#factsOf(world, class_hash)) ??
          shortName(class_hash)),
      }),
    );
    return this.#distinct(rows, ({ class_hash }) => class_hash);
  }

  /** Names beside labels, without the addresses that tell repeated names apart. */
  async readGivenNames(
    addresses: Iterable<string>,
    classHashes: Iterable<string>,
  ): Promise<GivenNames> {
    const { world } = this.#chain;
    const tokens = new Map<string, string>();
    const unlabelled = [...new Set(addresses)].filter((address) => !this.#ofOwn(address));
    await inParallel(unlabelled, WIDTH, async (address) => {
      const { name, name_source } = await this.#contract(world, address);
      if (name_source === 'TOKEN') tokens.set(address, name);
    });
    const classes = new Map<string, string>();
    await inParallel([...new Set(classHashes)], WIDTH, async (hash) => {
      const named = this.#ofClass(hash, await this.#factsOf(world, hash));
      if (named) classes.set(hash, named.name);
    });
    return { classes, tokens };
  }

  async #contract(world: World, address: string, signal?: AbortSignal): Promise<CONTRACT_NAME> {
    const hash = await world.pendingState.classHashAt(address).catch(() => '0x0');
    if (hash === '0x0') {
      return { contract_address: address, ...(this.#ofOwn(address) ?? shortName(address)) };
    }
    const facts = await this.#factsOf(world, hash);
    const token = facts?.isToken ? await this.#tokens.of(world, address, hash, signal) : undefined;
    return {
      contract_address: address,
      ...(this.#ofOwn(address) ?? this.#ofContract(hash, facts, token) ?? shortName(address)),
      class_hash: hash,
      ...(token ? { token } : {}),
    };
  }

  #factsOf(world: World, hash: string): Promise<AbiFacts | undefined> {
    return this.#abis.factsOf(hash, world.pendingState);
  }

  #ofOwn(felt: string): SourcedName | undefined {
    const { names, labels, accounts } = this.#ownNames();
    const name = names.get(felt);
    if (name === undefined) return undefined;
    if (labels.has(felt)) return { name, name_source: 'LABEL' };
    return { name, name_source: accounts.has(felt) ? 'ACCOUNT' : 'WELL_KNOWN' };
  }

  /** A name of the class that a user gave comes before the name that the token gives itself. */
  #ofContract(
    hash: string,
    facts: AbiFacts | undefined,
    token: TOKEN_FACTS | undefined,
  ): SourcedName | undefined {
    const ofClass = this.#ofClass(hash, facts);
    if (token?.name === undefined || (ofClass && ofClass.name_source !== 'CLASS')) return ofClass;
    return { name: token.name, name_source: 'TOKEN' };
  }

  #ofClass(hash: string, facts: AbiFacts | undefined): SourcedName | undefined {
    const className = nameOfClass(hash, {
      label: this.#ofOwn(hash)?.name,
      artifact: this.#infos.contractName(hash),
      inAbi: facts?.name,
    });
    return className && { name: className.name, name_source: className.source };
  }

  #distinct<Row extends SourcedName>(
    rows: readonly Row[],
    feltIn: (row: Row) => string,
  ): readonly Row[] {
    const named = rows.filter(({ name_source }) => name_source !== 'ADDRESS');
    const distinct = this.distinctIn(named.map((row) => [feltIn(row), row.name]));
    return rows.map((row) =>
      row.name_source === 'ADDRESS' ? row : { ...row, name: distinct(feltIn(row), row.name) },
    );
  }

  /** Made again when labels or accounts have changed. */
  #ownNames(): OwnNames {
    const { labels } = this.#chain.world;
    const { genesis } = this.#chain.options;
    const own = this.#own;
    if (own && own.labels === labels && own.genesis === genesis) return own;
    const addresses = genesis.accounts.map(({ address }) => address);
    const names = namesOf(addresses, labels);
    const reserved = new Set([...names.values(), ...FIXTURE_NAMES.values()]);
    this.#own = {
      genesis,
      accounts: new Set(addresses),
      labels,
      names,
      reserved: new Set(Array.from(reserved, (name) => name.toLowerCase())),
    };
    return this.#own;
  }
}

function shortName(felt: string): SourcedName {
  return { name: shortAddress(felt), name_source: 'ADDRESS' };
}
