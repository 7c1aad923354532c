// Excerpt of a source file: its numbered lines, and their form as text with a caret below the failing column.
import type { SourceLine } from './explained.js';

/** One line of an excerpt. */
export interface ExcerptRow {
  readonly number: number;
  /** Without the indentation that all of them have. */
  readonly text: string;
  /** Of the line that the stack names: what stands before the column, and what from there on. */
  readonly parts?: readonly [before: string, after: string];
}

/** Lines before and after the named one that the text form has. */
const AROUND = 1;

/** The lines of an excerpt with their numbers; none where there is no excerpt. */
export function excerptRows({ line, column = 1, excerpt }: SourceLine): readonly ExcerptRow[] {
  if (!excerpt) return [];
  const indents = excerpt.lines
    .filter((text) => text.trim() !== '')
    .map((text) => text.search(/\S/));
  const indent = Math.min(...indents);
  return excerpt.lines.map((whole, at) => {
    const number = excerpt.first_line + at;
    const text = whole.slice(indent);
    if (number !== line) return { number, text };
    // Columns count characters, some of which are two units of a string.
    const characters = [...text];
    const before = Math.max(0, column - 1 - indent);
    const parts = [
      characters.slice(0, before).join(''),
      characters.slice(before).join(''),
    ] as const;
    return { number, text, named: parts };
  });
}

/** What is to be known of an excerpt before its lines are trusted. */
export function excerptNote({ excerpt }: SourceLine): string | undefined {
  return excerpt?.changed === true
    ? 'the file is newer than the class: its lines may have moved'
    : undefined;
}

/**
 * @example
 *   11 | fn increase(ref self: ContractState, amount: u128) {
 *   12 |     assert(amount != 0, 'amount is 0');
 *      |     ^
 *   13 |     self.count.write(amount);
 */
export function excerptText(source: SourceLine): readonly string[] {
  const { line = 0 } = source;
  const rows = excerptRows(source).filter(({ number }) => Math.abs(number - line) <= AROUND);
  const width = String(rows.at(-1)?.number ?? '').length;
  const note = excerptNote(source);
  return [
    ...rows.flatMap(({ number, text, parts }) => [
      `  ${String(number).padStart(width)} | ${text}`.trimEnd(),
      ...(parts && parts[1] !== ''
        ? [`  ${' '.repeat(width)} | ${' '.repeat([...parts[0]].length)}^`]
        : []),
    ]),
    ...(note === undefined || rows.length === 0 ? [] : [`  ${' '.repeat(width)} = ${note}`]),
  ];
}
