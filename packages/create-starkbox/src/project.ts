// A new project: the files of the template, written into a folder.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

/** Test runners, as the option names them, with the names that people read. */
const RUNNERS = { vitest: 'vitest', node: 'node:test' } as const;

type Runner = keyof typeof RUNNERS;

/** Names of the test runners that `newProject` takes. */
export const RUNNER_NAMES: readonly string[] = Object.keys(RUNNERS);
export const DEFAULT_RUNNER = 'vitest';

/** Found from the build of this package and from its copy in `starkbox`. */
const TEMPLATE: string = fileURLToPath(new URL('../template', import.meta.url));
const MANIFEST = 'package.json';
const COMPRESSED = '.br';
/** npm leaves files of the second name out of packages. */
const RENAMED: ReadonlyMap<string, string> = new Map([['gitignore', '.gitignore']]);

export interface NewProjectOptions {
  /** Where the project is written. Missing folders are created. */
  readonly folder: string;
  /** `vitest` or `node`. */
  readonly runner: string;
  /** Version of the packages of Starkbox that the project installs. */
  readonly version: string;
}

export interface NewProject {
  /** The absolute path of the project. */
  readonly folder: string;
  /** Its name in package.json. */
  readonly name: string;
  /** Paths of the files that were written, relative to the folder. */
  readonly files: readonly string[];
}

/** An option has a value that is not allowed. */
export class InvalidOption extends Error {
  override readonly name = 'InvalidOption';
}

/**
 * Writes a project into a folder. Other files in the folder stay.
 *
 * @throws InvalidOption if the test runner is unknown
 * @throws Error if a file of the project exists, or its folder cannot be created; nothing is written then
 * @example
 * const { folder, files } = newProject({ folder: 'my-vault', runner: 'vitest', version: '0.1.0' });
 */
export function newProject({ folder: path, runner, version }: NewProjectOptions): NewProject {
  const folder = resolve(path);
  const name = packageName(basename(folder));
  const files = projectFiles(checkRunner(runner), name, version);
  const existing = [...files.keys()].filter((file) => existsSync(join(folder, file)));
  if (existing.length > 0) {
    const list = existing.map((file) => `  ${file}`).join('\n');
    throw new Error(
      `${folder} already has files of a new project:\n${list}\nNothing was written. Choose another folder, or move these files away.`,
    );
  }
  for (const [file, content] of files) {
    createFolder(dirname(join(folder, file)));
    writeFileSync(join(folder, file), content, { flag: 'wx' });
  }
  return { folder, name, files: [...files.keys()] };
}

/** `mkdir` with `recursive` does not return below `/proc`, where the system answers that an existing parent is missing. */
function createFolder(path: string): void {
  if (existsSync(path)) return;
  createFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(`the folder ${path} cannot be created: ${reason}`, { cause: error });
  }
}

function checkRunner(text: string): Runner {
  if (text === 'vitest' || text === 'node') return text;
  throw new InvalidOption(`invalid test runner '${text}': expected vitest, or node for node:test`);
}

/** The contents of all files by their paths, in an order that writes the compiled class after its source. */
function projectFiles(
  runner: Runner,
  name: string,
  version: string,
): ReadonlyMap<string, string | Buffer> {
  const files = new Map<string, string | Buffer>();
  for (const part of ['base', runner]) {
    for (const file of filesBelow(join(TEMPLATE, part))) {
      if (file === MANIFEST) continue;
      files.set(targetOf(file), contentOf(join(TEMPLATE, part, file), name));
    }
  }
  files.set(MANIFEST, manifestText(runner, name, version));
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function targetOf(file: string): string {
  const path = file.endsWith(COMPRESSED) ? file.slice(0, -COMPRESSED.length) : file;
  return RENAMED.get(path) ?? path;
}

function contentOf(path: string, name: string): string | Buffer {
  if (path.endsWith(COMPRESSED)) return brotliDecompressSync(readFileSync(path));
  return readFileSync(path, 'utf8').replaceAll('{{name}}', name);
}

function manifestText(runner: Runner, name: string, version: string): string {
  const base = readManifest('base');
  const runnerPart = readManifest(runner);
  const dependencies = Object.entries({
    ...base.devDependencies,
    ...runnerPart.devDependencies,
    '@starkbox/testing': `^${version}`,
    starkbox: `^${version}`,
  }).sort(([a], [b]) => (a < b ? -1 : 1));
  const manifest = {
    ...base,
    name,
    scripts: { ...runnerPart.scripts, ...base.scripts },
    devDependencies: Object.fromEntries(dependencies),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function readManifest(part: string): Manifest {
  return JSON.parse(readFileSync(join(TEMPLATE, part, MANIFEST), 'utf8'));
}

/** A name that npm accepts, from the name of a folder. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._~-]+/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '');
  return name === '' ? 'vault' : name.slice(0, 214);
}
