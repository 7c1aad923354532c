// Creation of a folder with those above it.
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from '../errors.js';

/**
 * Creates a folder and those above it. `mkdir` with `recursive` does not return where the system answers that a folder
 * does not exist whose parent does, as below `/proc`.
 *
 * @returns the first that was created; undefined if all existed
 * @throws the error of the system
 */
export async function createFolder(path: string): Promise<string | undefined> {
  const missing: string[] = [];
  let folder = resolve(path);
  while (!(await isThere(folder))) {
    missing.unshift(folder);
    folder = dirname(folder);
  }
  // The system reports a file as existing.
  if (missing.length === 0 && !(await isFolder(folder))) await mkdir(folder);
  for (const absent of missing) await makeUnlessThere(absent);
  return missing[0];
}

/** Another process may create it at the same time. */
async function makeUnlessThere(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !(await isFolder(folder))) throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await isThere(path)) && (await stat(path)).isDirectory();
}
