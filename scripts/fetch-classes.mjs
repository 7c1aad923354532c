// Knows which ready-made classes Starkbox carries, where they come from, and what each must hash to.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

/** The crates.io package that publishes the class files. */
export const PACKAGE = {
  name: 'starknet-devnet-core',
  version: '0.10.1',
  sha256: '90a812402229fb3d25d952952723bad599eae517d2a17bcfd88c508007ef21a3',
  licence: {
    file: 'LICENSE',
    sha256: 'c0a1b8b2d4660a9d0254cd420b6034c19ad817dd65199d574880e67127fcbb19',
  },
};

const FAMILIES = {
  openzeppelin: {
    title: 'OpenZeppelin Contracts for Cairo',
    licence: 'MIT',
    author: 'Copyright (c) Zeppelin Group Ltd.',
    source: 'https://github.com/OpenZeppelin/cairo-contracts',
    remark: `The MIT terms are those of the text in \`LICENSE-${PACKAGE.name}\`, with this copyright line.`,
  },
  starkgate: {
    title: 'StarkGate tokens',
    licence: 'Apache-2.0',
    author: 'Copyright StarkWare Industries Ltd.',
    source: 'https://github.com/starknet-io/starkgate-contracts',
    remark: 'Terms: https://www.apache.org/licenses/LICENSE-2.0',
  },
  argent: {
    title: 'Argent accounts',
    licence: 'GPL-3.0',
    author: 'By Argent.',
    source: 'https://github.com/argentlabs/argent-contracts-starknet',
    remark:
      'Terms: https://www.gnu.org/licenses/gpl-3.0.html. The corresponding source is at the address above.',
  },
};

/**
 * @typedef {'sierra' | 'cairo0'} Kind
 * @typedef {object} Entry
 * @property {string} name the name in the build output
 * @property {string} file path inside the package
 * @property {string} sha256 of that file
 * @property {string} classHash canonical hex
 * @property {Kind} kind
 * @property {keyof typeof FAMILIES} family whose licence it carries
 */

/** @type {readonly Entry[]} */
export const CLASSES = [
  {
    name: 'account-cairo0',
    file: 'contracts/accounts_artifacts/OpenZeppelin/0.5.1/Account.cairo/Account.json',
    sha256: '670537bd724077eee13af97ef4e55d264d7cf1bbc70ed8b9aa51981b96db215e',
    classHash: '0x4d07e40e93398ed3c76981e72dd1fd22557a78ce36c0515f679e27f0bb5bc5f',
    kind: 'cairo0',
    family: 'openzeppelin',
  },
  {
    name: 'account',
    file: 'contracts/accounts_artifacts/OpenZeppelin/1.0.0/Account.cairo/Account.sierra',
    sha256: 'c39668e9d6a8a05995c0a3d1214f3cba629b15582711ebed53aa51902dea2daa',
    classHash: '0x5b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564',
    kind: 'sierra',
    family: 'openzeppelin',
  },
  {
    name: 'strk',
    file: 'contracts/system_artifacts/erc20_strk.sierra',
    sha256: '77d5cb275823007f8bc4ef693bf1caa7bc0b67d4f6cb3150326031fc1dce8789',
    classHash: '0x2e77ee61d4df3d988ee1f42ea5442e913862cc82c2584d212ecda76666498fc',
    kind: 'sierra',
    family: 'starkgate',
  },
  {
    name: 'eth',
    file: 'contracts/system_artifacts/erc20_eth.sierra',
    sha256: 'e6a95238d6c5bc6d536eb1ee304256bbd077734d8f2777df555fd247d51009f5',
    classHash: '0xb45dbc3714180381c5680e41931172d67194d77d504413465390e0bef194ec',
    kind: 'sierra',
    family: 'starkgate',
  },
  {
    name: 'udc-cairo0',
    file: 'contracts/system_artifacts/UDC_OZ_0.5.0.json',
    sha256: '055fb6117a61e79823a86e1d118dda16a3399059ec0ac740bd86a2fe0f04f1bd',
    classHash: '0x7b3e05f48f0c69e4a65ce5e076a66271a527aff2c34ce1083ec6e1526997a69',
    kind: 'cairo0',
    family: 'openzeppelin',
  },
  {
    name: 'udc',
    file: 'contracts/system_artifacts/udc_2.sierra',
    sha256: '452866adabdafa1b9ec09ba9de5077707ccfd45c66073427242b4d9064f91277',
    classHash: '0x1b2df6d8861670d4a8ca4670433b2418d78169c2947f46dc614e69f333745c8',
    kind: 'sierra',
    family: 'openzeppelin',
  },
  {
    name: 'argent',
    file: 'contracts/accounts_artifacts/Argent/argent_0.4.0.sierra',
    sha256: 'd4a75ce7474d22ac03046bbbdab090213cec1b6747d831530f2981c179c64754',
    classHash: '0x36078334509b514626504edc9fb252328d1a240e4e948bef8d0c08dff45927f',
    kind: 'sierra',
    family: 'argent',
  },
  {
    name: 'argent-multisig',
    file: 'contracts/accounts_artifacts/Argent/argent_multisig_0.2.0.sierra',
    sha256: 'f1d37c2fb67b64acfe2b308e198dd1198e40399b8b3904377b250c05f8c8d958',
    classHash: '0x7aeca3456816e3b833506d7cc5c1313d371fbdb0ae95ee70af72a4ddbf42594',
    kind: 'sierra',
    family: 'argent',
  },
];

