// Builds an engine with places that can be made to panic, and runs the tests that use them.
//
//   node packages/engine/test/boundary/build-faults.mjs
import { ROOT, run } from '../../../../scripts/cargo.mjs';
import { buildVariant } from '../../../../scripts/engine-variant.mjs';

run('npx', ['vitest', 'run', 'packages/engine/test/boundary/faults.native.test.ts'], ROOT, {
  TEST_FAULTS: buildVariant('faults', { features: ['fault-injection'] }),
});
