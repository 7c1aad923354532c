// Builds the addon and the compiler binary, and regenerates the types of the binding.
//
//   node scripts/build-engine.mjs                  for development and tests
//   node scripts/build-engine.mjs --profile dist   for publishing: smaller and faster, builds longer
//   node scripts/build-engine.mjs --fresh          without the results of earlier builds
//   node scripts/build-engine.mjs --training       for a training run, which train-engine.mjs does
//   node scripts/build-engine.mjs --executor published   without our optimizations of the executor, beside the others
//
// If a training run of the profile has left its counts on this machine, the build uses them.
// Cargo compiles the package again for every clone, because its fingerprint holds the path. So results
// are kept beside the target folder by what they are made of, and are copied if nothing has changed.
import { copyFileSync, readdirSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BuiltEngine } from './built-engine.mjs';
import { ENGINE, hostTriple, runCargo, TARGET_DIR } from './cargo.mjs';
import { buildVariant } from './engine-variant.mjs';
import { countsOf, recordingFlag } from './training.mjs';

const PROFILES = ['release', 'dist'];

const { values } = parseArgs({
  options: {
    profile: { type: 'string', default: 'release' },
    fresh: { type: 'boolean', default: false },
    training: { type: 'boolean', default: false },
    executor: { type: 'string', default: 'optimized' },
  },
});
const { profile, fresh: isFresh, training: isTraining } = values;
if (!PROFILES.includes(profile)) {
  console.error(`unknown profile ${profile}: one of ${PROFILES.join(', ')}`);
  process.exit(2);
}

if (!['optimized', 'published'].includes(values.executor)) {
  console.error(`unknown executor ${values.executor}: optimized or published`);
  process.exit(2);
}

const target = hostTriple();
const compiler = `starkbox-compiler${process.platform === 'win32' ? '.exe' : ''}`;
const counts = countsOf(profile);
const flag = counts === undefined ? '' : `-Cprofile-use=${counts}`;

if (values.executor === 'published') {
  const addon = buildVariant(`published-${profile}`, { executor: 'published', profile });
  console.log(`To use it: STARKBOX_ENGINE=${addon}`);
} else if (isTraining) build(recordingFlag(profile));
else {
  const builtEngine = new BuiltEngine({
    ...{ target, profile, flag },
    output: ENGINE,
    files: () => {
      const addons = readdirSync(ENGINE).filter((name) => name.endsWith('.node'));
      return [...addons, compiler, 'binding.d.ts'];
    },
  });
  if (!isFresh && builtEngine.restore())
    console.log(`nothing has changed: copied from ${builtEngine.folder}`);
  else {
    console.log(counts === undefined ? 'without a training run' : `by the counts in ${counts}`);
    build(flag);
    builtEngine.save();
  }
}

/** @param {string} flag of rustc, for all crates */
function build(flag) {
  const napi = createRequire(join(ENGINE, 'package.json')).resolve('@napi-rs/cli/package.json');

  // One cargo call for both targets. A second one without napi's environment would run the build script
  // again, and the next addon build would not be fresh.
  runCargo(
    process.execPath,
    [
      join(napi, '..', 'dist', 'cli.js'),
      'build',
      '--platform',
      ...['--target', target],
      ...['--profile', profile],
      '--no-js',
      ...['--dts', 'binding.d.ts'],
      '--no-const-enum',
      '--',
      '--locked',
      '--lib',
      ...['--bin', 'starkbox-compiler'],
    ],
    ENGINE,
    { RUSTFLAGS: [process.env['RUSTFLAGS'], flag].filter(Boolean).join(' ') },
  );

  // Renamed into place, because a running node may be executing the old file.
  const fresh = join(ENGINE, `${compiler}.new`);
  copyFileSync(join(TARGET_DIR, target, profile, compiler), fresh);
  renameSync(fresh, join(ENGINE, compiler));
}
