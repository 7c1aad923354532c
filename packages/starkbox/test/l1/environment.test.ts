// The environment of the Anvil that a node starts.
import { readdir, readFile } from 'node:fs/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { childEnvironment } from '../../src/config/environment.js';
import { startAnvil } from '../../src/l1/anvil/process.js';

/** Names of the variables of the processes whose command line has a word, started by this one. */
async function variablesOfChildren(word: string): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [status, command, environment] = await Promise.all(
      ['status', 'cmdline', 'environ'].map((file) =>
        readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => ''),
      ),
    );
    if (!command?.includes(word) || !status?.includes(`PPid:\t${process.pid}\n`)) continue;
    for (const line of environment?.split('\0') ?? []) names.add(line.split('=')[0] ?? '');
  }
  return [...names];
}

test.skipIf(process.platform !== 'linux')('has no keys and no token of the node', async () => {
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AUTH_TOKEN', 'secret');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const anvil = await startAnvil({ port: 0, onExit: () => {} });
  onTestFinished(() => anvil.close());
  const names = await variablesOfChildren('anvil');
  expect(names).toContain('PATH');
  expect(names.filter((name) => /KEY|TOKEN/.test(name))).toEqual([]);
});

test('has what programs need to find their files, on Windows too', () => {
  const environment = {
    Path: 'C:\\bin',
    SystemRoot: 'C:\\',
    HOME: '/home',
    SEED: '1',
    EMPTY: undefined,
  };
  expect(childEnvironment(environment)).toEqual({
    Path: 'C:\\bin',
    SystemRoot: 'C:\\',
    HOME: '/home',
  });
});
