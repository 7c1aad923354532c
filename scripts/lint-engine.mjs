// Rustfmt and clippy over the engine, with warnings as errors. As of the tests, a passed run of clippy is recorded.
import { checkOnce } from './built-engine.mjs';
import { hostTriple, OUR_CRATES, runCargo } from './cargo.mjs';

const CLIPPY = ['clippy', '--locked', ...OUR_CRATES, '--no-deps', '--release', '--lib', '--bins'];

runCargo('cargo', ['fmt', '--check', ...OUR_CRATES]);
checkOnce('lint', ['packages/engine/clippy.toml', 'scripts/lint-engine.mjs'], () =>
  runCargo('cargo', [...CLIPPY, '--target', hostTriple(), '--', '-D', 'warnings']),
);
