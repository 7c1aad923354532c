// Files that this process may open, which its connections share with everything else.
import { readdirSync, readFileSync } from 'node:fs';

/** For modules that are loaded late, files of the chain, and connections to other nodes. */
const LEAST_RESERVED = 24;
const RESERVED_SHARE = 1 / 8;

/**
 * Connections that can be open at once so that other files can still be opened. Node does not load a module again that
 * could not be opened once.
 *
 * @param configured returned where the system does not tell its limit
 */
export function connectionLimit(configured: number): number {
  const limit = openFileLimit();
  if (limit === undefined) return configured;
  const openCount = readdirSync('/proc/self/fd').length;
  const reserved = Math.max(LEAST_RESERVED, Math.ceil(limit * RESERVED_SHARE));
  return Math.max(1, Math.min(configured, limit - openCount - reserved));
}

/** As Linux tells it, after Node has raised it as far as it may. */
function openFileLimit(): number | undefined {
  try {
    const [, soft] =
      /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
