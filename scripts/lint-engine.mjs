// Rustfmt and clippy over the engine, with warnings as errors. As of the tests, a passed run of clippy is recorded.
import { checkOnce } from './built-engine.mjs';
import { hostTriple, runCargo } from './cargo.mjs';

// By name, because the patched crate in the work tree is not ours to format or to lint.
const CRATES = ['starkbox-engine', 'starkbox-engine-core'].flatMap((name) => ['--package', name]);
const CLIPPY = ['clippy', '--locked', ...CRATES, '--no-deps', '--release', '--lib', '--bins'];

runCargo('cargo', ['fmt', '--check', ...CRATES]);
checkOnce('lint', ['clippy.toml', 'scripts/lint-engine.mjs'], () =>
  runCargo('cargo', [...CLIPPY, '--target', hostTriple(), '--', '-D', 'warnings']),
);
