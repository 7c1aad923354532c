// Generator of the well-known class files: fetches their package, checks it, and adds the CASM.

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ENGINE, ROOT } from './cargo.mjs';
import { unpackCrate } from './engine-changes.mjs';
import { isMain } from './processes.mjs';
import {
  CLASSES,
  classesOf,
  FAMILIES,
  HOLDERS,
  LABEL,
  notice,
  PACKAGE,
} from './well-known-classes.mjs';

// Crates whose version determines the CASM and its hash; another version recompiles.
const COMPILERS = ['cairo-lang-starknet-classes', 'cairo-lang-sierra-to-casm', 'starknet_api'];

/** Incremented when the format of the written files changes. */
const FORM = 2;

/** A failure with advice, printed without a stack. */
class Refusal extends Error {
  /**
   * @param {string} problem
   * @param {string} advice
   */
  constructor(problem, advice) {
    super(`${problem}\n  What to do: ${advice}`);
  }
}

/** @param {string | Uint8Array} data */
const sha256 = (data) => createHash('sha256').update(data).digest('hex');

/**
 * @param {string} problem
 * @param {string} expected
 * @param {string} actual
 */
const mismatch = (problem, expected, actual) =>
  `${problem}\n  expected SHA-256 ${expected}\n  found            ${actual}`;

/** @param {string} hash */
const canonical = (hash) => `0x${BigInt(hash).toString(16)}`;

// ---- the package ----------------------------------------------------------------------------

/**
 * Unpacks the package as it was published.
 *
 * @param {string} directory
 * @returns {string} the package's root
 */
export function unpackPackage(directory) {
  try {
    return unpackCrate(PACKAGE, directory);
  } catch (error) {
    throw new Refusal(
      error instanceof Error ? error.message : String(error),
      `see that \`cargo info ${PACKAGE.name}@${PACKAGE.version}\` works (cargo 1.82 or later, and the network), ` +
        'or unpack the package and give --from DIR.',
    );
  }
}

/**
 * Reads every file of the table from the package's root, and refuses unless all are as pinned.
 * @param {string} root
 * @param {string} advice what to do about a bad file
 * @returns {Map<string, string>} texts by file
 */
function readSources(root, advice) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  const problems = [];
  for (const { file, sha256: expected } of [...CLASSES, PACKAGE.licence]) {
    const path = join(root, file);
    if (existsSync(path)) {
      const data = readFileSync(path);
      const hash = sha256(data);
      texts.set(file, data.toString('utf8'));
      if (hash !== expected) {
        problems.push(mismatch(`${file} is not the published file`, expected, hash));
      }
    } else {
      const other = findByHash(root, expected);
      const state = other ? `no such file (its content is in ${other})` : 'no such file';
      problems.push(mismatch(`${file} is missing`, expected, state));
    }
  }
  if (problems.length > 0) throw new Refusal(problems.join('\n'), advice);
  return texts;
}

/**
 * Distinguishes a renamed file from a missing one by its content.
 * @param {string} root
 * @param {string} hash
 */
function findByHash(root, hash) {
  if (!existsSync(root)) return undefined;
  const path = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .find((path) => sha256(readFileSync(path)) === hash);
  return path && relative(root, path).split(sep).join('/');
}

// ---- the classes ----------------------------------------------------------------------------

/** @typedef {Pick<typeof import('@starkbox/engine'), 'Class'>} Engine */

/**
 * Hashes and compiles classes with the engine, and refuses unless each hash is as pinned. Sierra
 * classes are given in the form of JSON-RPC; Cairo 0 classes stay as they are, to the byte.
 * @param {Engine} engine
 * @param {typeof CLASSES} entries
 * @param {Map<string, string>} texts by file, as the package has them
 */
async function makeClasses(engine, entries, texts) {
  const advice = 'the file is as published, so look for the fault in the engine.';
  const classes = [];
  for (const entry of entries) {
    const text = texts.get(entry.file) ?? '';
    const compiled = await engine.Class.compile(text).catch((/** @type {unknown} */ error) => {
      throw new Refusal(
        `${entry.file}: the engine does not compile this class\n  ${error}`,
        advice,
      );
    });
    /** @type {[string, string, string][]} */
    const checks = [
      ['class hash', entry.classHash, canonical(compiled.hash)],
      ['kind', entry.kind, compiled.kind],
    ];
    for (const [what, expected, actual] of checks) {
      if (expected === actual) continue;
      throw new Refusal(
        `${entry.file}: the engine finds another ${what}\n  expected ${expected}\n  found    ${actual}`,
        advice,
      );
    }
    const { compiledClassHash: hash } = compiled;
    if ((hash === undefined) !== (entry.kind === 'cairo0')) {
      throw new Refusal(`${entry.file}: a Sierra class has a compiled class hash`, advice);
    }
    /** @type {Map<string, string | Uint8Array>} */
    const files = new Map();
    files.set(`${entry.name}.json`, entry.kind === 'cairo0' ? text : await compiled.json());
    files.set(`${entry.name}.class`, await compiled.pack());
    classes.push({ entry, compiledClassHash: hash === undefined ? null : canonical(hash), files });
  }
  return classes;
}

// ---- the output -----------------------------------------------------------------------------

/** @returns {Record<string, string>} the versions in Cargo.lock that decide the output */
function compilerVersions() {
  const lock = readFileSync(join(ROOT, 'Cargo.lock'), 'utf8');
  return Object.fromEntries(
    COMPILERS.map((crate) => {
      const match = lock.match(new RegExp(`^name = "${crate}"\\r?\\nversion = "([^"]+)"`, 'm'));
      return [crate, match?.[1] ?? 'unknown'];
    }),
  );
}

