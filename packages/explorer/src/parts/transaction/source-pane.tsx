// Source of a failure: the Cairo stack of each call on its path, innermost first, and the lines around the chosen place.
import { excerptNote, excerptRows, type SourceLine } from '@starkbox/abi/internal';
import { type ReactNode, useState } from 'react';
import type { Result } from '../../rpc/methods.js';
import { useExecutedLines } from '../../rpc/queries.js';
import { PlainButton } from '../button.js';
import { Copy, UntrustedText } from '../values.js';
import type { Explanation } from './explanation.js';
import { CodeLine, Legend, type Times } from './source-code.js';

/** Lines of a stack that are shown before the others are counted: a recursion has very many. */
const MAX_LINES = 16;

interface SourcePaneProps {
  readonly hash: string;
  readonly of: Explanation;
  /** How deep the selected call on the path is; undefined where another one is selected. */
  readonly depth: number | undefined;
  /** Shown beside the code of the chosen line. */
  readonly beside: (line: SourceLine | undefined) => ReactNode;
}

/** The source of a transaction's failure, with marks of the lines that ran. */
export function SourcePane({ hash, of, depth, beside }: SourcePaneProps) {
  const executed = useExecutedLines(hash, true);
  return <SourceStack of={of} depth={depth} files={executed.data?.files} beside={beside} />;
}

/** The stack of one call. */
interface CallStack {
  /** Its index on the path. */
  readonly depth: number;
  readonly name: string | undefined;
  readonly lines: readonly SourceLine[];
}

function stacksOf({ frames, failed_first, stack }: Explanation): readonly CallStack[] {
  if (frames.length === 0) return [{ depth: 0, name: undefined, lines: stack }];
  const all = frames.map((frame, depth) => ({
    depth,
    name: `${frame.contract_name}.${frame.function}`,
    lines: depth === failed_first ? stack : (frame.stack ?? []),
  }));
  return all.filter(({ lines }) => lines.some(isPlace)).reverse();
}

const isPlace = ({ file }: SourceLine): boolean => file !== undefined;

export function hasPlaces(of: Explanation): boolean {
  return stacksOf(of).some(({ lines }) => lines.some(isPlace));
}

interface SourceStackProps {
  readonly of: Explanation;
  readonly depth?: number | undefined;
  /** Lines that ran, where the node tells. */
  readonly files?: Result<'devnet_executedLines'>['files'] | undefined;
  readonly beside?: (line: SourceLine | undefined) => ReactNode;
}

export function SourceStack({ of, depth, files, beside }: SourceStackProps) {
  const stacks = stacksOf(of);
  const [picked, pick] = useState<{ readonly of: number | undefined; readonly line: SourceLine }>();
  const first = stacks.find((stack) => stack.depth === depth) ?? stacks[0];
  const chosen = picked && picked.of === depth ? picked.line : first?.lines.find(isPlace);
  const ran = files?.find(({ file }) => file === chosen?.file);
  return (
    <section className="source" aria-label="Source">
      {chosen && (
        <div className={beside ? 'excerpt has-variables' : 'excerpt'}>
          <div>
            <Excerpt of={chosen} times={ran && new Map(ran.lines.map(asPair))} />
          </div>
          {beside?.(chosen)}
        </div>
      )}
      {stacks.map(({ depth: at, name, lines }) => (
        <div key={at}>
          {name !== undefined && stacks.length > 1 && (
            <p className="call-name">
              {at === of.failed_first ? 'Failed in' : 'Called by'}{' '}
              <UntrustedText text={name} limit={80} />
            </p>
          )}
          <StackLines
            of={lines}
            label={name === undefined ? 'Cairo stack' : `Cairo stack of ${name}`}
            chosen={chosen}
            choose={(line) => pick({ of: depth, line })}
          />
        </div>
      ))}
    </section>
  );
}

const asPair = ([line = 0, times = 0]: readonly number[]): [number, number] => [line, times];

interface StackLinesProps {
  readonly of: readonly SourceLine[];
  readonly label: string;
  readonly chosen: SourceLine | undefined;
  readonly choose: (line: SourceLine) => void;
}

function StackLines({ of: lines, label, chosen, choose }: StackLinesProps) {
  const more = lines.length - MAX_LINES;
  return (
    <ol className="cairo-stack" aria-label={label}>
      {lines.slice(0, MAX_LINES).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a recursion has equal lines, and the order never changes
        <li key={at}>
          {line.file === undefined ? (
            <FunctionOf line={line} />
          ) : (
            <PlainButton
              aria-current={line === chosen ? 'location' : undefined}
              onClick={() => choose(line)}
            >
              <FunctionOf line={line} />
              <span className="soft">
                <UntrustedText text={`${line.file.split('/').at(-1)}:${line.line}`} limit={60} />
              </span>
            </PlainButton>
          )}
        </li>
      ))}
      {more > 0 && <li className="soft">and {more} more below</li>}
    </ol>
  );
}

function FunctionOf({ line: { function: name, inlined } }: { readonly line: SourceLine }) {
  return (
    <>
      <span>
        <UntrustedText text={name.split('::').slice(-2).join('::')} limit={80} />
      </span>
      {inlined === true && <span className="inlined">inlined</span>}
    </>
  );
}

/** Lines on each side of the marked one that a phone shows. */
const NEAR = 2;

interface ExcerptProps {
  readonly of: SourceLine;
  readonly times: Times | undefined;
}

function Excerpt({ of: line, times }: ExcerptProps) {
  const location = `${line.file}:${line.line}:${line.column}`;
  const rows = excerptRows(line);
  const note = excerptNote(line);
  return (
    <>
      <p className="place">
        <code>
          <UntrustedText text={location} limit={240} />
        </code>
        <Copy value={location} what="place" />
      </p>
      {note !== undefined && <p className="changed">Careful: {note}.</p>}
      {rows.length === 0 ? (
        <p className="soft">
          The node does not have this file. Add its package with <code>--artifacts</code>, or its
          content with <code>devnet_addArtifact</code>.
        </p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard
        <section className="code" aria-label={`Lines around ${line.line}`} tabIndex={0}>
          <ol>
            {rows.map(({ number, text, parts: namedParts }) => (
              <CodeLine
                key={number}
                number={number}
                text={text}
                parts={namedParts}
                times={times}
                isFar={Math.abs(number - (line.line ?? number)) > NEAR}
              />
            ))}
          </ol>
        </section>
      )}
      {times && rows.length > 0 && <Legend />}
    </>
  );
}
