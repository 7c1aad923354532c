// Width of an element, for charts that are drawn to fit it.
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** @returns a reference for an element that is in the first rendering, and its width */
export function useWidth(): readonly [frame: RefObject<HTMLDivElement | null>, width: number] {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [frame, width];
}
