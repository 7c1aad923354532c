// Atomic writes: a draft beside the file is written and then renamed.
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from '../errors.js';
import { checkReplaceable } from './regular-file.js';

/** The drafts that this process is writing. */
const active = new Set<string>();
let count = 0;

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
    endDraft(draft);
  }
}

/** A name for a draft of a file. It contains the process id, so that drafts of killed processes are recognised. */
export function beginDraft(path: string): string {
  count += 1;
  const draft = `${resolve(path)}.${process.pid}-${count}.draft`;
  active.add(draft);
  return draft;
}

/** A draft was renamed or removed. */
export function endDraft(draft: string): void {
  active.delete(draft);
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
