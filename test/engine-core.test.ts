// What the engine's core may use, so that it can run on wasm32, and our changes to crates of the sequencer.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSources } from './architecture/sources.js';

interface Change {
  readonly name: string;
  readonly file: string;
  readonly header: string;
}

interface ChangesModule {
  readChanges(crate: string): Change[];
  changedCrates(): { readonly name: string; readonly version: string }[];
}

const MODULE = new URL('../scripts/engine-changes.mjs', import.meta.url).href;
const { readChanges, changedCrates }: ChangesModule = await import(MODULE);

const ROOT = new URL('..', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** Tests may start threads. */
const TESTS = /^#\[cfg\(test\)\]\nmod tests \{[\s\S]*$/m;

/** Modules of the standard library that need a host. */
const HOST =
  /\bstd::(?:env|fs|io::std\w+|net|os|path|process|thread)\b|\b(?:Instant|SystemTime)\b/g;
/** Crates that need a host. `rayon` and others below blockifier are not ours. */
const HOST_CRATES = [
  'libc',
  'libmimalloc-sys',
  'mimalloc',
  'napi',
  'napi-derive',
  'rayon',
  'tokio',
];

function hostUses(source: string): string[] {
  const code = source.replace(TESTS, '').replace(/\/\/.*$/gm, '');
  return [...code.matchAll(HOST)].map(([use]) => use);
}

describe('the core of the engine', () => {
  const sources = [...readSources(['packages/engine/core/src'], /\.rs$/)].filter(
    ([file]) => !file.endsWith('/tests.rs'),
  );

  test('uses no threads, processes, files, clock or environment', () => {
    expect(sources.length).toBeGreaterThan(40);
    const uses = sources.flatMap(([file, source]) =>
      hostUses(source).map((use) => `${file}: ${use}`),
    );
    expect(uses).toEqual([]);
  });

  test('depends on no crate that needs a host', () => {
    const manifest = read('packages/engine/core/Cargo.toml');
    const section = /^\[dependencies\]\n([\s\S]*?)\n(?=#|\[)/m.exec(manifest)?.[1] ?? '';
    const names = [...section.matchAll(/^([\w-]+) =/gm)].map(([, name]) => name ?? '');
    expect(names).toContain('blockifier');
    expect(names.filter((name) => HOST_CRATES.includes(name))).toEqual([]);
  });

  test.each([
    'use std::thread;',
    'use std::fs::File;',
    'let begun = Instant::now();',
    'std::process::exit(1)',
  ])('may not have %s', (source) => {
    expect(hostUses(source)).not.toEqual([]);
    expect(hostUses(`// ${source}`)).toEqual([]);
  });
});

describe('a change to a crate', () => {
  const changes = changedCrates().flatMap(({ name }) => readChanges(name));

  test.each(changes)('$name has its purpose, its reason and a test', ({ header, file }) => {
    expect(header).toMatch(/^What: \S/);
    expect(header).toMatch(/^Why: \S/m);
    const [, path = '', title = ''] = /^Test: (\S+)\n +(.+)$/m.exec(header) ?? [];
    expect(existsSync(join(ROOT, path)), path).toBe(true);
    expect(read(path)).toContain(`test('${title}'`);
    expect(execFileSync('git', ['apply', '--numstat', file], { encoding: 'utf8' })).not.toBe('');
  });

  test('is for the version that the crates depend on', () => {
    const lock = read('Cargo.lock');
    for (const { name, version } of changedCrates()) {
      // A patched crate has no source.
      expect(lock).toContain(`name = "${name}"\nversion = "${version}"\ndependencies`);
    }
  });
});
