// Bundles the loaders of the WebAssembly engine into packages/engine-wasm/dist/bundle, with emnapi.
//
//   node scripts/bundle/engine-wasm.mjs   after `tsc -b packages`
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from '../cargo.mjs';
import { packageOf, writeParts } from './third-party.mjs';

const PACKAGE = join(ROOT, 'packages', 'engine-wasm');
const FOLDER = join(PACKAGE, 'dist', 'bundle');
const NEW_FOLDER = `${FOLDER}.new`;

/**
 * @param {string} name of the module
 * @param {'cjs' | 'esm'} format
 * @returns {Promise<string[]>} the folders of the packages in the bundle
 */
async function bundleModule(name, format) {
  const isNode = format === 'cjs';
  const bundle = await rolldown({
    input: join(PACKAGE, 'src', `${name}.ts`),
    platform: isNode ? 'node' : 'browser',
    external: /^node:/,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    transform: { target: isNode ? 'node20.19' : 'es2022' },
    checks: { pluginTimings: false },
  });
  const { output } = await bundle.write({
    file: join(NEW_FOLDER, `${name}.${isNode ? 'cjs' : 'js'}`),
    format,
    minify: true,
    comments: false,
  });
  await bundle.close();
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  return modules.flatMap((id) => packageOf(id) ?? []);
}

rmSync(NEW_FOLDER, { recursive: true, force: true });
// Node loads the engine by `require`, at once.
const parts = [
  ...(await bundleModule('node', 'cjs')),
  ...(await bundleModule('node-compiler', 'cjs')),
  ...(await bundleModule('browser', 'esm')),
];
writeParts(NEW_FOLDER, parts);
if (existsSync(FOLDER)) rmSync(FOLDER, { recursive: true });
renameSync(NEW_FOLDER, FOLDER);
