// Output of `starkbox gas`: tables, flame graphs and the comparison with a baseline.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommandLine } from '@starkbox/test-support/command-line';
import { startMixedRun } from '@starkbox/test-support/mixed-run';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';

const folder = temporaryFolderOfFile();
const [baseline = '', svg = '', stacks = ''] = ['gas.json', 'gas.svg', 'gas.folded'].map((name) =>
  join(folder, name),
);
const mixed = await startMixedRun();

async function report(...argv: readonly string[]) {
  const { outcome, stdout, stderr } = await runCommandLine([
    'gas',
    '--url',
    mixed.node.url,
    ...argv,
  ]);
  return { stdout, stderr, exitCode: 'exitCode' in outcome ? outcome.exitCode : undefined };
}

test('prints a table for each resource, the cost of one call and of all', async () => {
  const { stdout, exitCode } = await report();
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^\d+ transactions, 1 reverted\n\nl2 gas +calls +min +median +max +self +total\n/,
  );
  expect(stdout).toMatch(/\nreverter\.recurse +9( +[\d,]+){5}\n/);
  expect(stdout).toMatch(/\n\S+\.transfer \(fee, not charged\) +\d+/);
  expect(stdout).toMatch(/\nl1 data gas +calls/);
  expect(stdout).toMatch(/\nreverted executions +1/);
  expect(stdout).toMatch(/\nprotocol, outside of calls +\d+/);
});

test('calls only sums of gas sums of the receipts', async () => {
  const { stdout } = await report('--resources');
  const sums = new Map(
    stdout
      .split('\n\n')
      .map((text) => [/^\S+( \S+)*/.exec(text)?.[0], text.trimEnd().split('\n').at(-1)]),
  );
  expect(sums.get('l2 gas')).toMatch(/^sum of the receipts +[\d,]+$/);
  expect(sums.get('steps')).toMatch(/^sum +[\d,]+$/);
});

test('writes the sums as JSON, and flame graphs whose parts add up to them', async () => {
  const { stdout } = await report('--json', '--flame', stacks);
  const { receipts } = JSON.parse(stdout);
  const lines = readFileSync(stacks, 'utf8').trimEnd().split('\n');
  const sum = lines.reduce((all, line) => all + Number(line.slice(line.lastIndexOf(' '))), 0);
  expect(sum).toBe(receipts.l2_gas);
  expect(
    lines.some((line) => /^execute [^;]+;reverter\.recurse;reverter\.recurse/.test(line)),
  ).toBe(true);
  const drawn = await report('--flame', svg, '--flame-resource', 'l1_data_gas');
  expect(drawn.stdout.endsWith(`\n\nWrote ${svg}\n`)).toBe(true);
  expect(readFileSync(svg, 'utf8')).toContain(
    `all transactions: ${receipts.l1_data_gas} (100.0 %)`,
  );
});

test('fails beyond the tolerance of a baseline', async () => {
  const { exitCode, stdout } = await report('--save-baseline', baseline);
  expect(exitCode).toBe(0);
  expect(stdout.endsWith(`\n\nWrote ${baseline}\n`)).toBe(true);
  const same = await report('--baseline', baseline);
  expect(same).toMatchObject({
    exitCode: 0,
    stdout: `The median of every function equals ${baseline}\n`,
  });
  const saved = JSON.parse(readFileSync(baseline, 'utf8'));
  const { l2_gas } = saved['reverter.recurse'];
  saved['reverter.recurse'].l2_gas = Math.ceil(l2_gas / 1.04);
  delete saved['reverter.catch'];
  writeFileSync(baseline, JSON.stringify(saved));
  const worse = await report('--baseline', baseline, '--tolerance', '3');
  expect(worse.exitCode).toBe(1);
  expect(worse.stdout).toMatch(/reverter\.recurse +l2 gas .* \+(3\.99|4\.00) % !/);
  expect(worse.stdout).toMatch(/reverter\.catch +l2 gas +– +→ +[\d,]+ +new/);
  expect((await report('--baseline', baseline, '--tolerance', '5')).exitCode).toBe(0);
});

test('says what is wrong with its arguments, and how to write a baseline', async () => {
  expect(await report('--by', 'name')).toMatchObject({ exitCode: 2 });
  expect(await report('--names', 'x')).toMatchObject({ exitCode: 2 });
  const missing = await report('--baseline', join(folder, 'none.json'));
  expect(missing.stderr).toContain('with --save-baseline');
  const nowhere = join(folder, 'none', 'x.svg');
  expect((await report('--flame', nowhere)).stderr).toBe(
    `error: cannot write ${nowhere}: the folder does not exist\n`,
  );
  const unreachable = await report('--url', 'http://127.0.0.1:1');
  expect(unreachable.stderr).toContain('cannot reach http://127.0.0.1:1');
});
