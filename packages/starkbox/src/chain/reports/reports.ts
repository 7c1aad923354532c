// Reports over the transactions of a range of blocks: gas by function, and coverage.

import { GasReport, type TransactionTrace } from '@starkbox/abi';
import { MEASURES, RESOURCES, type RowNames, withCounts } from '@starkbox/abi/internal';
import type { COVERAGE, COVERED_CLASS, GAS_REPORT } from '@starkbox/spec';
import { refuse } from '../../errors.js';
import { Slices } from '../../scheduling/slices.js';
import type { Chain } from '../chain.js';
import type { TransactionRecord } from '../history/header.js';
import { readTrace } from '../history/stored-texts.js';
import type { ContractNames } from '../queries/contract-names.js';
import { wantedKeys } from '../queries/list-blocks.js';
import { readPage } from '../queries/page.js';
import { pendingNumber } from '../world/find-block.js';
import { transactionAt, transactionHashesOf, type World } from '../world/world.js';
import { ClassFactsCache } from './class-facts.js';
import { EntryPointCoverage } from './entry-point-coverage.js';
import {
  retraceCalls,
  retraceEach,
  startReportRetrace,
  type TransactionPosition,
} from './retrace-report.js';
import { StatementCoverage } from './statement-coverage.js';

/** Transactions of a page. */
const LIMIT = 1000;
/** The same where each is run again. */
const RETRACE_LIMIT = 100;

export interface ReportRange {
  readonly from_block?: number;
  readonly to_block?: number;
  readonly cursor?: string;
  readonly limit?: number;
}

type Read = Pick<GAS_REPORT, 'from_block' | 'to_block' | 'next'>;

export class Reports {
  readonly #chain: Chain;
  readonly #names: () => Promise<ContractNames>;
  readonly #classes = new ClassFactsCache();

  /** @param names of the chain */
  constructor(chain: Chain, names: () => Promise<ContractNames>) {
    this.#chain = chain;
    this.#names = names;
  }

  async gas(
    range: ReportRange & {
      readonly group_by?: 'class' | 'contract';
      readonly include?: readonly ('values' | 'stacks' | 'resources')[];
    },
    signal?: AbortSignal,
  ): Promise<GAS_REPORT> {
    const { group_by = 'class', include = [] } = range;
    const { world } = this.#chain;
    const isCounted = include.includes('resources');
    const report = new GasReport(group_by, isCounted ? RESOURCES : MEASURES);
    const transactions: (TransactionPosition & { readonly trace: TransactionTrace })[] = [];
    const read = await eachRecord(world, limitRange(range, isCounted), ({ trace }, position) => {
      if (isCounted) transactions.push({ ...position, trace: readTrace(trace) });
      else report.add(readTrace(trace));
    });
    let missing = 0;
    await retraceEach(
      startReportRetrace(this.#chain, world, signal),
      transactions,
      ({ trace }, retrace) => {
        report.add(retrace ? withCounts(trace, retrace.frames) : trace);
        if (!retrace) missing += 1;
      },
    );
    const names = await this.#rowNames(world, report, group_by);
    const page = report.page(names, {
      values: include.includes('values'),
      stacks: include.includes('stacks'),
    });
    return { ...read, ...page, ...(missing === 0 ? {} : { not_rerun: missing }) };
  }

  async coverage(
    range: ReportRange & { readonly include?: readonly 'statements'[] },
    signal?: AbortSignal,
  ): Promise<COVERAGE> {
    const { world } = this.#chain;
    const isTraced = range.include?.includes('statements') ?? false;
    const coverage = new EntryPointCoverage();
    const reportRetrace = startReportRetrace(this.#chain, world, signal);
    const transactions: TransactionPosition[] = [];
    const read = await eachRecord(world, limitRange(range, isTraced), (record, position) => {
      coverage.add(record);
      transactions.push(position);
    });
    const statements = new StatementCoverage();
    let calls = 0;
    // They are in no block, and so on the first page.
    if (range.cursor === undefined) {
      for (const { retrace, times } of await retraceCalls(reportRetrace, isTraced)) {
        coverage.addFrames(retrace.frames, times);
        statements.add(retrace, times);
        calls += times;
      }
    }
    const counted = {
      ...read,
      ...(await coverage.page(world, this.#classes)),
      ...(calls === 0 ? {} : { calls }),
    };
    if (!isTraced) return counted;
    let missing = 0;
    await retraceEach(reportRetrace, transactions, (_placed, retrace) => {
      if (retrace) statements.add(retrace);
      else missing += 1;
    });
    const classes: COVERED_CLASS[] = [];
    for (const covered of counted.classes) {
      // Ready-made classes are not of the user.
      const executed =
        (covered.declared_in ?? 0) > world.history.first
          ? await statements.of(world, covered.class_hash)
          : undefined;
      classes.push({ ...covered, ...(executed ? { statements: executed } : {}) });
    }
    return { ...counted, classes, ...(missing === 0 ? {} : { not_rerun: missing }) };
  }

  async #rowNames(
    world: World,
    { classHashes, contracts }: GasReport,
    grouping: 'class' | 'contract',
  ): Promise<RowNames> {
    const facts = await this.#classes.of(world, classHashes);
    const contractNames = await this.#names();
    const isByContract = grouping === 'contract';
    const { classes, tokens } = await contractNames.readGivenNames(
      isByContract ? contracts : [],
      classHashes,
    );
    const { own } = contractNames;
    return ({ contract, classHash, selector }) => {
      const classFacts = facts.get(classHash);
      const ownName = isByContract ? (own.get(contract) ?? tokens.get(contract)) : undefined;
      const contractName = ownName ?? classes.get(classHash);
      const functionName = classFacts?.functionName(selector);
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
  use: (record: TransactionRecord, position: TransactionPosition) => void,
): Promise<Read> {
  const newest = pendingNumber(world);
  const to = Math.min(to_block ?? newest, newest);
  const from = Math.max(from_block ?? 0, world.history.first);
  if (from > to) refuse(`No blocks exist from ${from_block ?? from} to ${to_block ?? to}.`);
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
        const record = transactionAt(world, block, index);
        if (!record) return undefined;
        use(record, { block, index });
        if (slices.isOver) await slices.next();
        return true;
      }),
  });
  return { from_block: from, to_block: to, ...(next === undefined ? {} : { next }) };
}

function limitRange(range: ReportRange, isRetraced: boolean): ReportRange {
  return isRetraced
    ? { ...range, limit: Math.min(range.limit ?? RETRACE_LIMIT, RETRACE_LIMIT) }
    : range;
}
