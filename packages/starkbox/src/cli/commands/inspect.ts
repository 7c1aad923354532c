// The inspect command: checks an image as a load does, and prints what it contains.
import { groupDigits, table, withNoun, withShortHashes, wrapLine } from '@starkbox/abi/basics';
import { FORMAT } from '../../dump/image/format.js';
import type { ImageHeader } from '../../dump/image/header.js';
import { readAsNode } from '../../node/read-image.js';
import { moment, type Style, size } from './format.js';
import { readingFrom, withImage } from './input-files.js';

export async function inspect(
  path: string,
  { json, paint, width, progress }: Style,
): Promise<string> {
  const { header, sections, bytes } = await withImage(path, async (source) => ({
    ...(await readingFrom(path, readAsNode(source, path, progress))),
    bytes: source.size,
  }));
  if (json) {
    const facts = { path, bytes, format: FORMAT, ...header, sections };
    return `${JSON.stringify(facts)}\n`;
  }
  const blocks = header.last_block - header.first_block + 1;
  const waiting = header.pending_transactions;
  const rows = [
    ['written by', `${header.written_by}, format ${FORMAT}`],
    ['chain', header.chain_id],
    ['blocks', `${groupDigits(blocks)}, from ${header.first_block} to ${header.last_block}`],
    ['newest', header.last_block_hash],
    ['time', `${moment(header.first_timestamp)} to ${moment(header.last_timestamp)}`],
    [
      'transactions',
      `${groupDigits(header.transactions)} with ${withNoun(header.events, 'event')}; ${groupDigits(waiting)} more in the block under construction`,
    ],
    ['accounts', accountsOf(header)],
    ['contracts', groupDigits(header.contracts)],
    ['classes', groupDigits(header.classes)],
    ['slots', groupDigits(header.slots)],
    ['old states', header.keeps_history ? 'of every block' : 'not kept'],
    [
      'journal',
      header.journal_calls === null ? 'not kept' : withNoun(header.journal_calls, 'call'),
    ],
  ];
  const sizes = sections.map(({ name, bytes: unpacked, stored }) => [
    name,
    size(stored),
    unpacked > stored ? `${size(unpacked)} unpacked` : '',
  ]);
  const labelWidth = Math.max(...rows.map(([label = '']) => label.length));
  const lines = rows.flatMap(([label = '', value = '']) =>
    wrapLine(
      withShortHashes(`  ${label.padEnd(labelWidth)}  ${value}`, width),
      width,
      ' '.repeat(labelWidth + 4),
    ),
  );
  const columns = [{}, { align: 'right' }, { align: 'right' }] as const;
  return [
    ...wrapLine(`${paint('bold', path)}  ${size(bytes)}, every part checked`, width, '  '),
    ...lines,
    paint('bold', 'sections'),
    ...table(sizes, { width, indent: '  ', columns }).lines,
    '',
  ].join('\n');
}

function accountsOf({ genesis }: ImageHeader): string {
  if (!genesis) return 'not recorded';
  const { accounts, seed, account_class } = genesis;
  return `${withNoun(accounts, 'account')} of class ${account_class}, seed ${seed}`;
}
