// Bundles `starkbox/browser`: the page's half into packages/starkbox/dist/web, and the worker with the chain into
// packages/engine-wasm/dist/worker. Those who use no browser install neither the engine of browsers nor the worker.
//
// The worker is one file without imports, which every bundler takes as it is. What the chain uses of Node is replaced by
// the modules of `src/browser/host`; a function that they lack fails the build.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../cargo.mjs';
import { manifestIn } from '../packages/workspaces.mjs';
import { entrySources } from '../source-aliases.mjs';
import { precompiledChecks } from './checks-plugin.mjs';
import { packageOf, writeParts } from './third-party.mjs';
import { replaceFolder, writeBundle } from './write.mjs';

const PACKAGES = join(ROOT, 'packages');
const PACKAGE = join(PACKAGES, 'starkbox');
const SOURCES = join(PACKAGE, 'src');
const HOST = join(SOURCES, 'browser', 'host');
const PAGE_FOLDER = join(PACKAGE, 'dist', 'web');
const WORKER_FOLDER = join(PACKAGES, 'engine-wasm', 'dist', 'worker');
const DOCUMENTS = join(PACKAGES, 'spec', 'documents');
const TARGET = 'es2022';

/** The modules that stand for those of Node. */
const HOST_MODULES = {
  'node:async_hooks': 'system.ts',
  'node:buffer': 'bytes.ts',
  'node:crypto': 'bytes.ts',
  'node:events': 'system.ts',
  'node:fs': 'files.ts',
  'node:fs/promises': 'files.ts',
  'node:os': 'system.ts',
  'node:path': 'files.ts',
  'node:timers/promises': 'timers-promises.ts',
  'node:url': 'files.ts',
  'node:util': 'system.ts',
  'node:zlib': 'bytes.ts',
};

/** Sources that are replaced as a whole. */
const REPLACED = new Map(
  Object.entries({
    'fork/origin/poster.ts': 'poster.ts',
    'fork/origin/lock-file.ts': 'refused.ts',
    'l1/ethereum/client.ts': 'refused.ts',
    'l1/anvil/process.ts': 'refused.ts',
    'l1/anvil/state-files.ts': 'refused.ts',
    'l1/anvil/autosave.ts': 'refused.ts',
    'chain/genesis/argent-classes.ts': 'refused.ts',
    'paymaster/paymaster.ts': 'refused.ts',
  }).map(([source, host]) => [join(SOURCES, source), join(HOST, host)]),
);
REPLACED.set(
  join(PACKAGES, 'engine', 'js', 'addon.ts'),
  join(PACKAGES, 'engine', 'js', 'addon-browser.ts'),
);

/**
 * Ours are a part of the bundle, by their sources.
 *
 * @type {Record<string, string>}
 */
const ENTRIES = {
  ...entrySources(),
  '@starkbox/engine-wasm/browser': join(PACKAGES, 'engine-wasm', 'src', 'browser.ts'),
};
/** A `$` at the end of a name is for it alone, without what begins with it. */
const ALIASES = Object.fromEntries(
  Object.entries(ENTRIES).map(([name, source]) => [`${name}$`, source]),
);

/** Globals of Node, which these modules export by the same names. */
const INJECTED = {
  Buffer: 'bytes.ts',
  process: 'system.ts',
  setTimeout: 'system.ts',
  setInterval: 'system.ts',
  setImmediate: 'system.ts',
  clearTimeout: 'system.ts',
  clearInterval: 'system.ts',
};

/** @returns {string} the module that stands for `embedded.ts` */
function embeddedModule() {
  const files = readdirSync(DOCUMENTS, { recursive: true, encoding: 'utf8' });
  const documents = files
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const text = readFileSync(join(DOCUMENTS, file), 'utf8');
      return [file.replaceAll('\\', '/'), JSON.stringify(JSON.parse(text))];
    });
  return `export const EMBEDDED = ${JSON.stringify(Object.fromEntries(documents))};\n`;
}

/** @returns {string} the module that stands for `version.ts` */
function versionModule() {
  return `export const packageVersion = () => ${JSON.stringify(manifestIn(PACKAGE).version)};\n`;
}

/** @type {import('rolldown').Plugin} */
const browserHost = {
  name: 'host of browsers',
  async resolveId(id, importer) {
    const host = Object.entries(HOST_MODULES).find(([name]) => name === id)?.[1];
    if (host !== undefined) return join(HOST, host);
    const resolved = await this.resolve(id, importer, { skipSelf: true });
    return (resolved && REPLACED.get(resolved.id)) ?? resolved;
  },
  load(id) {
    if (id === join(HOST, 'embedded.ts')) return embeddedModule();
    if (id === join(SOURCES, 'node', 'version.ts')) return versionModule();
    // Bundlers of pages look for a file at each URL that is relative to a module.
    if (id === ENTRIES['@starkbox/spec/documents']) {
      return "export const DOCUMENTS = new URL('file:///documents/');\n";
    }
    return undefined;
  },
  transform(code, id) {
    if (!id.startsWith(SOURCES) || !code.includes('createRequire')) return undefined;
    const required = /createRequire\(import\.meta\.url\)\('(\w+)'\)/g;
    const names = [...code.matchAll(required)].map(([, name]) => name);
    const imports = names.map((name) => `import * as required_${name} from '${name}';`).join('');
    const without = code
      .replaceAll(required, 'required_$1')
      .replace("import { createRequire } from 'node:module';", '');
    return { code: `${imports}${without}`, map: null };
  },
};

/**
 * Writes a file, and the notice of the packages that are a part of it.
 *
 * @param {string} input
 * @param {string} target a folder that has no other files
 * @param {string} name of the file
 * @param {Partial<import('rolldown').InputOptions>} [options]
 */
async function bundleFile(input, target, name, options = {}) {
  await replaceFolder(target, async (folder) => {
    const modules = await writeBundle(
      {
        input,
        platform: 'browser',
        resolve: { alias: ALIASES, conditionNames: ['browser', 'import', 'default'] },
        transform: { target: TARGET },
        ...options,
      },
      { file: join(folder, name), format: 'esm', minify: true, codeSplitting: false },
    );
    if (modules.some(packageOf)) writeParts(folder, modules);
  });
}

/** Writes both files. */
export async function bundleForPages() {
  /** @type {Record<string, [string, string]>} */
  const inject = {};
  for (const [name, file] of Object.entries(INJECTED)) inject[name] = [join(HOST, file), name];
  await Promise.all([
    bundleFile(join(SOURCES, 'browser.ts'), PAGE_FOLDER, 'index.js'),
    bundleFile(join(SOURCES, 'browser', 'worker.ts'), WORKER_FOLDER, 'worker.js', {
      transform: { target: TARGET, inject },
      plugins: [precompiledChecks, browserHost],
    }),
  ]);
}
