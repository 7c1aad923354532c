// Reports over the transactions of a range of blocks.
import {
  type Abi,
  type Called,
  classNameOf,
  GasReport,
  namesOf,
  type RowNames,
  readAbi,
  selectorOf,
  type TransactionTrace,
} from '@starkbox/abi';
import { refuse } from '../../errors.js';
import { Slices } from '../../scheduling/slices.js';
import type { GAS_REPORT } from '../../spec.js';
import type { Chain } from '../chain.js';
import { pendingNumber } from '../world/find-block.js';
import { transactionHashesOf, type World } from '../world/world.js';
import { recordAt, wantedKeys } from './list-blocks.js';
import { readPage } from './page.js';

/** Transactions of a page. */
const LIMIT = 1000;
/** Classes whose ABIs are kept. */
const CACHED = 200;
const CONSTRUCTOR = selectorOf('constructor');

export interface ReportRange {
  readonly from_block?: number;
  readonly to_block?: number;
  readonly cursor?: string;
  readonly limit?: number;
}

export class Reports {
  readonly #chain: Chain;
  /** By class hash; a class never changes. */
  readonly #abis = new Map<string, Abi>();

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  async gas(
    range: ReportRange & {
      readonly group_by?: 'class' | 'contract';
      readonly include?: readonly ('values' | 'stacks')[];
    },
  ): Promise<GAS_REPORT> {
    const { group_by = 'class', include = [] } = range;
    const { world } = this.#chain;
    const report = new GasReport(group_by);
    const read = await this.#each(world, range, (trace) => report.add(trace));
    const classes = new Set(report.page().rows.flatMap(({ class_hash }) => class_hash ?? []));
    const names = await this.#names(world, classes, group_by);
    const page = report.page(names, {
      values: include.includes('values'),
      stacks: include.includes('stacks'),
    });
    return { ...read, ...page };
  }

  /** Reads the traces of a page, in slices. */
  async #each(
    world: World,
    { from_block, to_block, cursor, limit = LIMIT }: ReportRange,
    use: (trace: TransactionTrace) => void,
  ): Promise<Pick<GAS_REPORT, 'from_block' | 'to_block' | 'next'>> {
    const newest = pendingNumber(world);
    const to = Math.min(to_block ?? newest, newest);
    const from = Math.max(from_block ?? 0, world.history.first);
    if (from > to) refuse(`There are no blocks from ${from_block ?? from} to ${to_block ?? to}.`);
    const slices = new Slices();
    const { next } = await readPage({
      world,
      from: to,
      to: from,
      cursor,
      limit,
      blockKeys: wantedKeys({}),
      rowsIn: (block) =>
        transactionHashesOf(world, block).map((_, index) => async () => {
          const record = recordAt(world, block, index);
          if (!record) return undefined;
          const trace: TransactionTrace = JSON.parse(record.trace);
          use(trace);
          if (slices.isOver) await slices.next();
          return true;
        }),
    });
    return { from_block: from, to_block: to, ...(next === undefined ? {} : { next }) };
  }

  async #names(
    world: World,
    classes: ReadonlySet<string>,
    grouping: 'class' | 'contract',
  ): Promise<RowNames> {
    const abis = new Map<string, Abi>();
    for (const hash of classes) abis.set(hash, await this.#abi(world, hash));
    const accounts = this.#chain.options.genesis.accounts.map(({ address }) => address);
    const named = namesOf(grouping === 'contract' ? accounts : [], world.labels);
    return ({ contract, classHash, selector }: Called) => {
      const abi = abis.get(classHash);
      const contractName =
        named.get(grouping === 'contract' ? contract : classHash) ?? (abi && classNameOf(abi));
      const functionName = abi && functionNameOf(abi, selector);
      return {
        ...(contractName === undefined ? {} : { contract_name: contractName }),
        ...(functionName === undefined ? {} : { function_name: functionName }),
      };
    };
  }

  async #abi(world: World, hash: string): Promise<Abi> {
    const known = this.#abis.get(hash);
    if (known) return known;
    const found = await world.pendingState.class(hash);
    const abi = readAbi(found ? await found.abi() : []);
    const [oldest] = this.#abis.keys();
    if (oldest !== undefined && this.#abis.size >= CACHED) this.#abis.delete(oldest);
    this.#abis.set(hash, abi);
    return abi;
  }
}

function functionNameOf({ functions, constructor_ }: Abi, selector: string): string | undefined {
  return (
    functions.get(selector)?.name ?? (selector === CONSTRUCTOR ? constructor_?.name : undefined)
  );
}
