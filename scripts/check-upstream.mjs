// Tries our changes to the sequencer's blockifier on its newest published version, and prints which no longer apply.
// It does not fail: a newer version is taken when someone works on it.
//
//   node scripts/check-upstream.mjs            the newest version
//   node scripts/check-upstream.mjs 0.19.1     another one
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  applyChange,
  newestVersion,
  readChanges,
  unpackCrate,
  upstream,
} from './engine-changes.mjs';

const { name, version: pinned } = upstream();
const temporary = mkdtempSync(join(tmpdir(), 'starkbox-upstream-'));
try {
  const version = process.argv[2] ?? newestVersion(name);
  const note = version === pinned ? ', the pinned one' : `; ${pinned} is pinned`;
  console.log(`${name} ${version}${note}`);
  const folder = unpackCrate({ name, version }, temporary);
  for (const change of readChanges()) {
    const reason = applyChange(change, folder);
    console.log(reason === undefined ? `${change.name}: applies` : `${change.name}: ${reason}`);
  }
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
