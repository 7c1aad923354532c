// Reports over the transactions of a range of blocks: gas by function, and coverage.
import { GasReport, namesOf, type RowNames, type TransactionTrace } from '@starkbox/abi';
import { refuse } from '../../errors.js';
import { Slices } from '../../scheduling/slices.js';
import type { COVERAGE, GAS_REPORT } from '../../spec.js';
import type { Chain } from '../chain.js';
import type { TransactionRecord } from '../history/header.js';
import { pendingNumber } from '../world/find-block.js';
import { transactionHashesOf, type World } from '../world/world.js';
import { ClassFactsCache } from './class-facts.js';
import { EntryPointCoverage } from './entry-point-coverage.js';
import { recordAt, wantedKeys } from './list-blocks.js';
import { readPage } from './page.js';

/** Transactions of a page. */
const LIMIT = 1000;

export interface ReportRange {
  readonly from_block?: number;
  readonly to_block?: number;
  readonly cursor?: string;
  readonly limit?: number;
}

type Read = Pick<GAS_REPORT, 'from_block' | 'to_block' | 'next'>;

export class Reports {
  readonly #chain: Chain;
  readonly #classes = new ClassFactsCache();

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
    const read = await eachRecord(world, range, ({ trace }) => report.add(traceIn(trace)));
    const classes = new Set(report.page().rows.flatMap(({ class_hash }) => class_hash ?? []));
    const names = await this.#names(world, classes, group_by);
    const page = report.page(names, {
      values: include.includes('values'),
      stacks: include.includes('stacks'),
    });
    return { ...read, ...page };
  }

  async coverage(range: ReportRange): Promise<COVERAGE> {
    const { world } = this.#chain;
    const coverage = new EntryPointCoverage();
    const read = await eachRecord(world, range, (record) => coverage.add(record));
    return { ...read, ...(await coverage.page(world, this.#classes)) };
  }

  async #names(
    world: World,
    classes: ReadonlySet<string>,
    grouping: 'class' | 'contract',
  ): Promise<RowNames> {
    const facts = await this.#classes.of(world, classes);
    const accounts = this.#chain.options.genesis.accounts.map(({ address }) => address);
    const named = namesOf(grouping === 'contract' ? accounts : [], world.labels);
    return ({ contract, classHash, selector }) => {
      const known = facts.get(classHash);
      const contractName = named.get(grouping === 'contract' ? contract : classHash) ?? known?.name;
      const functionName = known?.functionName(selector);
      return {
        ...(contractName === undefined ? {} : { contract_name: contractName }),
        ...(functionName === undefined ? {} : { function_name: functionName }),
      };
    };
  }
}

/** Reads the transactions of a page, newest first, in slices. */
async function eachRecord(
  world: World,
  { from_block, to_block, cursor, limit = LIMIT }: ReportRange,
  use: (record: TransactionRecord) => void,
): Promise<Read> {
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
        use(record);
        if (slices.isOver) await slices.next();
        return true;
      }),
  });
  return { from_block: from, to_block: to, ...(next === undefined ? {} : { next }) };
}

function traceIn(text: string): TransactionTrace {
  return JSON.parse(text);
}
