// Creation of a folder with those above it.
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf } from '../errors.js';

/**
 * Creates a folder and those above it. `mkdir` with `recursive` does not return where the system answers that a folder
 * does not exist whose parent does, as below `/proc`.
 *
 * @returns the first that was created; undefined if all existed
 * @throws the error of the system
 */
export function createFolder(path: string): string | undefined {
  const missing: string[] = [];
  let folder = resolve(path);
  while (!exists(folder)) {
    missing.unshift(folder);
    folder = dirname(folder);
  }
  // For a file, the system throws that it exists.
  if (missing.length === 0 && !isFolder(folder)) mkdirSync(folder);
  for (const absent of missing) createUnlessExisting(absent);
  return missing[0];
}

/** Another process may create it at the same time. */
function createUnlessExisting(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !isFolder(folder)) throw error;
  }
}

function exists(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}

function isFolder(path: string): boolean {
  return exists(path) && statSync(path).isDirectory();
}
