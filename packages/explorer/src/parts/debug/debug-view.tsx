// Debugger of one execution: source, call stack, variables, storage and a timeline, in step with the page's address.
import { type Debugger, openDebugger, type StopReason, type Target } from '@starkbox/debugger';
import type { DEBUG_TRACE } from '@starkbox/spec';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { setQuery, useRoute } from '../../navigation/route.js';
import { callByName, isMissing } from '../../rpc/client.js';
import { useStore } from '../../state/store.js';
import { runTask } from '../../state/tasks.js';
import { Button } from '../button.js';
import { numberIn } from '../inputs.js';
import { ErrorText, Problem } from '../page-states.js';
import { Copy } from '../values.js';
import { BreakpointList } from './breakpoint-list.js';
import { Controls } from './controls.js';
import { Session, type Trail } from './session.js';
import { useDebugKeys } from './shortcuts.js';
import { Source } from './source.js';
import { CallStack } from './stack.js';
import { StepDetail } from './step-detail.js';
import { Storage } from './storage.js';
import { Timeline } from './timeline.js';
import { Variables } from './variables.js';
import '../../styles/debug.css';

export interface DebugViewProps {
  readonly target: Target;
  /** The transaction, if it is on the chain. */
  readonly hash?: string | undefined;
  /** Whether the address of the page holds the position. */
  readonly isInAddress: boolean;
  /** Where a link leads that names a call or an event instead of a position. */
  readonly findStart?: ((program: Debugger) => number | undefined) | undefined;
}

interface Progress {
  readonly loaded: number;
  readonly all: number;
}

type Opening =
  | { readonly state: 'opening'; readonly progress: Progress | undefined }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'open'; readonly program: Debugger };

export function DebugView(props: DebugViewProps) {
  const { target } = props;
  const [attempt, setAttempt] = useState(0);
  const [opening, setOpening] = useState<Opening>({ state: 'opening', progress: undefined });
  // biome-ignore lint/correctness/useExhaustiveDependencies: an attempt opens the same target again
  useEffect(() => {
    let isCurrent = true;
    let open: Debugger | undefined;
    setOpening({ state: 'opening', progress: undefined });
    const onProgress = (loaded: number, all: number): void => {
      if (isCurrent) setOpening({ state: 'opening', progress: { loaded, all } });
    };
    openDebugger(callByName, target, { onProgress }).then(
      (program) => {
        open = program;
        if (isCurrent) setOpening({ state: 'open', program });
        else runTask(program.close());
      },
      (error: unknown) => isCurrent && setOpening({ state: 'failed', error }),
    );
    return () => {
      isCurrent = false;
      // The node may have closed the trace or stopped; nothing is left to free then.
      open?.close().catch(() => undefined);
    };
  }, [target, attempt]);
  const retry = (): void => setAttempt(attempt + 1);
  if (opening.state === 'failed') return <OpeningFailed error={opening.error} retry={retry} />;
  if (opening.state === 'opening') return <OpeningProgress of={opening.progress} />;
  return <OpenView key={attempt} {...props} program={opening.program} reopen={retry} />;
}

