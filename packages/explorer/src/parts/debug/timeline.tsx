// The positions of an execution as a slider, with bars for calls and marks for events, writes, messages and failures.
import type { Mark } from '@starkbox/debugger';
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { functionName, useNames } from '../../format/names.js';
import { useStore } from '../../state/store.js';
import { useWidth } from '../use-width.js';
import { UntrustedText } from '../values.js';
import type { Session } from './session.js';
import {
  barAt,
  markAt,
  positionAt,
  type Scale,
  type Shapes,
  type Span,
  shapesOf,
  spanAt,
  spansOf,
  xOf,
} from './timeline-shapes.js';

export function Timeline({ session }: { readonly session: Session }) {
  const { program } = session;
  const { marks, length } = program;
  const [frame, width] = useWidth();
  const scale = useMemo<Scale>(() => ({ length, width }), [length, width]);
  const spans = useMemo(() => spansOf(program), [program]);
  const shapes = useMemo(() => shapesOf(spans, marks, scale), [spans, marks, scale]);
  const [pointed, setPointed] = useState<number | undefined>();
  const { press, drag, release, point } = useDragging(session, spans, scale, setPointed);
  return (
    <div className="debug-timeline">
      <div
        ref={frame}
        className="debug-track"
        onPointerDown={press}
        onPointerMove={drag}
        onPointerUp={release}
        onPointerCancel={release}
        onPointerLeave={() => setPointed(undefined)}
      >
        <Picture shapes={shapes} width={width} />
        <Thumb session={session} scale={scale} />
      </div>
      <p className="debug-caption soft" aria-hidden="true">
        {pointed === undefined ? (
          <Legend />
        ) : (
          <Pointed
            session={session}
            spans={spans}
            mark={point(pointed)}
            x={pointed}
            scale={scale}
          />
        )}
      </p>
    </div>
  );
}

/** A click goes to a mark or to the start of a call; a drag follows the pointer, once per frame. */
function useDragging(
  session: Session,
  spans: readonly Span[],
  scale: Scale,
  setPointed: (x: number | undefined) => void,
) {
  const { marks } = session.program;
  /** Where the pointer was pressed, while it is. */
  const start = useRef<number | undefined>(undefined);
  const isDragged = useRef(false);
  const latest = useRef(0);
  const waiting = useRef(false);
  const xIn = (event: PointerEvent): number =>
    event.clientX - event.currentTarget.getBoundingClientRect().left;
  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = xIn(event);
    isDragged.current = false;
  };
  const drag = (event: PointerEvent): void => {
    const x = xIn(event);
    latest.current = x;
    if (start.current !== undefined && Math.abs(x - start.current) > 3) isDragged.current = true;
    if (waiting.current) return;
    waiting.current = true;
    requestAnimationFrame(() => {
      waiting.current = false;
      if (start.current === undefined) setPointed(latest.current);
      else if (isDragged.current) session.goTo(positionAt(latest.current, scale), 'drag');
    });
  };
  const release = (event: PointerEvent): void => {
    if (start.current === undefined) return;
    start.current = undefined;
    const x = xIn(event);
    if (isDragged.current) {
      session.goTo(positionAt(x, scale), 'step');
      return;
    }
    const y = event.clientY - event.currentTarget.getBoundingClientRect().top;
    const target =
      markAt(marks, x, scale)?.position ?? barAt(spans, x, y, scale)?.first ?? positionAt(x, scale);
    session.goTo(target, 'jump');
  };
  return { press, drag, release, point: (x: number) => markAt(marks, x, scale) };
}

/** Rendered once for a width, whatever the position. */
function Picture({ shapes, width }: { readonly shapes: Shapes; readonly width: number }) {
  const { height, bars, reverted, marks } = shapes;
  return (
    <svg width={width} height={height} aria-hidden="true">
      <defs>
        <pattern
          id="debug-hatch"
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect className="hatch" width="2.5" height="5" />
        </pattern>
      </defs>
      {[...bars].map(([hue, outline]) => (
        <path key={hue} d={outline} style={{ fill: `var(--mark-${hue})` }} />
      ))}
      <path className="reverted" d={reverted} fill="url(#debug-hatch)" />
      {(['write', 'event', 'message', 'failure'] as const).map((kind) => (
        <path key={kind} className={`mark-of-${kind}`} d={marks.get(kind) ?? ''} />
      ))}
    </svg>
  );
}

const PAGE_SHARE = 50;

function Thumb({ session, scale }: { readonly session: Session; readonly scale: Scale }) {
  const position = useStore(session.position);
  const text = useStore(session.stack, (stack) => {
    const [frame] = stack?.frames ?? [];
    if (!frame) return '';
    const { location, name } = frame;
    const file = location?.file.split('/').at(-1);
    return location ? `, line ${location.line} of ${file}, in ${name}` : `, in ${name}`;
  });
  const { length } = session.program;
  const press = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.round(length / PAGE_SHARE));
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: position + 1,
      ArrowUp: position + 1,
      ArrowLeft: position - 1,
      ArrowDown: position - 1,
      PageUp: position + page,
      PageDown: position - page,
      Home: 0,
      End: length - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    session.goTo(target, 'drag');
  };
  return (
    <div
      className="debug-thumb"
      role="slider"
      tabIndex={0}
      aria-label="Position in the execution"
      aria-valuemin={1}
      aria-valuemax={length}
      aria-valuenow={position + 1}
      aria-valuetext={`step ${grouped(position + 1)} of ${grouped(length)}${text}`}
      style={{ transform: `translateX(${xOf(position, scale)}px)` }}
      onKeyDown={press}
    />
  );
}

const LEGEND = [
  ['event', 'M4 0.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 0 0 0-7z'],
  ['write', 'M0.5 0.5h7v7h-7z'],
  ['message', 'M4 0.5L7.5 7.5h-7z'],
  ['failure', 'M1 1l6 6M7 1l-6 6'],
] as const;

function Legend() {
  return (
    <span className="debug-legend">
      {LEGEND.map(([kind, outline]) => (
        <span key={kind} className="legend-entry">
          <svg className={`legend-mark mark-of-${kind}`} viewBox="0 0 8 8" aria-hidden="true">
            <path d={outline} />
          </svg>
          {kind}
        </span>
      ))}
      <span className="legend-entry">
        <span className="hatched" /> reverted
      </span>
    </span>
  );
}

const MARK_NAMES: Readonly<Record<Mark['kind'], string>> = {
  call: 'call',
  return: 'return',
  event: 'event',
  write: 'storage write',
  message: 'message to L1',
  failure: 'failure',
};

interface PointedProps {
  readonly session: Session;
  readonly spans: readonly Span[];
  readonly mark: Mark | undefined;
  readonly x: number;
  readonly scale: Scale;
}

/** What is under the pointer. */
function Pointed({ session, spans, mark, x, scale }: PointedProps) {
  const names = useNames();
  const position = mark?.position ?? positionAt(x, scale);
  const span = spanAt(spans, position);
  const run = span && session.program.trace.runs[span.runIndex];
  return (
    <>
      {grouped(position + 1)}
      {mark && ` · ${MARK_NAMES[mark.kind]}`}
      {mark?.isReverted && ' · reverted'}
      {run && (
        <>
          {' · '}
          <UntrustedText
            text={`${names.get(run.contract_address) ?? run.contract_name ?? ''}.${
              run.function_name ?? functionName(run.entry_point_selector) ?? ''
            }`}
            limit={80}
          />
        </>
      )}
    </>
  );
}
