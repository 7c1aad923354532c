// Source of a failure: the functions of its Cairo stack, innermost first, and the lines around the chosen one.
import { excerptNote, excerptRows, type SourceLine } from '@starkbox/abi';
import { useState } from 'react';
import { useExplained } from '../../rpc/queries.js';
import { Copy, UntrustedText } from '../values.js';

/** Lines of a stack that are shown before the others are counted: a recursion has very many. */
const MOST_LINES = 16;

/** Absent until the node has found the stack of the transaction, and where it knows no place. */
export function SourcePane({ hash }: { readonly hash: string }) {
  const { data } = useExplained(hash);
  const stack = data?.stack ?? [];
  const innermost = stack.findIndex(({ file }) => file !== undefined);
  return innermost < 0 ? null : <Stack of={stack} innermost={innermost} />;
}

interface StackProps {
  readonly of: readonly SourceLine[];
  /** The first line with a place. */
  readonly innermost: number;
}

function Stack({ of: stack, innermost }: StackProps) {
  const [chosen, choose] = useState(innermost);
  const shown = stack[chosen];
  const more = stack.length - MOST_LINES;
  return (
    <section className="source" aria-label="Source">
      <ol className="cairo-stack" aria-label="Cairo stack">
        {stack.slice(0, MOST_LINES).map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a recursion has equal lines, and the order never changes
          <li key={at}>
            {line.file === undefined ? (
              <FunctionOf line={line} />
            ) : (
              <button
                type="button"
                className="plain"
                aria-current={at === chosen ? 'location' : undefined}
                onClick={() => choose(at)}
              >
                <FunctionOf line={line} />
                <span className="soft">
                  <UntrustedText text={`${line.file.split('/').at(-1)}:${line.line}`} limit={60} />
                </span>
              </button>
            )}
          </li>
        ))}
        {more > 0 && <li className="soft">and {more} more below</li>}
      </ol>
      {shown?.file !== undefined && <Excerpt of={shown} />}
    </section>
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

function Excerpt({ of: line }: { readonly of: SourceLine }) {
  const place = `${line.file}:${line.line}:${line.column}`;
  const rows = excerptRows(line);
  const note = excerptNote(line);
  return (
    <>
      <p className="place">
        <code>
          <UntrustedText text={place} limit={240} />
        </code>
        <Copy value={place} what="place" />
      </p>
      {note !== undefined && <p className="changed">Careful: {note}.</p>}
      {rows.length === 0 ? (
        <p className="soft">
          The node has no text of this file. It reads files of the package of its{' '}
          <code>--artifacts</code>, and takes texts with <code>devnet_addArtifact</code>.
        </p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard
        <section className="code" aria-label={`Lines around ${line.line}`} tabIndex={0}>
          <ol>
            {rows.map(({ number, text, named }) => (
              <li
                key={number}
                value={number}
                data-number={number}
                aria-current={named ? 'location' : undefined}
              >
                {named ? <Named parts={named} /> : <UntrustedText text={text} limit={241} />}
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  );
}

/** The named line, marked from its column on. */
function Named({ parts: [before, after] }: { readonly parts: readonly [string, string] }) {
  return (
    <>
      <UntrustedText text={before} limit={241} />
      <mark>
        <UntrustedText text={after} limit={241} />
      </mark>
    </>
  );
}