// The crates whose version decides the CASM and its hash: another version means compiling anew.
const COMPILERS = ['cairo-lang-starknet-classes', 'cairo-lang-sierra-to-casm', 'starknet_api'];

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const LABEL = `${PACKAGE.name} ${PACKAGE.version}`;

/** A failure whose message says what is wrong and what to do; it is printed without a stack. */
class Refusal extends Error {}

/** @param {string | Uint8Array} data */
const sha256 = (data) => createHash('sha256').update(data).digest('hex');

/** @param {string} hash */
const canonical = (hash) => `0x${BigInt(hash).toString(16)}`;

// ---- the package ----------------------------------------------------------------------------

/** @returns {string[]} every copy of the package in cargo's registry cache */
function cachedCrates() {
  const cache = join(process.env['CARGO_HOME'] || join(homedir(), '.cargo'), 'registry', 'cache');
  if (!existsSync(cache)) return [];
  return readdirSync(cache)
    .map((registry) => join(cache, registry, `${PACKAGE.name}-${PACKAGE.version}.crate`))
    .filter((path) => existsSync(path));
}

/** Lets cargo bring the package into its cache, if it is not there yet. */
function findCrate() {
  if (cachedCrates().length === 0) {
    // Outside of any workspace, so that cargo neither reads nor locks ours.
    const cargo = spawnSync('cargo', ['info', `${PACKAGE.name}@${PACKAGE.version}`], {
      cwd: tmpdir(),
      encoding: 'utf8',
    });
    if (cachedCrates().length === 0) {
      const why = cargo.error?.message ?? cargo.stderr.trim().split('\n').slice(-5).join('\n  ');
      throw new Refusal(
        `${LABEL} is not in cargo's registry cache and cargo could not bring it there:\n  ${why}\n` +
          `  What to do: see that \`cargo info ${PACKAGE.name}@${PACKAGE.version}\` works ` +
          '(cargo 1.82 or later, and the network), or unpack the package and give --from DIR.',
      );
    }
  }
  const crates = cachedCrates().map((path) => ({ path, found: sha256(readFileSync(path)) }));
  const good = crates.find(({ found }) => found === PACKAGE.sha256);
  if (good) return good.path;
  throw new Refusal(
    crates
      .map(
        ({ path, found }) =>
          `${path} is not the published package\n` +
          `  expected SHA-256 ${PACKAGE.sha256}\n  found            ${found}\n` +
          '  What to do: delete the file and run this again; cargo will download it anew.',
      )
      .join('\n'),
  );
}

/**
 * Unpacks the package into `directory`, after checking the archive as a whole.
 * @param {string} directory
 * @returns {string} the package's root
 */
export function unpackPackage(directory) {
  const crate = findCrate();
  const tar = spawnSync('tar', ['-xzf', crate, '-C', directory], { encoding: 'utf8' });
  if (tar.status !== 0) {
    throw new Refusal(
      `tar could not unpack ${crate}:\n  ${tar.error?.message ?? tar.stderr.trim()}\n` +
        '  What to do: install tar, or unpack the package by other means and give --from DIR.',
    );
  }
  return join(directory, `${PACKAGE.name}-${PACKAGE.version}`);
}

/**
 * Reads every file of the table from the package's root, and refuses unless all are as pinned.
 * @param {string} root
 * @param {string} advice what to do about a bad file
 * @returns {{ texts: Map<string, string>, licence: string }} class texts by name
 */
