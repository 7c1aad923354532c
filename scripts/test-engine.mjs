// The Rust tests of the engine's core, in the profile and for the target of its build: crates below are compiled once.
// Cargo compiles the patched crate again for every clone, so a passed run is recorded; `--fresh` runs it again.
import { checkOnce } from './built-engine.mjs';
import { hostTriple, runCargo } from './cargo.mjs';

const options = process.argv.slice(2).filter((option) => option !== '--fresh');
const command = ['test', '--package', 'starkbox-engine-core', '--locked', '--release'];
const test = () => runCargo('cargo', [...command, '--target', hostTriple(), ...options]);

// With a filter, not all tests run.
if (options.length > 0) test();
else checkOnce('test', ['scripts/test-engine.mjs'], test);
