// Layout shifts while a page loads: what arrives late has its room, or the page waits for it.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';

/** Half of what is called good for a page. */
export const LARGEST_SHIFT = 0.05;

/** The sum of the shifts since the page was loaded, and the elements that moved the most. */
export function shiftsOf(page: Page): Promise<{ sum: number; moved: string[] }> {
  return page.evaluate(async () => {
    interface Shift extends PerformanceEntry {
      readonly value: number;
      readonly hadRecentInput: boolean;
      readonly sources: readonly { readonly node: Node | null }[];
    }
    const isShift = (entry: PerformanceEntry): entry is Shift => 'hadRecentInput' in entry;
    const entries = await new Promise<PerformanceEntry[]>((resolve) => {
      const all: PerformanceEntry[] = [];
      new PerformanceObserver((list) => all.push(...list.getEntries())).observe({
        type: 'layout-shift',
        buffered: true,
      });
      // Buffered entries come before the second frame.
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(all))));
    });
    const shifts = entries.filter(isShift).filter(({ hadRecentInput }) => !hadRecentInput);
    const nameOf = (node: Node | null): string =>
      node instanceof Element
        ? [node.tagName.toLowerCase(), ...node.classList].join('.')
        : `“${node?.textContent ?? ''}”`;
    return {
      sum: shifts.reduce((sum, { value }) => sum + value, 0),
      moved: shifts.map(
        ({ value, sources }) =>
          `${value.toFixed(3)} ${sources.map(({ node }) => nameOf(node)).join(', ')}`,
      ),
    };
  });
}

/** What moved, if it is more than a page may move. */
export async function faultsOfShifts(page: Page): Promise<readonly string[]> {
  const { sum, moved } = await shiftsOf(page);
  return sum < LARGEST_SHIFT ? [] : [`${sum.toFixed(3)}: ${moved.join('; ')}`];
}