export function readSources(root, advice) {
  /** @type {string[]} */
  const problems = [];
  /** @param {{ file: string, sha256: string }} pinned */
  const read = (pinned) => {
    const path = join(root, pinned.file);
    if (!existsSync(path)) {
      const other = findByHash(root, pinned.sha256);
      const seen = other ? `no such file (its content is in ${other})` : 'no such file';
      problems.push(refuse(pinned, 'is missing', seen));
      return '';
    }
    const data = readFileSync(path);
    const found = sha256(data);
    if (found !== pinned.sha256) problems.push(refuse(pinned, 'is not the published file', found));
    return data.toString('utf8');
  };
  /**
   * @param {{ file: string, sha256: string }} pinned
   * @param {string} what
   * @param {string} found
   */
  const refuse = (pinned, what, found) =>
    `${pinned.file} ${what}\n  expected SHA-256 ${pinned.sha256}\n  found            ${found}`;

  const texts = new Map(CLASSES.map((entry) => [entry.name, read(entry)]));
  const licence = read(PACKAGE.licence);
  if (problems.length > 0) {
    throw new Refusal(`${problems.join('\n')}\n  What to do: ${advice}`);
  }
  return { texts, licence };
}

/**
 * A renamed file is told from a lost one by its content.
 * @param {string} root
 * @param {string} hash
 */
function findByHash(root, hash) {
  if (!existsSync(root)) return undefined;
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => sha256(readFileSync(path)) === hash)
    .map((path) => relative(root, path).split(sep).join('/'))[0];
}

// ---- the classes ----------------------------------------------------------------------------

/**
 * The text a class hash is computed over writes the ABI as Python's `json.dumps` would.
 * @param {unknown} value
 * @returns {string}
 */
function pythonic(value) {
  if (Array.isArray(value)) return `[${value.map(pythonic).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([key, item]) => `${pythonic(key)}: ${pythonic(item)}`,
    );
    return `{${members.join(', ')}}`;
  }
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * The class as JSON-RPC has it. The package has Sierra classes as the compiler writes them: the ABI
 * is an array and debug information is there. Cairo 0 classes stay as they are, to the byte.
 * @param {Entry} entry
 * @param {string} text
 */
function wireClass(entry, text) {
  if (entry.kind === 'cairo0') return text;
  const { abi, contract_class_version, entry_points_by_type, sierra_program } = JSON.parse(text);
  return JSON.stringify({
    sierra_program,
    contract_class_version,
    entry_points_by_type,
    abi: typeof abi === 'string' ? abi : pythonic(abi),
  });
}

/**
 * The part of the engine that is used here.
 * @typedef {object} CompiledClass
 * @property {string} hash
 * @property {Kind} kind
 * @property {string | undefined} compiledClassHash
 * @property {() => Promise<string>} casm
 *
 * @typedef {object} Engine
 * @property {{ compile(json: string): Promise<CompiledClass> }} Class
 */

/**
 * Hashes and compiles every class with the engine, and refuses unless each hash is as pinned.
 * @param {Engine} engine
 * @param {Map<string, string>} texts class texts by name, as the package has them
 */
export async function makeClasses(engine, texts) {
  const made = [];
  for (const entry of CLASSES) {
    const text = wireClass(entry, texts.get(entry.name) ?? '');
    const compiled = await engine.Class.compile(text).catch((/** @type {unknown} */ error) => {
      throw new Refusal(
        `${entry.file}: the engine does not compile this class\n  ${error}\n` +
          '  What to do: the file is as published, so look for the fault in the engine.',
      );
    });
    /** @type {[string, string, string][]} */
    const checks = [
      ['class hash', entry.classHash, canonical(compiled.hash)],
      ['kind', entry.kind, compiled.kind],
    ];
    for (const [what, expected, found] of checks) {
      if (expected === found) continue;
      throw new Refusal(
        `${entry.file}: the engine finds another ${what}\n` +
          `  expected ${expected}\n  found    ${found}\n` +
          "  What to do: the file is as published, so look for the fault in the engine's hash.",
      );
    }
    const files = new Map([[`${entry.name}.json`, text]]);
    let compiledClassHash = null;
    if (entry.kind === 'sierra') {
      if (compiled.compiledClassHash === undefined) {
        throw new Refusal(`${entry.file}: the engine gives no compiled class hash`);
      }
      compiledClassHash = canonical(compiled.compiledClassHash);
      files.set(`${entry.name}.casm.json`, await compiled.casm());
    }
    made.push({ entry, compiledClassHash, files });
  }
  return made;
}

// ---- the output -----------------------------------------------------------------------------

function notice() {
  const families = Object.entries(FAMILIES).map(([key, family]) => {
    const names = CLASSES.filter((entry) => entry.family === key).map(
      (entry) => `- \`${entry.name}\`: \`${entry.file}\`, class hash \`${entry.classHash}\``,
    );
    return [
      `## ${family.title}`,
      '',
      `Licence: ${family.licence}. ${family.author} Source: ${family.source}`,
      '',
      family.remark,
      '',
      ...names,
      '',
    ].join('\n');
  });
  return [
    '# Classes of others',
    '',
    'These contract classes were not written for Starkbox. They were taken from the crates.io package',
    `${LABEL}, whose own licence is in \`LICENSE-${PACKAGE.name}\`. Cairo 0 classes are as the`,
    'package has them; Sierra classes had their debug information removed and their ABI written as one',
    'string, which keeps the class hash. The `.casm.json` files were compiled from them.',
    '',
    ...families,
  ].join('\n');
}

