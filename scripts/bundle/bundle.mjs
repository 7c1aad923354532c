// Bundles the command into a few files, with the checks of parameters compiled: a start would load some hundred files,
// and the first calls would compile.
//
//   node scripts/bundle/bundle.mjs   after `tsc -b packages`
//
// `bin/starkbox.js` runs the bundle unless the build is newer. Dependencies stay packages that npm installs.
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { declaredIn, parametersOf } from '../../packages/starkbox/dist/rpc/protocol/documents.js';
import { Compiler } from '../../packages/starkbox/dist/rpc/protocol/schema-compiler.js';
import { documentsFor, VERSION_NAMES } from '../../packages/starkbox/dist/rpc/versions/versions.js';
import { ROOT } from '../cargo.mjs';
import { checksCode } from './precompiled-checks.mjs';

const PACKAGE = join(ROOT, 'packages', 'starkbox');
const FOLDER = join(PACKAGE, 'dist', 'bundle');
/** Written first, because a node may start from the bundle meanwhile. */
const NEW_FOLDER = join(PACKAGE, 'dist', 'bundle.new');
const PROTOCOL = join(PACKAGE, 'src', 'rpc', 'protocol');
const CHECKS = '\0checks-';

/** @returns {string} the module that stands for `precompiled.ts` */
function precompiledModule() {
  const versions = VERSION_NAMES.map((name) => {
    const module = JSON.stringify(CHECKS + name);
    return `  ${name}: () => import(${module}).then(({ CHECKS }) => new Map(CHECKS)),`;
  });
  return `export const PRECOMPILED = {\n${versions.join('\n')}\n};\n`;
}

/**
 * @param {string} version of the specification
 * @returns {string}
 */
function checksModule(version) {
  const keywords = JSON.stringify(join(PROTOCOL, 'schema-compiler.js'));
  const code = checksCode({ declaredIn, parametersOf, Compiler }, documentsFor(version));
  return `import { toCanonical, toClosedCheck, toExactCheck } from ${keywords};\n${code}export { CHECKS };\n`;
}

rmSync(NEW_FOLDER, { recursive: true, force: true });
const bundle = await rolldown({
  input: { cli: join(PACKAGE, 'src', 'cli', 'cli.ts') },
  platform: 'node',
  external: /^(node:|@?[a-z])/,
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  transform: { target: 'node20.19' },
  checks: { pluginTimings: false },
  plugins: [
    {
      name: 'precompiled checks',
      resolveId: (id) => (id.startsWith(CHECKS) ? id : undefined),
      load(id) {
        if (id === join(PROTOCOL, 'precompiled.ts')) return precompiledModule();
        if (!id.startsWith(CHECKS)) return undefined;
        return checksModule(id.slice(CHECKS.length));
      },
    },
  ],
});
await bundle.write({
  dir: NEW_FOLDER,
  format: 'esm',
  sourcemap: true,
  sourcemapExcludeSources: true,
  comments: false,
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
rmSync(FOLDER, { recursive: true, force: true });
renameSync(NEW_FOLDER, FOLDER);
