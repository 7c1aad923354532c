// Bundles the loaders of the WebAssembly engine into packages/engine-wasm/dist/bundle, with emnapi.
//
//   node scripts/bundle/engine-wasm.mjs   after `tsc -b packages`
import { join } from 'node:path';
import { ROOT } from '../cargo.mjs';
import { writeParts } from './third-party.mjs';
import { replaceFolder, writeBundle } from './write.mjs';

const PACKAGE = join(ROOT, 'packages', 'engine-wasm');

/**
 * @param {string} name of the module
 * @param {'cjs' | 'esm'} format
 * @param {string} folder
 */
function bundleModule(name, format, folder) {
  const isNode = format === 'cjs';
  return writeBundle(
    {
      input: join(PACKAGE, 'src', `${name}.ts`),
      platform: isNode ? 'node' : 'browser',
      external: /^node:/,
      transform: { target: isNode ? 'node20.19' : 'es2022' },
    },
    { file: join(folder, `${name}.${isNode ? 'cjs' : 'js'}`), format, minify: true },
  );
}

await replaceFolder(join(PACKAGE, 'dist', 'bundle'), async (folder) => {
  // Node loads the engine by `require`, at once.
  const modules = await Promise.all([
    bundleModule('node', 'cjs', folder),
    bundleModule('node-compiler', 'cjs', folder),
    bundleModule('browser', 'esm', folder),
  ]);
  writeParts(folder, modules.flat());
});
