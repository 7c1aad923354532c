// Rustfmt and clippy over the engine, with warnings as errors.
import { hostTriple, runCargo } from './cargo.mjs';

// By name, because the patched crate in the work tree is not ours to format or to lint.
const CRATES = ['starkbox-engine', 'starkbox-engine-core'].flatMap((name) => ['--package', name]);

runCargo('cargo', ['fmt', '--check', ...CRATES]);
runCargo('cargo', [
  'clippy',
  '--locked',
  ...CRATES,
  '--no-deps',
  '--release',
  ...['--target', hostTriple()],
  '--lib',
  '--bins',
  '--',
  ...['-D', 'warnings'],
]);
