// Coverage by entry point: which ones transactions called, also nested, caught and reverted ones.
import { Coverage } from '@starkbox/abi/internal';
import type { COVERAGE } from '@starkbox/spec';
import { commandOutput } from '@starkbox/test-support/command-line';
import { startMixedRun } from '@starkbox/test-support/mixed-run';
import { expect, test } from 'vitest';

const run = await startMixedRun();

const coverage = (params: object = {}): Promise<COVERAGE> =>
  run.node.client.call('devnet_coverage', params);

/** Calls and failed calls of each function of a class. */
function callsOf({ classes }: Pick<COVERAGE, 'classes'>, name: string) {
  const contractClass = classes.find(({ contract_name }) => contract_name === name);
  return Object.fromEntries(
    (contractClass?.entry_points ?? []).map((entryPoint) => [
      entryPoint.function_name,
      [entryPoint.calls, entryPoint.failed],
    ]),
  );
}

test('counts nested, library, caught and reverted calls, and lists what was never called', async () => {
  const page = await coverage();
  expect(callsOf(page, 'reverter')).toEqual({
    recurse: [9, 0],
    library: [1, 0],
    write: [1, 0],
    catch: [1, 0],
    fail: [2, 2],
    fail_via: [1, 1],
    burn: [0, 0],
    fail_text: [0, 0],
    forward: [0, 0],
    write_then_fail: [0, 0],
    written: [0, 0],
  });
  const { deposit } = callsOf(page, 'messenger');
  expect(deposit).toEqual([1, 0]);
});

test('is the same over pages that are added', async () => {
  const whole = new Coverage();
  whole.addPage(await coverage());
  const added = new Coverage();
  let page = await coverage({ limit: 2 });
  added.addPage(page);
  while (page.next !== undefined) {
    page = await coverage({ limit: 2, cursor: page.next });
    added.addPage(page);
  }
  expect(added.page(true)).toEqual(whole.page(true));
});

test('the command prints classes of the run, and ready-made ones where asked for', async () => {
  const command = (...words: string[]) =>
    commandOutput('coverage', '--url', run.node.url, ...words);
  const text = await command();
  expect(text).toMatch(/\nreverter {2}6 of 11 \(54\.5 %\)\n/);
  expect(text).toMatch(/\n +2 {2}fail \(2 failed\)\n/);
  expect(text).toMatch(/\n {2}never {3}.*burn/);
  expect(text).not.toContain('AccountUpgradeable');
  expect(await command('--all')).toContain('AccountUpgradeable');
  expect(JSON.parse(await command('--json')).classes).toHaveLength(2);
});
