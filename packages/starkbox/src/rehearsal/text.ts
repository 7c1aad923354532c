// Report of a rehearsal for a terminal.
import { fitText, table, type Width, withNoun } from '@starkbox/abi/basics';
import type { Paint } from '../terminal.js';
import {
  CHANGE_KINDS,
  type Change,
  type DifferentTransaction,
  hasDifference,
  isRisk,
  type LayoutChange,
  type Rehearsal,
} from './report.js';

/** Transactions that are shown with their changes, and changes of each. */
const SHOWN = 10;
const SHOWN_CHANGES = 12;

export interface TextStyle {
  readonly paint: Paint;
  readonly width?: Width;
}

export function rehearsalText(report: Rehearsal, style: TextStyle): string {
  const { paint, width } = style;
  const sections = [
    headLines(report),
    layoutLines(report, style),
    summaryLines(report, style),
    report.different.slice(0, SHOWN).flatMap((transaction) => detailLines(transaction, style)),
    restLines(report),
    [...report.notes, ...skippedLines(report)].map((note) => `note: ${note}`),
    [
      hasDifference(report)
        ? paint('red', 'The classes differ.')
        : paint('green', 'No difference.'),
    ],
  ];
  const text = sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
  return `${fitText(text, width)}\n`;
}

function headLines(report: Rehearsal): readonly string[] {
  const { contract, old_classes: old, new_class, mode, chain_id } = report;
  return [
    `contract   ${contract}`,
    `old class  ${old.join(', ')}`,
    `new class  ${new_class}`,
    `blocks     ${report.from_block} to ${report.to_block} of ${chain_id}`,
    mode === 'carried'
      ? 'state      of the network, with the writes of the new class carried from transaction to transaction'
      : 'state      of the network before each transaction',
  ];
}

function layoutLines({ layout }: Rehearsal, { paint }: TextStyle): readonly string[] {
  if (layout.changes.length === 0) return ['Storage layout: no change of a known variable'];
  const line = (change: LayoutChange): readonly string[] => {
    const colour = isRisk(change) ? 'red' : 'dim';
    return [
      `  ${paint(colour, change.kind)} ${change.variable}: ${typesText(change)}`,
      ...change.effects.map((effect) => `    ${effect}`),
    ];
  };
  return [paint('bold', 'Storage layout'), ...layout.changes.flatMap(line)];
}

export function typesText({ old, new: now }: LayoutChange): string {
  if (old === undefined) return now ?? '';
  return now === undefined ? old : `${old} → ${now}`;
}

function summaryLines(report: Rehearsal, { paint, width }: TextStyle): readonly string[] {
  const { different, counts } = report;
  if (different.length === 0) return [differText(report)];
  const title = differText(report);
  const rows = CHANGE_KINDS.flatMap((kind) =>
    counts[kind] === 0 ? [] : [[kind, String(counts[kind]), functionsWith(different, kind)]],
  );
  const columns = [{}, { align: 'right' as const }, {}];
  const { lines } = table([['difference', 'transactions', 'functions'], ...rows], {
    width,
    indent: '  ',
    columns,
  });
  return [paint('bold', title), ...lines];
}

/** How many transactions differ. */
export function differText({ transactions, different }: Rehearsal): string {
  if (different.length === 0)
    return `${withNoun(transactions, 'transaction')}, all with equal outcomes`;
  const verb = different.length === 1 ? 'differs' : 'differ';
  return `${different.length} of ${withNoun(transactions, 'transaction')} ${verb}`;
}

function functionsWith(different: readonly DifferentTransaction[], kind: Change['kind']): string {
  const names = different.flatMap(({ function: name, changes }) =>
    changes.some((change) => change.kind === kind) ? [name] : [],
  );
  return [...new Set(names)].join(', ');
}

function detailLines(
  { transaction_hash, block_number, function: name, changes }: DifferentTransaction,
  { paint }: TextStyle,
): readonly string[] {
  const shown = changes.slice(0, SHOWN_CHANGES);
  const rest = changes.length - shown.length;
  return [
    `${paint('bold', name)} in block ${block_number}, ${transaction_hash}`,
    ...shown.map(({ kind, subject, old = 'none', new: now = 'none' }) =>
      `  ${kind} ${subject}: ${old} → ${now}`.replace(/\n/g, ' '),
    ),
    ...(rest === 0 ? [] : [`  and ${withNoun(rest, 'more difference')}`]),
  ];
}

function restLines({ different }: Rehearsal): readonly string[] {
  const rest = different.length - SHOWN;
  if (rest <= 0) return [];
  return [`and ${withNoun(rest, 'more transaction')}: --json and --page show all`];
}

/** Transactions that did not run, or ran otherwise than on the network. */
export function skippedLines(report: Rehearsal): readonly string[] {
  const [other] = report.not_reproduced;
  return [
    ...report.skipped.map(
      ({ transaction_hash: hash, reason }) => `Transaction ${hash} did not run: ${reason}.`,
    ),
    ...(other
      ? [
          `${withNoun(report.not_reproduced.length, 'transaction')} with the old class, gave another result than on the network, such as ${other.transaction_hash}: ${other.reason}.`,
        ]
      : []),
  ];
}
