// Buttons of the debugger: moves in both directions, jumps to marks, and the list of keys.
import type { Direction } from '@starkbox/debugger';
import { useMemo, useState } from 'react';
import { useStore } from '../../state/store.js';
import { PlainButton } from '../button.js';
import { Icon } from '../icons.js';
import { Menu } from '../menu.js';
import { Fact } from '../values.js';
import type { MarkKind, Session } from './session.js';
import { KEYS, type Move, runMove } from './shortcuts.js';

/** Outlines of 16 × 16 units; those of moves backwards are mirrored. */
const OUTLINES: Readonly<Record<Move, string>> = {
  resume: 'M3 3v10M6 3.2v9.6L13.5 8z',
  over: 'M2.5 9.5a5.6 5.6 0 0 1 10.8-2M13.6 3.4v4.2H9.4M8 12.2a.9.9 0 1 0 0 1.8.9.9 0 0 0 0-1.8',
  in: 'M2 3h4a2 2 0 0 1 2 2v4.2M5.2 6.6L8 9.4l2.8-2.8M8 12.2a.9.9 0 1 0 0 1.8.9.9 0 0 0 0-1.8',
  out: 'M8 10V6a2 2 0 0 1 2-2h3.6M11 1.4L13.8 4 11 6.6M8 12.2a.9.9 0 1 0 0 1.8.9.9 0 0 0 0-1.8',
};

const NAMES: Readonly<Record<Move, string>> = {
  resume: 'Resume',
  over: 'Step over',
  in: 'Step into',
  out: 'Step out',
};

const MOVE_KEYS: Readonly<Record<Move, string>> = {
  resume: 'F8',
  over: 'F10',
  in: 'F11',
  out: 'Shift+F11',
};

const MOVES: readonly Move[] = ['resume', 'over', 'in', 'out'];
const MARKS: readonly MarkKind[] = ['call', 'event', 'write', 'failure'];

interface ControlsProps {
  readonly session: Session;
}

export function Controls({ session }: ControlsProps) {
  const isBusy = useStore(session.isBusy);
  const [isMore, setMore] = useState(false);
  const { marks } = session.program;
  const kinds = useMemo(() => new Set(marks.map(({ kind }) => kind)), [marks]);
  return (
    <div
      className="debug-controls"
      role="toolbar"
      aria-label="Moves"
      data-more={isMore ? '' : undefined}
      aria-busy={isBusy}
    >
      <div className="debug-moves backward">
        {MOVES.toReversed().map((move) => (
          <MoveButton key={move} session={session} move={move} direction="backward" />
        ))}
      </div>
      <div className="debug-moves forward">
        {MOVES.map((move) => (
          <MoveButton key={move} session={session} move={move} direction="forward" />
        ))}
      </div>
      <PlainButton
        className="plain debug-more"
        aria-expanded={isMore}
        aria-label="More moves"
        onClick={() => setMore(!isMore)}
      >
        <Icon name="more" />
      </PlainButton>
      <div className="debug-jumps">
        {MARKS.map((kind) => (
          <Jump key={kind} session={session} kind={kind} isNone={!kinds.has(kind)} />
        ))}
      </div>
      <Menu label="Keys">
        <dl className="keys">
          {KEYS.map(([keys, does]) => (
            <Fact key={keys} name={<kbd>{keys}</kbd>}>
              {does}
            </Fact>
          ))}
        </dl>
      </Menu>
      <LongRun session={session} isBusy={isBusy} />
    </div>
  );
}

interface MoveButtonProps extends ControlsProps {
  readonly move: Move;
  readonly direction: Direction;
}

function MoveButton({ session, move, direction }: MoveButtonProps) {
  const isBack = direction === 'backward';
  const name = isBack ? `${NAMES[move]} backwards` : NAMES[move];
  const keys = isBack ? `Alt+${MOVE_KEYS[move]}` : MOVE_KEYS[move];
  return (
    <button
      type="button"
      className="plain debug-move"
      data-move={move}
      aria-label={name}
      aria-keyshortcuts={keys}
      title={`${name} (${keys})`}
      onClick={() => runMove(session, move, direction)}
    >
      <svg className="icon-svg" viewBox="0 0 16 16" aria-hidden="true">
        <path d={OUTLINES[move]} />
      </svg>
    </button>
  );
}

interface JumpProps extends ControlsProps {
  readonly kind: MarkKind;
  readonly isNone: boolean;
}

/** Kinds that the execution does not have cannot be chosen. */
function Jump({ session, kind, isNone }: JumpProps) {
  const go = (direction: Direction): void => {
    if (!isNone) session.runTo(kind, direction);
  };
  return (
    <fieldset className="debug-jump" aria-label={kind}>
      <PlainButton
        aria-label={`Previous ${kind}`}
        title={`Previous ${kind} (Shift+${kind === 'failure' ? 'X' : kind[0]?.toUpperCase()})`}
        aria-disabled={isNone || undefined}
        onClick={() => go('backward')}
      >
        <Icon name="left" />
      </PlainButton>
      <span className={isNone ? 'quiet' : 'soft'}>{kind}</span>
      <PlainButton
        aria-label={`Next ${kind}`}
        title={`Next ${kind} (${kind === 'failure' ? 'x' : kind[0]})`}
        aria-disabled={isNone || undefined}
        onClick={() => go('forward')}
      >
        <Icon name="right" />
      </PlainButton>
    </fieldset>
  );
}

/** A run with conditions can take long. */
function LongRun({ session, isBusy }: ControlsProps & { readonly isBusy: boolean }) {
  return (
    <span className="debug-busy" data-busy={isBusy ? '' : undefined}>
      <PlainButton tabIndex={isBusy ? 0 : -1} onClick={() => session.interrupt()}>
        Stop
      </PlainButton>
    </span>
  );
}
