// The build of an earlier commit, if it can be had in seconds: its JavaScript is compiled, its engine is not.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A folder with a build, or why there is none. */
export type Previous =
  | { readonly root: string; readonly name: string }
  | { readonly missing: string };

/** Parts of a commit that its build needs. */
const PARTS = ['packages', 'scripts', 'Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml'];
const SETTINGS = ['package.json', 'tsconfig.base.json'];

/** Git's answer; undefined if it has none. */
function git(root: string, ...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** The last release, or the commit before this one. */
function previousCommit(
  root: string,
): { readonly commit: string; readonly name: string } | undefined {
  const tag = git(root, 'describe', '--tags', '--abbrev=0', 'HEAD^');
  const commit = git(root, 'rev-parse', tag ?? 'HEAD^');
  if (commit === undefined) return undefined;
  return { commit, name: tag ?? `commit ${commit.slice(0, 7)}` };
}

/** Packages of other authors are shared; those of the workspace are the folder's. */
function linkModules(root: string, folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@starkbox'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name.startsWith('.') || name === 'starkbox' || name === '@starkbox') continue;
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const name of readdirSync(join(folder, 'packages'))) {
    symlinkSync(join('..', '..', 'packages', name), join(modules, '@starkbox', name));
  }
}

/** Copies the engine of the same sources from the results of earlier builds. */
async function restoreEngine(root: string, folder: string): Promise<boolean> {
  const load = (name: string) => import(pathToFileURL(join(folder, 'scripts', name)).href);
  const { BuiltEngine } = await load('built-engine.mjs');
  const { hostTriple } = await load('cargo.mjs');
  const isRestored: boolean = new BuiltEngine(
    hostTriple(),
    'release',
    'starkbox-compiler',
  ).restore();
  const classes = 'packages/engine/classes';
  cpSync(join(root, classes), join(folder, classes), { recursive: true });
  return isRestored;
}

/** The previous build, in the cache of the repository, which holds one. */
export async function previousBuild(root: string): Promise<Previous> {
  const previous = previousCommit(root);
  if (!previous) return { missing: 'git has no commit before this one' };
  const { commit, name } = previous;
  const folders = join(root, 'node_modules', '.cache', 'previous-builds');
  const folder = join(folders, commit);
  if (existsSync(folder)) return { root: folder, name };
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const archive = execFileSync('git', ['archive', commit, ...PARTS, ...SETTINGS], {
      cwd: root,
      maxBuffer: 2 ** 30,
    });
    execFileSync('tar', ['-x', '-C', unfinished], { input: archive });
    linkModules(root, unfinished);
    if (!(await restoreEngine(root, unfinished))) {
      return { missing: `the engine of ${name} is not among the kept builds` };
    }
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const args = [compiler, '-b', '--noCheck', 'packages/starkbox'];
    const { status } = spawnSync(process.execPath, args, { cwd: unfinished });
    if (status !== 0) return { missing: `${name} does not compile with the installed packages` };
    for (const other of readdirSync(folders)) {
      if (join(folders, other) !== unfinished) rmSync(join(folders, other), { recursive: true });
    }
    renameSync(unfinished, folder);
    return { root: folder, name };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
