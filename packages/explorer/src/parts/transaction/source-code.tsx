// Lines of a source file, marked in the gutter by whether they ran.
import type { ReactNode } from 'react';
import { grouped } from '../../format/amount.js';
import { UntrustedText } from '../values.js';
import { tokensOf } from './cairo-tokens.js';

/** How often each line that has code ran. */
export type Times = ReadonlyMap<number, number>;

/** They differ by shape as well as by colour. */
const RAN = '●';
const MISSED = '○';
/** As wide as the others. */
const NO_CODE = '\u2007';
const MAX_LINE_LENGTH = 241;
const MAX_COLOURED_LENGTH = 200;

interface CodeLineProps {
  readonly number: number;
  readonly text: string;
  /** Of the line that a stack names: what stands before the column, and what from there on. */
  readonly parts?: readonly [before: string, after: string] | undefined;
  /** Undefined where it is not known which lines ran. */
  readonly times: Times | undefined;
  /** Whether lines before it are left out. */
  readonly isApart?: boolean;
  /** Whether a phone has no room for it. */
  readonly isFar?: boolean;
  /** A control before the text. */
  readonly gutter?: ReactNode;
  /** Why the line of a debugger is marked: its failure by default. */
  readonly current?: 'stop' | 'failure' | 'caller' | undefined;
}

export function CodeLine(props: CodeLineProps) {
  const { number, text, parts, times, isApart = false, isFar = false, gutter, current } = props;
  const count = times?.get(number);
  const mark = count === undefined ? NO_CODE : count > 0 ? RAN : MISSED;
  return (
    <li
      value={number}
      data-number={number}
      data-mark={times && mark}
      className={isApart ? 'apart' : isFar ? 'far' : undefined}
      data-current={current}
      aria-current={parts ? 'location' : undefined}
    >
      {gutter}
      <span className="text">
        {parts ? (
          <>
            <Coloured text={parts[0]} />
            <mark>
              <Coloured text={parts[1]} />
            </mark>
          </>
        ) : (
          <Coloured text={text} />
        )}
      </span>
      {count !== undefined && <span className="unseen"> {timesText(count)}</span>}
    </li>
  );
}

/** Long lines have no colours: they are cut as a whole. */
function Coloured({ text }: { readonly text: string }) {
  if (text.length > MAX_COLOURED_LENGTH)
    return <UntrustedText text={text} limit={MAX_LINE_LENGTH} />;
  return tokensOf(text).map(({ kind, text: part }, at) =>
    kind === 'plain' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their order
      <UntrustedText key={at} text={part} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their order
      <span key={at} className={`cairo-${kind}`}>
        <UntrustedText text={part} />
      </span>
    ),
  );
}

function timesText(count: number): string {
  if (count === 0) return 'did not run';
  return count === 1 ? 'ran once' : `ran ${grouped(count)} times`;
}

/** While it is not known whether it is needed, it is hidden and keeps its room. */
export function Legend({ isHidden = false }: { readonly isHidden?: boolean }) {
  return (
    <p className={isHidden ? 'legend soft is-hidden' : 'legend soft'}>
      <span data-mark={RAN}>{RAN}</span> ran <span data-mark={MISSED}>{MISSED}</span> has code and
      did not run
    </p>
  );
}
