// Completions in real shells, and the manual page.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { describe, expect, test } from 'vitest';
import { COMMAND_FACTS, runCommand } from '../../src/cli/commands/command.js';
import { environmentExamples, longName } from '../../src/config/option.js';
import { CONFIG_KEYS, OPTIONS } from '../../src/config/options.js';

const MANUAL = fileURLToPath(new URL('../../man/starkbox.1', import.meta.url));
const SHELLS = ['bash', 'zsh', 'fish'];

const directory = temporaryFolderOfFile();
for (const shell of SHELLS) {
  writeFileSync(join(directory, shell), await runCommand(['completions', shell]));
}
writeFileSync(join(directory, 'an image'), '');

function runs(command: string, ...args: string[]): string {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd: directory,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: directory },
  });
  expect({ error, status, stderr }).toEqual({ error: undefined, status: 0, stderr: '' });
  return stdout;
}

const isInstalled = (command: string): boolean =>
  (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, command)));

const absent = ['fish', 'zsh', 'groff'].filter((command) => !isInstalled(command));
if (absent.length > 0) {
  console.warn(
    `${absent.join(', ')}: not installed, so what is made for them was not tried there.`,
  );
}

/** What bash offers behind these words; the last one is being typed. */
function offered(...words: string[]): readonly string[] {
  const script = `source ./bash
COMP_WORDS=(starkbox "$@"); COMP_CWORD=$#
_starkbox 2>&1; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return runs('bash', '--norc', '-c', script, 'bash', ...words)
    .split('\n')
    .filter(Boolean);
}

describe('bash', () => {
  test('offers the commands first', () => {
    expect(offered('')).toEqual(['start', ...Object.keys(COMMAND_FACTS), 'help']);
    expect(offered('co')).toEqual(['coverage', 'completions']);
    expect(offered('help', 'ins')).toEqual(['inspect']);
    expect(offered('help', 'lim')).toEqual(['limits']);
  });

  test('offers every option of the table, and those of a command behind it', () => {
    const names = CONFIG_KEYS.map((key) => longName(OPTIONS[key]));
    expect(offered('-')).toEqual(expect.arrayContaining([...names, '-e', '--config', '-V']));
    expect(offered('--seed', '1', '--dump-')).toEqual([
      '--dump-on',
      '--dump-path',
      '--dump-format',
      '--dump-dir',
    ]);
    expect(offered('diff', 'a', '--')).toEqual(['--names', '--artifacts', '--json', '--help']);
    expect(offered('start', '--dump-f')).toEqual(['--dump-format']);
    expect(offered('--fork-u')).toEqual(['--fork-url', '--fork-upstream-caching']);
  });

  test('offers the values of an option, also behind an equals sign', () => {
    expect(offered('--dump-on', '')).toEqual(['exit', 'block', 'request']);
    expect(offered('--dump-on', '=', 'b')).toEqual(['block']);
    expect(offered('--dump-on', '=')).toEqual(['exit', 'block', 'request']);
    expect(offered('--block-generation-on', 'd')).toEqual(['demand']);
    expect(offered('--restrictive-mode', 'devnet_min')).toEqual(['devnet_mint']);
    expect(offered('gas', '--by', 'con')).toEqual(['contract']);
    expect(offered('gas', '--flame-resource', 'st')).toEqual(['steps', 'storage_writes']);
    expect(offered('completions', '')).toEqual(SHELLS);
    expect(offered('rpc', 'devnet_dea')).toEqual(['devnet_deal']);
    expect(offered('rpc', 'mi')).toEqual(['mint']);
    expect(offered('--fork-network', 'm')).toEqual(['mainnet']);
  });

  test('offers no words where any value will do', () => {
    expect(offered('--port', '')).toEqual([]);
    expect(offered('--seed', '1', '')).toEqual([]);
  });
});

describe.runIf(isInstalled('fish'))('fish', () => {
  const offers = (line: string): readonly string[] =>
    runs('fish', '--no-config', '-c', `source ./fish; complete -C '${line}'`)
      .split('\n')
      .flatMap((row) => row.split('\t')[0] || []);

  test('offers commands, options, values and paths', () => {
    expect(offers('starkbox co')).toEqual(expect.arrayContaining(['coverage', 'completions']));
    expect(offers('starkbox --dump-f')).toEqual(['--dump-format']);
    expect(offers('starkbox --dump-on ').toSorted()).toEqual(['block', 'exit', 'request']);
    expect(offers('starkbox inspect an')).toEqual(['an image']);
    expect(offers('starkbox gas --dump-')).toEqual([]);
    expect(offers('starkbox rpc devnet_dea')).toEqual(['devnet_deal']);
  });
});

test.runIf(isInstalled('zsh'))('zsh reads its script', () => {
  expect(runs('zsh', '-n', 'zsh')).toBe('');
});

test('another shell is refused with the names of those that are there', async () => {
  await expect(runCommand(['completions'])).rejects.toThrow(/bash\|zsh\|fish/);
  await expect(runCommand(['completions', 'tcsh'])).rejects.toThrow('bash, zsh, fish');
});

describe('the manual page', () => {
  test('has every option with its variable, and every command', () => {
    const page = readFileSync(MANUAL, 'utf8').replaceAll('\\-', '-');
    for (const key of CONFIG_KEYS) {
      expect(page).toContain(`\\fB${longName(OPTIONS[key])}\\fR`);
      for (const variable of environmentExamples(OPTIONS[key])) {
        expect(page).toContain(`\\fB${variable}\\fR`);
      }
    }
    for (const name of Object.keys(COMMAND_FACTS)) expect(page).toContain(`\n.SS ${name}\n`);
  });

  test.runIf(isInstalled('groff'))('has no warnings', () => {
    const text = runs('groff', '-man', '-ww', '-Tascii', '-P-cbu', MANUAL);
    expect(text).toContain('--restrictive-mode [METHODS...]');
  });
});
