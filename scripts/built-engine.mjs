// Results of earlier engine builds, kept by a hash of everything they are made of.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { hostTriple, ROOT, TARGET_DIR } from './cargo.mjs';
import { manifestIn } from './packages/workspaces.mjs';

const FOLDER = join(TARGET_DIR, 'built');
const CHECKS = join(TARGET_DIR, 'checked');
/** Number of results in the folder, by last use. */
const MAX_BUILDS = 6;
/** What the engine is compiled from. */
export const ENGINE_SOURCES = [
  'Cargo.lock',
  'Cargo.toml',
  'rust-toolchain.toml',
  'packages/engine/Cargo.toml',
  'packages/engine/build.rs',
  'packages/engine/changes',
  'packages/engine/core',
  'packages/engine/src',
];
/** Files and folders that determine the result, besides the settings of napi in the package. */
const INPUTS = [
  ...ENGINE_SOURCES,
  'scripts/build-engine.mjs',
  'scripts/build-engine-wasm.mjs',
  'scripts/cargo.mjs',
  'scripts/engine-changes.mjs',
];
/** Environment variables that change the output of cargo. */
const VARIABLES = ['RUSTFLAGS', 'CARGO_BUILD_RUSTFLAGS', 'CARGO_ENCODED_RUSTFLAGS'];

/**
 * @param {boolean} hasTests whether files of unit tests count, which are no part of a build
 * @param {string} root
 * @returns {string[]} paths of files relative to the root, in a deterministic order
 */
function inputs(hasTests, root) {
  return INPUTS.filter((path) => existsSync(join(root, path)))
    .flatMap((path) => {
      if (statSync(join(root, path)).isFile()) return [path];
      return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile() && (hasTests || file.name !== 'tests.rs'))
        .map((file) => relative(root, join(file.parentPath, file.name)));
    })
    .sort();
}

/**
 * @param {string} root
 * @returns {unknown[]} the settings of napi and the exact versions of the commands
 */
function settings(root) {
  const { napi, devDependencies } = manifestIn(join(root, 'packages/engine'));
  const wasm = manifestIn(join(root, 'packages/engine-wasm')).devDependencies;
  return [napi, devDependencies?.['@napi-rs/cli'], wasm];
}

/**
 * @param {string} target
 * @param {string} profile
 * @param {string} flag
 * @param {boolean} [hasTests]
 * @param {string} [root]
 */
function folderFor(target, profile, flag, hasTests = false, root = ROOT) {
  const hash = createHash('sha256');
  const rustc = execFileSync('rustc', ['-vV'], { cwd: ROOT, encoding: 'utf8' });
  const variables = VARIABLES.map((name) => process.env[name] ?? '');
  hash.update(JSON.stringify([target, profile, flag, rustc, ...variables, ...settings(root)]));
  for (const path of inputs(hasTests, root)) {
    const content = readFileSync(join(root, path));
    hash.update(`\n${path} ${content.length}\n`).update(content);
  }
  return join(FOLDER, hash.digest('hex').slice(0, 32));
}

/**
 * @param {string} root of another checkout
 * @returns {string | undefined} the folder with the daily build of its engine, if this machine has made it
 */
export function builtFolderFor(root) {
  const folder = folderFor(hostTriple(), 'release', '', false, root);
  return existsSync(folder) ? folder : undefined;
}

/**
 * Runs a check of the engine's sources unless it passed before on the same sources, in whichever clone.
 *
 * @param {string} name
 * @param {readonly string[]} settings files in the root that determine the result as well
 * @param {() => void} check ends the process if it fails
 */
export function checkOnce(name, settings, check) {
  const texts = settings.map((path) => readFileSync(join(ROOT, path), 'utf8'));
  const hash = basename(folderFor(hostTriple(), name, texts.join('\n'), true));
  const stamp = join(CHECKS, `${name}-${hash}`);
  if (existsSync(stamp) && !process.argv.includes('--fresh')) {
    console.log(`nothing has changed since it passed at ${readFileSync(stamp, 'utf8')}: ${stamp}`);
    return;
  }
  check();
  mkdirSync(CHECKS, { recursive: true });
  writeFileSync(stamp, new Date().toISOString());
}

export class BuiltEngine {
  /**
   * @param {object} build
   * @param {string} build.target
   * @param {string} build.profile
   * @param {string} [build.flag] of rustc, beside those of the environment
   * @param {string} build.output the folder that has the built files
   * @param {() => string[]} build.files names of them
   */
  constructor({ target, profile, flag = '', output, files }) {
    this.folder = folderFor(target, profile, flag);
    this.isCurrent = () => folderFor(target, profile, flag) === this.folder;
    this.output = output;
    this.files = files;
  }

  /** @returns {boolean} whether there was a result */
  restore() {
    if (!existsSync(this.folder)) return false;
    for (const name of readdirSync(this.folder)) {
      // Renamed into place, because a running node may be executing the old file.
      const fresh = join(this.output, `${name}.new`);
      copyFileSync(join(this.folder, name), fresh);
      renameSync(fresh, join(this.output, name));
    }
    const now = new Date();
    utimesSync(this.folder, now, now);
    return true;
  }

  save() {
    // A source that was edited while cargo ran may or may not be part of the result.
    if (!this.isCurrent()) return;
    const draft = `${this.folder}.${process.pid}`;
    mkdirSync(draft, { recursive: true });
    for (const name of this.files()) copyFileSync(join(this.output, name), join(draft, name));
    rmSync(this.folder, { recursive: true, force: true });
    renameSync(draft, this.folder);
    const builds = readdirSync(FOLDER)
      .map((name) => ({ path: join(FOLDER, name), usedAt: statSync(join(FOLDER, name)).mtimeMs }))
      .sort((build, other) => other.usedAt - build.usedAt);
    for (const { path } of builds.slice(MAX_BUILDS)) rmSync(path, { recursive: true, force: true });
  }
}
