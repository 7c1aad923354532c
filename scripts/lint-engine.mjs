// Clippy over the engine, with warnings as errors.
import { changedBlockifier, hostTriple, run } from './cargo.mjs';

run('cargo', [
  'clippy',
  '--locked',
  ...changedBlockifier(),
  '--release',
  ...['--target', hostTriple()],
  '--lib',
  '--bins',
  '--',
  ...['-D', 'warnings'],
]);
