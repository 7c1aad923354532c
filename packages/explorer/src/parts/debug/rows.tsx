// Rows of a panel: only those in view are rendered, with the heights that their texts take.
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';

interface RowsProps {
  readonly count: number;
  /** Renders a row; `ref` measures its height. */
  readonly row: (index: number, ref: (element: Element | null) => void) => ReactNode;
  readonly label: string;
  readonly role?: 'tree';
  /** The row to scroll to when it changes. */
  readonly current?: number | undefined;
  readonly scroller?: RefObject<HTMLDivElement | null>;
}

const ROW_HEIGHT = 26;

export function Rows({ count, row, label, role, current, scroller }: RowsProps) {
  const local = useRef<HTMLDivElement>(null);
  const frame = scroller ?? local;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another row scrolls
  useEffect(() => {
    if (current !== undefined) virtual.scrollToIndex(current, { align: 'auto' });
  }, [current]);
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div className="debug-scroll" ref={frame}>
      <ul
        role={role}
        aria-label={label}
        style={{ paddingTop: before, paddingBottom: Math.max(0, after) }}
      >
        {items.map(({ index }) => row(index, virtual.measureElement))}
      </ul>
    </div>
  );
}
