// Call stack: Cairo functions inside calls of contracts, the innermost first.
import type { StackFrame } from '@starkbox/debugger';
import { useMemo } from 'react';
import { grouped } from '../../format/amount.js';
import { functionName } from '../../format/names.js';
import { useStore } from '../../state/store.js';
import { PlainButton } from '../button.js';
import { OutcomeSign, UntrustedText } from '../values.js';
import { Rows } from './rows.js';
import { RunContract } from './run-contract.js';
import type { Session } from './session.js';

type StackRow =
  | { readonly kind: 'call'; readonly frame: StackFrame }
  | { readonly kind: 'frame'; readonly frame: StackFrame };

export function CallStack({ session }: { readonly session: Session }) {
  const frames = useStore(session.stack, (stack) => stack?.frames);
  const count = useStore(session.stack, (stack) => stack?.frameCount ?? 0);
  const chosen = useStore(session.frameIndex);
  const rows = useMemo(() => rowsOf(frames ?? []), [frames]);
  if (!frames) return null;
  const unread = count - frames.length;
  return (
    <section className="debug-panel" aria-label="Call stack">
      <div className="panel-head">
        <h2>Call stack</h2>
        {count > 1 && <span className="quiet">{grouped(count)}</span>}
      </div>
      <Rows
        count={rows.length}
        label="Frames"
        current={rows.findIndex(({ kind, frame }) => kind === 'frame' && frame.index === chosen)}
        row={(index, measure) => {
          const row = rows[index];
          return (
            row && (
              <li key={index} ref={measure} data-index={index}>
                {row.kind === 'call' ? (
                  <CallLine frame={row.frame} />
                ) : (
                  <FrameLine
                    frame={row.frame}
                    isChosen={row.frame.index === chosen}
                    choose={() => session.chooseFrame(row.frame.index)}
                  />
                )}
              </li>
            )
          );
        }}
      />
      {unread > 0 && (
        <PlainButton onClick={() => session.readMoreFrames()}>
          {grouped(unread)} outer frames more
        </PlainButton>
      )}
    </section>
  );
}

/** The frames of each call follow a row with its contract. */
function rowsOf(frames: readonly StackFrame[]): readonly StackRow[] {
  let last: number | undefined;
  return frames.flatMap((frame): StackRow[] => {
    const isFirst = frame.runIndex !== last;
    last = frame.runIndex;
    return isFirst
      ? [
          { kind: 'call', frame },
          { kind: 'frame', frame },
        ]
      : [{ kind: 'frame', frame }];
  });
}

function CallLine({ frame: { run } }: { readonly frame: StackFrame }) {
  const name = run.function_name ?? functionName(run.entry_point_selector);
  return (
    <p className="debug-call soft">
      {run.failed && (
        <>
          <OutcomeSign isOk={false} word="failed" />{' '}
        </>
      )}
      <RunContract run={run} />
      {name !== undefined && (
        <>
          .<UntrustedText text={name} limit={80} />
        </>
      )}
      {run.call_type === 'DELEGATE' && <span className="inlined">library call</span>}
      {run.entry_point_type === 'CONSTRUCTOR' && <span className="inlined">constructor</span>}
    </p>
  );
}

interface FrameLineProps {
  readonly frame: StackFrame;
  readonly isChosen: boolean;
  readonly choose: () => void;
}

function FrameLine({ frame, isChosen, choose }: FrameLineProps) {
  const { name, location, isInlined, repetitions, isLibrary } = frame;
  return (
    <PlainButton
      className={isLibrary ? 'plain debug-frame quiet' : 'plain debug-frame'}
      aria-current={isChosen ? 'location' : undefined}
      title={name}
      onClick={choose}
    >
      <span className="frame-name">
        <UntrustedText text={name.split('::').slice(-2).join('::')} limit={80} />
        {repetitions > 1 && (
          <span className="count" title="turns of a loop or recursion">
            {' '}
            ×{grouped(repetitions)}
          </span>
        )}
        {isInlined && <span className="inlined">inlined</span>}
      </span>
      {location && (
        <span className="soft">
          <UntrustedText text={`${location.file.split('/').at(-1)}:${location.line}`} limit={60} />
        </span>
      )}
    </PlainButton>
  );
}
