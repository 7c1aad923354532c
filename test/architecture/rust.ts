// Module rule of the engine's Rust sources: no cycles, neither of files nor of folders.
import { findCycles } from './cycles.js';

export interface RustViolation {
  readonly rule: 'cycle' | 'folder-cycle';
  readonly detail: string;
}

/** Every rule that `sources` (path from the crate's `src` → text) break. */
export function findRustViolations(sources: ReadonlyMap<string, string>): RustViolation[] {
  const violations: RustViolation[] = [];
  const files = new Map<string, string[]>();
  const folders = new Map<string, Set<string>>();

  for (const [file, source] of sources) {
    const edges: string[] = [];
    for (const path of modulePaths(source)) {
      const target = resolve(file, path, sources);
      if (target !== undefined && target !== file) {
        edges.push(target);
        const [from, to] = [topFolder(file), topFolder(target)];
        if (from !== to) folders.set(from, (folders.get(from) ?? new Set()).add(to));
      }
    }
    files.set(file, edges);
  }

  for (const cycle of findCycles(files)) {
    violations.push({ rule: 'cycle', detail: cycle.join(' → ') });
  }
  for (const cycle of findCycles(folders)) {
    violations.push({ rule: 'folder-cycle', detail: cycle.join(' → ') });
  }
  return violations;
}

/**
 * The paths that begin with `crate`, `super` or `self`, in `use` declarations and in code. A `mod` line
 * is no dependency: a folder's mod.rs declares its files without using them.
 */
function modulePaths(source: string): string[][] {
  const code = source.replace(/\/\/.*$/gm, '').replace(/"(?:\\.|[^"\\])*"/g, '""');
  const paths: string[][] = [];
  const declarations = /\buse\s+([^;]+);/g;
  for (const [, tree] of code.matchAll(declarations)) paths.push(...expand(tree ?? ''));
  const rest = code.replace(declarations, '');
  for (const [path] of rest.matchAll(/\b(?:crate|super|self)(?:::\w+)+/g)) {
    paths.push(path.split('::'));
  }
  // A folder's mod.rs names its own modules without a prefix: `pub use maps::State`.
  const modules = new Set([...code.matchAll(/\bmod\s+(\w+)\s*;/g)].map(([, name]) => name));
  return paths.flatMap((path) => {
    if (/^(crate|super|self)$/.test(path[0] ?? '')) return [path];
    return modules.has(path[0]) ? [['self', ...path]] : [];
  });
}

/** `crate::{a, b::{self, C}}` → crate::a, crate::b, crate::b::C. */
function expand(tree: string): string[][] {
  const text = tree.replace(/\s+/g, '');
  const open = text.indexOf('{');
  if (open < 0) return [text.replace(/as\w+$/, '').split('::')];
  const prefix = text.slice(0, open).split('::').filter(Boolean);
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of text.slice(open + 1, text.lastIndexOf('}'))) {
    if (char === ',' && depth === 0) {
      parts.push(part);
      part = '';
      continue;
    }
    if (char === '{') depth++;
    if (char === '}') depth--;
    part += char;
  }
  return [...parts, part]
    .filter(Boolean)
    .flatMap((subtree) =>
      subtree === 'self' ? [prefix] : expand(subtree).map((path) => [...prefix, ...path]),
    );
}

/** The file of the deepest module that a path names; the rest of the path is an item in it. */
function resolve(
  file: string,
  path: readonly string[],
  sources: ReadonlyMap<string, string>,
): string | undefined {
  let at = moduleOf(file);
  let rest = [...path];
  if (rest[0] === 'crate') at = [];
  while (rest[0] === 'crate' || rest[0] === 'self' || rest[0] === 'super') {
    if (rest[0] === 'super') at = at.slice(0, -1);
    rest = rest.slice(1);
  }
  for (let length = rest.length; length >= 0; length--) {
    const name = [...at, ...rest.slice(0, length)].join('/');
    const candidates = name === '' ? ['lib.rs'] : [`${name}.rs`, `${name}/mod.rs`];
    const real = candidates.find((candidate) => sources.has(candidate));
    if (real !== undefined) return real;
  }
  return undefined;
}

/** `state/mod.rs` → state, `state/image/export.rs` → state, image, export. */
function moduleOf(file: string): string[] {
  const parts = file.replace(/\.rs$/, '').split('/');
  return parts.at(-1) === 'mod' || file === 'lib.rs' ? parts.slice(0, -1) : parts;
}

function topFolder(file: string): string {
  return moduleOf(file)[0] ?? 'lib';
}
