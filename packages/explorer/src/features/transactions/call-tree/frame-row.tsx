// Row of the call tree: a frame, an event, or a run of equal calls.
import type { Frame } from '@starkbox/abi';
import type { ReactNode } from 'react';
import { grouped, share } from '../../../format/amount.js';
import { setQuery } from '../../../navigation/route.js';
import { PlainButton } from '../../../parts/button.js';
import { Icon } from '../../../parts/icons.js';
import {
  CallLine,
  type Classes,
  EventLine,
  ReturnValues,
} from '../../../parts/transaction/call-line.js';
import { Address, FunctionName, UntrustedText } from '../../../parts/values.js';
import type { TreeRow } from './rows.js';

const PHASES: Readonly<Record<Frame['phase'], string>> = {
  validate: 'validate',
  execute: 'execute',
  constructor: 'deploy',
  handler: 'handle',
  fee: 'fee',
};
export interface RowProps {
  readonly row: TreeRow;
  readonly index: number;
  readonly classes: Classes;
  /** Gas of the whole transaction. */
  readonly total: number;
  readonly isOpen: boolean;
  readonly isChosen: boolean;
  readonly isActive: boolean;
  /** Reads the height of a row that may have several lines. */
  readonly measure: (row: HTMLTableRowElement | null) => void;
  readonly activate: (index: number) => void;
  readonly toggle: (id: string, isOpen: boolean) => void;
}

/** Most guide lines before a row. */
const MAX_LINES = 12;

export function Row(props: RowProps) {
  const { row, index, classes, total, isOpen, activate, toggle } = props;
  const frame = row.kind === 'run' ? (row.frames[0] ?? NO_FRAME) : row.frame;
  const isDim = frame.fate !== undefined || frame.phase === 'fee';
  const isFailing = row.kind === 'frame' && frame.failed;
  const isCause = row.kind === 'frame' && frame.cause !== undefined;
  const isParent = row.kind === 'run' || (row.kind === 'frame' && row.isParent);
  return (
    <tr
      ref={isCause ? props.measure : undefined}
      data-row={index}
      data-index={index}
      aria-rowindex={index + 2}
      aria-level={row.level + 1}
      aria-expanded={isParent ? isOpen : undefined}
      aria-selected={props.isChosen}
      tabIndex={props.isActive ? 0 : -1}
      className={isDim ? 'dim' : isCause ? 'failing caused' : isFailing ? 'failing' : undefined}
      onFocus={({ target, currentTarget }) => {
        // Focus on a link inside of the row does not change the current row.
        if (target === currentTarget) activate(index);
      }}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest('a, button')) return;
        if (row.kind === 'run') toggle(row.id, !isOpen);
        else setQuery({ frame: frame.id });
      }}
    >
      <td className="main" role="gridcell">
        <span className="tree-cell">
          {Array.from({ length: Math.min(row.level, MAX_LINES) }, (_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are all alike
            <span key={at} className="line" aria-hidden="true" />
          ))}
          <Twist isParent={isParent} isOpen={isOpen} toggle={() => toggle(row.id, !isOpen)} />
          {row.kind === 'frame' ? (
            <FrameText of={frame} classes={classes} />
          ) : row.kind === 'event' ? (
            <EventText of={frame} index={row.index} classes={classes} />
          ) : (
            <RunText of={row.frames} />
          )}
        </span>
      </td>
      {row.kind === 'event' ? (
        <Cells gas="" />
      ) : row.kind === 'frame' ? (
        <Cells gas={gasText(frame)} share={<Share of={frame} gas={frame.l2Gas} total={total} />} />
      ) : (
        <Cells
          gas={grouped(gasOf(row.frames))}
          share={<Share of={frame} gas={gasOf(row.frames)} total={total} />}
        />
      )}
    </tr>
  );
}

/** A run is never empty. */
const NO_FRAME: Frame = {
  id: '',
  phase: 'execute',
  depth: 0,
  contract: '0x0',
  classHash: undefined,
  selector: '0x0',
  kind: 'CALL',
  caller: undefined,
  calldata: undefined,
  result: undefined,
  l2Gas: undefined,
  events: [],
  children: [],
  failed: false,
  cause: undefined,
  fate: undefined,
};