function OpeningFailed({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  if (!isMissing(error)) return <Problem error={error} what="the execution" retry={retry} />;
  return (
    <p className="empty">
      This node does not record executions for a debugger. Its options may restrict methods, or it
      is an older release. See the page <em>Node</em> for its version.
    </p>
  );
}

function OpeningProgress({ of: progress }: { readonly of: Progress | undefined }) {
  return (
    <div className="progress" role="status">
      <progress
        aria-label="Steps loaded"
        {...(progress && progress.all > 0 ? { max: progress.all, value: progress.loaded } : {})}
      />
      {progress && progress.all > 0
        ? `${grouped(progress.loaded)} of ${grouped(progress.all)} steps loaded`
        : 'Running the transaction again…'}
    </div>
  );
}

interface OpenViewProps extends DebugViewProps {
  readonly program: Debugger;
  readonly reopen: () => void;
}

function OpenView({ program, hash, isInAddress, findStart, reopen }: OpenViewProps) {
  const session = useSession(program, isInAddress, findStart);
  useDebugKeys(session);
  return (
    <section className="debug" aria-label="Debugger">
      <div className="debug-bar">
        <Controls session={session} />
        <Timeline session={session} />
        <PositionLine session={session} />
      </div>
      <Notices session={session} reopen={reopen} />
      <div className="debug-body">
        <Source session={session} hash={hash} />
        <Side session={session}>
          <CallStack session={session} />
          <Variables session={session} />
          <StepDetail session={session} hash={hash} />
          <Storage session={session} hash={hash} />
          <BreakpointList />
        </Side>
      </div>
    </section>
  );
}

/** A drag leaves the panels as they were until it rests. */
function Side({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const position = useStore(session.position);
  const detailed = useStore(session.details, (details) => details?.position);
  return (
    <div className="debug-side" data-stale={position === detailed ? undefined : ''}>
      {children}
    </div>
  );
}

/** Addresses are written this long after the last of several steps, because browsers limit how often. */
const WRITE_MILLISECONDS = 150;

/** The session, whose position is in the address; a position in a new address is a move. */
function useSession(
  program: Debugger,
  isInAddress: boolean,
  findStart: DebugViewProps['findStart'],
): Session {
  const { query } = useRoute();
  const step = isInAddress ? numberIn(query.get('step')) : undefined;
  const frame = isInAddress ? numberIn(query.get('stack')) : undefined;
  /** The step of the last address that a move has written. */
  const written = useRef<number | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [session] = useState(() => {
    const write = (position: number, frameIndex: number | undefined, trail: Trail): void => {
      written.current = position + 1;
      const change = {
        step: String(position + 1),
        stack: frameIndex?.toString(),
        call: undefined,
        event: undefined,
      };
      setQuery(change, { push: trail === 'jump' });
    };
    return new Session(program, (position, frameIndex, trail) => {
      if (!isInAddress || trail === 'none') return;
      clearTimeout(timer.current);
      // A jump that finds nothing further stays where it was.
      if (trail === 'jump' && position + 1 !== written.current) write(position, frameIndex, trail);
      else timer.current = setTimeout(() => write(position, frameIndex, trail), WRITE_MILLISECONDS);
    });
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another address is a move
  useEffect(() => {
    if (step !== undefined) {
      if (step === written.current) return;
      written.current = step;
      clearTimeout(timer.current);
      session.goTo(step - 1, 'none', frame);
    } else if (session.stack.get() === undefined || written.current !== undefined) {
      session.start(findStart?.(program) ?? program.startOfInterest);
    }
  }, [step, frame]);
  return session;
}

function PositionLine({ session }: { readonly session: Session }) {
  const position = useStore(session.position);
  const gas = useStore(session.details, (details) => details?.gas);
  const { length } = session.program;
  return (
    <p className="debug-position">
      <span>
        step <strong>{grouped(position + 1)}</strong> of {grouped(length)}
      </span>
      <StopText session={session} />
      {gas !== undefined && <span className="soft">gas left {grouped(gas)}</span>}
      <Copy value={() => location.href} what="link to this step" />
    </p>
  );
}

const REASONS: Partial<Record<StopReason, string>> = {
  start: 'start',
  end: 'end',
  aborted: 'stopped',
  breakpoint: 'breakpoint',
  call: 'call',
  event: 'event',
  write: 'storage write',
  failure: 'failure',
};

/** Why the last move ended; screen readers get the line too. */
function StopText({ session }: { readonly session: Session }) {
  const reason = useStore(session.details, (details) => details && REASONS[details.reason]);
  const notice = useStore(session.notice);
  const line = useStore(session.details, (details) => {
    const stack = session.stack.get();
    const { name, location } = stack?.frames[details?.frameIndex ?? 0] ?? {};
    if (name === undefined) return '';
    return location
      ? `line ${location.line} of ${location.file.split('/').at(-1)}, in ${name}`
      : `in ${name}`;
  });
  return (
    <span role="status" className={reason === 'failure' ? 'fail' : 'soft'}>
      {notice ?? reason}
      <span className="unseen"> {line}</span>
    </span>
  );
}

interface NoticesProps {
  readonly session: Session;
  readonly reopen: () => void;
}

function Notices({ session, reopen }: NoticesProps) {
  const problem = useStore(session.problem);
  return (
    <>
      {problem !== undefined && (
        <div className="notice failed" role="alert">
          <p>
            <strong>The move failed.</strong> <ErrorText of={problem} /> The node keeps the traces
            that were opened last.
          </p>
          <Button onClick={reopen}>Open again</Button>
        </div>
      )}
      <Dropped trace={session.program.trace} />
    </>
  );
}

/** What the limits of the node left out. */
function Dropped({ trace: { dropped_steps, dropped_memory } }: { readonly trace: DEBUG_TRACE }) {
  if (dropped_steps === 0 && dropped_memory === 0) return null;
  return (
    <div className="notice" role="status">
      <p>
        {dropped_steps > 0 &&
          `The first ${counted(dropped_steps, 'step')} are not recorded, because the execution is longer than the limit. `}
        {dropped_memory > 0 &&
          `${counted(dropped_memory, 'call')} have no variables, because the trace reached the limit of its memory.`}
      </p>
    </div>
  );
}
