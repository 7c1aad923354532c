// The report command: prints what each function cost, draws it, and compares it with a baseline.
import { GasReport } from '@starkbox/abi';
import { fitText, groupDigits, isObject, table, withNoun } from '@starkbox/abi/basics';
import {
  type Baseline,
  baselineOf,
  collapseStacks,
  flameSvg,
  type GasChange,
  type GasPage,
  gasChanges,
  gasText,
  isBeyond,
  MEASURES,
  RESOURCES,
  readBaseline,
  resourceName,
} from '@starkbox/abi/internal';
import { UsageError } from '../../config/option.js';
import { reasonOf } from '../../errors.js';
import { readRegularSync } from '../../files/regular-file.js';
import { DifferenceFound, type Style, writeNamedFile } from './format.js';
import type { GAS } from './options.js';
import type { Words } from './row.js';
import { nodeOf, numberOf, pagesOf, rangeOf } from './wire.js';

const GROUPINGS = ['class', 'contract'] as const;

/** @throws DifferenceFound if a median is beyond the baseline */
export async function gasReport(style: Style, words: Words<typeof GAS>): Promise<string> {
  const { flame, 'save-baseline': saved } = words;
  const by = choose('by', words.by ?? 'class', GROUPINGS);
  const resource = choose(
    'flame-resource',
    words['flame-resource'] ?? 'l2_gas',
    words.resources ? RESOURCES : MEASURES,
  );
  const tolerance = numberOf('tolerance', words.tolerance) ?? 0;
  // Read first: a missing file is known before the chain is read.
  const before = words.baseline === undefined ? undefined : baselineIn(words.baseline);
  const sum = words.file === undefined ? await readReport(words, by, style) : reportIn(words.file);
  const page = sum.page();
  if (flame !== undefined) {
    const title = `${resourceName(resource)} of ${withNoun(page.transactions, 'transaction')}`;
    const text = flame.endsWith('.svg')
      ? flameSvg(sum, resource, title)
      : collapseStacks(sum, resource);
    writeNamedFile(flame, text);
  }
  const after = baselineOf(page);
  if (saved !== undefined) writeNamedFile(saved, `${JSON.stringify(after, null, 2)}\n`);
  const files = [flame, saved].filter((file) => file !== undefined && !style.json);
  const written = files.map((file) => `Wrote ${file}\n`).join('');
  if (before) {
    const changes = gasChanges(before, after);
    return `${compared(changes, tolerance, style, words.baseline ?? '')}${written}`;
  }
  if (style.json) return `${JSON.stringify(page)}\n`;
  const text = gasText(page, { heading: (name) => style.paint('bold', name), width: style.width });
  return `${text}\n${written === '' ? '' : `\n${written}`}`;
}

function choose<T extends string>(option: string, word: string, choices: readonly T[]): T {
  const choice = choices.find((name) => name === word);
  if (choice !== undefined) return choice;
  const names = choices.join(', ');
  throw new UsageError(`invalid value '${word}' for '--${option}': must be one of ${names}`);
}

async function readReport(
  words: Words<typeof GAS>,
  by: (typeof GROUPINGS)[number],
  { progress }: Style,
): Promise<GasReport> {
  const sum = new GasReport(by);
  const include = [
    'values',
    'stacks',
    ...(words.resources ? (['resources'] as const) : []),
  ] as const;
  const params = { group_by: by, include, ...rangeOf(words) };
  const pages = pagesOf(nodeOf(words), 'devnet_gasReport', params, progress);
  for await (const page of pages) sum.addPage(page);
  return sum;
}

/** What a run of tests wrote. */
function reportIn(file: string): GasReport {
  const value: unknown = JSON.parse(readRegularSync(file));
  const sum = new GasReport('class');
  if (!isPage(value)) throw new Error(`${file} is not the gas.json of a test run`);
  sum.addPage(value);
  return sum;
}

function isPage(value: unknown): value is GasPage {
  return isObject(value) && Array.isArray(value['rows']) && isObject(value['receipts']);
}

function baselineIn(file: string): Baseline {
  let value: unknown;
  try {
    value = JSON.parse(readRegularSync(file));
  } catch (error) {
    throw new Error(
      `cannot read the baseline: ${reasonOf(error)}. Write one with --save-baseline`,
      {
        cause: error,
      },
    );
  }
  const read = readBaseline(value);
  if (!read) throw new Error(`${file} is not a baseline: write one with --save-baseline`);
  return read;
}

/** @throws DifferenceFound if a change is beyond the tolerance */
function compared(
  changes: readonly GasChange[],
  tolerance: number,
  { json, paint, width }: Style,
  file: string,
): string {
  const beyond = changes.filter((change) => isBeyond(change, tolerance / 100));
  const summary =
    changes.length === 0
      ? `The median of every function equals ${file}`
      : `${withNoun(changes.length, 'median')} ${changes.length === 1 ? 'differs' : 'differ'} from ${file}, ${beyond.length} by more than +${tolerance} %`;
  const rows = changes.map((change) => [
    change.name,
    resourceName(change.resource),
    gasFigure(change.was),
    '→',
    gasFigure(change.is),
    beyond.includes(change) ? paint('red', `${growth(change)} !`) : growth(change),
  ]);
  const columns = [{ isShortened: true }, {}, RIGHT, {}, RIGHT, RIGHT];
  const text = json
    ? JSON.stringify({ changes, beyond: beyond.length })
    : [fitText(summary, width), ...table(rows, { width, indent: '  ', columns }).lines].join('\n');
  if (beyond.length > 0) throw new DifferenceFound(text);
  return `${text}\n`;
}

const RIGHT = { align: 'right' } as const;

const gasFigure = (value: number | undefined): string =>
  value === undefined ? '–' : groupDigits(value);

function growth({ was, is }: GasChange): string {
  if (was === undefined) return 'new';
  if (is === undefined) return 'not called';
  if (was === 0) return `+${groupDigits(is)}`;
  const percent = ((is - was) / was) * 100;
  return `${percent > 0 ? '+' : ''}${percent.toFixed(2)} %`;
}
