// Our changes to crates of the sequencer, and the crates with them. Each folder of packages/engine/changes has the
// changes of a crate, one file each.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ENGINE = fileURLToPath(new URL('../packages/engine', import.meta.url));

const CHANGES = join(ENGINE, 'changes');
/** What a patched crate was made from. */
const STAMP = '.made-from';

/**
 * Folders of the patched crates. The workspace's manifest puts the optimized ones in place of the published crates.
 * The others lack the changes that only save time, for comparisons.
 */
export const PATCHED = {
  optimized: join(ENGINE, 'patched'),
  published: join(ENGINE, 'patched', 'published'),
};

/** @typedef {keyof typeof PATCHED} Executor */

/**
 * @typedef {object} Upstream a published crate
 * @property {string} name
 * @property {string} version
 * @property {string} [sha256] of the archive
 */

/**
 * @typedef {object} ChangedCrate the crate that the changes of a folder were written for
 * @property {string} name
 * @property {string} version
 * @property {string} sha256 of the archive
 * @property {Readonly<Record<string, { target: string, isOptimization?: boolean }>>} adds files of the folder, and
 * where they go in the crate
 */

/**
 * @typedef {object} Change
 * @property {string} name of its file, without the ending
 * @property {string} file
 * @property {string} header its description, up to the first changed file
 * @property {boolean} isOptimization whether it only saves time
 */

/** @returns {ChangedCrate[]} */
export function changedCrates() {
  return readdirSync(CHANGES)
    .sort()
    .map((name) => JSON.parse(readFileSync(join(CHANGES, name, 'crate.json'), 'utf8')));
}

/**
 * @param {string} crate
 * @returns {Change[]} in the order in which they are applied
 */
export function readChanges(crate) {
  const folder = join(CHANGES, crate);
  const names = readdirSync(folder).filter((name) => name.endsWith('.patch'));
  return names.sort().map((name) => {
    const file = join(folder, name);
    const [header = ''] = readFileSync(file, 'utf8').split('\n--- a/', 1);
    const isOptimization = /^Saves: /m.test(header);
    return { name: name.replace(/\.patch$/, ''), file, header, isOptimization };
  });
}

/**
 * Applies a change to the sources of a crate.
 *
 * @param {Change} change
 * @param {string} folder of the crate
 * @returns {string | undefined} why it does not apply; then nothing is written
 */
export function applyChange({ file }, folder) {
  // Settings of the user and of a repository around the folder could change what is written.
  const options = ['-c', 'core.autocrlf=false', 'apply', '--verbose', '--whitespace=nowarn', file];
  const { status, stderr, error } = spawnSync('git', options, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) },
  });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

/**
 * Writes the patched crates, unless they are there already. Cargo needs them before any other command.
 *
 * @param {Executor} executor
 */
export function writePatchedCrates(executor = 'optimized') {
  for (const crate of changedCrates()) writePatchedCrate(crate, executor);
}

/**
 * @param {ChangedCrate} crate
 * @param {Executor} executor
 */
function writePatchedCrate(crate, executor) {
  const patched = join(PATCHED[executor], crate.name);
  const stamp = inputsHash(crate.name);
  const stampFile = join(patched, STAMP);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  mkdirSync(dirname(patched), { recursive: true });
  const temporary = mkdtempSync(`${patched}-`);
  try {
    const folder = unpackCrate(crate, temporary);
    for (const change of readChanges(crate.name)) {
      if (change.isOptimization && executor === 'published') continue;
      const reason = applyChange(change, folder);
      if (reason !== undefined) throw new Error(`${change.name} does not apply: ${reason}`);
    }
    for (const [file, { target, isOptimization }] of Object.entries(crate.adds)) {
      if (isOptimization && executor === 'published') continue;
      cpSync(join(CHANGES, crate.name, file), join(folder, target));
    }
    writeFileSync(join(folder, STAMP), stamp);
    replaceFolder(patched, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  console.log(`wrote ${patched}`);
}

/**
 * Makes a folder equal to another one. Files that are equal stay, so that cargo compiles only after a change.
 *
 * @param {string} folder
 * @param {string} other
 */
function replaceFolder(folder, other) {
  /** @param {string} root */
  const filesIn = (root) =>
    existsSync(root)
      ? readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
          statSync(join(root, path)).isFile(),
        )
      : [];
  const files = new Set(filesIn(other));
  for (const path of filesIn(folder)) if (!files.has(path)) rmSync(join(folder, path));
  for (const path of files) {
    const content = readFileSync(join(other, path));
    const target = join(folder, path);
    if (existsSync(target) && readFileSync(target).equals(content)) continue;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
}

/**
 * @param {string} crate
 * @returns {string} a hash of everything that the patched crate is made from
 */
function inputsHash(crate) {
  const hash = createHash('sha256');
  const folder = join(CHANGES, crate);
  for (const name of readdirSync(folder).sort()) {
    hash.update(`\n${name}\n`).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex');
}

/**
 * Unpacks a published crate, checked by its checksum if it has one.
 *
 * @param {Upstream} crate
 * @param {string} into a folder
 * @returns {string} the folder of the crate
 */
export function unpackCrate({ name, version, sha256 }, into) {
  const archive = fetchArchive(name, version);
  const actual = createHash('sha256').update(readFileSync(archive)).digest('hex');
  if (sha256 !== undefined && actual !== sha256) {
    throw new Error(
      `${archive} has the checksum ${actual}, not ${sha256}: delete it and try again`,
    );
  }
  execFileSync('tar', ['-xzf', archive, '-C', into]);
  return join(into, `${name}-${version}`);
}

/**
 * @param {string} name
 * @param {string} version
 * @returns {string} the archive in the folder of cargo's registry
 */
function fetchArchive(name, version) {
  const cache = join(process.env['CARGO_HOME'] || join(homedir(), '.cargo'), 'registry', 'cache');
  const archive = () =>
    (existsSync(cache) ? readdirSync(cache) : [])
      .map((registry) => join(cache, registry, `${name}-${version}.crate`))
      .find((path) => existsSync(path));
  const fetched = archive();
  if (fetched !== undefined) return fetched;
  const { status, stderr, error } = crateInfo(`${name}@${version}`);
  const downloaded = archive();
  if (downloaded !== undefined) return downloaded;
  const reason = error?.message ?? (status === 0 ? 'cargo did not store it' : stderr.trim());
  throw new Error(`cargo could not download ${name} ${version}: ${reason}`);
}

/**
 * @param {string} name of a crate
 * @returns {string} its newest published version
 */
export function newestVersion(name) {
  const { stdout, stderr } = crateInfo(name);
  const version = /^version: (\S+)/m.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`cargo names no version of ${name}: ${stderr.trim()}`);
  return version;
}

/** @param {string} spec */
function crateInfo(spec) {
  // Outside of any workspace: cargo neither reads nor locks ours, and downloads the archive.
  return spawnSync('cargo', ['info', '--color', 'never', spec], {
    cwd: tmpdir(),
    encoding: 'utf8',
  });
}
