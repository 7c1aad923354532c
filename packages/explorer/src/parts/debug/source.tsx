// Source of the chosen frame: the current line, lines that ran, and a gutter for breakpoints.
import type { Breakpoint, Debugger } from '@starkbox/debugger';
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { useExecutedLines } from '../../rpc/queries.js';
import { useStore } from '../../state/store.js';
import { Select } from '../inputs.js';
import { Loading, Problem } from '../page-states.js';
import { CodeLine, Legend, type Times } from '../transaction/source-code.js';
import { Copy, UntrustedText } from '../values.js';
import { breakpointAt, breakpoints, toggleBreakpoint } from './breakpoints.js';
import type { Session } from './session.js';
import { SystemCalls } from './system-calls.js';

const LINE_HEIGHT = 20;
/** Lines between the current one and the edge of the view. */
const MARGIN_LINES = 3;

interface SourceProps {
  readonly session: Session;
  readonly hash: string | undefined;
}

interface SourceFile {
  readonly classHash: string;
  readonly file: string;
}

/** A file and line, where the chosen frame has one. */
function useLocation(session: Session) {
  const frameIndex = useStore(session.frameIndex);
  const { stack } = session;
  const classHash = useStore(stack, (at) => at?.frames[frameIndex]?.location?.classHash);
  const file = useStore(stack, (at) => at?.frames[frameIndex]?.location?.file);
  const line = useStore(stack, (at) => at?.frames[frameIndex]?.location?.line);
  const column = useStore(stack, (at) => at?.frames[frameIndex]?.location?.column);
  return { frameIndex, classHash, file, line, column };
}

export function Source({ session, hash }: SourceProps) {
  const { program } = session;
  const { frameIndex, classHash, file, line, column } = useLocation(session);
  const failures = useMemo(() => failuresOf(program), [program]);
  const isFailure = useStore(session.stack, (stack) => failures.has(stack?.position ?? -1));
  const isCaller = useStore(session.stack, (stack) => frameIndex > (stack?.innermost ?? 0));
  const [picked, pick] = useState<SourceFile>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a move ends the look at another file
  useEffect(() => pick(undefined), [classHash, file, line, frameIndex]);
  const current = classHash !== undefined && file !== undefined ? { classHash, file } : undefined;
  const visible = picked ?? current;
  const isCurrent = visible?.classHash === classHash && visible?.file === file;
  return (
    <section className="source debug-source" aria-label="Source">
      <FileChoice
        session={session}
        file={visible}
        line={isCurrent ? line : undefined}
        pick={pick}
      />
      {visible === undefined ? (
        <SystemCalls session={session} />
      ) : (
        <FileText
          program={program}
          file={visible}
          hash={hash}
          at={
            isCurrent && line !== undefined
              ? {
                  line,
                  column: column ?? 1,
                  kind: isCaller ? 'caller' : isFailure ? 'failure' : 'stop',
                }
              : undefined
          }
        />
      )}
    </section>
  );
}

function failuresOf({ marks }: Debugger): ReadonlySet<number> {
  return new Set(marks.flatMap(({ kind, position }) => (kind === 'failure' ? [position] : [])));
}

interface FileChoiceProps {
  readonly session: Session;
  readonly file: SourceFile | undefined;
  readonly line: number | undefined;
  readonly pick: (file: SourceFile) => void;
}

const fileId = ({ classHash, file }: SourceFile): string => `${classHash} ${file}`;

/** Other files are there for breakpoints. */
function FileChoice({ session, file, line, pick }: FileChoiceProps) {
  const { program } = session;
  const { data: files = [] } = useQuery({
    queryKey: ['debug', program.trace.trace_id, 'files'],
    queryFn: () => program.sources(),
  });
  if (files.length === 0) return null;
  return (
    <div className="debug-file">
      <Select
        label={<span className="unseen">file</span>}
        value={file ? fileId(file) : ''}
        change={(id) => {
          const chosen = files.find((other) => fileId(other) === id);
          if (chosen) pick(chosen);
        }}
      >
        {file === undefined && <option value="">choose a file</option>}
        {files.map((other) => (
          <option key={fileId(other)} value={fileId(other)}>
            {other.file}
          </option>
        ))}
      </Select>
      {file && line !== undefined && <Copy value={`${file.file}:${line}`} what="place" />}
    </div>
  );
}

interface CurrentLine {
  readonly line: number;
  readonly column: number;
  readonly kind: 'stop' | 'failure' | 'caller';
}

interface FileTextProps {
  readonly program: Debugger;
  readonly file: SourceFile;
  readonly hash: string | undefined;
  readonly at: CurrentLine | undefined;
}

