// The text of failing lines in explanations: from the package of an artifact, or given with one, and from nowhere else.
import {
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAfterFile } from '@starkbox/test-support/closing';
import { startFixture } from '@starkbox/test-support/fixture';
import { contract, selector } from '@starkbox/test-support/signing';
import type { Explanation } from 'starkbox';
import { describe, expect, test } from 'vitest';
import { classTextWithPlaces, marks } from '../../../../contracts/classes.js';

const base = await realpath(await mkdtemp(join(tmpdir(), 'source-')));
closeAfterFile(() => rm(base, { recursive: true }));
const root = join(base, 'contracts');
const built = join(root, 'target', 'dev');
const secret = join(base, 'secret.cairo');
const file = (name: string) => `contracts/src/failing/${name}.cairo`;
const source = (name: string) =>
  readFile(new URL(`../../../../${file(name)}`, import.meta.url), 'utf8');

/** Contracts with the entry point that fails, and the path that their debug information names. */
const CONTRACTS = {
  failures: ['assert_plain', file('failures')],
  prints: ['print_then_fail', join(root, 'src', 'failing', 'prints.cairo')],
  backtrace: ['shallow', 'contracts/src/../../secret.cairo'],
  failing_callee: ['check', secret],
  failing_calls: ['storage_domain', 'contracts/src/linked.cairo'],
} as const;
type Name = keyof typeof CONTRACTS;

/** The class with the debug information of another machine or of an attacker. */
const artifactOf = async (name: string, path: string): Promise<string> =>
  (await classTextWithPlaces(name)).replaceAll(file(name), path);

await mkdir(join(root, 'src', 'failing'), { recursive: true });
await mkdir(built, { recursive: true });
await writeFile(join(root, 'Scarb.toml'), '[package]\n');
await writeFile(secret, 'secret\n'.repeat(200));
await symlink(secret, join(root, 'src', 'linked.cairo'));
for (const [name, [, path]] of Object.entries(CONTRACTS)) {
  await writeFile(join(root, 'src', 'failing', `${name}.cairo`), await source(name));
  await writeFile(join(built, `${name}.contract_class.json`), await artifactOf(name, path));
}

const { client, sender } = await startFixture({ artifacts: built });
const addresses = new Map<string, string>();
for (const name of Object.keys(CONTRACTS)) {
  const calldata = ['failures', 'failing_callee'].includes(name) ? ['0x0'] : [];
  addresses.set(name, await sender.deploy(await contract(name), calldata));
}
const requestOf = (name: Name) => ({
  contract_address: addresses.get(name) ?? '',
  entry_point_selector: selector(CONTRACTS[name][0]),
  calldata: ['0x1'],
});
async function explain(name: Name): Promise<Explanation> {
  const { data } = await client.failure('starknet_call', [requestOf(name), 'latest']);
  return Object(data).explained;
}

