// Check whether the process that started this one is still running.
import { readFileSync } from 'node:fs';

const POLL_MILLISECONDS = 500;

export interface Ancestors {
  readonly parent: number;
  readonly grandparent: number | undefined;
}

/**
 * The processes that this one was started by. npm runs a command through a shell, which may outlive npm, so
 * under npm the shell's parent counts too (on Linux, where it can be found out).
 */
export function ancestors(isUnderNpm: boolean): Ancestors {
  const parent = process.ppid;
  return { parent, grandparent: isUnderNpm ? parentOf(parent) : undefined };
}

/** Calls back once when one of them has ended. */
export function onParentGone({ parent, grandparent }: Ancestors, ended: () => void): void {
  const timer = setInterval(() => {
    const isThere =
      process.ppid === parent && (grandparent === undefined || parentOf(parent) === grandparent);
    if (isThere) return;
    clearInterval(timer);
    ended();
  }, POLL_MILLISECONDS).unref();
}

function parentOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it is in brackets and may hold anything.
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
