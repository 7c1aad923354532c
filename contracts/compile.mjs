#!/usr/bin/env node
// Compiles the contracts of contracts/src, of contracts/planted and of the template of new projects, copies files to
// the examples that use them, and keeps a record of which sources the classes belong to.
//
//   node contracts/compile.mjs                                       with `scarb`
//   node contracts/compile.mjs --compiler PATH --corelib PATH        with contracts/compiler
//   node contracts/compile.mjs --copy                                compiles nothing: copies files to the examples
//   node contracts/compile.mjs --check                               compiles nothing: compares with record and copies
//
// The outputs are committed, so this is needed only after a change to a contract.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const RECORD = join(FOLDER, 'record.json');
const PACKAGE = 'starkbox_contracts';
/** Compiled with the panic backtrace. */
const BACKTRACE = 'backtrace';
/** Compiled without optimizations too, which keep few names of variables. */
const UNOPTIMIZED = 'variables';
/** Classes whose places in the sources are kept as well. */
const WITH_PLACES =
  /^(backtrace|club|counter|failing_.*|failures|ledger|pool|pool_layout|prints|reverter|token|variables)$/;

/** The template of new projects is a package of its own, with its class and its ABI in it. */
const TEMPLATE = '../packages/create-starkbox/template/base';
const TEMPLATE_PACKAGE = 'vault';
const TEMPLATE_CLASS = 'target/dev/vault_Vault.contract_class.json';
const TEMPLATE_ABI = 'abi/vault.ts';

/** Contracts with planted bugs are a package of their own. Classes without the bugs are in a second folder. */
const PLANTED = 'planted';
const PLANTED_PACKAGE = 'starkbox_planted';
/** The end of a planted line: the rest of the line replaces it. */
const REPAIR = /^(\s*)[^\n]*\/\/ repaired:[ ]?(.*)$/gm;

const TOKEN = ['src/token.cairo', 'cairo/token.sierra.json'];
/** Files that examples have a copy of, because each works in a folder of its own. */
const COPIES = {
  '../examples/bridge/contracts': [
    'src/bridge.cairo',
    'cairo/bridge.sierra.json',
    'solidity/Bridge.sol',
    'solidity/Bridge.json',
    'solidity/Messaging.json',
  ],
  '../examples/dapp-playwright/contracts': TOKEN,
  '../examples/indexer-reorgs/contracts': TOKEN,
  '../examples/starknet-py/contracts': [
    'src/counter.cairo',
    'cairo/counter.sierra.json',
    'cairo/counter.casm.json',
  ],
  '../examples/token-jest/contracts': TOKEN,
  '../examples/token-node-test/contracts': TOKEN,
  '../examples/token-vitest/contracts': TOKEN,
};

const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    copy: { type: 'boolean', default: false },
    compiler: { type: 'string' },
    corelib: { type: 'string' },
  },
});

const filesBelow = (folder, ending) =>
  readdirSync(join(FOLDER, folder), { recursive: true })
    .filter((file) => file.endsWith(ending))
    .map((file) => `${folder}/${file}`);

const hashOf = (file) =>
  createHash('sha256')
    .update(readFileSync(join(FOLDER, file)))
    .digest('hex');

const hashes = (files) => Object.fromEntries(files.sort().map((file) => [file, hashOf(file)]));

/** What is in the folder now: every source, and every class with the version that its program states. */
function currentRecord(compiler) {
  const sources = [
    'Scarb.toml',
    ...filesBelow('src', '.cairo'),
    ...filesBelow('cairo-2.8', '.cairo'),
    `${PLANTED}/Scarb.toml`,
    ...filesBelow(`${PLANTED}/src`, '.cairo'),
    `${TEMPLATE}/Scarb.toml`,
    ...filesBelow(`${TEMPLATE}/src`, '.cairo'),
    `${TEMPLATE}/scripts/abi.mjs`,
  ];
  const classes = [
    ...filesBelow('cairo', '.sierra.json'),
    ...filesBelow('cairo-2.8', '.sierra.json'),
    ...filesBelow(`${PLANTED}/classes`, '.sierra.json'),
    ...filesBelow(`${PLANTED}/repaired`, '.sierra.json'),
    ...filesBelow('places', '.json.gz'),
    ...filesBelow('unoptimized', '.json.gz'),
    `${TEMPLATE}/${TEMPLATE_CLASS}.br`,
    `${TEMPLATE}/${TEMPLATE_ABI}`,
  ];
  return { compiler, sources: hashes(sources), classes: hashes(classes) };
}

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
}

