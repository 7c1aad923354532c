// Files of invariants in worker threads and by `starkbox fuzz`, with the built packages.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLinkedProject, ROOT } from '../linked-project.js';

let folder: string;

const PACKAGES = ['starkbox', '@starkbox/testing', 'starknet', 'fast-check', 'vitest'];

/** A file whose vault closes a day after an exit was requested. */
const vaultFile = (more = ''): string => `
import { fixture } from '@starkbox/testing';
import { defineInvariants } from '@starkbox/testing/properties';
const contracts = ${JSON.stringify(join(ROOT, 'contracts/cairo/'))};
const vaults = fixture('vaults', async (chain) => {
  const oracle = await chain.deployContract(contracts + 'oracle.sierra.json', [1]);
  const vault = await chain.deployContract(contracts + 'vault.sierra.json', [oracle.address, 86_400]);
  return { vault: vault.address };
});
export default defineInvariants(vaults, ({ vault }) => ({
  contracts: [vault],
  depth: 8,
  invariants: {
    'delay is kept': async ({ call }) => (await call(vault, 'value_of', [0])) === 0n,
    ${more}
  },
}));
`;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Node in the folder. */
async function node(...args: readonly string[]): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, NO_COLOR: '1' };
  const started = promisify(execFile)(process.execPath, args, { cwd: folder, env });
  return started.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

const fuzz = (...args: readonly string[]): Promise<Ended> =>
  node(join(ROOT, 'packages/starkbox/bin/starkbox.js'), 'fuzz', ...args);

beforeAll(() => {
  folder = createLinkedProject('fuzz', PACKAGES);
  writeFileSync(join(folder, 'holds.invariants.js'), vaultFile());
  writeFileSync(
    join(folder, 'open.invariants.js'),
    vaultFile(`'stays open': ({ call }) => call(vault, 'is_open'),`),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('starkbox fuzz', () => {
  test('gives the same histories and the same shortest one with any number of threads', async () => {
    const digests = new Set<string>();
    const violations = new Set<string>();
    for (const workers of ['0', '1', '2']) {
      const held = await fuzz(
        'holds.invariants.js',
        '--runs',
        '50',
        '--workers',
        workers,
        '--json',
      );
      expect(held.code, held.stderr).toBe(0);
      const report = JSON.parse(held.stdout);
      expect(report).toMatchObject({ violation: null, runs: 50, workers: Number(workers) });
      digests.add(`${report.digest} ${report.calls} ${report.views} ${report.offsets}`);
      const corpus = ['--corpus', join(folder, `corpus-${workers}`)];
      const found = await fuzz('open.invariants.js', '--workers', workers, '--json', ...corpus);
      expect(found.code).toBe(1);
      const { violation, digest } = JSON.parse(found.stdout);
      violations.add(JSON.stringify({ violation, digest }));
    }
    expect([...digests]).toHaveLength(1);
    expect([...violations]).toHaveLength(1);
    expect(JSON.parse([...violations][0] ?? '').violation.history).toHaveLength(3);
  });

  test('prints the shortest history, and tries it first the next time', async () => {
    const corpus = ['--corpus', 'kept'];
    const first = await fuzz('open.invariants.js', '--workers', '1', ...corpus);
    expect(first.code).toBe(1);
    expect(first.stdout).toContain("Invariant 'stays open' is violated in run");
    expect(first.stdout).toMatch(/^Shrinking the history took \d+\.\d s$/m);
    expect(first.stdout).toContain("await run.check('stays open');");
    expect(readdirSync(join(folder, 'kept'))).toHaveLength(1);
    const second = await fuzz('open.invariants.js', '--workers', '1', ...corpus);
    expect(second.code).toBe(1);
    expect(second.stdout).toContain('by a history of the corpus');
  });

  test('rejects what it cannot run', async () => {
    const missing = await fuzz('missing.js');
    expect(missing).toMatchObject({ code: 2 });
    expect(missing.stderr).toContain('missing.js does not exist');
    const wrong = await fuzz('holds.invariants.js', '--runs', 'many');
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.stderr).toContain("--runs must be a whole number of at least 1, not 'many'");
    writeFileSync(join(folder, 'none.js'), 'export const invariants = {};');
    const misspelt = "'is open': ({ call }) => call(vault, 'is_opened'),";
    writeFileSync(join(folder, 'misspelt.js'), vaultFile(misspelt));
    const mistake = await fuzz('misspelt.js', '--workers', '1');
    expect(mistake).toMatchObject({ code: 2, stdout: '' });
    expect(mistake.stderr.replace(/\s+/g, ' ')).toContain(
      "Invariant 'is open': vault has no function 'is_opened': it has",
    );
    const none = await fuzz('none.js');
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toContain('must export invariants as its default');
  });

  test('names the package that a project lacks', async () => {
    const bare = join(folder, 'bare');
    mkdirSync(join(bare, 'node_modules/@starkbox/testing'), { recursive: true });
    writeFileSync(join(bare, 'node_modules/@starkbox/testing/package.json'), '{ "exports": {} }');
    writeFileSync(join(bare, 'file.js'), '');
    const ended = await fuzz('bare/file.js');
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.stderr.replace(/\s+/g, ' ')).toContain('needs the package @starkbox/testing');
  });
});

describe('a worker', () => {
  /** A file whose invariant ends its thread in some way after a few calls. */
  const failing = async (name: string, statement: string): Promise<Ended> => {
    const ends = `'ends': () => { globalThis.checks = (globalThis.checks ?? 0) + 1; if (globalThis.checks > 20) { ${statement} } },`;
    writeFileSync(join(folder, `${name}.js`), vaultFile(ends));
    return fuzz(`${name}.js`, '--workers', '2', '--seconds', '60');
  };

  test('that exits is reported with its runs', async () => {
    const { code, stderr } = await failing('exits', 'process.exit(7);');
    expect(code).toBe(2);
    expect(stderr.replace(/\s+/g, ' ')).toMatch(
      /Worker \d failed while running the runs \d+ to \d+: it ended with exit code 7/,
    );
  });

  test('whose code throws outside of a run is reported', async () => {
    const later = "setImmediate(() => { throw new Error('thrown later'); });";
    const { code, stderr } = await failing('throws', later);
    expect(code).toBe(2);
    expect(stderr).toContain('thrown later');
  });
});

test('SIGINT ends the search with a report', async () => {
  const child = execFile(
    process.execPath,
    [
      join(ROOT, 'packages/starkbox/bin/starkbox.js'),
      'fuzz',
      'holds.invariants.js',
      '--seconds',
      '600',
      '--json',
    ],
    { cwd: folder, env: { PATH: process.env['PATH'] ?? '', HOME: folder, CI: '1' } },
  );
  let stdout = '';
  child.stdout?.on('data', (text: string) => {
    stdout += text;
  });
  // The first line of progress is written when rounds have run.
  await new Promise((resolve) => child.stderr?.once('data', resolve));
  child.kill('SIGINT');
  const code = await new Promise((resolve) => child.once('exit', resolve));
  expect(code).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ isAborted: true, violation: null });
});