describe('of the package of an artifact', () => {
  test('the failing line is shown with those around it, and as text with a caret', async () => {
    const lines = (await source('failures')).split('\n');
    const { line = 0 } = marks().get('assert_plain') ?? {};
    const { stack, text } = await explain('failures');
    expect(stack[0]?.excerpt).toEqual({
      first_line: line - 6,
      lines: lines.slice(line - 7, line + 6),
    });
    const column = (lines[line - 1]?.search(/\S/) ?? 0) + 1;
    // Without the indentation that all lines of the excerpt have.
    const [before, failingLine, after] = lines
      .slice(line - 2, line + 1)
      .map((sourceLine) => sourceLine.slice(8));
    expect(text).toContain(
      [
        `(${file('failures')}:${line}:${column}) [inlined]`,
        `     ${line - 1} | ${before}`,
        `     ${line} | ${failingLine}`,
        `     ${' '.repeat(String(line).length)} | ${' '.repeat(column - 9)}^`,
        `     ${line + 1} | ${after}`,
      ].join('\n'),
    );
  });

  test('also by a whole path, as Scarb writes it, and of a transaction', async () => {
    const { stack } = await explain('prints');
    const { contract_address: to } = requestOf('prints');
    const hash = await sender.invoke([{ to, name: 'print_then_fail', calldata: ['0x1'] }]);
    const explanation = await client.call('devnet_explainTransaction', [hash]);
    for (const [first] of [stack, explanation.stack]) {
      const { line = 0, excerpt } = first ?? {};
      expect(excerpt?.lines[line - excerpt.first_line]).toContain('// fails: print_then_fail');
    }
  });

  test.each([
    ['by steps up', 'backtrace'],
    ['by a whole path', 'failing_callee'],
    ['by a link', 'failing_calls'],
  ] as const)('a file outside is not shown: %s', async (_, name) => {
    const { stack, text } = await explain(name);
    expect(stack[0]?.file).toBe(CONTRACTS[name][1]);
    expect(stack[0]?.line).toBeGreaterThan(1);
    expect(stack[0]?.excerpt).toBeUndefined();
    expect(text).not.toContain('secret\n');
  });

  test('a file that is newer than the artifact is said to be so; one that is too large is not shown', async () => {
    const path = join(root, 'src', 'failing', 'failures.cairo');
    const later = Date.now() / 1_000 + 100;
    await utimes(path, later, later);
    const { stack, text } = await explain('failures');
    expect(stack[0]?.excerpt?.changed).toBe(true);
    expect(text).toContain('= the file is newer than the class');
    await writeFile(path, `${await source('failures')}\n${' '.repeat(2 ** 20)}`);
    expect((await explain('failures')).stack[0]?.excerpt).toBeUndefined();
    await writeFile(path, '// all gone\n');
    expect((await explain('failures')).stack[0]?.excerpt).toBeUndefined();
  });

  test('a failure that was caught is not the one that is shown', async () => {
    const [to = '', callee = ''] = ['failing_calls', 'failing_callee'].map((name) =>
      addresses.get(name),
    );
    const hash = await sender.invoke([{ to, name: 'call_caught', calldata: [callee, '0x1'] }]);
    const { stack, frames } = await client.call('devnet_explainTransaction', [hash]);
    expect(frames.at(-1)?.function).toBe('call_caught');
    expect(stack[0]?.line).toBe(marks().get('call_caught')?.line);
  });
});

describe('of an artifact that was uploaded', () => {
  const add = async (path: string, sources?: Readonly<Record<string, string>>) => {
    const artifact = JSON.parse(await artifactOf('prints', path));
    await client.call('devnet_addArtifact', { artifact, ...(sources ? { sources } : {}) });
    return (await explain('prints')).stack[0];
  };

  test.each([
    ['a file of the system', '/etc/passwd'],
    ['another file of the package', join(root, 'src', 'failing', 'failures.cairo')],
    ['a file of the package by a short path', file('prints')],
  ])('no file is opened: %s', async (_, path) => {
    const first = await add(path);
    expect(first?.file).toBe(path);
    expect(first?.excerpt).toBeUndefined();
  });

  test('the file that the artifact of the node names is still shown', async () => {
    const excerpt = (await add(join(root, 'src', 'failing', 'prints.cairo')))?.excerpt;
    expect(excerpt?.lines.join('\n')).toContain('// fails: print_then_fail');
  });

  test('texts that come with it are shown', async () => {
    const first = await add('/etc/passwd', { '/etc/passwd': await source('prints') });
    const { line = 0, excerpt } = first ?? {};
    expect(excerpt?.lines[line - excerpt.first_line]).toContain('// fails: print_then_fail');
  });

  test('texts under other names are not, and one that is too long is refused', async () => {
    expect((await add('a.cairo', { 'b.cairo': 'text' }))?.excerpt).toBeUndefined();
    const artifact = JSON.parse(await artifactOf('prints', 'a.cairo'));
    const sources = { 'a.cairo': ' '.repeat(2 ** 20 + 1) };
    const { code } = await client.failure('devnet_addArtifact', { artifact, sources });
    expect(code).toBe(-1);
  });
});
