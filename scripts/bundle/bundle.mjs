// Bundles the command and the library with the parts of other packages that they use, and with the checks of parameters
// compiled: a start would load some hundred files, the first calls would compile, and an installation would be five
// times as large.
//
//   node scripts/bundle/bundle.mjs               after `tsc -b packages`
//   node scripts/bundle/bundle.mjs --if-older    only if the bundle is older than the build
//
// `bin/starkbox.js` runs the bundle unless the build is newer.
import { cpSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../cargo.mjs';
import { published } from '../packages/workspaces.mjs';
import { isMain } from '../processes.mjs';
import { bundleForPages } from './browser.mjs';
import { builtinModules } from './builtin-modules.mjs';
import { precompiledChecks } from './checks-plugin.mjs';
import { dependenciesOf, packageOf, writeParts } from './third-party.mjs';
import { replaceFolder, writeBundle } from './write.mjs';

const PACKAGE = join(ROOT, 'packages', 'starkbox');
const SOURCES = join(PACKAGE, 'src');
/** Found from the bundle as @starkbox/spec finds its documents from its own build. */
const DOCUMENTS = join(PACKAGE, 'dist', 'documents');

/**
 * Whether a package stays one that npm installs.
 *
 * @param {string} id
 * @param {string | undefined} importer
 */
function isInstalled(id, importer) {
  if (isBuiltin(id)) return true;
  if (id.startsWith('@starkbox/')) return PUBLISHED.has(id);
  // Users install it for traces; metrics need a small part of it in any case.
  if (id.startsWith('@opentelemetry/')) return importer !== undefined && !packageOf(importer);
  return OPTIONAL.has(id);
}

/** Ours that are not among them are part of the bundle. */
const PUBLISHED = published();

/** Quicker forms of some functions; used where a user has installed them. */
const OPTIONAL = new Set(['bufferutil', 'utf-8-validate', 'msgpackr-extract']);

/** Packages that our files load by `createRequire`, late or because that is quicker. Each becomes a file of its own. */
const REQUIRED = ['ajv', 'immutable', 'pino'];

/**
 * Bundles a package that is loaded by `require`.
 *
 * @param {string} name
 * @param {string} folder
 */
function bundleRequired(name, folder) {
  const input = createRequire(join(PACKAGE, 'package.json')).resolve(name);
  return writeBundle(
    { input, platform: 'node', external: isInstalled },
    { file: join(folder, `${name}.cjs`), format: 'cjs' },
  );
}

/**
 * @param {string} file
 * @returns {number} 0 if there is none
 */
function changed(file) {
  return statSync(join(PACKAGE, 'dist', file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** @param {string} folder */
function bundleForNode(folder) {
  return writeBundle(
    {
      input: {
        cli: join(SOURCES, 'cli', 'cli.ts'),
        'client-node': join(SOURCES, 'client-node.ts'),
        index: join(SOURCES, 'index.ts'),
      },
      platform: 'node',
      external: isInstalled,
      resolve: {
        alias: {
          'node-gyp-build-optional-packages': join(ROOT, 'scripts', 'bundle', 'lmdb-addon.mjs'),
        },
      },
      transform: { target: 'node20.19' },
      plugins: [
        precompiledChecks,
        {
          name: 'CommonJS',
          transform(code, id) {
            if (!id.startsWith(SOURCES) || !code.includes('createRequire')) return undefined;
            const call = new RegExp(`(?<=\\)|\\brequire)\\('(${REQUIRED.join('|')})'\\)`, 'g');
            return { code: code.replaceAll(call, "('./$1.cjs')"), map: null };
          },
        },
        builtinModules,
      ],
    },
    {
      dir: folder,
      format: 'esm',
      sourcemap: true,
      sourcemapExcludeSources: true,
      chunkFileNames: '[name]-[hash].js',
    },
  );
}

/**
 * Bundles `starkbox/client` for browsers into one file that imports nothing. Node has an entry of the main bundle, whose
 * errors are of the same class as the library's.
 *
 * @param {string} folder
 */
function bundleForBrowsers(folder) {
  return writeBundle(
    {
      input: join(SOURCES, 'client.ts'),
      platform: 'browser',
      transform: { target: 'es2022' },
    },
    { file: join(folder, 'client.js'), format: 'esm', minify: true },
  );
}

async function build() {
  await replaceFolder(join(PACKAGE, 'dist', 'bundle'), async (folder) => {
    const modules = await Promise.all([
      bundleForNode(folder),
      bundleForBrowsers(folder),
      ...REQUIRED.map((name) => bundleRequired(name, folder)),
    ]);
    await bundleForPages();
    const pages = ['explorer', 'wallet'].flatMap((name) => [
      ...dependenciesOf(join(ROOT, 'packages', name)),
    ]);
    writeParts(folder, modules.flat(), pages);
    await replaceFolder(DOCUMENTS, (documents) =>
      cpSync(join(ROOT, 'packages', 'spec', 'documents'), documents, { recursive: true }),
    );
  });
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { 'if-older': { type: 'boolean', default: false } } });
  if (!values['if-older'] || changed('bundle/cli.js') < changed('tsconfig.tsbuildinfo')) {
    await build();
  }
}
