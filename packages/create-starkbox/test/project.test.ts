// New projects: files, names, refusals to overwrite, and the two entry points.
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandChoices, InvalidOption, newProject, newProjectCommand } from '../src/index.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FILES = [
  '.devcontainer/devcontainer.json',
  '.github/workflows/test.yml',
  '.gitignore',
  'README.md',
  'Scarb.toml',
  'abi/vault.ts',
  'package.json',
  'scripts/abi.mjs',
  'scripts/deploy.ts',
  'src/lib.cairo',
  'target/dev/vault_Vault.contract_class.json',
  'test/vault.test.ts',
  'tsconfig.json',
  'vitest.config.ts',
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starkbox-new-project-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const manifest = (path: string): Record<string, Record<string, string>> => JSON.parse(read(path));

describe('a project', () => {
  test('has the files, its name and the versions of the command', () => {
    const project = newProject({
      folder: join(folder, 'My Vault'),
      runner: 'vitest',
      version: '1.2.3',
    });
    expect(project.name).toBe('my-vault');
    expect(project.files).toEqual(FILES);
    expect(FILES.filter((file) => !existsSync(join(project.folder, file)))).toEqual([]);
    const { name, scripts, devDependencies } = manifest('My Vault/package.json');
    expect(name).toBe('my-vault');
    expect(Object.keys(scripts ?? {})).toEqual(['test', 'typecheck', 'start', 'deploy', 'build']);
    expect(devDependencies).toMatchObject({ starkbox: '^1.2.3', '@starkbox/testing': '^1.2.3' });
    expect(read('My Vault/README.md')).toMatch(/^# my-vault\n/);
    expect(read('My Vault/.devcontainer/devcontainer.json')).not.toContain('{{');
  });

  test('has the test runner that was chosen', () => {
    newProject({ folder: join(folder, 'vitest'), runner: 'vitest', version: '1.2.3' });
    newProject({ folder: join(folder, 'node'), runner: 'node', version: '1.2.3' });
    expect(manifest('vitest/package.json')['devDependencies']).toHaveProperty('vitest');
    expect(manifest('node/package.json')['devDependencies']).not.toHaveProperty('vitest');
    expect(read('node/test/vault.test.ts')).toContain("from 'node:test'");
  });

  test('has a class that is not older than its source, and the ABI of the class', async () => {
    newProject({ folder, runner: 'vitest', version: '1.2.3' });
    const time = (file: string): number => statSync(join(folder, file)).mtimeMs;
    const classFile = 'target/dev/vault_Vault.contract_class.json';
    expect(time(classFile)).toBeGreaterThanOrEqual(time('src/lib.cairo'));
    const before = read('abi/vault.ts');
    await promisify(execFile)(process.execPath, ['scripts/abi.mjs'], { cwd: folder });
    expect(read('abi/vault.ts')).toBe(before);
  });

  test('is not written over files, which the error lists', () => {
    writeFileSync(join(folder, 'package.json'), '{}');
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const options = { folder, runner: 'vitest', version: '1.2.3' };
    expect(() => newProject(options)).toThrow(/package\.json\nNothing was written/);
    expect(readdirSync(folder).sort()).toEqual(['notes.txt', 'package.json']);
    rmSync(join(folder, 'package.json'));
    newProject(options);
    expect(read('notes.txt')).toBe('mine');
  });

  test('is not written where no folder can be created, which ends in an error', () => {
    const options = { folder: '/proc/none/vault', runner: 'node', version: '1.2.3' };
    expect(() => newProject(options)).toThrow(/the folder \/proc.* cannot be created/);
  });

  test('needs a runner that exists', () => {
    const options = { folder, runner: 'jest', version: '1.2.3' };
    expect(() => newProject(options)).toThrow(InvalidOption);
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** A stream that says it is a terminal. */
const terminal = (): PassThrough & { isTTY: boolean } =>
  Object.assign(new PassThrough(), { isTTY: true });

describe('on a terminal', () => {
  const answer = async (lines: string, choices: CommandChoices) => {
    const stdin = terminal();
    const stdout = terminal();
    stdin.end(lines);
    await newProjectCommand(choices, { stdin, stdout, version: '1.2.3' });
    return String(stdout.read());
  };

  test('asks for folder and runner', async () => {
    const printed = await answer(`${join(folder, 'app')}\nnode\n`, {});
    expect(printed).toContain('Folder of the project (.): ');
    expect(printed).toContain('Test runner, vitest or node (vitest): ');
    expect(read('app/test/vault.test.ts')).toContain("from 'node:test'");
  });

  test('asks only for what is left out, and takes an empty line for the default', async () => {
    const printed = await answer('\n', { folder });
    expect(printed).not.toContain('Folder');
    expect(manifest('package.json')['scripts']).toHaveProperty('test', 'vitest run');
  });

  test('writes nothing if the input ends before the answers', async () => {
    await expect(answer(`${folder}\n`, {})).rejects.toThrow('nothing was written');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('asks nothing with --yes', async () => {
    expect(await answer('', { folder, yes: true })).toBe('null');
    expect(readdirSync(folder)).toContain('package.json');
  });
});

/** Runs a built command without a terminal. */
async function command(file: string, args: readonly string[]) {
  const run = promisify(execFile)(process.execPath, [join(ROOT, file), ...args], { cwd: folder });
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

describe.each([
  ['npm create starkbox', 'packages/create-starkbox/bin/create-starkbox.js', []],
  ['starkbox init', 'packages/starkbox/bin/starkbox.js', ['init']],
])('%s', (_, file, first) => {
  test('asks nothing without a terminal, and prints the next steps', async () => {
    const { code, stdout } = await command(file, [...first, 'app']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Created 14 files in app\.\n[\s\S]+cd app\n[\s\S]+npm install\n/);
    expect(manifest('app/package.json')['scripts']).toHaveProperty('test', 'vitest run');
  });

  test('exits with 1 if a file exists, and with 2 on wrong arguments', async () => {
    cpSync(join(ROOT, 'package.json'), join(folder, 'tsconfig.json'));
    const conflict = await command(file, [...first, '--yes']);
    expect(conflict).toMatchObject({ code: 1, stdout: '' });
    expect(conflict.stderr).toContain('  tsconfig.json\n');
    const runner = await command(file, [...first, 'app', '--runner', 'jest']);
    expect(runner).toMatchObject({ code: 2, stdout: '' });
    expect(runner.stderr).toContain('expected vitest, or node for node:test');
    const superfluous = await command(file, [...first, 'one', 'two']);
    expect(superfluous).toMatchObject({ code: 2, stdout: '' });
    expect(superfluous.stderr).toContain("unexpected argument 'two'\n");
    if (first.length === 0) {
      expect(superfluous.stderr).toContain('hint: with npm create, write options after --');
    }
    expect(readdirSync(folder)).toEqual(['tsconfig.json']);
  });
});