function FileText({ program, file: { classHash, file }, hash, at }: FileTextProps) {
  const text = useQuery({
    queryKey: ['debug', program.trace.trace_id, 'text', classHash, file],
    queryFn: async () => (await program.sourceText(classHash, file)) ?? null,
  });
  const codeLines = useQuery({
    queryKey: ['debug', program.trace.trace_id, 'lines', file],
    queryFn: () => program.codeLines(file),
  });
  const executed = useExecutedLines(hash ?? '', hash !== undefined);
  const times = useMemo<Times | undefined>(() => {
    const ran = executed.data?.files.find((other) => other.file === file);
    if (ran) return new Map(ran.lines.map(([line = 0, count = 0]) => [line, count]));
    return undefined;
  }, [executed.data, file]);
  const hasLegend = times !== undefined || (hash !== undefined && executed.isPending);
  const withCode = useMemo(() => new Set(codeLines.data ?? []), [codeLines.data]);
  if (text.error) return <Problem error={text.error} what="the source" retry={text.refetch} />;
  if (text.data === undefined) {
    return (
      <>
        <div className="debug-code" aria-busy="true">
          <Loading what="the source" />
        </div>
        {hasLegend && <Legend isHidden />}
      </>
    );
  }
  if (text.data === null) {
    return (
      <div className="debug-code">
        <p className="soft">
          {at && (
            <code>
              <UntrustedText text={`${file}:${at.line}:${at.column}`} limit={240} />
            </code>
          )}{' '}
          The node does not have this file. Add its package with <code>--artifacts</code>, or its
          content with <code>devnet_addArtifact</code>.
        </p>
      </div>
    );
  }
  return (
    <>
      <Lines key={file} file={file} text={text.data} at={at} times={times} withCode={withCode} />
      {hasLegend && <Legend isHidden={!times} />}
    </>
  );
}

interface LinesProps {
  readonly file: string;
  readonly text: string;
  readonly at: CurrentLine | undefined;
  readonly times: Times | undefined;
  readonly withCode: ReadonlySet<number>;
}

function Lines({ file, text, at, times, withCode }: LinesProps) {
  const lines = useMemo(() => text.split('\n'), [text]);
  const scroller = useRef<HTMLElement>(null);
  const all = useStore(breakpoints);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 12,
  });
  const line = at?.line;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another line scrolls
  useEffect(() => {
    const view = scroller.current;
    if (line === undefined || !view) return;
    const top = (line - 1) * LINE_HEIGHT;
    const margin = MARGIN_LINES * LINE_HEIGHT;
    const isInView =
      top >= view.scrollTop + margin &&
      top <= view.scrollTop + view.clientHeight - margin - LINE_HEIGHT;
    if (!isInView) virtual.scrollToIndex(line - 1, { align: 'center' });
  }, [line]);
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = Math.max(0, virtual.getTotalSize() - (items.at(-1)?.end ?? 0));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long files are scrolled by keyboard
    <section ref={scroller} className="code debug-code" aria-label="Code" tabIndex={0}>
      <ol style={{ paddingTop: before, paddingBottom: after }}>
        {items.map(({ index }) => (
          <SourceLine
            key={index}
            file={file}
            number={index + 1}
            text={lines[index] ?? ''}
            column={index + 1 === line ? at?.column : undefined}
            current={index + 1 === line ? at?.kind : undefined}
            times={times}
            hasCode={withCode.has(index + 1)}
            breakpoint={breakpointAt(all, file, index + 1)}
          />
        ))}
      </ol>
    </section>
  );
}

interface SourceLineProps {
  readonly file: string;
  readonly number: number;
  readonly text: string;
  readonly column: number | undefined;
  readonly current: CurrentLine['kind'] | undefined;
  readonly times: Times | undefined;
  readonly hasCode: boolean;
  readonly breakpoint: Breakpoint | undefined;
}

/** Rendered again only if something of the line changes, so that a step renders two lines. */
const SourceLine = memo(function SourceLine(props: SourceLineProps) {
  const { file, number, text, column, current, times, hasCode, breakpoint } = props;
  return (
    <CodeLine
      number={number}
      text={text}
      times={times}
      current={current}
      parts={column === undefined ? undefined : [text.slice(0, column - 1), text.slice(column - 1)]}
      gutter={
        <button
          type="button"
          className="debug-gutter"
          tabIndex={-1}
          aria-label={`Breakpoint at line ${number}`}
          aria-pressed={breakpoint !== undefined}
          data-code={hasCode ? '' : undefined}
          data-condition={breakpoint?.condition === undefined ? undefined : ''}
          onClick={() => toggleBreakpoint(file, number)}
        />
      }
    />
  );
});
