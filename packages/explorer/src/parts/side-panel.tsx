// Panel beside a list that shows one of its rows: a transaction by its hash, a block by its number.
import { type ReactNode, useEffect, useRef } from 'react';
import { BesideContext, currentRoute, setQuery, useWholeRoute } from '../navigation/route.js';
import { Button } from './button.js';
import { Link } from './values.js';

/** The row is part of the page's address, so that links include it. The tab of the page below is kept. */
export function peek(id: string | number): void {
  const { query } = currentRoute();
  const tab = query.get(query.has('peek') ? 'under' : 'tab') ?? undefined;
  setQuery({ peek: String(id), under: tab, tab: undefined, frame: undefined });
}

export function unpeek(): void {
  const tab = currentRoute().query.get('under') ?? undefined;
  setQuery({ peek: undefined, under: undefined, tab, frame: undefined });
}

/** The id that the panel shows. */
export function usePeeked(): string | undefined {
  return useWholeRoute().query.get('peek') ?? undefined;
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
