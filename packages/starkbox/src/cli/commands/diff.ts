// The diff command: prints how two images differ.
import {
  fitText,
  groupDigits,
  shortenMiddle,
  table,
  textWidth,
  withNoun,
  withShortHashes,
} from '@starkbox/abi/basics';
import { readAsNode } from '../../node/read-image.js';
import { showing } from '../../probe.js';
import { DifferenceFound, moment, type Style } from './format.js';
import {
  type BlockFacts,
  type Changed,
  type ContractChange,
  type Difference,
  differenceOf,
  type SlotChange,
} from './image-diff.js';
import { debugInfosIn, readingFrom, withImage } from './input-files.js';
import type { DIFF } from './options.js';
import type { Words } from './row.js';
import { NO_NAMES, readNames } from './slot-names.js';

/** @throws DifferenceFound if the images differ */
export async function diff(
  oldPath: string,
  newPath: string,
  style: Style,
  { names, artifacts }: Words<typeof DIFF> = {},
): Promise<string> {
  const chosen = names === undefined ? NO_NAMES : readNames(names);
  // Both are opened before one is read, which may take long.
  const [before, after] = await withImage(oldPath, (old) =>
    withImage(newPath, async (now) => [
      await readingFrom(oldPath, readAsNode(old, oldPath, style.progress)),
      await readingFrom(newPath, readAsNode(now, newPath, style.progress)),
    ]),
  );
  const difference = await showing(style.progress, 'comparing', () =>
    differenceOf(before, after, {
      chosen,
      infosOf: (classHashes) => debugInfosIn(artifacts, classHashes),
    }),
  );
  const text = style.json
    ? JSON.stringify({ a: oldPath, b: newPath, ...difference })
    : differenceText(difference, oldPath, newPath, style);
  if (!isEqual(difference)) throw new DifferenceFound(text);
  return `${text}\n`;
}

function isEqual({ chain_id, blocks, classes, contracts, settings }: Difference): boolean {
  const counts = [
    blocks.before.count,
    blocks.after.count,
    classes.removed.length,
    classes.added.length,
    contracts.length,
    Object.keys(settings).length,
  ];
  return chain_id === undefined && counts.every((count) => count === 0);
}

/** Of a contract, this many slots without a name are shown. */
const SLOTS_SHOWN = 20;
const NOTHING = '0x0';

function differenceText(difference: Difference, a: string, b: string, style: Style): string {
  const { paint } = style;
  const parts = [
    `${paint('red', `- ${a}`)}\n${paint('green', `+ ${b}`)}`,
    ...(difference.chain_id ? [`chain\n${pair(difference.chain_id, style)}`] : []),
    blocksText(difference, style),
    classesText(difference, style),
    ...difference.contracts.map((contract) => contractText(contract, difference, style)),
    settingsText(difference, style),
    isEqual(difference) ? 'no difference' : '',
  ].filter((part) => part !== '');
  const lines = parts.join('\n\n').split('\n');
  return fitText(lines.map((line) => withShortHashes(line, style.width)).join('\n'), style.width);
}

function blocksText({ blocks }: Difference, { paint, width }: Style): string {
  const { common, before, after } = blocks;
  const lines = [
    common === null
      ? 'no block in common'
      : `equal up to block ${common}${before.count + after.count === 0 ? ', the newest' : ''}`,
  ];
  const list = (sign: string, colour: 'red' | 'green', beyond: typeof before): void => {
    const rows = beyond.first.map(({ number, hash, timestamp, transactions }: BlockFacts) => [
      `${sign} ${number}`,
      hash,
      moment(timestamp),
      withNoun(transactions, 'transaction'),
    ]);
    // Sections are indented by two columns.
    const room = width === undefined ? undefined : width - 2;
    const columns = [{}, {}, { omitted: 1 }, { align: 'right' }] as const;
    const laidOut = table(rows, { width: room, columns });
    lines.push(...laidOut.lines.map((line) => paint(colour, line)));
    const rest = beyond.count - beyond.first.length;
    if (rest > 0) lines.push(paint(colour, `${sign} and ${withNoun(rest, 'block')} more`));
  };
  list('-', 'red', before);
  list('+', 'green', after);
  return section('blocks', lines, paint);
}

type ClassNames = Pick<Difference, 'class_names'>;

function classesText({ classes, ...difference }: Difference, { paint }: Style): string {
  const lines = [
    ...classes.removed.map((hash) => paint('red', `- ${classText(hash, difference)}`)),
    ...classes.added.map((hash) => paint('green', `+ ${classText(hash, difference)}`)),
  ];
  return lines.length === 0 ? '' : section('classes', lines, paint);
}

function classText(hash: string, { class_names }: ClassNames): string {
  const name = class_names[hash];
  return name === undefined ? hash : `${name} ${hash}`;
}

function contractText(contract: ContractChange, difference: ClassNames, style: Style): string {
  const { address, name, class_hash, nonce, storage } = contract;
  const { paint, width } = style;
  const lines: string[] = [];
  if (class_hash) {
    lines.push(`class\n${pair(class_hash, style, (hash) => classText(hash, difference))}`);
  }
  if (nonce) {
    lines.push(`nonce ${BigInt(nonce.before)} → ${BigInt(nonce.after)}`);
  }
  const variables = storage.filter(({ variable }) => variable !== undefined);
  const unnamed = storage.filter(({ variable }) => variable === undefined);
  for (const slot of [...variables, ...unnamed.slice(0, SLOTS_SHOWN)])
    lines.push(slotText(slot, width));
  const rest = unnamed.length - SLOTS_SHOWN;
  if (rest > 0) lines.push(`and ${withNoun(rest, 'slot')} more without a name`);
  return section(name === undefined ? address : `${name} ${address}`, lines, paint);
}

/** A longer number is cut if it does not fit: the change beside it is exact. */
const NUMBER_SHOWN = 27;

function slotText(
  { key, variable, wide, text, before, after }: SlotChange,
  width: Style['width'],
): string {
  if (!wide) {
    const texts = text ?? { before, after };
    return `${variable ?? key}: ${texts.before} → ${texts.after}`;
  }
  const change = BigInt(after) - BigInt(before);
  const sign = change < 0n ? '−' : '+';
  const amount = groupDigits(change < 0n ? -change : change);
  const numbers = [before, after].map((value) => groupDigits(BigInt(value)));
  const line = (shown: readonly string[]): string =>
    `${variable}: ${shown.join(' → ')} (${sign}${amount})`;
  // Sections are indented by two columns.
  const fits = width === undefined || textWidth(withShortHashes(line(numbers), 0)) + 2 <= width;
  return line(fits ? numbers : numbers.map((number) => shortenMiddle(number, NUMBER_SHOWN)));
}

function settingsText({ settings }: Difference, { paint }: Style): string {
  const lines = Object.entries(settings).map(
    ([name, { before, after }]) => `${name}: ${before} → ${after}`,
  );
  return lines.length === 0 ? '' : section('settings', lines, paint);
}

function pair(
  { before, after }: Changed,
  { paint }: Style,
  textOf = (value: string): string => value,
): string {
  return [
    before === NOTHING ? '' : `  ${paint('red', `- ${textOf(before)}`)}`,
    after === NOTHING ? '' : `  ${paint('green', `+ ${textOf(after)}`)}`,
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function section(title: string, lines: readonly string[], paint: Style['paint']): string {
  const indented = lines.map((line) => line.replaceAll(/^/gm, '  '));
  return [paint('bold', title), ...indented].join('\n');
}
