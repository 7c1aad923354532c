// Layout of help: paragraphs, and lists of terms with their meaning, as wide as the terminal.
import { wrapLine as wrappedLine } from '@starkbox/abi/basics';
import type { Paint } from '../../terminal.js';

export interface HelpStyle {
  /** Columns of the terminal. */
  readonly width: number;
  readonly paint: Paint;
}

const LEAST_WIDTH = 80;
/** Longer lines are hard to read. */
const MAX_WIDTH = 120;
/** Columns of terms: a longer term has a line of its own. */
const MAX_TERM_LENGTH = 26;

/** The width of help on an output that may be a terminal. */
export function helpWidth(columns: number | undefined): number {
  return Math.min(MAX_WIDTH, Math.max(LEAST_WIDTH, columns ?? 0));
}

/** A text in lines of at most the given width, each of which begins with the indent. */
export function wrapText(text: string, width: number, indent = ''): readonly string[] {
  return text === '' ? [] : wrappedLine(`${indent}${text}`, width, indent);
}

/** Terms in one column, and their meaning in another. */
export function termLines(
  rows: readonly (readonly [term: string, meaning: string])[],
  { width, paint }: HelpStyle,
): readonly string[] {
  const column = Math.min(MAX_TERM_LENGTH, Math.max(...rows.map(([term]) => term.length)));
  const indent = ' '.repeat(column + 4);
  return rows.flatMap(([term, meaning]) => {
    const [first = '', ...rest] = wrapText(meaning, width, indent);
    const painted = `  ${paint('cyan', term)}`;
    if (term.length > column) return [painted, first, ...rest].filter(Boolean);
    const line = `${painted}${' '.repeat(column - term.length + 2)}${first.trimStart()}`;
    return [line.trimEnd(), ...rest];
  });
}

/** A heading with the lines below it. */
export function section(
  title: string,
  lines: readonly string[],
  { paint }: HelpStyle,
): readonly string[] {
  return ['', paint('bold', `${title}:`), ...lines];
}
