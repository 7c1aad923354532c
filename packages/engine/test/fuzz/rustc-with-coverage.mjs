#!/usr/bin/env node
// Compiles the engine's core with libFuzzer's counters of coverage, and every other crate as it is. Cargo calls it in
// place of rustc, as RUSTC_WRAPPER: its flags for one crate alone are those of the last.
import { spawnSync } from 'node:child_process';

const COVERAGE = [
  '-Cpasses=sancov-module',
  '-Cllvm-args=-sanitizer-coverage-level=4',
  '-Cllvm-args=-sanitizer-coverage-inline-8bit-counters',
  '-Cllvm-args=-sanitizer-coverage-pc-table',
  '-Cllvm-args=-sanitizer-coverage-trace-compares',
];

const [rustc = 'rustc', ...args] = process.argv.slice(2);
const crate = args[args.indexOf('--crate-name') + 1];
const flags = crate === 'starkbox_engine_core' ? COVERAGE : [];
process.exitCode = spawnSync(rustc, [...args, ...flags], { stdio: 'inherit' }).status ?? 1;
