// The table of platforms is what runs have recorded.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const GENERATOR = new URL('../scripts/generate/platforms-page.mjs', import.meta.url);
const RUNS = new URL('../scripts/platform-runs.mjs', import.meta.url);
const PAGE = readFileSync(new URL('../docs/start/platforms.md', import.meta.url), 'utf8');

/** Runs a module in another process: scripts are not part of the program that tests are compiled with. */
function run(code: string): string {
  const args = ['--input-type=module', '--eval', code];
  return execFileSync(process.execPath, args, { encoding: 'utf8' });
}

test('the page is up to date: npm run gen:docs writes it', () => {
  expect(PAGE).toContain('`linux-arm64-gnu`');
  expect(execFileSync(process.execPath, [fileURLToPath(GENERATOR)], { encoding: 'utf8' })).toBe(
    PAGE,
  );
});

test('a platform without a run is untested; failed checks are counted', () => {
  const runs = {
    'linux-x64-gnu': {
      kind: 'native',
      runtime: 'Node 24.1.0',
      date: '2026-01-02',
      checks: { tests: { passed: 1234, failed: 0 }, examples: { passed: 5, failed: 2 } },
    },
  };
  const page = run(`import { platformsPage } from ${JSON.stringify(GENERATOR)};
    process.stdout.write(platformsPage(${JSON.stringify(runs)}));`);
  const row = (platform: string) =>
    page.split('\n').find((line) => line.includes(`\`${platform}\` |`));
  expect(row('linux-x64-gnu')).toBe(
    '| Linux, x64, glibc: `linux-x64-gnu` | native | Node 24.1.0 | tests: 1,234<br>examples: 5, 2 failed | 2026-01-02 |',
  );
  expect(row('darwin-arm64')).toContain('| untested: built by the release workflow |');
  expect(row('firefox')).toContain('| untested |');
});

test('checks of the same runtime are added, and another runtime begins a new record', () => {
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-platforms-'));
  try {
    const file = join(folder, 'platforms.json');
    const record = (runtime: string, check: string) =>
      run(`import { recordRun } from ${JSON.stringify(RUNS)};
        const checks = { ${check}: { passed: 1, failed: 0 } };
        recordRun('wasm', { kind: 'WebAssembly', runtime: '${runtime}', checks }, ${JSON.stringify(file)});`);
    const recorded = () => Object(JSON.parse(readFileSync(file, 'utf8'))).wasm;
    record('Node 20.1.0', 'first');
    record('Node 20.1.0', 'second');
    expect(Object.keys(recorded().checks)).toEqual(['first', 'second']);
    record('Node 24.1.0', 'third');
    expect(recorded()).toMatchObject({ runtime: 'Node 24.1.0', kind: 'WebAssembly' });
    expect(Object.keys(recorded().checks)).toEqual(['third']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
