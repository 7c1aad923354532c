// Report of a rehearsal as one page of HTML, without scripts and other files.
import {
  CHANGE_KINDS,
  type Change,
  type DifferentTransaction,
  hasDifference,
  isRisk,
  type LayoutChange,
  type Rehearsal,
} from './report.js';
import { differText, skippedLines, typesText } from './text.js';

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dee4, #373e47); --soft: light-dark(#f6f8fa, #1c2128);
  --muted: light-dark(#57606a, #9aa4af); --bad: light-dark(#b42318, #ff8a80); --good: light-dark(#1a7f37, #57d27a); }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 70rem; padding: 1.5rem;
  background: light-dark(#fff, #14181d); color: light-dark(#1f2328, #e6edf3); }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
code, td.value { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 600; color: var(--muted); }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem .3rem 0; vertical-align: top; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { color: var(--muted); } dd { margin: 0; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; }
summary { cursor: pointer; padding: .4rem .6rem; background: var(--soft); border-radius: 6px; }
details > div { padding: 0 .6rem .4rem; overflow-x: auto; } .muted { color: var(--muted); }
.bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); font-weight: 600; }
.kind { display: inline-block; padding: 0 .4rem; margin-right: .2rem; border: 1px solid var(--line); border-radius: 4px; font-size: 12px; }
.number { text-align: right; } td.kinds { white-space: nowrap; }
`;

export function rehearsalPage(report: Rehearsal): string {
  const title = `Rehearsal of ${report.contract}`;
  const body = [
    `<h1>Rehearsal of an upgrade</h1>`,
    verdict(report),
    facts(report),
    layoutSection(report),
    summarySection(report),
    transactionsSection(report),
    notesSection(report),
  ];
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeText(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    `<body><main>${body.join('\n')}</main></body>`,
    '</html>',
    '',
  ].join('\n');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

const code = (text: string): string => `<code>${escapeText(text)}</code>`;

function verdict(report: Rehearsal): string {
  const isSame = !hasDifference(report);
  return `<p class="${isSame ? 'good' : 'bad'}">${escapeText(differText(report))}</p>`;
}

function facts(report: Rehearsal): string {
  const state =
    report.mode === 'carried'
      ? 'of the network, with the writes of the new class carried from transaction to transaction'
      : 'of the network before each transaction';
  const rows: readonly (readonly [string, string])[] = [
    ['Contract', code(report.contract)],
    ['Old class', report.old_classes.map(code).join(', ')],
    ['New class', code(report.new_class)],
    ['Blocks', escapeText(`${report.from_block} to ${report.to_block} of ${report.chain_id}`)],
    ['State', state],
  ];
  return `<dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>`;
}

function layoutSection({ layout }: Rehearsal): string {
  const row = (change: LayoutChange): string =>
    `<tr><td class="${isRisk(change) ? 'bad' : 'muted'}">${change.kind}</td><td>${code(change.variable)}</td><td class="value">${escapeText(typesText(change))}</td><td>${change.effects.map(escapeText).join('<br>')}</td></tr>`;
  const content =
    layout.changes.length === 0
      ? '<p>No change of a known variable.</p>'
      : `<table><thead><tr><th scope="col">Change</th><th scope="col">Variable</th><th scope="col">Type</th><th scope="col">Effect on stored values</th></tr></thead><tbody>${layout.changes.map(row).join('')}</tbody></table>`;
  return `<h2>Storage layout</h2>${content}`;
}

function summarySection({ counts, transactions, different }: Rehearsal): string {
  if (different.length === 0) return '';
  const rows = CHANGE_KINDS.flatMap((kind) =>
    counts[kind] === 0
      ? []
      : [`<tr><td>${kind}</td><td>${counts[kind]} of ${transactions}</td></tr>`],
  );
  return `<h2>Differences</h2><table><thead><tr><th scope="col">Difference</th><th scope="col">Transactions</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function transactionsSection({ different }: Rehearsal): string {
  if (different.length === 0) return '';
  return `<h2>Transactions</h2>${different.map(transactionDetails).join('\n')}`;
}

function transactionDetails(transaction: DifferentTransaction): string {
  const { transaction_hash: hash, block_number: block, function: name, changes } = transaction;
  const kinds = [...new Set(changes.map(({ kind }) => kind))];
  const row = ({ kind, subject, old = '', new: now = '' }: Change): string =>
    `<tr><td>${kind}</td><td class="value">${escapeText(subject)}</td><td class="value">${escapeText(old)}</td><td class="value">${escapeText(now)}</td></tr>`;
  return [
    `<details><summary><strong>${escapeText(name)}</strong> <span class="muted">block ${block}</span> ${kinds.map((kind) => `<span class="kind">${kind}</span>`).join('')}</summary>`,
    `<div><p class="muted">${code(hash)} from ${code(transaction.sender)}</p>`,
    '<table><thead><tr><th scope="col">Difference</th><th scope="col">In</th><th scope="col">Old class</th><th scope="col">New class</th></tr></thead>',
    `<tbody>${changes.map(row).join('')}</tbody></table></div></details>`,
  ].join('');
}

function notesSection(report: Rehearsal): string {
  const notes = [...report.notes, ...skippedLines(report)];
  if (notes.length === 0) return '';
  return `<h2>Notes</h2><ul>${notes.map((note) => `<li>${escapeText(note)}</li>`).join('')}</ul>`;
}
