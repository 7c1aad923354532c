// Knows the place beside a list, where one of its rows can be looked at without leaving it.
import { type ReactNode, useEffect, useRef } from 'react';
import { setQuery } from '../../navigation/route.js';
import { BesideContext } from '../../parts/page-states.js';
import { Link } from '../../parts/values.js';

/** What is beside is in the address too, so that it can be sent to somebody. */
export function peek(id: string): void {
  setQuery({ peek: id, tab: undefined, frame: undefined });
}

export function unpeek(): void {
  setQuery({ peek: undefined, tab: undefined, frame: undefined });
}

export function SidePanel({
  label,
  href,
  children,
}: {
  readonly label: string;
  /** Where the same has a page of its own. */
  readonly href: string;
  readonly children: ReactNode;
}) {
  const before = useRef(document.activeElement);
  useEffect(() => {
    const came = before.current;
    return () => {
      if (came instanceof HTMLElement && came.isConnected) came.focus();
    };
  }, []);
  return (
    <aside className="beside" aria-label={label}>
      <div className="line-of">
        <Link className="button" href={href}>
          Open fully
        </Link>
        <button type="button" className="button" onClick={unpeek}>
          Close
        </button>
      </div>
      <BesideContext value={true}>{children}</BesideContext>
    </aside>
  );
}