describe('TypeScript', () => {
  test('is loaded where Node strips types, and else rejected with advice', async () => {
    writeFileSync(join(folder, 'typed.invariants.ts'), vaultFile().replace('(more', '(more'));
    const { code, stderr } = await fuzz('typed.invariants.ts', '--runs', '2');
    if (Object(process.features).typescript) expect(code, stderr).toBe(0);
    else {
      expect(code).toBe(2);
      expect(stderr.replace(/\s+/g, ' ')).toContain('install tsx in the project');
    }
  });
});

describe('test runners', () => {
  const check = `checkInvariants(new URL('./open.invariants.js', import.meta.url), { workers: 1, corpus: false })`;

  test('node:test reports the violation', async () => {
    writeFileSync(
      join(folder, 'vault.node.mjs'),
      `import { test } from 'node:test';
import { checkInvariants } from '@starkbox/testing/properties';
test('vault', () => ${check});`,
    );
    const { code, stdout } = await node('--test', 'vault.node.mjs');
    expect(code).toBe(1);
    expect(stdout).toContain("Invariant 'stays open' is violated");
  });

  test('vitest reports the violation', async () => {
    writeFileSync(
      join(folder, 'vault.test.js'),
      `import { test } from 'vitest';
import { checkInvariants } from '@starkbox/testing/properties';
test('vault', () => ${check}, 120_000);`,
    );
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const { code, stdout, stderr } = await node(vitest, 'run', '--root', folder);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("Invariant 'stays open' is violated");
  });

  test('a CommonJS module, as Jest runs it, names the file by its path', async () => {
    writeFileSync(
      join(folder, 'vault.cjs'),
      `import('@starkbox/testing/properties').then(async ({ checkInvariants }) => {
  await checkInvariants(require('node:path').join(__dirname, 'open.invariants.js'), { workers: 2, corpus: false });
}).catch((error) => { console.log(error.name); });`,
    );
    const { stdout } = await node('vault.cjs');
    expect(stdout.trim()).toBe('InvariantViolation');
    expect(existsSync(join(folder, 'node_modules/.cache/starkbox/corpus'))).toBe(false);
  });
});
