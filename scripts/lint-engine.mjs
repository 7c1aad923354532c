// Clippy over the engine, with warnings as errors.
import { hostTriple, run } from './cargo.mjs';

run('cargo', [
  'clippy',
  '--locked',
  '--release',
  ...['--target', hostTriple()],
  '--lib',
  '--bins',
  '--',
  ...['-D', 'warnings'],
]);
