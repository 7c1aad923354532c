// The module rules of the engine's Rust sources, against the real files and against one breach of each.
import { describe, expect, test } from 'vitest';
import { findRustViolations } from './architecture/rust.js';
import { readSources } from './architecture/sources.js';

const CORE = 'packages/engine/core/src';
const ADDON = 'packages/engine/src';
/** The compiler is a program of its own and shares no modules with the addon. */
const OTHER_PROGRAMS = 'bin/';
/** Tests use the parts around their module. */
const TESTS = /^#\[cfg\(test\)\]\nmod tests \{[\s\S]*$/m;

function readModules(sources: string): Map<string, string> {
  const files = [...readSources([sources], /\.rs$/)]
    .map(([file, source]): [string, string] => [
      file.slice(sources.length + 1),
      source.replace(TESTS, ''),
    ])
    .filter(([file]) => !file.startsWith(OTHER_PROGRAMS) && !file.endsWith('/tests.rs'));
  return new Map(files);
}

const SOUND: Readonly<Record<string, string>> = {
  'lib.rs': 'mod error;\nmod state;\nmod execution;',
  'error.rs': 'pub struct Failure;',
  'state/mod.rs': 'mod cell;\nmod maps;\npub use maps::State;',
  'state/cell.rs': 'use crate::error::Failure;\n// use crate::execution::Session;',
  'state/maps.rs': 'use super::cell::{self, Cell};\nfn f() -> crate::error::Failure {}',
  'execution/mod.rs': 'mod session;\npub use self::session::Session;',
  'execution/session.rs': 'use crate::{error::Failure, state::{State}};\nuse std::sync::Arc;',
};

const rulesOf = (planted: Readonly<Record<string, string>>) =>
  findRustViolations(new Map(Object.entries({ ...SOUND, ...planted }))).map(({ rule }) => rule);

test.each([
  [CORE, 'state/mod.rs', 30],
  [ADDON, 'bindings/mod.rs', 15],
])('the sources in %s are found and break no rule', (folder, file, least) => {
  const sources = readModules(folder);
  expect([...sources.keys()]).toContain(file);
  expect(sources.size).toBeGreaterThan(least);
  expect(findRustViolations(sources)).toEqual([]);
});

describe('the checker', () => {
  test('finds nothing in a sound tree', () => {
    expect(rulesOf({})).toEqual([]);
  });

  test.each([
    ['files of a folder that use each other', 'state/cell.rs', 'use super::maps::State;'],
    ['a file that uses what its folder re-exports', 'state/maps.rs', 'use super::State;'],
    ['a path in code', 'state/cell.rs', 'fn f() { crate::state::maps::State::new() }'],
    ['a nested list', 'state/cell.rs', 'use crate::{error, state::{maps::{State as S}}};'],
  ])('finds a cycle: %s', (_name, file, source) => {
    expect(rulesOf({ [file]: source })).toContain('cycle');
  });

  test('finds folders that use each other, even through different files', () => {
    const rules = rulesOf({ 'state/other.rs': 'use crate::execution::Session;' });
    expect(rules).toEqual(['folder-cycle']);
  });
});
