// `starkbox debug` without an editor: the report of a failure, and commands on a terminal.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { startFixture } from '@starkbox/test-support/fixture';
import { PseudoTerminal } from '@starkbox/test-support/pseudo-terminal';
import { contract } from '@starkbox/test-support/signing';
import { expect, test } from 'vitest';
import { COMMAND } from './support/editor.js';
import { createProject, lineWith } from './support/project.js';
import { revertedForItsFee } from './support/unpaid.js';

const fixture = await startFixture();
const { client, node, sender } = fixture;
const { url } = await node.listen();
const project = await createProject(['token']);
const owner = sender.account.address;
const token = await sender.deploy(await contract('token'), ['0x1', '0x2', '0x64', '0x0', owner]);
const calldata = ['0x1234', '0x3e8', '0x0'];
const reverted = await sender.invoke([{ to: token, name: 'transfer', calldata }]);
const text = await readFile(join(project, 'contracts', 'src', 'token.cairo'), 'utf8');
const failing = lineWith(text, "'token: balance too low'");
const FILE = 'contracts/src/token.cairo';

async function output(...args: readonly string[]) {
  const running = promisify(execFile)(process.execPath, [COMMAND, 'debug', ...args], {
    cwd: project,
    env: { PATH: process.env['PATH'] },
  });
  running.child.stdin?.end();
  return running;
}

test('without a terminal, the report of the failure', async () => {
  const { stdout } = await output(reverted, '--url', url);
  expect(stdout).toContain('token: balance too low');
  expect(stdout).toContain(`${FILE}:${failing}`);
  expect(stdout).toContain(`> ${failing} |`);
  expect(stdout).toMatch(/Call stack\n {2}0 {2}.*transfer/);
  expect(stdout.match(/skip-optimizations/g)).toHaveLength(1);
  expect(stdout).toContain('amount = 1000');
  expect(stdout).toContain(`vscode://starkbox.starkbox-debug/debug?transaction=${reverted}`);
  expect(stdout).toContain(`starkbox debug ${reverted} --port`);
});

test('a transaction that its fee alone reverted is reported as devnet_explainTransaction does', async () => {
  const transaction = await revertedForItsFee(fixture);
  const explained = await client.call('devnet_explainTransaction', {
    transaction_hash: transaction,
  });
  const { stdout } = await output(transaction, '--url', url, '--stop-on-entry');
  expect(stdout).toContain(explained.summary);
  expect(stdout).not.toContain('Nothing failed');
});

test('wrong words are usage errors', async () => {
  await expect(output('nothing', '--url', url)).rejects.toThrow(
    "'nothing' is neither a transaction hash nor a file",
  );
  await expect(output(reverted, '--url', url, '--max-steps', 'x')).rejects.toThrow('--max-steps');
});

test('on a terminal, commands move in both directions', async () => {
  const terminal = new PseudoTerminal(['debug', reverted, '--url', url], {
    columns: 120,
    cwd: project,
  });
  closeAfterTest(() => terminal.kill());
  let read = 0;
  /** Types a line, and waits for a text behind what was there. */
  const typed = async (line: string, expected: RegExp): Promise<void> => {
    read = terminal.lines.length - 1;
    terminal.type(line);
    await expect.poll(() => terminal.lines.slice(read).join('\n')).toMatch(expected);
  };
  await expect.poll(() => terminal.lines.join('\n')).toContain('To list the commands, type h.');
  await typed('bn', /> \d+ \| +if held < amount/);
  await typed('p amount', /1000 /);
  await typed('p nothing', /no variable nothing/);
  await typed('b token.cairo:62', /Breakpoint 1: token\.cairo:62/);
  await typed('b nothing', /has a function nothing/);
  await typed('b token.cairo:100000', /token\.cairo:100000\./);
  await typed('b token.cairo:62 if held >', /Expected a condition/);
  await typed('d', /1 {2}token\.cairo:62/);
  await typed('bc', /Breakpoint 1\n[\s\S]*> 62 \|/);
  await typed('n', /> 63 \|/);
  await typed('', /> 64 \|/);
  await typed('d 1', /No breakpoints/);
  await typed('c', /token: balance too low/);
  await typed('bt', /Call stack/);
  await typed('st', /balances\[/);
  await typed('g end', /position \d+ of/);
  await typed('st', /: balances\[/);
  await typed('g start', /position 0 of/);
  await typed('g fail', /token: balance too low|> 65 \|/);
  await typed('v', /held = /);
  await typed('g x', /Expected a position/);
  await typed('zz', /Unknown command 'zz'/);
  await typed('h', /step over, in, out/);
  terminal.type('q');
  expect(await terminal.ended).toBe(0);
});

test('Control and C quits', async () => {
  const terminal = new PseudoTerminal(['debug', reverted, '--url', url, '--stop-on-entry'], {
    columns: 120,
    cwd: project,
  });
  await expect.poll(() => terminal.lines.join('\n')).toContain('(debug)');
  expect(terminal.lines.join('\n')).toContain('Start of the transaction');
  terminal.interrupt();
  expect(await terminal.ended).toBe(0);
});
