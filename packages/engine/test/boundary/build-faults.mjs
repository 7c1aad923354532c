// Builds an engine with places that can be made to panic, and runs the tests that use them.
//
//   node packages/engine/test/boundary/build-faults.mjs
//
// It lies in cargo's target folder, so that no package can hold it.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { hostTriple, ROOT, run, runCargo, TARGET_DIR } from '../../../../scripts/cargo.mjs';

const LIBRARIES = {
  darwin: 'libstarkbox_engine.dylib',
  linux: 'libstarkbox_engine.so',
  win32: 'starkbox_engine.dll',
};

const target = hostTriple();
runCargo('cargo', [
  'build',
  '--locked',
  ...['--package', 'starkbox-engine'],
  '--release',
  ...['--target', target],
  '--lib',
  ...['--features', 'fault-injection'],
]);
const library = Object(LIBRARIES)[process.platform];
const addon = join(TARGET_DIR, 'faults', 'starkbox-engine.node');
mkdirSync(join(TARGET_DIR, 'faults'), { recursive: true });
copyFileSync(join(TARGET_DIR, target, 'release', library), addon);
run('npx', ['vitest', 'run', 'packages/engine/test/boundary/faults.test.ts'], ROOT, {
  STARKBOX_FAULTS: addon,
});
