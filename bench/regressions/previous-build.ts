// The build of an earlier commit: its JavaScript is compiled here. Its engine is the present one if Rust has not changed
// since, or one that was built for it on this machine before.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface PreviousBuild {
  readonly root: string;
  /** The commit, and the engine that runs it. */
  readonly name: string;
}

/** Why there is no such build. */
class NoPreviousBuild extends Error {}

interface EngineBuilds {
  /** Paths that the engine is compiled from. */
  readonly ENGINE_SOURCES: readonly string[];
  /** The folder of an earlier result for the sources in a folder. */
  readonly builtFolderFor: (root: string) => string | undefined;
}

function git(root: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new NoPreviousBuild(`git ${args.join(' ')}: ${stderr.trim()}`);
  return stdout.trim();
}

/** Runs a program to its end; its output is part of the error. */
function run(cwd: string, step: string, program: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status === 0) return;
  throw new NoPreviousBuild(`${step} failed in ${cwd}:\n${`${stdout}${stderr}`.slice(-2_000)}`);
}

/** Copies the engine into the folder. @returns which one it is */
async function addEngine(root: string, folder: string, commit: string): Promise<string> {
  const scripts = pathToFileURL(join(root, 'scripts/built-engine.mjs')).href;
  const { ENGINE_SOURCES, builtFolderFor }: EngineBuilds = await import(scripts);
  const engine = join(root, 'packages/engine');
  const isUnchanged = git(root, 'diff', '--name-only', commit, '--', ...ENGINE_SOURCES) === '';
  const source = isUnchanged ? engine : builtFolderFor(folder);
  if (source === undefined) {
    throw new NoPreviousBuild(
      `Rust has changed since ${commit}, and its engine was not built on this machine: check ${commit} out and run npm run build:engine there`,
    );
  }
  const isBuilt = (name: string): boolean => /\.node$|^starkbox-compiler(\.exe)?$/.test(name);
  for (const name of readdirSync(source).filter(isBuilt)) {
    copyFileSync(join(source, name), join(folder, 'packages/engine', name));
  }
  cpSync(join(engine, 'classes'), join(folder, 'packages/engine/classes'), { recursive: true });
  return isUnchanged ? 'the present engine: Rust has not changed' : 'the engine of that commit';
}

/**
 * The build of a commit, to compare with.
 *
 * @param mayBeMissing whether undefined stands for a build that cannot be made; otherwise that is an error
 */
export async function previousBuild(
  root: string,
  base: string,
  mayBeMissing: boolean,
): Promise<PreviousBuild | undefined> {
  try {
    return await buildOf(root, base);
  } catch (error) {
    if (!(error instanceof NoPreviousBuild)) throw error;
    const reason = `there is no earlier build to compare with: ${error.message}`;
    if (!mayBeMissing) {
      throw new Error(`${reason}\nChoose another commit by --base, or give --without-previous`);
    }
    console.log(reason);
    return undefined;
  }
}

/** The build of a commit in the cache of the repository, which holds one. */
async function buildOf(root: string, base: string): Promise<PreviousBuild> {
  const commit = git(root, 'rev-parse', '--short', `${base}^{commit}`);
  const folders = join(root, 'node_modules/.cache/previous-builds');
  const folder = join(folders, commit);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    try {
      const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
      execFileSync('tar', ['-x', '-C', unfinished], { input: archive });
      // Its own packages, because the present ones may lack what it imports.
      const install = ['ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
      run(unfinished, 'npm ci', 'npm', install);
      const compile = ['tsc', '-b', '--noCheck', 'packages/starkbox'];
      run(unfinished, 'the compiler', 'npx', compile);
      for (const other of readdirSync(folders)) {
        if (join(folders, other) !== unfinished) rmSync(join(folders, other), { recursive: true });
      }
      renameSync(unfinished, folder);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  return { root: folder, name: `${commit} on ${await addEngine(root, folder, commit)}` };
}