/** @returns {Record<string, string>} the versions in Cargo.lock that decide the output */
function compilerVersions() {
  const lock = join(ROOT, 'Cargo.lock');
  const text = existsSync(lock) ? readFileSync(lock, 'utf8') : '';
  return Object.fromEntries(
    COMPILERS.map((crate) => {
      const match = text.match(new RegExp(`^name = "${crate}"\\r?\\nversion = "([^"]+)"`, 'm'));
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
 * Writes by renaming, so that a reader sees a whole file or none.
 * @param {string} path
 * @param {string} text
 */
function replace(path, text) {
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}

/**
 * Writes the classes, and last the index, which vouches for the rest.
 * @param {string} out
 * @param {string} recipe
 * @param {Awaited<ReturnType<typeof makeClasses>>} made
 * @param {Map<string, string>} notices
 */
function writeOutput(out, recipe, made, notices) {
  mkdirSync(out, { recursive: true });
  const files = new Map([...made.flatMap((item) => [...item.files]), ...notices]);
  const stale = Object.keys(readIndex(out).files).filter((path) => !files.has(path));
  for (const path of ['index.json', ...stale]) rmSync(join(out, path), { force: true });
  for (const [path, text] of files) replace(join(out, path), text);
  const index = {
    package: { name: PACKAGE.name, version: PACKAGE.version, sha256: PACKAGE.sha256 },
    compiler: compilerVersions(),
    classes: made.map(({ entry, compiledClassHash }) => ({
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
      `${path} cannot be loaded: the classes are hashed and compiled by the engine\n  ${error}\n` +
        '  What to do: build the engine first (npm run build:engine, npm run build:ts).',
    );
  });
  if (typeof engine.Class?.compile !== 'function') {
    throw new Refusal(`${path} has no Class.compile\n  What to do: build the engine anew.`);
  }
  return engine;
}

const USAGE = `Usage: node scripts/fetch-classes.mjs [options]

Takes the ready-made classes from ${LABEL}, checks them and writes them with their CASM.

  --from DIR     read the unpacked package in DIR instead of cargo's registry cache
  --out DIR      where to write (packages/engine/classes)
  --engine FILE  the engine's door (packages/engine/dist/index.js)
  --force        compile again even if the output is right
  --help         this text`;

async function main() {
  const { values } = parseArgs({
    options: {
      from: { type: 'string' },
      out: { type: 'string', default: join(ROOT, 'packages', 'engine', 'classes') },
      engine: { type: 'string', default: join(ROOT, 'packages', 'engine', 'dist', 'index.js') },
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
    const sources = values.from
      ? readSources(resolve(values.from), `put the files of ${LABEL} into ${resolve(values.from)}.`)
      : readSources(
          unpackPackage(workspace),
          'the archive was as published, so correct the table in scripts/fetch-classes.mjs.',
        );
    const notices = new Map([
      ['NOTICE.md', notice()],
      [`LICENSE-${PACKAGE.name}`, sources.licence],
    ]);
    const recipe = sha256(JSON.stringify([PACKAGE, CLASSES, [...notices], compilerVersions()]));
    const out = resolve(values.out);
    if (!values.force && isCurrent(out, recipe)) {
      console.log(`fetch-classes: ${CLASSES.length} classes are in place`);
      return;
    }
    const engine = await loadEngine(resolve(values.engine));
    writeOutput(out, recipe, await makeClasses(engine, sources.texts), notices);
    console.log(`fetch-classes: ${CLASSES.length} classes written to ${out}`);
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main().catch((/** @type {unknown} */ error) => {
    console.error('fetch-classes:', error instanceof Refusal ? error.message : error);
    process.exitCode = 1;
  });
}
