// Excerpts of source files beside the lines of a Cairo stack.
import type { SourceExcerpt, SourceLine } from '@starkbox/abi/internal';
import type { SourceText, SourceTexts } from './source-texts.js';

/** Lines before the named one, and after it. */
const AROUND = 6;
/** Lines of a stack that get an excerpt: a recursion has very many. */
const MAX_EXCERPTS = 16;
const MAX_LINE_LENGTH = 240;

/** The stack with an excerpt at each of its first lines whose text is known. */
export async function withExcerpts(
  stack: readonly SourceLine[],
  texts: SourceTexts | undefined,
): Promise<readonly SourceLine[]> {
  if (!texts) return stack;
  const files = new Map<string, SourceFile | undefined>();
  const excerpts: SourceLine[] = [];
  for (const source of stack.slice(0, MAX_EXCERPTS)) {
    const { file = '', line = 0 } = source;
    if (!files.has(file)) files.set(file, linesOf(await texts.read(file)));
    const excerpt = cut(files.get(file), line);
    excerpts.push(excerpt ? { ...source, excerpt } : source);
  }
  return [...excerpts, ...stack.slice(MAX_EXCERPTS)];
}

interface SourceFile {
  readonly lines: readonly string[];
  readonly isNewer: boolean;
}

function linesOf(source: SourceText | undefined): SourceFile | undefined {
  return source && { ...source, lines: source.text.replace(/\n$/, '').split(/\r?\n/) };
}

/** Undefined if the file has no such line. */
function cut(file: SourceFile | undefined, line: number): SourceExcerpt | undefined {
  if (!file || line < 1 || line > file.lines.length) return undefined;
  const first = Math.max(1, line - AROUND);
  return {
    first_line: first,
    lines: file.lines.slice(first - 1, line + AROUND).map(printable),
    ...(file.isNewer ? { changed: true } : {}),
  };
}

/** A line in which each character takes one column, without those that control a terminal. */
export function printable(line: string): string {
  const characters = [...line.replaceAll('\t', ' ').replace(/\p{C}/gu, '\ufffd')];
  return characters.length <= MAX_LINE_LENGTH
    ? characters.join('')
    : `${characters.slice(0, MAX_LINE_LENGTH).join('')}…`;
}
