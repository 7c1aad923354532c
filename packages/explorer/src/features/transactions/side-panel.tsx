// Panel beside a list that shows one of its rows.
import { type ReactNode, useEffect, useRef } from 'react';
import { setQuery } from '../../navigation/route.js';
import { Button } from '../../parts/button.js';
import { BesideContext } from '../../parts/page-states.js';
import { Link } from '../../parts/values.js';

/** The row is part of the page's address, so that links include it. */
export function peek(id: string): void {
  setQuery({ peek: id, tab: undefined, frame: undefined });
}

export function unpeek(): void {
  setQuery({ peek: undefined, tab: undefined, frame: undefined });
}

interface SidePanelProps {
  readonly label: string;
  /** Link to the full page. */
  readonly href: string;
  readonly children: ReactNode;
}

export function SidePanel({ label, href, children }: SidePanelProps) {
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
          Open page
        </Link>
        <Button onClick={unpeek}>Close</Button>
      </div>
      <BesideContext value={true}>{children}</BesideContext>
    </aside>
  );
}