/** Compiles everything into a folder: first without, then the one class with the panic backtrace. */
function compile(out) {
  const { compiler, corelib } = options;
  if (compiler === undefined) {
    for (const profile of ['dev', BACKTRACE, 'unoptimized']) {
      run('scarb', ['--profile', profile, '--target-dir', join(out, 'target'), 'build'], FOLDER);
    }
    return {
      version: /cairo: (\S+)/.exec(spawnSync('scarb', ['--version']).stdout.toString())?.[1] ?? '',
      fileOf: (name) =>
        join(
          out,
          'target',
          name === BACKTRACE ? BACKTRACE : 'dev',
          `${PACKAGE}_${name}.contract_class.json`,
        ),
      unoptimized: join(out, 'target/unoptimized', `${PACKAGE}_${UNOPTIMIZED}.contract_class.json`),
      corelib: undefined,
    };
  }
  if (corelib === undefined)
    throw new Error('--corelib is missing: the folder corelib/src of the compiler');
  const common = ['--corelib', corelib, '--out', out];
  const ours = [...common, '--package', PACKAGE, '--source', join(FOLDER, 'src')];
  run(compiler, ours);
  run(compiler, [...ours, '--only', BACKTRACE, '--panic-backtrace', 'true']);
  const plain = join(out, 'unoptimized');
  mkdirSync(plain);
  const withPlainOut = ours.map((word) => (word === out ? plain : word));
  run(compiler, [...withPlainOut, '--only', UNOPTIMIZED, '--skip-optimizations', 'true']);
  return {
    version: readFileSync(join(FOLDER, 'compiler/Cargo.toml'), 'utf8').match(
      /cairo-lang-compiler = "=(.*)"/,
    )[1],
    fileOf: (name) => join(out, `${PACKAGE}_${name}.contract_class.json`),
    unoptimized: join(plain, `${PACKAGE}_${UNOPTIMIZED}.contract_class.json`),
    corelib: resolve(corelib),
  };
}

/**
 * The places of statements, with paths that depend on no machine.
 *
 * @param {unknown} debugInfo
 * @param {string | undefined} corelib the folder of the core library; with Scarb, its name in the paths
 * @param {string} [source] the folder of the sources
 * @param {string} [shown] what stands for that folder
 */
