// Builds the engine as WebAssembly into packages/engine-wasm.
//
//   node scripts/build-engine-wasm.mjs                  for development and tests
//   node scripts/build-engine-wasm.mjs --profile dist   for publishing: smaller and faster, builds longer
//   node scripts/build-engine-wasm.mjs --fresh          without the results of earlier builds
//
// The binding is the addon's: emnapi gives it Node's native interface. There are no threads, because browsers share
// memory between threads only on isolated pages.
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { BuiltEngine } from './built-engine.mjs';
import { ENGINE, ENGINE_WASM, ROOT, run, runCargo, TARGET_DIR } from './cargo.mjs';

const TARGET = 'wasm32-wasip1';
const FILE = 'engine.wasm';
/**
 * @typedef {object} Profile
 * @property {string} cargo its profile; of `release`, it has the host's crates from the addon's build
 * @property {string} level of wasm-opt
 * @property {boolean} isPortable whether the file is the same on every machine
 */

/** @type {Readonly<Record<string, Profile>>} */
const PROFILES = {
  release: { cargo: 'release', level: '-O1', isPortable: false },
  dist: { cargo: 'wasm', level: '-O3', isPortable: true },
};

const require = createRequire(join(ENGINE_WASM, 'package.json'));

/** @returns {string[]} flags of rustc by which the names of sources in a program do not depend on the machine */
function withoutPaths() {
  const crates = join(process.env['CARGO_HOME'] ?? join(homedir(), '.cargo'), 'registry', 'src');
  const names = {
    [TARGET_DIR]: 'target',
    [crates]: 'crates',
    [ROOT.replace(/[\\/]$/, '')]: 'starkbox',
  };
  return Object.entries(names).map(([path, name]) => `--remap-path-prefix=${path}=${name}`);
}

/** @param {Profile} profile */
function build({ cargo, level, isPortable }) {
  const emnapi = dirname(require.resolve('emnapi/package.json'));
  const variables = {
    EMNAPI_LINK_DIR: join(emnapi, 'lib', TARGET),
    ...(isPortable && {
      RUSTFLAGS: [process.env['RUSTFLAGS'], ...withoutPaths()].join(' ').trim(),
    }),
  };
  const args = ['build', '--locked', '--lib', '--target', TARGET, '--profile', cargo];
  run('rustup', ['target', 'add', TARGET], ENGINE);
  runCargo('cargo', args, ENGINE, variables);
  optimize(join(TARGET_DIR, TARGET, cargo, 'starkbox_engine.wasm'), level);
}

/**
 * Makes the file smaller and faster, and leaves out names of functions.
 *
 * @param {string} input
 * @param {string} level
 */
function optimize(input, level) {
  const wasmOpt = join(dirname(require.resolve('binaryen/package.json')), 'bin', 'wasm-opt');
  const fresh = join(ENGINE_WASM, `${FILE}.new`);
  const features = [
    '--enable-bulk-memory',
    '--enable-nontrapping-float-to-int',
    '--enable-sign-ext',
  ];
  execFileSync(process.execPath, [wasmOpt, level, ...features, input, '-o', fresh], {
    stdio: 'inherit',
  });
  renameSync(fresh, join(ENGINE_WASM, FILE));
}

const { values } = parseArgs({
  options: {
    profile: { type: 'string', default: 'release' },
    fresh: { type: 'boolean', default: false },
  },
});
const profile = PROFILES[values.profile];
if (profile === undefined) {
  console.error(`unknown profile ${values.profile}: one of ${Object.keys(PROFILES).join(', ')}`);
  process.exit(2);
}
const builtEngine = new BuiltEngine({
  ...{ target: TARGET, profile: profile.cargo },
  output: ENGINE_WASM,
  files: () => [FILE],
});
if (!values.fresh && builtEngine.restore()) {
  console.log(`nothing has changed: copied from ${builtEngine.folder}`);
} else {
  build(profile);
  builtEngine.save();
  const bytes = readFileSync(join(ENGINE_WASM, FILE));
  const megabytes = (/** @type {number} */ size) => `${(size / 1e6).toFixed(1)} MB`;
  console.log(`${FILE}: ${megabytes(bytes.length)}, ${megabytes(gzipSync(bytes).length)} by gzip`);
}
