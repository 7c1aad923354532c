// Space on the disk that LMDB needs: it does not survive every failure to write.
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';

/** Size of LMDB's lock file with its default number of readers. */
const LOCK_BYTES = 8272;
/** A disk with less free space counts as full. */
const FULL_BYTES = 1024 * 1024;

/** There is no space left on the disk. */
export class FullDisk extends Error {
  override readonly name = 'FullDisk';
  readonly code = 'ENOSPC';

  constructor() {
    super('no space is left on the disk');
  }
}

/** Whether the disk of a file or folder is full. */
export function isFull(path: string): boolean {
  return freeBytes(path) < FULL_BYTES;
}

/** Free space on the disk of a file or folder; infinite if the system does not tell. */
export function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Throws the error of the system if the disk is full. LMDB maps its lock file without allocating it, so that the first
 * write to it would end the process with a signal; and it cannot close a new database that it failed to write.
 *
 * @param path of the database
 */
export function reserveSpace(path: string): void {
  const lock = statSync(lockPath(path), { throwIfNoEntry: false });
  if (!lock || lock.size < LOCK_BYTES || lock.blocks === 0) fill(lockPath(path), LOCK_BYTES);
  if (statSync(path, { throwIfNoEntry: false })?.size) return;
  const draft = `${path}.draft`;
  try {
    fill(draft, FULL_BYTES);
  } finally {
    rmSync(draft, { force: true });
  }
}

export const lockPath = (path: string): string => `${path}-lock`;

function fill(path: string, length: number): void {
  const file = openSync(path, 'w');
  try {
    const zeros = Buffer.alloc(length);
    let written = 0;
    while (written < length) written += writeSync(file, zeros, written);
  } finally {
    closeSync(file);
  }
}
