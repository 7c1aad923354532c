// Durable writes: a file is synced before it gets its name, and then its folder.
import { open, rename, rm } from 'node:fs/promises';
import { codeOf } from '../errors.js';

/** What systems answer that cannot sync a folder. */
const UNSUPPORTED = new Set<unknown>(['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM', 'EACCES', 'EBADF']);

/** A rename or a removal is durable once its folder is synced, which not every system supports. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(unlessUnsupported);
  try {
    await folder?.sync().catch(unlessUnsupported);
  } finally {
    await folder?.close();
  }
}

/** @param error rethrown unless the system has no such call */
function unlessUnsupported(error: unknown): undefined {
  if (!UNSUPPORTED.has(codeOf(error))) throw error;
  return undefined;
}

/**
 * Writes a file as a whole: after a failure it has its previous content. `syncFolder` then makes the name durable. The
 * folder must exist.
 *
 * @param draft a path in the same file system, where nothing is
 * @param time when it counts as modified; that of the system by default
 */
export async function replaceBytes(
  path: string,
  pieces: readonly Uint8Array[],
  draft: string,
  time?: Date,
): Promise<void> {
  try {
    const file = await open(draft, 'wx');
    try {
      for (const piece of pieces) await file.writeFile(piece);
      if (time) await file.utimes(time, time);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
