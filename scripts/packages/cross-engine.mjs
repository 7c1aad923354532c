// Builds the engine for any Linux by zig's C compiler and linker: for another processor, for musl, or for an old glibc.
//
//   node scripts/packages/cross-engine.mjs linux-arm64-gnu linux-x64-musl    one after the other, for a trial
//   node scripts/packages/cross-engine.mjs --profile dist linux-x64-gnu      for publishing
//
// `npm run pack -- --cross` packs what is built. Counts of a training run on this machine are used for its own target
// only: the names of functions hold the target, so that others would find none of theirs.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { addonFile, compilerFile, PLATFORMS } from '../../packages/engine/dist/platforms.js';
import { ENGINE, hostTriple, run, runCargo, TARGET_DIR } from '../cargo.mjs';
import { countsOf } from '../training.mjs';
import { areOldEnough, OLDEST } from './glibc.mjs';
import { CROSS_ENGINES } from './staging.mjs';

const PROFILES = ['release', 'dist'];
const BUILT_HERE = Object.keys(PLATFORMS).filter((name) => PLATFORMS[name]?.os === 'linux');

/** Apart from daily builds, which have another linker and C compiler. */
const CROSS_TARGET_DIR = join(TARGET_DIR, 'cross');

/**
 * @param {string} platform
 * @param {string} profile
 * @returns {string[]} the paths of the addon and of the compiler
 */
function build(platform, profile) {
  const { target = '', libc } = PLATFORMS[platform] ?? {};
  const counts = target === hostTriple() ? countsOf(profile) : undefined;
  const flags = [
    process.env['RUSTFLAGS'],
    // An addon is loaded by a program that is linked to the C library, and has to be too.
    libc === 'musl' && '-Ctarget-feature=-crt-static',
    counts !== undefined && `-Cprofile-use=${counts}`,
  ];
  runCargo(
    'cargo',
    [
      'zigbuild',
      ...['--target', libc === 'glibc' ? `${target}.${OLDEST}` : target],
      ...['--target-dir', CROSS_TARGET_DIR],
      ...['--profile', profile],
      '--locked',
      '--lib',
      ...['--bin', 'starkbox-compiler'],
    ],
    ENGINE,
    { RUSTFLAGS: flags.filter(Boolean).join(' ') },
  );
  const output = join(CROSS_TARGET_DIR, target, profile);
  const folder = join(CROSS_ENGINES, platform);
  mkdirSync(folder, { recursive: true });
  const addon = join(folder, addonFile(platform));
  const compiler = join(folder, compilerFile('linux'));
  copyFileSync(join(output, 'libstarkbox_engine.so'), addon);
  copyFileSync(join(output, compilerFile('linux')), compiler);
  return [addon, compiler];
}

/** @returns {boolean} whether the tools are there; says how to get them if not */
function areToolsThere() {
  try {
    execFileSync('cargo-zigbuild', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.error(
      'cargo zigbuild is missing: pip install -r scripts/packages/cross-requirements.txt, with the folder of its programs in PATH',
    );
    return false;
  }
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { profile: { type: 'string', default: 'release' } },
  });
  const { profile } = values;
  const unknown = positionals.filter((name) => !BUILT_HERE.includes(name));
  if (positionals.length === 0 || unknown.length > 0 || !PROFILES.includes(profile)) {
    console.error('Usage: node scripts/packages/cross-engine.mjs [--profile dist] PLATFORM…');
    console.error(`Platforms: ${BUILT_HERE.join(', ')}; profiles: ${PROFILES.join(', ')}`);
    return 2;
  }
  if (!areToolsThere()) return 1;
  const targets = positionals.map((name) => PLATFORMS[name]?.target ?? '');
  run('rustup', ['target', 'add', ...targets]);
  let isFine = true;
  for (const platform of positionals) {
    const files = build(platform, profile);
    for (const file of files) console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB`);
    if (PLATFORMS[platform]?.libc === 'glibc' && !areOldEnough(files)) isFine = false;
  }
  return isFine ? 0 : 1;
}

process.exitCode = main();
