// Builds the engine as WebAssembly into packages/engine-wasm.
//
//   node scripts/build-engine-wasm.mjs           copied from an earlier build if nothing has changed
//   node scripts/build-engine-wasm.mjs --fresh   without the results of earlier builds
//
// The binding is the addon's: emnapi gives it Node's native interface. There are no threads, because browsers share
// memory between threads only on isolated pages.
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { BuiltEngine } from './built-engine.mjs';
import { ENGINE, ENGINE_WASM, run, runCargo, TARGET_DIR } from './cargo.mjs';

const TARGET = 'wasm32-wasip1';
const PROFILE = 'wasm';
const FILE = 'engine.wasm';

const require = createRequire(join(ENGINE_WASM, 'package.json'));

function build() {
  const emnapi = dirname(require.resolve('emnapi/package.json'));
  const variables = { EMNAPI_LINK_DIR: join(emnapi, 'lib', TARGET) };
  const args = ['build', '--locked', '--lib', '--target', TARGET, '--profile', PROFILE];
  run('rustup', ['target', 'add', TARGET], ENGINE);
  runCargo('cargo', args, ENGINE, variables);
  optimize(join(TARGET_DIR, TARGET, PROFILE, 'starkbox_engine.wasm'));
}

/**
 * Makes the file smaller and faster, and leaves out names of functions.
 *
 * @param {string} input
 */
function optimize(input) {
  const wasmOpt = join(dirname(require.resolve('binaryen/package.json')), 'bin', 'wasm-opt');
  const fresh = join(ENGINE_WASM, `${FILE}.new`);
  const features = [
    '--enable-bulk-memory',
    '--enable-nontrapping-float-to-int',
    '--enable-sign-ext',
  ];
  execFileSync(process.execPath, [wasmOpt, '-O3', ...features, input, '-o', fresh], {
    stdio: 'inherit',
  });
  renameSync(fresh, join(ENGINE_WASM, FILE));
}

const { values } = parseArgs({
  options: {
    fresh: { type: 'boolean', default: false },
  },
});
const builtEngine = new BuiltEngine({
  ...{ target: TARGET, profile: PROFILE },
  output: ENGINE_WASM,
  files: () => [FILE],
});
if (!values.fresh && builtEngine.restore()) {
  console.log(`nothing has changed: copied from ${builtEngine.folder}`);
} else {
  build();
  builtEngine.save();
  const bytes = readFileSync(join(ENGINE_WASM, FILE));
  const megabytes = (/** @type {number} */ size) => `${(size / 1e6).toFixed(1)} MB`;
  console.log(`${FILE}: ${megabytes(bytes.length)}, ${megabytes(gzipSync(bytes).length)} by gzip`);
}
