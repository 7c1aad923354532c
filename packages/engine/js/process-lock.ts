// A lock on a file for an engine without file locks: a second file names the process that holds it. A process that has
// ended holds nothing, unless the system has given its number to another one.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

let serial = 0;

/** A lock that is held until it is released or the process ends. */
export interface HeldLock {
  release(): void;
}

/** Undefined if another holder is alive. */
export function takeProcessLock(path: string): HeldLock | undefined {
  const holder = `${path}.pid`;
  serial += 1;
  const draft = `${holder}.${process.pid}.${serial}`;
  writeFileSync(draft, String(process.pid));
  try {
    // Fails if there is a holder, and is never half done.
    if (!isLinked(draft, holder)) {
      if (isAlive(holderOf(holder))) return undefined;
      removeStale(holder, `${draft}.stale`);
      if (!isLinked(draft, holder)) return undefined;
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return { release: () => rmSync(holder, { force: true }) };
}

function isLinked(draft: string, holder: string): boolean {
  try {
    linkSync(draft, holder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Another process may have removed it first and hold the lock by now: then its file is put back. */
function removeStale(holder: string, stale: string): void {
  try {
    renameSync(holder, stale);
  } catch {
    return;
  }
  if (isAlive(holderOf(stale))) isLinked(stale, holder);
  rmSync(stale, { force: true });
}

function holderOf(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number | undefined): boolean {
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user cannot be signalled.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
