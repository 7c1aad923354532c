// The text of an explanation on a terminal: with colours, and wrapped inside the branches of the tree.
import { type Width, wrapLine } from '../text-layout.js';
import { MARKS } from './tree-text.js';

export type TextColour = 'red' | 'green' | 'cyan' | 'yellow' | 'dim' | 'bold';
export type PaintText = (colour: TextColour, text: string) => string;

export interface TerminalTextOptions {
  readonly paint: PaintText;
  readonly width: Width;
}

/** @param text of an explanation, from this process or from a node */
export function explanationOnTerminal(text: string, options: TerminalTextOptions): string {
  const lines = text.split('\n');
  return lines
    .flatMap((line, at) =>
      at === 0 ? summaryLines(line, options) : bodyLines(line, lines[at + 1] ?? '', options),
    )
    .join('\n');
}

function summaryLines(line: string, { paint, width }: TerminalTextOptions): readonly string[] {
  const colour = line.startsWith('Succeeded') ? 'green' : 'red';
  return wrapLine(line, width, '  ').map((part) => paint(colour, part));
}

/** The branches of the tree before a call, or before what belongs to it. */
const BRANCHES = /^(?:[│ ] {2}|├─ |└─ )*/;
const EXCERPT = /^\s*\d* [|=]/;

function bodyLines(
  line: string,
  next: string,
  { paint, width }: TerminalTextOptions,
): readonly string[] {
  const branches = BRANCHES.exec(line)?.[0] ?? '';
  const body = line.slice(branches.length);
  const below = branches.replaceAll('├─ ', '│  ').replaceAll('└─ ', '   ');
  const room = width === undefined ? undefined : Math.max(MIN_ROOM, width - branches.length);
  const inBranches = (parts: readonly string[], paintPart: PaintPart): readonly string[] =>
    parts.map((part, at) => `${paint('dim', at === 0 ? branches : below)}${paintPart(part, at)}`);
  const mark = Object.values(MARKS).find((sign) => body.startsWith(`${sign} `));
  if (mark !== undefined) {
    const hasCalls = '│├└'.includes(next.charAt(branches.length) || ' ');
    const indent = hasCalls ? '│    ' : '     ';
    return inBranches(wrapLine(body, room, indent), (part, at) =>
      at === 0
        ? callText(part, mark, paint)
        : `${paint('dim', indent)}${noteText(part.slice(indent.length), paint)}`,
    );
  }
  if (EXCERPT.test(body)) {
    return inBranches([shortenEnd(body, room)], (part) => part);
  }
  if (branches === '') return plainLines(line, { paint, width });
  return inBranches(wrapLine(body, room, '  '), (part) => paint(colourOf(body), part));
}

/** Columns that remain for a line of a very deep tree. */
const MIN_ROOM = 30;

type PaintPart = (part: string, at: number) => string;

function colourOf(body: string): TextColour {
  if (body.startsWith('emits ')) return 'yellow';
  return /^(at|…) /.test(body) ? 'dim' : 'red';
}

const HINT = 'hint:';

function plainLines(line: string, { paint, width }: TerminalTextOptions): readonly string[] {
  return wrapLine(line, width, '  ').map((part, at) =>
    at === 0 && part.startsWith(HINT) ? `${paint('bold', HINT)}${part.slice(HINT.length)}` : part,
  );
}

function callText(line: string, mark: string, paint: PaintText): string {
  const [, name = '', rest = ''] = /^\S+ ([^(]*)(.*)$/s.exec(line) ?? [];
  const isFailed = mark === MARKS.failed;
  const markColour = isFailed ? 'red' : mark === MARKS.succeeded ? 'green' : 'dim';
  const painted = paint(isFailed ? 'red' : 'cyan', name);
  return `${paint(markColour, mark)} ${painted}${noteText(rest, paint)}`;
}

/** Gas and remarks at the end of a call. */
function noteText(text: string, paint: PaintText): string {
  return text.replace(/( \([a-zA-Z0-9 ,]+\))?( ?\[[\d,]+ gas\])?$/, (notes) => paint('dim', notes));
}

function shortenEnd(text: string, width: Width): string {
  const letters = [...text];
  if (width === undefined || letters.length <= width) return text;
  return `${letters.slice(0, width - 1).join('')}…`;
}
