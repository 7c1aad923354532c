// Source files and package manifests of the repository.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PRIVATE_IMPORTS } from './rules.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Names of folders that git ignores. */
const IGNORED = new Set(['node_modules', 'dist', 'patched', 'target']);

/** Path from the repository's root → text, of the files below `folders` whose path matches `pattern`. */
export function readSources(folders: readonly string[], pattern: RegExp): Map<string, string> {
  const files = folders.flatMap(listFiles).filter((file) => pattern.test(file));
  return new Map(files.map((file) => [file, readFileSync(ROOT + file, 'utf8')]));
}

function listFiles(folder: string): string[] {
  return readdirSync(ROOT + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return IGNORED.has(entry.name) ? [] : listFiles(path);
  });
}

export interface Package {
  /** Its folder below `packages`. */
  readonly folder: string;
  readonly name: string;
  /** The folder of its TypeScript sources. */
  readonly sources: string;
  /** The subpaths that it exports, `.` for its index. */
  readonly exports: readonly string[];
  /** The names of packages that its sources may import. */
  readonly dependencies: readonly string[];
}

/** The packages of the repository, as their package.json files describe them. */
export function readPackages(): Package[] {
  const folders = readdirSync(`${ROOT}packages`).filter((folder) =>
    existsSync(`${ROOT}packages/${folder}/package.json`),
  );
  const manifests = folders.map((folder) => {
    const manifest: unknown = JSON.parse(
      readFileSync(`${ROOT}packages/${folder}/package.json`, 'utf8'),
    );
    return { folder, manifest: fields(manifest) };
  });
  const names = new Set(manifests.map(({ manifest }) => String(manifest['name'])));
  return manifests.map(({ folder, manifest }) => {
    const installed = ['dependencies', 'peerDependencies', 'optionalDependencies'];
    const listed = installed.flatMap((kind) => Object.keys(fields(manifest[kind])));
    // A bundle holds packages of others that users do not install. A private package is never installed.
    const bundled = Object.keys(fields(manifest['devDependencies'])).filter(
      (name) =>
        manifest['private'] === true ||
        !names.has(name) ||
        PRIVATE_IMPORTS.some((row) => row.from === folder && row.name === name),
    );
    return {
      folder,
      name: String(manifest['name']),
      sources: `packages/${folder}/${existsSync(`${ROOT}packages/${folder}/js`) ? 'js' : 'src'}`,
      exports: Object.keys(fields(manifest['exports'])),
      dependencies: [...new Set([...listed, ...bundled])],
    };
  });
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value);
}
