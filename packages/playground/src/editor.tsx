// The source of a contract: highlighted lines below a text area, which has the caret and the selection.
import { memo, useEffect, useMemo, useRef } from 'react';
import { tokensOf } from './cairo.js';

export interface LineMark {
  /** From 1 on. */
  readonly line: number;
  /** What happened there. */
  readonly text: string;
}

interface EditorProps {
  readonly label: string;
  readonly source: string;
  readonly marks: readonly LineMark[];
  /** Undefined if the text cannot be edited. */
  readonly change: ((source: string) => void) | undefined;
}

export function Editor({ label, source, marks, change }: EditorProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => source.split('\n'), [source]);
  const byLine = new Map(marks.map(({ line, text }) => [line, text]));
  const [first] = marks;
  useEffect(() => {
    const line = first && scroller.current?.querySelector(`[data-number="${first.line}"]`);
    if (!scroller.current || !(line instanceof HTMLElement)) return;
    // The page itself stays where the reader is.
    scroller.current.scrollTop = line.offsetTop - scroller.current.clientHeight / 2;
  }, [first]);
  return (
    <div className="editor" ref={scroller}>
      <div className="editor-content">
        <pre aria-hidden="true">
          {lines.map((text, at) => (
            <Line
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
              key={at}
              number={at + 1}
              text={text}
              mark={byLine.get(at + 1)}
            />
          ))}
        </pre>
        <textarea
          aria-label={label}
          value={source}
          readOnly={change === undefined}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          wrap="off"
          onChange={(event) => change?.(event.target.value)}
        />
      </div>
    </div>
  );
}

/** Brings the first marked line into view. */
export function showMark(): void {
  document.querySelector('.code-line[data-mark]')?.scrollIntoView({ block: 'center' });
}

interface LineProps {
  readonly number: number;
  readonly text: string;
  readonly mark: string | undefined;
}

const Line = memo(function Line({ number, text, mark }: LineProps) {
  return (
    <div className="code-line" data-number={number} data-mark={mark}>
      {tokensOf(text).map((token, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other identity
        <span key={at} className={`token-${token.kind}`}>
          {token.text}
        </span>
      ))}
      {'\n'}
    </div>
  );
});
