// Accessibility faults of a page, as axe finds them in both themes.
/// <reference lib="dom" />
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** All rules in the light theme, then those that depend on colours in the dark one. */
const RUNS = [
  ['light', '{ resultTypes: ["violations"] }'],
  ['dark', '{ resultTypes: ["violations"], runOnly: ["color-contrast"] }'],
] as const;

/** Colours that change between two themes have no contrast of their own. */
async function atRest(page: Page): Promise<void> {
  await page.evaluate(() =>
    Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
  );
}

export async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const texts: string[] = [];
  for (const [colorScheme, options] of RUNS) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
    await atRest(page);
    const violations = await page.evaluate<readonly Violation[]>(
      `axe.run(${options}).then(({ violations }) => violations)`,
    );
    for (const { id, nodes } of violations) texts.push(`${colorScheme} ${id}: ${nodes[0]?.html}`);
  }
  return texts;
}
