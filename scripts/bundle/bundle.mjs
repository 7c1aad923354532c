// Bundles the command and the library with the parts of other packages that they use, and with the checks of parameters
// compiled: a start would load some hundred files, the first calls would compile, and an installation would be five
// times as large.
//
//   node scripts/bundle/bundle.mjs               after `tsc -b packages`
//   node scripts/bundle/bundle.mjs --if-older    only if the bundle is older than the build
//
// `bin/starkbox.js` runs the bundle unless the build is newer.
import { cpSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { ROOT } from '../cargo.mjs';
import { published } from '../packages/workspaces.mjs';
import { isMain } from '../processes.mjs';
import { bundleForPages } from './browser.mjs';
import { builtinModules } from './builtin-modules.mjs';
import { precompiledChecks } from './checks-plugin.mjs';
import { dependenciesOf, packageOf, writeParts } from './third-party.mjs';

const PACKAGE = join(ROOT, 'packages', 'starkbox');
const FOLDER = join(PACKAGE, 'dist', 'bundle');
/** Written first, because a node may start from the bundle meanwhile. */
const NEW_FOLDER = join(PACKAGE, 'dist', 'bundle.new');
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
 * @returns {Promise<string[]>} the files that it is made of
 */
async function bundleRequired(name) {
  const input = createRequire(join(PACKAGE, 'package.json')).resolve(name);
  const bundle = await rolldown({ input, platform: 'node', external: isInstalled });
  const file = join(NEW_FOLDER, `${name}.cjs`);
  const { output } = await bundle.write({ file, format: 'cjs', comments: false });
  await bundle.close();
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

/**
 * @param {string} file
 * @returns {number} 0 if there is none
 */
function changed(file) {
  return statSync(join(PACKAGE, 'dist', file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** @param {Record<string, string>} input */
function startBundle(input) {
  return rolldown({
    input,
    platform: 'node',
    external: isInstalled,
    resolve: {
      extensionAlias: { '.js': ['.ts', '.js'] },
      alias: {
        'node-gyp-build-optional-packages': join(ROOT, 'scripts', 'bundle', 'lmdb-addon.mjs'),
      },
    },
    transform: { target: 'node20.19' },
    checks: { eval: false, pluginTimings: false },
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
  });
}

/**
 * Bundles `starkbox/client` for browsers into one file that imports nothing. Node has an entry of the main bundle, whose
 * errors are of the same class as the library's.
 *
 * @returns {Promise<string[]>} the files that it is made of
 */
async function bundleForBrowsers() {
  const input = join(SOURCES, 'client.ts');
  const bundle = await rolldown({
    input,
    platform: 'browser',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    transform: { target: 'es2022' },
  });
  const file = join(NEW_FOLDER, 'client.js');
  const { output } = await bundle.write({ file, format: 'esm', minify: true, comments: false });
  await bundle.close();
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

async function build() {
  rmSync(NEW_FOLDER, { recursive: true, force: true });
  const input = {
    cli: join(SOURCES, 'cli', 'cli.ts'),
    'client-node': join(SOURCES, 'client-node.ts'),
    index: join(SOURCES, 'index.ts'),
  };
  const bundle = await startBundle(input);
  const { output } = await bundle.write({
    dir: NEW_FOLDER,
    format: 'esm',
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: false,
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  const required = await Promise.all([bundleForBrowsers(), ...REQUIRED.map(bundleRequired)]);
  await bundleForPages();
  const chunks = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const modules = [...chunks, ...required.flat()];
  const bundled = modules.flatMap((id) => packageOf(id) ?? []);
  const pages = ['explorer', 'wallet'].flatMap((name) => [
    ...dependenciesOf(join(ROOT, 'packages', name)),
  ]);
  writeParts(NEW_FOLDER, [...bundled, ...pages]);
  rmSync(DOCUMENTS, { recursive: true, force: true });
  cpSync(join(ROOT, 'packages', 'spec', 'documents'), DOCUMENTS, { recursive: true });
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(NEW_FOLDER, FOLDER);
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { 'if-older': { type: 'boolean', default: false } } });
  if (!values['if-older'] || changed('bundle/cli.js') < changed('tsconfig.tsbuildinfo')) {
    await build();
  }
}
