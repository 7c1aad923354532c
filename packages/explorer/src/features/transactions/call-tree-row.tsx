// Row of the call tree: one frame with its kind, gas and share.
import type { Frame } from '@starkbox/abi';
import { grouped, share } from '../../format/amount.js';
import { setQuery } from '../../navigation/route.js';
import { CallLine, type Classes, Outcome } from '../../parts/transaction/call-line.js';
import { UntrustedText } from '../../parts/values.js';

const PHASES: Readonly<Record<Frame['phase'], string>> = {
  validate: 'validate',
  execute: 'execute',
  constructor: 'deploy',
  handler: 'handle',
  fee: 'fee',
};
export interface FrameRowProps {
  readonly frame: Frame;
  readonly index: number;
  readonly classes: Classes;
  /** Gas of the whole transaction. */
  readonly total: number;
  readonly isOpen: boolean;
  readonly isChosen: boolean;
  readonly isActive: boolean;
  readonly activate: (index: number) => void;
  readonly toggle: (frame: Frame, isOpen: boolean) => void;
}

export function FrameRow(props: FrameRowProps) {
  const { frame, index, classes, total, isOpen, activate, toggle } = props;
  const isDim = frame.fate !== undefined || frame.phase === 'fee';
  return (
    <tr
      data-row={index}
      aria-rowindex={index + 2}
      aria-level={frame.depth + 1}
      aria-expanded={frame.children.length > 0 ? isOpen : undefined}
      aria-selected={props.isChosen}
      tabIndex={props.isActive ? 0 : -1}
      className={isDim ? 'dim' : undefined}
      onFocus={({ target, currentTarget }) => {
        // Focus on a link inside of the row does not change the current row.
        if (target === currentTarget) activate(index);
      }}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest('a, button')) return;
        setQuery({ frame: frame.id });
      }}
    >
      <td className="main" role="gridcell">
        <span className="tree-cell">
          {Array.from({ length: Math.min(frame.depth, 12) }, (_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are all alike
            <span key={at} className="line" aria-hidden="true" />
          ))}
          <Twist frame={frame} isOpen={isOpen} toggle={toggle} />
          <FrameText of={frame} classes={classes} />
        </span>
      </td>
      <td className="wide soft" role="gridcell">
        {frame.kind}
      </td>
      <td className="number" role="gridcell">
        {frame.l2Gas === undefined ? '–' : grouped(frame.l2Gas)}
      </td>
      <td className="wide" role="gridcell">
        <Share of={frame} total={total} />
      </td>
    </tr>
  );
}

function Twist({ frame, isOpen, toggle }: Pick<FrameRowProps, 'frame' | 'isOpen' | 'toggle'>) {
  return frame.children.length > 0 ? (
    <button
      type="button"
      tabIndex={-1}
      className="plain twist"
      aria-label={isOpen ? 'Close' : 'Open'}
      onClick={() => toggle(frame, !isOpen)}
    >
      <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
    </button>
  ) : (
    <span className="twist" />
  );
}

function FrameText({ of: frame, classes }: { readonly of: Frame; readonly classes: Classes }) {
  return (
    <span className="what">
      {frame.depth === 0 && <span className="phase">{PHASES[frame.phase]}</span>}
      {frame.failed && (
        <span className="fail" role="img" aria-label="failed">
          ✕{' '}
        </span>
      )}
      <CallLine of={frame} classes={classes} />
      {frame.cause !== undefined && (
        <span className="fail">
          {' '}
          <UntrustedText text={frame.cause} quoted limit={80} />
        </span>
      )}
      {frame.fate !== undefined && <span className="quiet"> {frame.fate}</span>}
      <Outcome of={frame} classes={classes} />
    </span>
  );
}

function Share({ of: frame, total }: { readonly of: Frame; readonly total: number }) {
  if (frame.phase === 'fee') {
    return (
      <span className="quiet" title="The fee is known before it is transferred.">
        not charged
      </span>
    );
  }
  if (frame.l2Gas === undefined) return null;
  const percent = (share(frame.l2Gas, total) * 100).toFixed(1);
  return (
    <span
      className="bar"
      style={{ width: `${percent}%` }}
      title={`${percent} % of the transaction`}
    />
  );
}
