// Accessibility faults of a page, as axe finds them.
/// <reference lib="dom" />
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Colours that change between two themes have no contrast of their own. */
async function atRest(page: Page): Promise<void> {
  await page.evaluate(() =>
    Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
  );
}

async function violationsIn(
  page: Page,
  colorScheme: 'light' | 'dark',
  options: axe.RunOptions,
): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
  await atRest(page);
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]?.html}`);
}

/** Breaches of all rules in the light theme. */
export function faultsOf(page: Page): Promise<readonly string[]> {
  return violationsIn(page, 'light', { resultTypes: ['violations'] });
}

/** Texts in the dark theme that are hard to read. */
export function darkFaultsOf(page: Page): Promise<readonly string[]> {
  return violationsIn(page, 'dark', { resultTypes: ['violations'], runOnly: ['color-contrast'] });
}