function withoutMachine(debugInfo, corelib, source = join(FOLDER, 'src'), shown = 'contracts/src') {
  const text = JSON.stringify(debugInfo)
    .replaceAll(source, shown)
    .replaceAll(corelib ?? /[^"]*\/core\/src(?=\/)/g, 'corelib/src');
  if (/"\/(?!\/)/.test(text))
    throw new Error(`a path of this machine is left in: ${/"\/[^"]*/.exec(text)}`);
  return JSON.parse(text);
}

/** Compiles a copy of the template as its user does, and takes the class and the ABI from there. */
function compileTemplate(out) {
  const folder = join(out, 'template');
  const classFile = join(folder, TEMPLATE_CLASS);
  cpSync(join(FOLDER, TEMPLATE), folder, { recursive: true });
  mkdirSync(join(classFile, '..'), { recursive: true });
  const { compiler, corelib } = options;
  if (compiler === undefined) run('scarb', ['build'], folder);
  else {
    const source = ['--package', TEMPLATE_PACKAGE, '--source', join(folder, 'src')];
    run(compiler, ['--corelib', corelib, ...source, '--out', join(classFile, '..')]);
  }
  const { sierra_program_debug_info: debugInfo, ...sierra } = JSON.parse(
    readFileSync(classFile, 'utf8'),
  );
  console.log(`${TEMPLATE_PACKAGE}: ${describe(sierra)}`);
  const places = withoutMachine(
    debugInfo,
    corelib && resolve(corelib),
    join(realpathSync(folder), 'src'),
    'src',
  );
  const whole = `${JSON.stringify({ ...sierra, sierra_program_debug_info: places })}\n`;
  mkdirSync(join(FOLDER, TEMPLATE, TEMPLATE_CLASS, '..'), { recursive: true });
  writeFileSync(join(FOLDER, TEMPLATE, `${TEMPLATE_CLASS}.br`), brotliCompressSync(whole));
  run(process.execPath, ['scripts/abi.mjs'], folder);
  copyFileSync(join(folder, TEMPLATE_ABI), join(FOLDER, TEMPLATE, TEMPLATE_ABI));
}

/**
 * Compiles the contracts with planted bugs, or a copy of them that has the repaired lines.
 *
 * @param {string} out
 * @param {'classes' | 'repaired'} folder
 */
function compilePlanted(out, folder) {
  const copy = join(out, PLANTED, folder);
  cpSync(join(FOLDER, PLANTED, 'Scarb.toml'), join(copy, 'Scarb.toml'));
  cpSync(join(FOLDER, PLANTED, 'src'), join(copy, 'src'), { recursive: true });
  const sources = filesBelow(`${PLANTED}/src`, '.cairo').map((file) => basename(file, '.cairo'));
  const names = sources.filter((name) => name !== 'lib');
  const repaired = names.filter((name) => {
    const file = join(copy, 'src', `${name}.cairo`);
    const text = readFileSync(file, 'utf8');
    if (folder === 'repaired') writeFileSync(file, text.replace(REPAIR, '$1$2'));
    return text.search(REPAIR) !== -1;
  });
  const { compiler, corelib } = options;
  const classes = join(copy, 'target/dev');
  mkdirSync(classes, { recursive: true });
  if (compiler === undefined) run('scarb', ['build'], copy);
  else {
    const source = ['--package', PLANTED_PACKAGE, '--source', join(copy, 'src')];
    run(compiler, ['--corelib', corelib, ...source, '--out', classes]);
  }
  rmSync(join(FOLDER, PLANTED, folder), { recursive: true, force: true });
  mkdirSync(join(FOLDER, PLANTED, folder));
  for (const name of folder === 'repaired' ? repaired : names) {
    const { sierra_program_debug_info: _, ...sierra } = JSON.parse(
      readFileSync(join(classes, `${PLANTED_PACKAGE}_${name}.contract_class.json`), 'utf8'),
    );
    const file = `${PLANTED}/${folder}/${name}.sierra.json`;
    writeFileSync(join(FOLDER, file), `${JSON.stringify(sierra)}\n`);
    console.log(`${folder}/${name}: ${describe(sierra)}`);
  }
}

/** @returns {[from: string, to: string][]} the files that examples have a copy of */
function copies() {
  return Object.entries(COPIES).flatMap(([folder, files]) =>
    files.map((file) => [join(FOLDER, file), join(FOLDER, folder, basename(file))]),
  );
}

function copyAll() {
  for (const folder of Object.keys(COPIES)) {
    mkdirSync(join(FOLDER, folder), { recursive: true });
  }
  for (const [from, to] of copies()) copyFileSync(from, to);
}

function describe(sierra) {
  const version = sierra.sierra_program.slice(0, 6).map(Number);
  const points = Object.values(sierra.entry_points_by_type).flat().length;
  return `Sierra ${version.slice(0, 3).join('.')}, Cairo ${version.slice(3).join('.')}, ${sierra.sierra_program.length} felts, ${points} entry points`;
}

/** Writes a class with the places of its statements and the names of its variables. */
function writePlaces(folder, name, whole, corelib) {
  const places = withoutMachine(whole.sierra_program_debug_info, corelib);
  writeFileSync(
    join(FOLDER, folder, `${name}.sierra.json.gz`),
    gzipSync(JSON.stringify({ ...whole, sierra_program_debug_info: places }), { level: 9 }),
  );
}

function compileAll() {
  const out = mkdtempSync(join(tmpdir(), 'contracts-'));
  try {
    const { version, fileOf, unoptimized, corelib } = compile(out);
    for (const folder of ['cairo', 'places', 'unoptimized']) {
      for (const file of existsSync(join(FOLDER, folder)) ? filesBelow(folder, '') : []) {
        if (/\.sierra\.json(\.gz)?$/.test(file)) rmSync(join(FOLDER, file));
      }
      mkdirSync(join(FOLDER, folder), { recursive: true });
    }
    for (const file of filesBelow('src', '.cairo')) {
      const name = file.slice(file.lastIndexOf('/') + 1, -'.cairo'.length);
      if (!readFileSync(join(FOLDER, file), 'utf8').includes(`mod ${name} {`)) continue;
      const { sierra_program_debug_info: debugInfo, ...sierra } = JSON.parse(
        readFileSync(fileOf(name), 'utf8'),
      );
      writeFileSync(join(FOLDER, `cairo/${name}.sierra.json`), `${JSON.stringify(sierra)}\n`);
      console.log(`${name}: ${describe(sierra)}`);
      if (!WITH_PLACES.test(name)) continue;
      writePlaces('places', name, { ...sierra, sierra_program_debug_info: debugInfo }, corelib);
    }
    const plain = JSON.parse(readFileSync(unoptimized, 'utf8'));
    writePlaces('unoptimized', UNOPTIMIZED, plain, corelib);
    compilePlanted(out, 'classes');
    compilePlanted(out, 'repaired');
    compileTemplate(out);
    writeFileSync(RECORD, `${JSON.stringify(currentRecord(version), null, 2)}\n`);
    copyAll();
  } finally {
    rmSync(out, { recursive: true });
  }
}

function check() {
  const recorded = JSON.parse(readFileSync(RECORD, 'utf8'));
  const current = currentRecord(recorded.compiler);
  for (const part of ['sources', 'classes']) {
    for (const file of new Set([...Object.keys(recorded[part]), ...Object.keys(current[part])])) {
      if (recorded[part][file] === current[part][file]) continue;
      console.error(
        `${relative(process.cwd(), join(FOLDER, file))} is not as it was recorded: compile again`,
      );
      process.exitCode = 1;
    }
  }
  for (const [from, to] of copies()) {
    if (existsSync(to) && readFileSync(from).equals(readFileSync(to))) continue;
    console.error(
      `${relative(process.cwd(), to)} is no copy of ${relative(process.cwd(), from)}: run node contracts/compile.mjs --copy`,
    );
    process.exitCode = 1;
  }
  const count = Object.keys(current.classes).length;
  if (process.exitCode !== 1) console.log(`${count} classes belong to their sources`);
}

if (options.check) check();
else if (options.copy) copyAll();
else compileAll();
