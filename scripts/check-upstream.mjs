// Tries our changes to crates of the sequencer on their newest published versions, and prints which no longer apply.
// It does not fail: a newer version is taken when someone works on it.
//
//   node scripts/check-upstream.mjs                     the newest versions
//   node scripts/check-upstream.mjs blockifier 0.19.1   another one of a crate
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  applyChange,
  changedCrates,
  newestVersion,
  readChanges,
  unpackCrate,
} from './engine-changes.mjs';

const [crate, requested] = process.argv.slice(2);
for (const { name, version: pinned } of changedCrates()) {
  if (crate === undefined || crate === name) tryChanges(name, pinned);
}

/**
 * @param {string} name
 * @param {string} pinned
 */
function tryChanges(name, pinned) {
  const temporary = mkdtempSync(join(tmpdir(), 'starkbox-upstream-'));
  try {
    const version = requested ?? newestVersion(name);
    const note = version === pinned ? ', the pinned one' : `; ${pinned} is pinned`;
    console.log(`${name} ${version}${note}`);
    const folder = unpackCrate({ name, version }, temporary);
    for (const change of readChanges(name)) {
      const reason = applyChange(change, folder);
      console.log(reason === undefined ? `${change.name}: applies` : `${change.name}: ${reason}`);
    }
  } catch (error) {
    console.log(error instanceof Error ? error.message : error);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