/**
 * @param {string} out
 * @returns {{ recipe: string, files: Record<string, string> }} what the last run wrote there
 */
function readIndex(out) {
  try {
    const index = JSON.parse(readFileSync(join(out, 'index.json'), 'utf8'));
    return { recipe: index.recipe, files: { ...index.files } };
  } catch {
    return { recipe: '', files: {} };
  }
}

/**
 * @param {string} out
 * @param {string} recipe
 */
function isCurrent(out, recipe) {
  const index = readIndex(out);
  return (
    index.recipe === recipe &&
    Object.entries(index.files).every(([file, hash]) => {
      const path = join(out, file);
      return existsSync(path) && sha256(readFileSync(path)) === hash;
    })
  );
}

/**
 * @param {string} folder of packages
 * @param {string} holder a package of ours that holds classes
 * @param {Map<string, string>} texts by file, as the package has them
 */
function outputOf(folder, holder, texts) {
  const notices = new Map([
    ['NOTICE.md', notice(holder)],
    [`LICENSE-${PACKAGE.name}`, texts.get(PACKAGE.licence.file) ?? ''],
  ]);
  const facts = [FORM, PACKAGE, classesOf(holder), [...notices], compilerVersions()];
  const recipe = sha256(JSON.stringify(facts));
  return { holder, out: join(folder, holder, 'classes'), recipe, notices };
}

/**
 * Writes atomically, by a rename.
 * @param {string} path
 * @param {string | Uint8Array} content
 */
function replace(path, content) {
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, content);
  renameSync(draft, path);
}

/**
 * Writes the classes, and the index last, so that its presence means they are complete.
 * @param {string} out
 * @param {string} recipe
 * @param {Awaited<ReturnType<typeof makeClasses>>} classes
 * @param {Map<string, string>} notices
 */
function writeOutput(out, recipe, classes, notices) {
  mkdirSync(out, { recursive: true });
  const files = new Map([...classes.flatMap((item) => [...item.files]), ...notices]);
  const stale = Object.keys(readIndex(out).files).filter((path) => !files.has(path));
  for (const path of ['index.json', ...stale]) rmSync(join(out, path), { force: true });
  for (const [path, text] of files) replace(join(out, path), text);
  const index = {
    package: { name: PACKAGE.name, version: PACKAGE.version, sha256: PACKAGE.sha256 },
    compiler: compilerVersions(),
    classes: classes.map(({ entry, compiledClassHash }) => ({
      name: entry.name,
      kind: entry.kind,
      class_hash: entry.classHash,
      compiled_class_hash: compiledClassHash,
      licence: FAMILIES[entry.family].licence,
    })),
    recipe,
    files: Object.fromEntries([...files].map(([path, text]) => [path, sha256(text)])),
  };
  replace(join(out, 'index.json'), `${JSON.stringify(index, null, 2)}\n`);
}

/**
 * @param {string} path
 * @returns {Promise<Engine>}
 */
async function loadEngine(path) {
  const engine = await import(pathToFileURL(path).href).catch((/** @type {unknown} */ error) => {
    throw new Refusal(
      `${path} cannot be loaded: the classes are hashed and compiled by the engine\n  ${error}`,
      'build the engine first (npm run build:engine, npm run build:ts).',
    );
  });
  if (typeof engine.Class?.compile !== 'function') {
    throw new Refusal(`${path} has no Class.compile`, 'build the engine anew.');
  }
  return engine;
}

const USAGE = `Usage: node scripts/fetch-classes.mjs [options]

Takes the ready-made classes from ${LABEL}, checks them and writes them as the RPC shows them and
packed with their CASM.

  --from DIR     read the unpacked package in DIR instead of cargo's registry cache
  --out DIR      the folder of packages to write to (packages): engine/classes and argent-classes/classes
  --engine FILE  the engine's entry point (packages/engine/dist/index.js)
  --force        compile again even if the output is right
  --help         this text`;

async function main() {
  const { values } = parseArgs({
    options: {
      from: { type: 'string' },
      out: { type: 'string', default: join(ROOT, 'packages') },
      engine: { type: 'string', default: join(ENGINE, 'dist', 'index.js') },
      force: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }

  const workspace = mkdtempSync(join(tmpdir(), 'starkbox-classes-'));
  try {
    const from = values.from && resolve(values.from);
    const texts = from
      ? readSources(from, `put the files of ${LABEL} into ${from}.`)
      : readSources(
          unpackPackage(workspace),
          'the archive was as published, so correct the table in scripts/well-known-classes.mjs.',
        );
    const outputs = HOLDERS.map((holder) => outputOf(resolve(values.out), holder, texts));
    const stale = outputs.filter(({ out, recipe }) => values.force || !isCurrent(out, recipe));
    if (stale.length === 0) {
      console.log(`fetch-classes: ${CLASSES.length} classes are in place`);
      return;
    }
    const engine = await loadEngine(resolve(values.engine));
    // All are compiled before any is written.
    const compiled = [];
    for (const { holder } of stale)
      compiled.push(await makeClasses(engine, classesOf(holder), texts));
    for (const [at, { out, recipe, notices }] of stale.entries()) {
      writeOutput(out, recipe, compiled[at] ?? [], notices);
      console.log(`fetch-classes: ${compiled[at]?.length} classes written to ${out}`);
    }
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

if (isMain(import.meta.url)) {
  main().catch((/** @type {unknown} */ error) => {
    console.error('fetch-classes:', error instanceof Refusal ? error.message : error);
    process.exitCode = 1;
  });
}
