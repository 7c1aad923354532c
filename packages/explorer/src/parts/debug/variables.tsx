// Variables of the chosen frame as a tree; members are read when they are opened.
import { shortType } from '@starkbox/abi/internal';
import { type KeyboardEvent, useRef, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { useNames } from '../../format/names.js';
import { useStore } from '../../state/store.js';
import { PlainButton } from '../button.js';
import { Icon } from '../icons.js';
import { UntrustedText } from '../values.js';
import { Rows } from './rows.js';
import type { Session, VariableRow } from './session.js';

const MAX_VALUE_LENGTH = 400;

export function Variables({ session }: { readonly session: Session }) {
  const rows = useStore(session.details, (details) => details?.variables);
  const unmapped = useStore(session.details, (details) => details?.scope.unmapped ?? 0);
  const note = useStore(session.details, (details) => details?.scope.note);
  const isOfCall = useStore(session.details, (details) => details?.isOfCall ?? false);
  if (!rows) return null;
  return (
    <section className="debug-panel" aria-label="Variables">
      <div className="panel-head">
        <h2>Variables</h2>
        {isOfCall && rows.length > 0 && <span className="soft">arguments of the call</span>}
      </div>
      {rows.length === 0 ? (
        <p className="soft">No variables at this step.</p>
      ) : (
        <VariableTree session={session} rows={rows} />
      )}
      {unmapped > 0 && (
        <p className="soft">
          {unmapped === 1
            ? '1 variable has no location at this step in the compiler’s annotation.'
            : `${grouped(unmapped)} variables have no location at this step in the compiler’s annotation.`}
        </p>
      )}
      {note !== undefined && (
        <p className="soft">
          <UntrustedText text={note} limit={400} />
        </p>
      )}
    </section>
  );
}

interface TreeProps {
  readonly session: Session;
  readonly rows: readonly VariableRow[];
}

function VariableTree({ session, rows }: TreeProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [activePath, setActive] = useState<string>();
  const active = Math.max(
    0,
    rows.findIndex(({ path }) => path === activePath),
  );
  const focus = (index: number): void => {
    const target = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!target) return;
    setActive(target.path);
    requestAnimationFrame(() =>
      scroller.current
        ?.querySelector<HTMLElement>(`[data-path="${CSS.escape(target.path)}"]`)
        ?.focus(),
    );
  };
  const press = (event: KeyboardEvent, index: number): void => {
    const row = rows[index];
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const outer = (): number =>
      rows.findLastIndex((other, at) => at < index && other.depth < row.depth);
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focus(index + 1),
      ArrowUp: () => focus(index - 1),
      Home: () => focus(0),
      End: () => focus(rows.length - 1),
      ArrowRight: () => (row.isParent && !row.isOpen ? session.toggle(row.path) : focus(index + 1)),
      ArrowLeft: () => (row.isOpen ? session.toggle(row.path) : focus(outer())),
      Enter: () => row.isParent && session.toggle(row.path),
      ' ': () => row.isParent && session.toggle(row.path),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <Rows
      count={rows.length}
      label="Variables"
      role="tree"
      scroller={scroller}
      current={activePath === undefined ? undefined : active}
      row={(index, measure) => {
        const row = rows[index];
        return (
          row && (
            <VariableLine
              key={row.path}
              row={row}
              index={index}
              measure={measure}
              isActive={index === active}
              activate={() => setActive(row.path)}
              press={(event) => press(event, index)}
              session={session}
            />
          )
        );
      }}
    />
  );
}

interface LineProps {
  readonly row: VariableRow;
  readonly index: number;
  readonly measure: (element: Element | null) => void;
  readonly isActive: boolean;
  readonly activate: () => void;
  readonly press: (event: KeyboardEvent) => void;
  readonly session: Session;
}

function VariableLine({ row, index, measure, isActive, activate, press, session }: LineProps) {
  const { path, depth, name, type, text, isParent, isOpen, isChanged, unread } = row;
  const label = useNames().get(text);
  return (
    <li ref={measure} data-index={index} role="none">
      <div
        className="debug-variable"
        role="treeitem"
        data-path={path}
        data-changed={isChanged ? '' : undefined}
        aria-level={depth + 1}
        aria-expanded={isParent ? isOpen : undefined}
        tabIndex={isActive ? 0 : -1}
        style={{ paddingLeft: `${0.25 + depth * 0.875}rem` }}
        onFocus={activate}
        onKeyDown={press}
        onClick={() => isParent && session.toggle(path)}
      >
        <span className="twist" aria-hidden="true">
          {isParent && <Icon name={isOpen ? 'down' : 'right'} />}
        </span>
        <span className="variable-name">
          <UntrustedText text={name} limit={80} />
        </span>
        <span className="variable-value" title={type}>
          <UntrustedText text={text} limit={MAX_VALUE_LENGTH} />
          {label !== undefined && (
            <span className="soft">
              {' '}
              <UntrustedText text={label} limit={40} />
            </span>
          )}
          {isChanged && <span className="unseen"> changed</span>}
        </span>
        <span className="variable-type quiet">
          <UntrustedText text={shortType(type)} limit={60} />
        </span>
      </div>
      {unread && (
        <PlainButton onClick={() => session.readMore(unread.path)}>
          {grouped(unread.count)} more
        </PlainButton>
      )}
    </li>
  );
}
