// Our changes to the sequencer's blockifier: packages/engine/changes, one file each, and the crate with them.
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

export const CHANGES = join(ENGINE, 'changes');
/** The crate that the workspace's manifest puts in place of the published one. */
export const PATCHED = join(ENGINE, 'patched', 'blockifier');
/** What the patched crate was made from. */
const STAMP = '.made-from';
/** A file that the changes add. */
const OBSERVER = { source: 'observer.rs', target: 'src/execution/observer.rs' };

/**
 * @typedef {object} Upstream the published crate
 * @property {string} name
 * @property {string} version
 * @property {string} [sha256] of the archive
 */

/**
 * @typedef {object} Hunk
 * @property {string} before the text that it expects, once in the file
 * @property {string} after
 */

/**
 * @typedef {object} Change
 * @property {string} name of its file, without the ending
 * @property {string} header its description, up to the first file
 * @property {readonly { path: string, hunks: readonly Hunk[] }[]} files
 */

/** @returns {Upstream & { sha256: string }} the crate that the changes were written for */
export function upstream() {
  return JSON.parse(readFileSync(join(CHANGES, 'upstream.json'), 'utf8'));
}

/** @returns {Change[]} in the order in which they are applied */
export function readChanges() {
  const names = readdirSync(CHANGES).filter((name) => name.endsWith('.patch'));
  return names.sort().map((name) => {
    const text = readFileSync(join(CHANGES, name), 'utf8');
    return { name: name.replace(/\.patch$/, ''), ...parsePatch(text) };
  });
}

/**
 * Reads a unified diff with a description before it. Line numbers are not used: a hunk belongs where its text is.
 *
 * @param {string} text
 * @returns {Pick<Change, 'header' | 'files'>}
 */
export function parsePatch(text) {
  /** @type {{ path: string, hunks: Hunk[] }[]} */
  const files = [];
  const header = [];
  for (const line of text.split('\n')) {
    const path = /^\+\+\+ b\/(.+)$/.exec(line)?.[1];
    const file = files.at(-1);
    const hunk = file?.hunks.at(-1);
    if (path !== undefined) files.push({ path, hunks: [] });
    else if (line.startsWith('--- a/')) continue;
    else if (file === undefined) header.push(line);
    else if (line.startsWith('@@')) file.hunks.push({ before: '', after: '' });
    else if (hunk !== undefined && line !== '') {
      if (!line.startsWith('+')) hunk.before += `${line.slice(1)}\n`;
      if (!line.startsWith('-')) hunk.after += `${line.slice(1)}\n`;
    }
  }
  return { header: header.join('\n').trim(), files };
}

/**
 * Applies a change to the sources of a crate.
 *
 * @param {Change} change
 * @param {string} folder of the crate
 * @returns {string | undefined} why it does not apply; then nothing is written
 */
export function applyChange(change, folder) {
  const texts = new Map();
  for (const { path, hunks } of change.files) {
    const file = join(folder, path);
    if (!existsSync(file)) return `${path} is missing`;
    let text = readFileSync(file, 'utf8');
    for (const { before, after } of hunks) {
      const count = text.split(before).length - 1;
      if (count !== 1) return `${path} has the expected text ${count} times:\n${before}`;
      text = text.replace(before, () => after);
    }
    texts.set(file, text);
  }
  for (const [file, text] of texts) writeFileSync(file, text);
  return undefined;
}

/** Writes the patched crate, unless it is there already. Cargo needs it before any other command. */
export function writePatchedCrate() {
  const stamp = inputsHash();
  const stampFile = join(PATCHED, STAMP);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  mkdirSync(dirname(PATCHED), { recursive: true });
  const temporary = mkdtempSync(`${PATCHED}-`);
  try {
    const folder = unpackCrate(upstream(), temporary);
    for (const change of readChanges()) {
      const reason = applyChange(change, folder);
      if (reason !== undefined) throw new Error(`${change.name} does not apply: ${reason}`);
    }
    cpSync(join(CHANGES, OBSERVER.source), join(folder, OBSERVER.target));
    writeFileSync(join(folder, STAMP), stamp);
    replaceFolder(PATCHED, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  console.log(`wrote ${PATCHED}`);
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

/** @returns {string} a hash of everything that the patched crate is made from */
function inputsHash() {
  const hash = createHash('sha256');
  for (const name of readdirSync(CHANGES).sort()) {
    hash.update(`\n${name}\n`).update(readFileSync(join(CHANGES, name)));
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
