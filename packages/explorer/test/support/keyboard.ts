// Moving by keyboard in tests: the focused element, and the way to another one.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';

/** Accessible name of the focused element. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === document.body) return '';
    const label =
      element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined;
    return element?.getAttribute('aria-label') ?? label ?? element?.textContent ?? '';
  });

/** Presses Tab until an element of this name has the focus. */
export async function tabTo(page: Page, name: RegExp, most = 60): Promise<void> {
  const passed: string[] = [];
  for (let step = 0; step < most; step++) {
    await page.keyboard.press('Tab');
    const now = (await focused(page)).trim();
    if (name.test(now)) return;
    passed.push(now.slice(0, 40));
  }
  throw new Error(`${name} was not reached; passed ${passed.join(' | ')}`);
}
