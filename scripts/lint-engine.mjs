// Runs clippy over the engine, every warning an error.
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
