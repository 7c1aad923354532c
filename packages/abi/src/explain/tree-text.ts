// The call tree of a transaction as lines of text: a call in each, with its events, gas and failure.
import type { Frame } from '../call-tree.js';
import { decodeEvent } from '../decode.js';
import { shortAddress } from '../felt.js';
import { groupDigits } from '../text-layout.js';
import { excerptText } from './excerpt.js';
import type { SourceLine } from './explained.js';
import type { View } from './view.js';

/** Before each call; open means that its outcome is unknown. */
export const MARKS = { failed: '✗', succeeded: '✓', open: '·' } as const;

export interface TreeTextOptions {
  /** The Cairo stack of the frame that failed first. */
  readonly stack?: readonly SourceLine[];
  /** What is shown in place of the message of the frame that failed first. */
  readonly cause?: string | undefined;
}

const MAX_LINES = 400;
/** Equal calls inside of each other that are shown before the others are counted. */
const MAX_EQUAL = 3;

/** One tree for each phase. */
export function treeLines(
  roots: readonly Frame[],
  view: View,
  options: TreeTextOptions = {},
): readonly string[] {
  const lines = roots.flatMap((root) => new TreeWriter(view, options).write(root, '', ''));
  return lines.length <= MAX_LINES
    ? lines
    : [...lines.slice(0, MAX_LINES), `… ${lines.length - MAX_LINES} more lines`];
}

class TreeWriter {
  readonly #view: View;
  readonly #options: TreeTextOptions;

  constructor(view: View, options: TreeTextOptions) {
    this.#view = view;
    this.#options = options;
  }

  /**
   * @param head what stands before the first line
   * @param indent what stands before the others
   */
  write(frame: Frame, head: string, indent: string): readonly string[] {
    const skipped = equalBelow(frame);
    const inner = skipped.at(-1) ?? frame;
    const { children } = inner;
    const below = `${indent}${children.length > 0 ? '│  ' : '   '}`;
    const events = inner.events.map(
      (event) => `${below}${this.#event(inner, event.keys, event.data)}`,
    );
    const count =
      skipped.length > 0
        ? [`${below}… ${skipped.length} or more calls of this function inside of each other`]
        : [];
    return [
      `${head}${this.#line(frame)}`,
      ...count,
      ...events,
      ...this.#failure(inner).map((text) => `${below}${text}`),
      ...children.flatMap((child, at) => {
        const isLast = at === children.length - 1;
        return this.write(
          child,
          `${indent}${isLast ? '└─ ' : '├─ '}`,
          `${indent}${isLast ? '   ' : '│  '}`,
        );
      }),
    ];
  }

  #line(frame: Frame): string {
    const { failed, fate, kind, l2Gas } = frame;
    const isOpen = fate === 'not reached' || (fate === undefined && frame.result === undefined);
    const mark = failed ? MARKS.failed : isOpen ? MARKS.open : MARKS.succeeded;
    const call = this.#view.call(frame);
    const notes = [
      ...(kind === 'DELEGATE' ? ['library call'] : []),
      ...(kind === 'L1 HANDLER' ? ['L1 handler'] : []),
      ...(fate === undefined ? [] : [fate]),
    ];
    const returned = failed ? undefined : this.#view.outputs(frame);
    return [
      mark,
      call,
      ...(returned === undefined ? [] : [`→ ${returned}`]),
      ...(notes.length === 0 ? [] : [`(${notes.join(', ')})`]),
      ...(l2Gas === undefined || l2Gas === 0 ? [] : [`[${groupDigits(l2Gas)} gas]`]),
    ].join(' ');
  }

  #event(frame: Frame, keys: readonly string[], data: readonly string[]): string {
    const abi = this.#view.abiOf(frame);
    const event = abi && decodeEvent(keys, data, abi);
    return event
      ? `emits ${event.name.split('::').at(-1)}(${this.#view.members(event.members)})`
      : `emits an event with the keys ${keys.map(shortAddress).join(', ') || 'none'}`;
  }

  /** The message of the frame that failed first, and the lines of its source. */
  #failure({ cause }: Frame): readonly string[] {
    if (cause === undefined) return [];
    const { stack = [], cause: better = cause } = this.#options;
    // Without a file a line says no more than the call above it.
    const placed = stack.filter(({ file }) => file !== undefined);
    const innermost = placed.find(({ excerpt }) => excerpt);
    return [
      better,
      ...placed.flatMap((line) => [
        sourceLineText(line),
        ...(line === innermost ? excerptText(line) : []),
      ]),
    ];
  }
}

/** Frames that repeat the call of the frame above, each the only one inside of it; none if they are few. */
function equalBelow(frame: Frame): readonly Frame[] {
  const frames: Frame[] = [];
  for (let next = onlyEqual(frame); next; next = onlyEqual(next)) frames.push(next);
  return frames.length > MAX_EQUAL ? frames : [];
}

function onlyEqual({ contract, selector, children }: Frame): Frame | undefined {
  const [child, other] = children;
  return other === undefined && child?.contract === contract && child.selector === selector
    ? child
    : undefined;
}

/** `at counter::increase (src/lib.cairo:12:5)` */
export function sourceLineText({
  function: name,
  file,
  line,
  column,
  inlined,
}: SourceLine): string {
  const location = [file, line, column].filter((part) => part !== undefined).join(':');
  return `at ${name}${location === '' ? '' : ` (${location})`}${inlined === true ? ' [inlined]' : ''}`;
}
