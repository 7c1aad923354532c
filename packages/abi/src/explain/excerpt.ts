// Excerpt of a source file: its numbered lines, and their form as text with a caret below the failing column.
import type { SourceLine } from './explained.js';

/** One line of an excerpt. */
export interface ExcerptRow {
  readonly number: number;
  readonly text: string;
  /** Whether it is the one that the stack names. */
  readonly isNamed: boolean;
}

/** Lines before and after the named one that the text form has. */
const AROUND = 1;

/** The lines of an excerpt with their numbers; none where there is no excerpt. */
export function excerptRows({ line, excerpt }: SourceLine): readonly ExcerptRow[] {
  if (!excerpt) return [];
  return excerpt.lines.map((text, at) => {
    const number = excerpt.first_line + at;
    return { number, text, isNamed: number === line };
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
 *   11 |     fn increase(ref self: ContractState, amount: u128) {
 *   12 |         assert(amount != 0, 'amount is 0');
 *      |         ^
 *   13 |         self.count.write(amount);
 */
export function excerptText(source: SourceLine): readonly string[] {
  const { line = 0, column = 1 } = source;
  const rows = excerptRows(source).filter(({ number }) => Math.abs(number - line) <= AROUND);
  const width = String(rows.at(-1)?.number ?? '').length;
  const note = excerptNote(source);
  return [
    ...rows.flatMap(({ number, text, isNamed }) => [
      `  ${String(number).padStart(width)} | ${text}`.trimEnd(),
      ...(isNamed && column <= text.length
        ? [`  ${' '.repeat(width)} | ${' '.repeat(column - 1)}^`]
        : []),
    ]),
    ...(note === undefined || rows.length === 0 ? [] : [`  ${' '.repeat(width)} = ${note}`]),
  ];
}