/** A call that is measured in Cairo steps has L1 gas instead. */
function gasText({ l2Gas, l1Gas }: Frame): string {
  if (l1Gas !== undefined) return `${grouped(l1Gas)} L1 gas`;
  return l2Gas === undefined ? '–' : grouped(l2Gas);
}

const gasOf = (frames: readonly Frame[]): number =>
  frames.reduce((sum, { l2Gas = 0 }) => sum + l2Gas, 0);

function Cells(of: { readonly gas: string; readonly share?: ReactNode }) {
  return (
    <>
      <td className="w-gas number" role="gridcell">
        {of.gas}
      </td>
      <td className="w-share" role="gridcell">
        {of.share}
      </td>
    </>
  );
}

interface TwistProps {
  readonly isParent: boolean;
  readonly isOpen: boolean;
  readonly toggle: () => void;
}

function Twist({ isParent, isOpen, toggle }: TwistProps) {
  return isParent ? (
    <PlainButton
      tabIndex={-1}
      className="plain twist"
      aria-label={isOpen ? 'Close' : 'Open'}
      onClick={toggle}
    >
      <Icon name={isOpen ? 'down' : 'right'} />
    </PlainButton>
  ) : (
    <span className="twist" />
  );
}

interface TextProps {
  readonly of: Frame;
  readonly classes: Classes;
}

function FrameText({ of: frame, classes }: TextProps) {
  return (
    <span className="what">
      {frame.depth === 0 && <span className="phase">{PHASES[frame.phase]}</span>}
      {frame.failed && (
        <span className="fail sign" role="img" aria-label="failed">
          <Icon name="close" />
        </span>
      )}
      <CallLine of={frame} classes={classes} />
      <KindTag of={frame} />
      {frame.cause !== undefined && (
        <span className="fail">
          {' '}
          <UntrustedText text={frame.cause} quoted limit={80} />
        </span>
      )}
      {frame.fate !== undefined && <span className="quiet"> {frame.fate}</span>}
      <ReturnValues of={frame} classes={classes} />
    </span>
  );
}

const KINDS: Readonly<Partial<Record<Frame['kind'], string>>> = {
  DELEGATE: 'library call',
  CONSTRUCTOR: 'constructor',
  'L1 HANDLER': 'L1 handler',
};

/** Most frames are plain calls, which have no tag. */
function KindTag({ of: { kind } }: { readonly of: Frame }) {
  const name = KINDS[kind];
  return name !== undefined && <span className="inlined">{name}</span>;
}

function EventText({ of: frame, index, classes }: TextProps & { readonly index: number }) {
  const event = frame.events[index];
  const abi = frame.classHash === undefined ? undefined : classes.get(frame.classHash);
  return (
    <span className="what emitted">
      <span className="sign" role="img" aria-label="event">
        <Icon name="events" />
      </span>
      {event && <EventLine keys={event.keys} data={event.data} abi={abi} from={frame.contract} />}
    </span>
  );
}

function RunText({ of: frames }: { readonly of: readonly Frame[] }) {
  const [first] = frames;
  if (!first) return null;
  return (
    <span className="what">
      <Address of={first.contract} />.<FunctionName selector={first.selector} />{' '}
      <span className="count">×{grouped(frames.length)}</span>
      <KindTag of={first} />
    </span>
  );
}

interface ShareProps {
  readonly of: Frame;
  readonly gas: number | undefined;
  readonly total: number;
}

function Share({ of: frame, gas, total }: ShareProps) {
  if (frame.phase === 'fee') {
    return (
      <span className="quiet" title="The fee is known before it is transferred.">
        not charged
      </span>
    );
  }
  if (gas === undefined) return null;
  const percent = (share(gas, total) * 100).toFixed(1);
  return (
    <span
      className="bar"
      style={{ width: `${percent}%` }}
      title={`${percent} % of the transaction`}
    />
  );
}
