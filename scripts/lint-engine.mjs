// Clippy over the engine, with warnings as errors.
import { hostTriple, runCargo } from './cargo.mjs';

runCargo('cargo', [
  'clippy',
  '--locked',
  '--workspace',
  // The patched crates are not ours to lint.
  '--no-deps',
  '--release',
  ...['--target', hostTriple()],
  '--lib',
  '--bins',
  '--',
  ...['-D', 'warnings'],
]);
