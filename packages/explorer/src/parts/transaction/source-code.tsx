// Lines of a source file, marked in the gutter by whether they ran.
import { grouped } from '../../format/amount.js';
import { UntrustedText } from '../values.js';

/** How often each line that has code ran. */
export type Times = ReadonlyMap<number, number>;

/** They differ by shape as well as by colour. */
const RAN = '●';
const MISSED = '○';
/** As wide as the others. */
const NO_CODE = '\u2007';
const LONGEST_LINE = 241;

interface CodeLineProps {
  readonly number: number;
  readonly text: string;
  /** Of the line that a stack names: what stands before the column, and what from there on. */
  readonly parts?: readonly [before: string, after: string] | undefined;
  /** Undefined where it is not known which lines ran. */
  readonly times: Times | undefined;
  /** Whether lines before it are left out. */
  readonly isApart?: boolean;
}

export function CodeLine({ number, text, parts, times, isApart = false }: CodeLineProps) {
  const count = times?.get(number);
  const mark = count === undefined ? NO_CODE : count > 0 ? RAN : MISSED;
  return (
    <li
      value={number}
      data-number={number}
      data-mark={times && mark}
      className={isApart ? 'apart' : undefined}
      aria-current={parts ? 'location' : undefined}
    >
      <span className="text">
        {parts ? (
          <>
            <UntrustedText text={parts[0]} limit={LONGEST_LINE} />
            <mark>
              <UntrustedText text={parts[1]} limit={LONGEST_LINE} />
            </mark>
          </>
        ) : (
          <UntrustedText text={text} limit={LONGEST_LINE} />
        )}
      </span>
      {count !== undefined && <span className="unseen"> {timesText(count)}</span>}
    </li>
  );
}

function timesText(count: number): string {
  if (count === 0) return 'did not run';
  return count === 1 ? 'ran once' : `ran ${grouped(count)} times`;
}

export function Legend() {
  return (
    <p className="legend soft">
      <span data-mark={RAN}>{RAN}</span> ran <span data-mark={MISSED}>{MISSED}</span> has code and
      did not run
    </p>
  );
}
