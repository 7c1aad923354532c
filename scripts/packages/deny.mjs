// Check of the crates by cargo-deny, as deny.toml has it.
//
//   node scripts/packages/deny.mjs                licences, bans and sources, which depend on the lock file alone
//   node scripts/packages/deny.mjs advisories     known faults, which needs the network and changes from day to day
//
// cargo-deny is built once, by cargo, under ~/.cache/starkbox.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../cargo.mjs';
import { writePatchedCrates } from '../engine-changes.mjs';
import { CACHE, runVisibly } from '../processes.mjs';

const VERSION = '0.20.2';
const FOLDER = join(CACHE, `cargo-deny-${VERSION}`);
const COMMAND = join(FOLDER, 'bin', process.platform === 'win32' ? 'cargo-deny.exe' : 'cargo-deny');

/** Outside of the work tree, so that the settings of our builds do not apply. */
function install() {
  console.log(`building cargo-deny ${VERSION}, once`);
  const args = ['install', 'cargo-deny', '--version', VERSION, '--locked', '--root', FOLDER];
  // Unoptimised, because it takes a third of the time to build, and a check takes a second.
  args.push('--debug');
  runVisibly('cargo', args, { cwd: tmpdir() });
}

if (!existsSync(COMMAND)) install();
writePatchedCrates();
const [check] = process.argv.slice(2);
const checks = check === undefined ? ['licenses', 'bans', 'sources'] : [check];
// Crates that name a file in place of a licence are warned of, and read from that file.
const quiet = ['--allow', 'no-license-field', '--hide-inclusion-graph'];
const args = ['--locked', 'check', ...quiet, ...checks];
process.exitCode = spawnSync(COMMAND, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
