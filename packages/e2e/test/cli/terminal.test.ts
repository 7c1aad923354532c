// Output of the built command in a pseudo terminal: it fits the columns, and says the same without colours.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMixedRun } from '@starkbox/test-support/mixed-run';
import {
  inTerminal,
  PseudoTerminal,
  type TerminalOptions,
} from '@starkbox/test-support/pseudo-terminal';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';

const folder = temporaryFolderOfFile();
const [before, after, baseline] = ['before.image', 'after.image', 'gas.json'].map((name) =>
  join(folder, name),
);
const { node, hashes } = await startMixedRun();
const url = ['--url', node.url];

beforeAll(async () => {
  await node.client.call('devnet_dump', { path: before, format: 'image' });
  await node.client.call('devnet_mint', { address: '0xa11ce', amount: 10 ** 21 });
  await node.client.call('devnet_dump', { path: after, format: 'image' });
  const cheap = { 'reverter.recurse': { l2_gas: 1 } };
  writeFileSync(baseline ?? '', JSON.stringify(cheap));
});

const running: PseudoTerminal[] = [];
afterEach(() => {
  for (const terminal of running.splice(0)) terminal.kill();
});

function start(args: readonly string[], options: TerminalOptions): PseudoTerminal {
  const terminal = new PseudoTerminal(['--port', '0', ...args], { cwd: folder, ...options });
  running.push(terminal);
  return terminal;
}

const tooLong = (lines: readonly string[], columns: number): readonly string[] =>
  lines.filter((line) => [...line].length > columns);

/** Each with its exit code. */
const COMMANDS: readonly (readonly [args: readonly (string | undefined)[], exitCode: number])[] = [
  [['gas', ...url], 0],
  [['gas', '--by', 'contract', '--resources', ...url], 0],
  [['gas', '--baseline', baseline, ...url], 1],
  [['coverage', '--all', ...url], 0],
  [['explain', hashes.nested, ...url], 0],
  [['explain', hashes.library, ...url], 0],
  [['explain', hashes.reverted, ...url], 0],
  [['inspect', before], 0],
  [['diff', before, after], 1],
  [['diff', before, before], 0],
  [['diff', before, join(folder, 'missing')], 2],
  [['explain', '0x1', ...url], 1],
];

describe.each([80, 120])('in %i columns', (columns) => {
  test.each(COMMANDS)('the output of %j fits', async (args, expected) => {
    const words = args.flatMap((word) => word ?? []);
    const { lines, exitCode } = await inTerminal(words, { columns, cwd: folder });
    expect(exitCode).toBe(expected);
    expect(lines.length).toBeGreaterThan(1);
    expect(tooLong(lines, columns)).toEqual([]);
  });

  test('the banner of ten accounts fits, and has at most 20 lines', async () => {
    const terminal = start(['--seed', '0', '--ui', '--dump-on', 'exit', '--dump-path', 'a.json'], {
      columns,
    });
    await expect.poll(() => terminal.lines.join('\n'), { timeout: 25_000 }).toContain('listening');
    const { lines } = terminal;
    expect(tooLong(lines, columns)).toEqual([]);
    expect(lines.filter((line) => line !== '').length).toBeLessThanOrEqual(20);
    const accounts = lines.filter((line) => /^ \d {2}0x\w+(…\w+)? +0x[0-9a-f]{20,}$/.test(line));
    expect(accounts).toHaveLength(10);
    terminal.interrupt();
    expect(await terminal.ended).toBe(0);
  });
});

test('a wide terminal shows addresses and keys in full', async () => {
  const terminal = start(['--seed', '0'], { columns: 120 });
  await expect.poll(() => terminal.lines.join('\n'), { timeout: 25_000 }).toContain('listening');
  expect(terminal.lines.join('\n')).toContain(
    '0x64b48806902a367c8598f4f95c305e8c1a1acba5f082d294a43793113115691  0x71d7bb07b9a64f6f78ac4c816aff4da9',
  );
});

test('a second start says where it continues, and a failed call is a line of the log', async () => {
  const directory = join(folder, 'data');
  const first = start(['--seed', '0', '--data-dir', directory], { columns: 80 });
  await expect.poll(() => first.lines.join('\n'), { timeout: 25_000 }).toContain('listening');
  expect(first.lines.join('\n')).toMatch(/^data +\S+: new$/m);
  const listening = /listening on (\S+)/.exec(first.lines.join('\n'))?.[1] ?? '';
  const call = (method: string, params: object) =>
    fetch(listening, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  await call('devnet_createBlock', {});
  await call('devnet_createBlock', {});
  const request = { contract_address: '0x123', entry_point_selector: '0x1', calldata: [] };
  await call('starknet_call', { request, block_id: 'latest' });
  await expect
    .poll(() => first.lines.join('\n'))
    .toMatch(/starknet_call · .*no contract is deployed at 0x123/);
  expect(tooLong(first.lines, 80)).toEqual([]);
  first.interrupt();
  expect(await first.ended).toBe(0);
  const second = start(['--data-dir', directory], { columns: 80 });
  await expect.poll(() => second.lines.join('\n'), { timeout: 25_000 }).toContain('listening');
  expect(second.lines.join('\n')).toMatch(/^data +\S+: continuing at block 2$/m);
});

describe('colours', () => {
  const words = ['explain', hashes.reverted, ...url];

  test('are there on a terminal, unless NO_COLOR is set', async () => {
    const coloured = await inTerminal(words, { columns: 80 });
    const plain = await inTerminal(words, { columns: 80, env: { NO_COLOR: '1' } });
    expect(coloured.raw).toContain('\u001b[31m');
    expect(plain.raw).not.toContain('\u001b[3');
    expect(coloured.lines).toEqual(plain.lines);
  });
});
