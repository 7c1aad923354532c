// Execution counts of a training run: where they are kept, and rustc's flags that record or use them.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hostTriple, TARGET_DIR } from './cargo.mjs';

const FOLDER = join(TARGET_DIR, 'training');

/** @param {string} profile */
const recordings = (profile) => join(FOLDER, profile);

/**
 * @param {string} profile
 * @returns {string | undefined} the file of the counts, whose name is a hash of them: cargo builds again only if a flag
 * changes
 */
export function countsOf(profile) {
  const names = existsSync(FOLDER) ? readdirSync(FOLDER) : [];
  const name = names.find((file) => file.startsWith(`${profile}-`) && file.endsWith('.profdata'));
  return name === undefined ? undefined : join(FOLDER, name);
}

/**
 * @param {string} profile
 * @returns {string} the flag that makes a program record its counts when it ends
 */
export function recordingFlag(profile) {
  return `-Cprofile-generate=${recordings(profile)}`;
}

/** Removes what earlier training runs of a profile have recorded. */
export function forgetRecordings(/** @type {string} */ profile) {
  rmSync(recordings(profile), { recursive: true, force: true });
}

/** Merges what programs of a training run have recorded. */
export function mergeRecordings(/** @type {string} */ profile) {
  const folder = recordings(profile);
  const recorded = existsSync(folder) ? readdirSync(folder) : [];
  if (recorded.length === 0) throw new Error(`the training run recorded nothing in ${folder}`);
  const draft = join(FOLDER, `${profile}.draft`);
  const files = recorded.map((name) => join(folder, name));
  execFileSync(mergeCommand(), ['merge', '-o', draft, ...files], { stdio: 'inherit' });
  const before = countsOf(profile);
  if (before !== undefined) rmSync(before);
  const hash = createHash('sha256').update(readFileSync(draft)).digest('hex').slice(0, 16);
  renameSync(draft, join(FOLDER, `${profile}-${hash}.profdata`));
}

/** @returns {string} LLVM's `llvm-profdata` of the version that rustc was built with */
export function mergeCommand() {
  const version = execFileSync('rustc', ['-vV'], { encoding: 'utf8' });
  const major = /^LLVM version: (\d+)/m.exec(version)?.[1];
  const sysroot = execFileSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' }).trim();
  const candidates = [
    process.env['LLVM_PROFDATA'],
    join(sysroot, 'lib', 'rustlib', hostTriple(), 'bin', 'llvm-profdata'),
    `llvm-profdata-${major}`,
    'llvm-profdata',
  ];
  for (const candidate of candidates) if (candidate && runs(candidate)) return candidate;
  throw new Error(
    `llvm-profdata of LLVM ${major} is missing: install it by \`rustup component add llvm-tools\` or ` +
      `\`apt-get install llvm-${major}\`, or name it in LLVM_PROFDATA`,
  );
}

/** @param {string} command */
function runs(command) {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
