// Failures of fetch-classes: a class file that differs from the published one is not built.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Class } from '@starkbox/engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../scripts/fetch-classes.mjs', import.meta.url));
const STRK = 'contracts/system_artifacts/erc20_strk.sierra';
const STRK_SHA256 = '77d5cb275823007f8bc4ef693bf1caa7bc0b67d4f6cb3150326031fc1dce8789';
/** Classes by package and kind. */
const NAMES = {
  engine: { sierra: ['account', 'eth', 'strk', 'udc'], cairo0: ['account-cairo0', 'udc-cairo0'] },
  'argent-classes': { sierra: ['argent', 'argent-multisig'], cairo0: [] },
};
const HOLDERS = ['engine', 'argent-classes'] as const;

const temp = mkdtempSync(join(tmpdir(), 'fetch-classes-test-'));
let published = '';
let copies = 0;

function node(...args: readonly string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

/** A fresh copy of the package as it was published, to spoil at will. */
function copyOfPackage(): string {
  copies += 1;
  const copy = join(temp, `package-${copies}`);
  cpSync(published, copy, { recursive: true });
  return copy;
}

beforeAll(() => {
  mkdirSync(join(temp, 'unpacked'));
  const code = `
    import { unpackPackage } from ${JSON.stringify(pathToFileURL(SCRIPT).href)};
    process.stdout.write(unpackPackage(${JSON.stringify(join(temp, 'unpacked'))}));
  `;
  const result = node('--input-type=module', '--eval', code);
  expect(result.err).toBe('');
  published = result.out;
}, 120_000);

afterAll(() => rmSync(temp, { recursive: true, force: true }));

describe('a file that is not as published', () => {
  const refused = (directory: string): string => {
    const out = join(temp, 'never');
    const { code, err } = node(SCRIPT, '--from', directory, '--out', out);
    expect(code).toBe(1);
    expect(existsSync(out)).toBe(false);
    expect(err).toContain('What to do:');
    return err;
  };

  test('tampered: named, with the expected and the found hash', () => {
    const copy = copyOfPackage();
    appendFileSync(join(copy, STRK), '\n');
    const err = refused(copy);
    expect(err).toContain(`${STRK} is not the published file`);
    expect(err).toContain(`expected SHA-256 ${STRK_SHA256}`);
    expect(err).toMatch(/found {12}[0-9a-f]{64}/);
    expect(err).not.toContain('erc20_eth');
  });

  test('missing: named', () => {
    const copy = copyOfPackage();
    rmSync(join(copy, STRK));
    const err = refused(copy);
    expect(err).toContain(`${STRK} is missing`);
    expect(err).toContain(`expected SHA-256 ${STRK_SHA256}`);
    expect(err).toContain('no such file');
  });
});

test('an engine that finds another class hash: refused, and nothing is written', () => {
  const engine = join(temp, 'wrong-engine.mjs');
  writeFileSync(
    engine,
    `export const Class = { compile: async () => ({ hash: '0x0123', kind: 'cairo0' }) };`,
  );
  const out = join(temp, 'wrong');
  const { code, err } = node(SCRIPT, '--from', published, '--out', out, '--engine', engine);
  expect(code).toBe(1);
  expect(err).toContain('0.5.1/Account.cairo/Account.json: the engine finds another class hash');
  expect(err).toContain(
    'expected 0x4d07e40e93398ed3c76981e72dd1fd22557a78ce36c0515f679e27f0bb5bc5f',
  );
  expect(err).toContain('found    0x123');
  expect(existsSync(out)).toBe(false);
});

describe('a good run', () => {
  const out = join(temp, 'good');
  const run = (): { code: number | null; out: string; err: string } =>
    node(SCRIPT, '--from', published, '--out', out);
  const path = (holder: string, file: string): string => join(out, holder, 'classes', file);
  const read = (holder: string, file: string): string => readFileSync(path(holder, file), 'utf8');

  beforeAll(() => {
    expect(run()).toMatchObject({ code: 0, err: '' });
  }, 600_000);

  test.each(HOLDERS)('writes classes, CASM, index and notices: %s', (holder) => {
    const { sierra, cairo0 } = NAMES[holder];
    expect(readdirSync(join(out, holder, 'classes')).sort()).toEqual(
      [
        'index.json',
        'NOTICE.md',
        'LICENSE-starknet-devnet-core',
        ...[...sierra, ...cairo0].flatMap((name) => [`${name}.json`, `${name}.class`]),
      ].sort(),
    );
  });

  test.each(HOLDERS)('lists every class with its hashes and its licence: %s', (holder) => {
    const { classes } = JSON.parse(read(holder, 'index.json'));
    const { sierra, cairo0 } = NAMES[holder];
    expect(classes).toHaveLength(sierra.length + cairo0.length);
    for (const kind of ['sierra', 'cairo0'] as const) {
      const compiled = kind === 'sierra' ? expect.stringMatching(/^0x[1-9a-f][0-9a-f]*$/) : null;
      for (const name of NAMES[holder][kind]) {
        expect(classes).toContainEqual({
          name,
          kind,
          class_hash: expect.stringMatching(/^0x[1-9a-f][0-9a-f]*$/),
          compiled_class_hash: compiled,
          licence: expect.stringMatching(
            holder === 'engine' ? /^(MIT|Apache-2.0)$/ : /^GPL-3.0-only$/,
          ),
        });
      }
    }
  });

  test.each(HOLDERS)(
    'writes Sierra as JSON-RPC has it, and packed with its CASM: %s',
    async (holder) => {
      for (const name of NAMES[holder].sierra) {
        const sierra = JSON.parse(read(holder, `${name}.json`));
        expect(Object.keys(sierra).sort()).toEqual(
          ['abi', 'contract_class_version', 'entry_points_by_type', 'sierra_program'].sort(),
        );
        expect(sierra.abi).toBeTypeOf('string');
        const packed = Class.unpack(readFileSync(path(holder, `${name}.class`)));
        expect(await packed.json()).toBe(read(holder, `${name}.json`));
        expect(JSON.parse(await packed.casm()).bytecode.length).toBeGreaterThan(100);
      }
    },
  );

  test('done again, changes nothing and needs no engine', () => {
    const before = read('engine', 'index.json');
    const again = node(SCRIPT, '--from', published, '--out', out, '--engine', join(temp, 'none'));
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('are in place') });
    expect(read('engine', 'index.json')).toBe(before);
  });

  test('mends an output that was changed', () => {
    const file = path('engine', 'udc.class');
    const good = readFileSync(file);
    writeFileSync(file, '{}');
    expect(run().code).toBe(0);
    expect(readFileSync(file)).toEqual(good);
  }, 600_000);
});
