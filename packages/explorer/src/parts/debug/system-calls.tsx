// What the source view shows without lines: the marks of the call, and how to get lines.
import { useMemo } from 'react';
import { grouped } from '../../format/amount.js';
import { useStore } from '../../state/store.js';
import { PlainButton } from '../button.js';
import { ClassRef, UntrustedText } from '../values.js';
import { Rows } from './rows.js';
import type { Session } from './session.js';

export function SystemCalls({ session }: { readonly session: Session }) {
  const { program } = session;
  const runIndex = useStore(session.stack, (stack) => stack?.frames[0]?.runIndex);
  const position = useStore(session.position);
  const run = runIndex === undefined ? undefined : program.trace.runs[runIndex];
  const marks = useMemo(
    () =>
      program.marks.filter((mark) => mark.runIndex === runIndex || mark.action?.run === runIndex),
    [program, runIndex],
  );
  const current = marks.findLastIndex((mark) => mark.position <= position);
  if (!run) return <p className="debug-without-source soft">The execution has ended.</p>;
  return (
    <div className="debug-without-source">
      <p className="soft">
        {run.code === 'cairo1' ? (
          <>
            The node has no debug information of the class <ClassRef of={run.class_hash} />, so you
            step by calls and system calls. Set{' '}
            <code>add-statements-code-locations-debug-info</code>,{' '}
            <code>add-statements-functions-debug-info</code> and{' '}
            <code>add-functions-debug-info</code> in the section <code>[cairo]</code> of{' '}
            <code>Scarb.toml</code>. Build the contract again, and add its artifacts with{' '}
            <code>--artifacts target/dev</code> or <code>devnet_addArtifact</code>.
          </>
        ) : run.code === 'cairo0' ? (
          <>
            The class <ClassRef of={run.class_hash} /> is of Cairo 0, so you step by calls and
            system calls.
          </>
        ) : (
          <>This deployment ran no constructor.</>
        )}
      </p>
      {marks.length > 0 && (
        <Rows
          count={marks.length}
          label="Calls and system calls"
          current={current}
          row={(index, measure) => {
            const mark = marks[index];
            return (
              mark && (
                <li key={index} ref={measure} data-index={index}>
                  <PlainButton
                    className="plain debug-frame"
                    aria-current={index === current ? 'location' : undefined}
                    onClick={() => session.goTo(mark.position, 'jump')}
                  >
                    <span>
                      <UntrustedText text={mark.action?.name ?? mark.kind} limit={60} />
                    </span>
                    <span className="soft">{grouped(mark.position + 1)}</span>
                  </PlainButton>
                </li>
              )
            );
          }}
        />
      )}
    </div>
  );
}
