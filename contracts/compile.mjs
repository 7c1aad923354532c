#!/usr/bin/env node
// Compiles the contracts in contracts/cairo and writes each one's Sierra class beside its source.
//
//   npm i --no-save wasm-cairo@0.10.2
//   node contracts/compile.mjs                    all of them
//   node contracts/compile.mjs counter emitter    only these
//   node contracts/compile.mjs --check            no compiling: only check the stored outputs
//
// wasm-cairo holds the Cairo 2.8 compiler; it takes one self-contained file, and 20 to 60 seconds for
// each. It is looked for from the current folder, then from this file's. A contract that does not
// compile gives only "Compilation failed." without the place: undo changes until it does. The outputs
// are committed, so only someone who changes a contract has to run this.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = fileURLToPath(new URL('./cairo/', import.meta.url));

async function loadCompiler() {
  for (const base of [join(process.cwd(), 'x'), fileURLToPath(import.meta.url)]) {
    const require = createRequire(base);
    let entry;
    try {
      entry = require.resolve('wasm-cairo');
    } catch {
      continue;
    }
    const compiler = await import(pathToFileURL(entry));
    compiler.initSync({ module: readFileSync(require.resolve('wasm-cairo/wasm-cairo_bg.wasm')) });
    return compiler;
  }
  console.error('wasm-cairo is not installed: npm i --no-save wasm-cairo@0.10.2');
  process.exit(1);
}

// Sierra marks a branch that falls through to the next statement by the compiler's largest machine
// word. This compiler runs on 32 bits, every other reader expects 64. The program is stored as a
// dictionary of its distinct felts followed by packed indices, so the mark stands there once; a program
// that used the same number as a constant would share that entry, and could not be repaired this way.
function widenFallthrough(program, debugInfo) {
  if (!debugInfo?.type_names?.length) throw new Error('the compiler gave no type names to check');
  if (debugInfo.type_names.some(([, name]) => /\b4294967295\b/.test(name))) {
    throw new Error(
      'the contract uses the constant 0xffffffff, which this compiler cannot keep apart',
    );
  }
  const marks = program.filter((felt) => felt === '0xffffffff').length;
  if (marks > 1)
    throw new Error(`0xffffffff stands ${marks} times in the program, at most once expected`);
  return program.map((felt) => (felt === '0xffffffff' ? '0xffffffffffffffff' : felt));
}

function compile(compiler, source) {
  const text = compiler.compileStarknetContract(source, false, true);
  let raw;
  try {
    raw = JSON.parse(text);
  } catch {
    throw new Error(text); // the compiler returns its complaint in place of the class
  }
  // The debug info is only asked for (the last argument above) for the check in widenFallthrough: it is
  // larger than the program and no part of the class.
  return {
    sierra_program: widenFallthrough(raw.sierra_program, raw.sierra_program_debug_info),
    contract_class_version: raw.contract_class_version,
    entry_points_by_type: raw.entry_points_by_type,
    abi: raw.abi,
  };
}

function describe(sierra) {
  const program = sierra.sierra_program;
  const points = sierra.entry_points_by_type;
  if (!Array.isArray(program) || program.length < 7) throw new Error('sierra_program is missing');
  if (!program.every((felt) => /^0x(0|[1-9a-f][0-9a-f]*)$/.test(felt)))
    throw new Error('sierra_program has a bad felt');
  if (program.includes('0xffffffff')) throw new Error('a 32-bit fallthrough mark was left in');
  if (!Array.isArray(sierra.abi) || sierra.abi.length === 0) throw new Error('abi is missing');
  const version = program.slice(0, 6).map(Number);
  const counts = ['EXTERNAL', 'L1_HANDLER', 'CONSTRUCTOR'].map((kind) => {
    if (!Array.isArray(points?.[kind])) throw new Error(`entry points of type ${kind} are missing`);
    return `${points[kind].length} ${kind.toLowerCase()}`;
  });
  return `Sierra ${version.slice(0, 3).join('.')}, Cairo ${version.slice(3).join('.')}, ${program.length} felts, ${counts.join(', ')}`;
}

const known = readdirSync(folder)
  .filter((file) => file.endsWith('.cairo'))
  .map((file) => file.slice(0, -6))
  .sort();
const args = process.argv.slice(2);
const checkOnly = args.includes('--check');
const named = args.filter((arg) => arg !== '--check');
const unknown = named.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no such contract: ${unknown.join(', ')} (there are: ${known.join(', ')})`);
  process.exit(2);
}

function run(name, compiler) {
  const output = join(folder, `${name}.sierra.json`);
  const began = Date.now();
  if (compiler) {
    const sierra = compile(compiler, readFileSync(join(folder, `${name}.cairo`), 'utf8'));
    describe(sierra);
    writeFileSync(output, `${JSON.stringify(sierra)}\n`);
  }
  const took = compiler ? ` (${Math.round((Date.now() - began) / 1000)} s)` : '';
  console.log(`${name}: ${describe(JSON.parse(readFileSync(output, 'utf8')))}${took}`);
}

const names = named.length > 0 ? named : known;
if (checkOnly || names.length === 1) {
  const compiler = checkOnly ? null : await loadCompiler();
  for (const name of names) {
    try {
      run(name, compiler);
    } catch (error) {
      console.error(`${name}: ${error?.message ?? error}`);
      process.exitCode = 1;
    }
  }
} else {
  // A process for each: the compiler keeps its memory, and has none left after eight or so.
  for (const name of names) {
    const done = spawnSync(process.execPath, [fileURLToPath(import.meta.url), name], {
      stdio: 'inherit',
    });
    if (done.status !== 0) process.exitCode = 1;
  }
}
