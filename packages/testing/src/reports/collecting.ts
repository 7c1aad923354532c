// Collection of gas and coverage from the chains of a run, by files that all of its processes write.
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { GasReport } from '@starkbox/abi';
import { Coverage, type CoveragePage, type GasPage } from '@starkbox/abi/internal';
import type { Chain } from 'starkbox';

/** Which reports a run makes: `gas`, `coverage`, or both with a comma. */
export const WANTED = 'STARKBOX_REPORT';
/** Set for the processes of a run: where they write. */
export const FOLDER = 'STARKBOX_REPORT_FOLDER';

type Kind = 'gas' | 'coverage';

type Entry =
  | { readonly kind: 'gas'; readonly page: GasPage }
  | { readonly kind: 'coverage'; readonly page: CoveragePage };

type ReportedChain = Pick<Chain, 'request'>;

export function wantedKinds(): readonly Kind[] {
  const words = (process.env[WANTED] ?? '').split(',').map((word) => word.trim());
  const unknown = words.find((word) => word !== '' && word !== 'gas' && word !== 'coverage');
  if (unknown !== undefined) {
    throw new Error(`${WANTED} has '${unknown}': give gas, coverage, or gas,coverage`);
  }
  return (['gas', 'coverage'] as const).filter((kind) => words.includes(kind));
}

/** Whether this run counts calls outside of transactions. */
export function countsCalls(): boolean {
  return process.env[FOLDER] !== undefined && wantedKinds().includes('coverage');
}

/** What one chain adds to the reports of the run: its blocks from now on. */
export interface Collector {
  /** Writes it, before the chain is closed. */
  finish(): Promise<void>;
}

/** @returns undefined if this run makes no reports */
export function collectorOf(chain: ReportedChain): Collector | undefined {
  const folder = process.env[FOLDER];
  if (folder === undefined) return undefined;
  // Asked for now: blocks that are there already belong to a fixture.
  const before = chain.request('starknet_blockNumber');
  before.catch(() => {});
  return {
    async finish() {
      // A chain may outlive the run.
      if (!existsSync(folder)) return;
      const newest = await chain.request('starknet_blockNumber');
      const from_block = Math.min((await before) + 1, newest + 1);
      const entries: Entry[] = [];
      for (const kind of wantedKinds()) entries.push(...(await read(chain, kind, from_block)));
      // Lines are appended at once, so that chains of the same process do not mix.
      const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      if (lines !== '') appendFileSync(join(folder, `${process.pid}-${threadId}.jsonl`), lines);
    },
  };
}

async function read(chain: ReportedChain, kind: Kind, from_block: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  do {
    const range = { from_block, ...(cursor === undefined ? {} : { cursor }) };
    if (kind === 'gas') {
      const include = ['values', 'stacks'] as const;
      const page = await chain.request('devnet_gasReport', { ...range, include });
      cursor = page.next;
      if (page.transactions > 0) entries.push({ kind, page });
    } else {
      const include = ['statements'] as const;
      const page = await chain.request('devnet_coverage', { ...range, include });
      cursor = page.next;
      if (page.transactions > 0 || page.calls !== undefined) entries.push({ kind, page });
    }
  } while (cursor !== undefined);
  return entries;
}

/** The sums of what the processes of a run wrote. */
export interface RunReports {
  readonly gas: GasReport;
  readonly coverage: Coverage;
}

export function readRun(folder: string): RunReports {
  const [gas, coverage] = [new GasReport('class'), new Coverage()];
  for (const file of readdirSync(folder)) {
    if (!file.endsWith('.jsonl')) continue;
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (line === '') continue;
      const entry: Entry = JSON.parse(line);
      if (entry.kind === 'gas') gas.addPage(entry.page);
      else coverage.addPage(entry.page);
    }
  }
  return { gas, coverage };
}
