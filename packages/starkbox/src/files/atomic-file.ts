// Atomic writes: a draft beside the file is written and then renamed.
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from '../errors.js';
import { checkReplaceable } from './regular-file.js';

/** The drafts that this process is writing. */
const active = new Set<string>();

/** What systems answer that cannot sync a folder. */
const UNSUPPORTED = new Set<unknown>(['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM', 'EACCES', 'EBADF']);

/**
 * Writes a file as a whole: after a failure it has its previous content.
 *
 * @param displayPath the path that errors name
 * @param mode permissions of the new file
 */
export function replaceText(
  path: string,
  text: string,
  displayPath: string = path,
  mode?: number,
): void {
  checkReplaceable(path, displayPath);
  removeStaleDrafts(path);
  const draft = beginDraft(path);
  try {
    writeFileSync(draft, text, { flag: 'wx', mode });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    active.delete(draft);
  }
}

/** As `replaceText`, without blocking, into a folder that exists. @param write writes the content */
export async function replaceFile<T>(
  path: string,
  write: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const draft = beginDraft(path);
  try {
    const file = await open(draft, 'wx');
    let result: T;
    try {
      result = await write(file);
    } finally {
      await file.close();
    }
    await rename(draft, path);
    return result;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    active.delete(draft);
  }
}

/** As `replaceFile`, and the content and the name of the file are on disk at the end. */
export async function replaceDurably<T>(
  path: string,
  write: (file: FileHandle) => Promise<T>,
): Promise<T> {
  removeStaleDrafts(path);
  const result = await replaceFile(path, async (file) => {
    const written = await write(file);
    await file.sync();
    return written;
  });
  await syncFolder(dirname(path));
  return result;
}

/** A rename is durable once its folder is synced, which not every system supports. */
async function syncFolder(path: string): Promise<void> {
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

/** The process id in the name tells drafts of killed processes; containers may share it, and the folder. */
function beginDraft(path: string): string {
  const draft = `${resolve(path)}.${process.pid}-${Math.floor(Math.random() * 2 ** 47)}.draft`;
  active.add(draft);
  return draft;
}

/** Removes the drafts of a file whose processes are gone. */
export function removeStaleDrafts(path: string): void {
  const folder = dirname(resolve(path));
  for (const name of namesIn(folder)) {
    const draft = join(folder, name);
    if (active.has(draft)) continue;
    const pid = writerOf(name, basename(resolve(path)));
    // A container gives every start the same id: a draft of it that is not active is an old one.
    if (pid === undefined || (pid !== process.pid && isRunning(pid))) continue;
    try {
      rmSync(draft, { force: true });
    } catch {
      // The next dump tries again.
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The process that began a draft of a file; `undefined` for other names. */
function writerOf(name: string, file: string): number | undefined {
  if (!name.startsWith(`${file}.`)) return undefined;
  const [, pid] = /^(\d{1,10})(?:-\d+)?\.draft$/.exec(name.slice(file.length + 1)) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

function isRunning(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}
