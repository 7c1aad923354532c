// Knows what a judge of accessibility finds wrong with a page.
/// <reference lib="dom" />
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Judge {
  run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
}

/** What axe calls serious or critical. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe: judge } = globalThis as unknown as { axe: Judge };
    return (await judge.run()).violations;
  });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
