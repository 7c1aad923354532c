// The Rust tests of the engine's core, in the profile and for the target of its build: crates below are compiled once.
import { hostTriple, runCargo } from './cargo.mjs';

const flags = ['--locked', '--release', '--target', hostTriple()];
runCargo('cargo', [
  'test',
  '--package',
  'starkbox-engine-core',
  ...flags,
  ...process.argv.slice(2),
]);
