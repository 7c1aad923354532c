// Tabs of a page, each with its own address.
import { useContext, useEffect, useRef } from 'react';
import { grouped } from '../format/amount.js';
import { BesideContext, to, useRoute } from '../navigation/route.js';
import { Link } from './values.js';

export interface Tab {
  readonly id: string;
  readonly name: string;
  readonly count?: number | undefined;
}

interface TabsProps {
  readonly tabs: readonly Tab[];
  readonly current: string;
  /** Whether the page without a tab in its address shows the first one. */
  readonly isFirstDefault?: boolean;
}

export function Tabs({ tabs, current, isFirstDefault = true }: TabsProps) {
  const { page, key, query } = useRoute();
  const { tab: _tab, frame: _frame, ...others } = Object.fromEntries(query);
  const panelQuery = useContext(BesideContext) ? others : {};
  const bar = useRef<HTMLElement>(null);
  // On narrow pages the bar scrolls sideways.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current tab decides the place
  useEffect(() => {
    const tab = bar.current?.querySelector<HTMLElement>('[aria-current]');
    if (bar.current && tab) bar.current.scrollLeft = tab.offsetLeft - bar.current.clientWidth / 2;
  }, [current]);
  return (
    <nav className="tabs" ref={bar} aria-label="Sections of this page">
      {tabs.map(({ id, name, count }, at) => (
        <Link
          key={id}
          href={to(page, key, at === 0 && isFirstDefault ? panelQuery : { ...panelQuery, tab: id })}
          current={id === current}
        >
          {name} {count !== undefined && <span className="count">{grouped(count)}</span>}
        </Link>
      ))}
    </nav>
  );
}
