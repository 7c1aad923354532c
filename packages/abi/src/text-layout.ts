// Layout of output for people: tables, wrapped lines and shortened hashes that fit a number of columns.
import { shortAddress } from './felt.js';

/** Columns of a terminal; undefined for output that is never wrapped or shortened, such as a pipe. */
export type Width = number | undefined;

const ESCAPE = '\u001b';
const COLOUR_CODE: RegExp = new RegExp(`${ESCAPE}\\[[\\d;]*m`, 'g');

/** Columns that a line takes, without colour codes. */
export function textWidth(line: string): number {
  return [...line.replace(COLOUR_CODE, '')].length;
}

/** Digits in groups of three. */
export function groupDigits(value: number | bigint): string {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/** @example counted(1, 'block') // 1 block */
export function withNoun(count: number | bigint, noun: string): string {
  const plural = /(s|sh|ch)$/.test(noun) ? `${noun}es` : `${noun}s`;
  return `${groupDigits(count)} ${count === 1 || count === 1n ? noun : plural}`;
}

/** @example listed(['a', 'b', 'c'], 'or') // a, b or c */
export function joinWords(words: readonly string[], conjunction: 'and' | 'or'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/** Cuts the middle out of a text: its beginning and its end usually identify it. */
export function shortenMiddle(text: string, longest: number): string {
  const letters = [...text];
  if (letters.length <= longest) return text;
  const tail = Math.floor((longest - 1) / 2);
  const head = Math.max(0, longest - 1 - tail);
  return `${letters.slice(0, head).join('')}…${letters.slice(letters.length - tail).join('')}`;
}

const LONG_HASH = /0x[0-9a-f]{17,}/gi;

/** Shortens hashes and addresses in a line that is too long. */
export function withShortHashes(line: string, width: Width): string {
  if (width === undefined || textWidth(line) <= width) return line;
  return line.replace(LONG_HASH, (hash) => shortAddress(hash));
}

/** @param indent of the second line and those after it */
export function wrapLine(line: string, width: Width, indent: string): readonly string[] {
  if (width === undefined || textWidth(line) <= width) return [line];
  const [, leading = '', rest = ''] = /^(\s*)(.*)$/s.exec(line) ?? [];
  const lines: string[] = [];
  let current = leading;
  let isEmpty = true;
  // The name of an argument stays with its value, if both fit on one line.
  const words = rest
    .split(/(?<![({,] ?"?\w+"?:) /)
    .flatMap((part) => (textWidth(part) + indent.length <= width ? [part] : part.split(' ')));
  for (const word of words) {
    const joined = isEmpty ? `${current}${word}` : `${current} ${word}`;
    if (isEmpty || textWidth(joined) <= width) {
      current = joined;
    } else {
      lines.push(current);
      current = `${indent}${word}`;
    }
    isEmpty = false;
  }
  return [...lines, current].flatMap((part) => breakLine(part, width, indent));
}

/** Breaks a word that is longer than a line. */
function breakLine(line: string, width: number, indent: string): readonly string[] {
  if (textWidth(line) <= width || line.includes(ESCAPE)) return [line];
  const letters = [...line];
  const rest = `${indent}${letters.slice(width).join('')}`;
  // An indentation as wide as the terminal would never end.
  if (indent.length >= width) return [line];
  return [letters.slice(0, width).join(''), ...breakLine(rest, width, indent)];
}

/** Wraps each line of a text; lines that follow are indented by two more columns. */
export function fitText(text: string, width: Width): string {
  if (width === undefined) return text;
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width, `${/^\s*/.exec(line)?.[0] ?? ''}  `))
    .join('\n');
}

export interface Column {
  /** Numbers are aligned to the right. */
  readonly align?: 'left' | 'right';
  /** Omitted if the table does not fit: the column with the lowest number first. */
  readonly omitted?: number;
  /** Cut in the middle if the table does not fit without the columns that can be omitted. */
  readonly isShortened?: boolean;
}

export interface TableOptions {
  readonly width?: Width;
  readonly indent?: string;
  /** By position; a column without an entry is aligned to the left, and never omitted. */
  readonly columns?: readonly Column[];
}

export interface Table {
  readonly lines: readonly string[];
  /** Positions of the columns that are omitted. */
  readonly omitted: readonly number[];
}

const GAP = '  ';
const LEAST_SHORTENED = 12;

/** Rows with aligned columns. */
export function table(
  rows: readonly (readonly string[])[],
  { width, indent = '', columns = [] }: TableOptions = {},
): Table {
  const omitted = new Set<number>();
  const isTooWide = (): boolean =>
    width !== undefined && indent.length + rowWidth(widthsOf(cells), omitted) > width;
  let cells = rows;
  if (isTooWide()) cells = cells.map((row) => row.map((cell) => withShortHashes(cell, 0)));
  const candidates = columns
    .flatMap(({ omitted: order }, at) => (order === undefined ? [] : [{ order, at }]))
    .sort((a, b) => a.order - b.order);
  for (const { at } of candidates) {
    if (!isTooWide()) break;
    omitted.add(at);
  }
  columns.forEach(({ isShortened = false }, at) => {
    if (!isShortened || width === undefined || !isTooWide()) return;
    const widths = widthsOf(cells);
    const excess = indent.length + rowWidth(widths, omitted) - width;
    const longest = Math.max(LEAST_SHORTENED, (widths[at] ?? 0) - excess);
    cells = cells.map((row) => row.map((cell, i) => (i === at ? shortCell(cell, longest) : cell)));
  });
  const widths = widthsOf(cells);
  const lines = cells.map((row) => {
    const padded = row.flatMap((cell, at) =>
      omitted.has(at) ? [] : [alignCell(cell, widths[at] ?? 0, columns[at]?.align)],
    );
    return `${indent}${padded.join(GAP)}`.trimEnd();
  });
  return { lines, omitted: [...omitted] };
}

/** A cell with colours is left as it is: cutting could lose their end. */
function shortCell(cell: string, longest: number): string {
  return cell.includes(ESCAPE) ? cell : shortenMiddle(cell, longest);
}

function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, textWidth(cell));
    });
  }
  return widths;
}

function rowWidth(widths: readonly number[], omitted: ReadonlySet<number>): number {
  const remaining = widths.filter((_, at) => !omitted.has(at));
  return remaining.reduce((sum, width) => sum + width, 0) + GAP.length * (remaining.length - 1);
}

function alignCell(cell: string, width: number, align: Column['align'] = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(cell)));
  return align === 'right' ? `${space}${cell}` : `${cell}${space}`;
}
