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

/** On narrow pages the bar scrolls sideways. */
function showCurrent(bar: HTMLElement): void {
  const tab = bar.querySelector<HTMLElement>('[aria-current]');
  if (tab) bar.scrollLeft = tab.offsetLeft + tab.offsetWidth / 2 - bar.clientWidth / 2;
}

/** Sets the attributes by which the sides fade where more tabs follow. */
function markHiddenSides(bar: HTMLElement): void {
  const { scrollLeft, scrollWidth, clientWidth } = bar;
  bar.toggleAttribute('data-more-before', scrollLeft > 1);
  bar.toggleAttribute('data-more-after', scrollLeft + clientWidth < scrollWidth - 1);
}

export function Tabs({ tabs, current, isFirstDefault = true }: TabsProps) {
  const { page, key, query } = useRoute();
  const { tab: _tab, frame: _frame, ...others } = Object.fromEntries(query);
  const panelQuery = useContext(BesideContext) ? others : {};
  const bar = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tabs and the current one decide the place
  useEffect(() => {
    const element = bar.current;
    if (!element) return;
    const mark = (): void => markHiddenSides(element);
    const observer = new ResizeObserver(() => {
      showCurrent(element);
      mark();
    });
    // Counts and fonts that come later change the tabs, not the bar.
    for (const part of [element, ...element.children]) observer.observe(part);
    element.addEventListener('scroll', mark, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', mark);
    };
  }, [current, tabs.length]);
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
