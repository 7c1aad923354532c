// Loader of lmdb's addon in the bundle. The one of lmdb asks for the folder of its package, which is not installed:
// the packages with the addon have no install script.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const PACKAGE = `@lmdb/lmdb-${process.platform}-${process.arch}`;

/** @returns {string} the folder of the package for this platform */
function folder() {
  try {
    return dirname(require.resolve(PACKAGE));
  } catch (error) {
    throw new Error(
      `A data directory needs the package ${PACKAGE}, an optional dependency of starkbox. ` +
        'Install again without --omit=optional, on the platform where the node runs.',
      { cause: error },
    );
  }
}

/** @returns {boolean} */
function isMusl() {
  /** @type {{ header?: { glibcVersionRuntime?: string } }} */
  const { header } = process.report.getReport();
  return header?.glibcVersionRuntime === undefined;
}

/** @returns {unknown} the functions of the addon */
// biome-ignore lint/style/noDefaultExport: lmdb imports the default.
export default function load() {
  const path = folder();
  const library = process.platform === 'linux' ? (isMusl() ? '.musl' : '.glibc') : '';
  // One that was built for this version of Node is faster than the general one.
  const names = [`abi${process.versions.modules}`, 'napi'].map(
    (kind) => `node.${kind}${library}.node`,
  );
  const present = readdirSync(path);
  const name = names.find((addon) => present.includes(addon));
  if (name === undefined) throw new Error(`${path} has none of ${names.join(', ')}.`);
  try {
    return require(join(path, name));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint = /GLIBC_/.test(reason) ? ' It is built for glibc 2.34 and later (Debian 12).' : '';
    throw new Error(
      `A data directory needs ${PACKAGE}, which cannot be loaded: ${reason}.${hint}`,
      {
        cause: error,
      },
    );
  }
}
