// Reports at the end of a run: set-up and tear-down functions for the runners.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coverageText, gasText } from '@starkbox/abi/internal';
import { FOLDER, readRun, wantedKinds } from './collecting.js';

/** Where the reports are also written as files. */
const OUT = 'STARKBOX_REPORT_OUT';

/**
 * Collects from every chain of the run, and prints the reports at its end. `STARKBOX_REPORT` switches it on:
 * `gas`, `coverage` or `gas,coverage`.
 *
 * The default export is a `globalSetup` of vitest and of Playwright.
 *
 * @example
 * // vitest.config.js
 * export default { test: { globalSetup: '@starkbox/testing/reports' } };
 * @throws Error if `STARKBOX_REPORT` names an unknown report
 */
// biome-ignore lint/style/noDefaultExport: runners take the default export
export default function setup(): () => void {
  globalSetup();
  return globalTeardown;
}

/**
 * For runners that take two functions: node:test (`--test-global-setup`) and Jest.
 *
 * @throws Error if `STARKBOX_REPORT` names an unknown report
 */
export function globalSetup(): void {
  if (wantedKinds().length === 0) return;
  process.env[FOLDER] = mkdtempSync(join(tmpdir(), 'starkbox-run-'));
}

/**
 * Prints the reports of the run, and writes them to the folder of `STARKBOX_REPORT_OUT`.
 *
 * @throws Error if the folder cannot be written
 */
export function globalTeardown(): void {
  const folder = process.env[FOLDER];
  if (folder === undefined) return;
  delete process.env[FOLDER];
  const { gas, coverage } = readRun(folder);
  rmSync(folder, { recursive: true });
  const kinds = wantedKinds();
  const out = process.env[OUT];
  if (out !== undefined) mkdirSync(out, { recursive: true });
  const write = (name: string, value: object): void => {
    if (out !== undefined) writeFileSync(join(out, name), `${JSON.stringify(value)}\n`);
  };
  if (kinds.includes('gas')) {
    print('Gas by function', gasText(gas.page(), { width: terminalWidth() }));
    write('gas.json', gas.page(undefined, { values: true, stacks: true }));
  }
  if (kinds.includes('coverage')) {
    print('Entry points', coverageText(coverage.page(), { width: terminalWidth() }));
    write('coverage.json', coverage.page(true));
  }
}

/** Undefined if the output is not a terminal: then nothing is shortened. */
function terminalWidth(): number | undefined {
  const { isTTY, columns } = process.stdout;
  return isTTY ? Math.max(LEAST_COLUMNS, columns) : undefined;
}

const LEAST_COLUMNS = 80;

function print(title: string, text: string): void {
  process.stdout.write(`\n${title}\n\n${text}\n`);
}
