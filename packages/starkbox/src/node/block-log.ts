// Log lines about blocks.
import { diffWorlds } from '../chain/world/diff.js';
import type { Change } from '../chain/writer.js';
import type { Log } from '../log.js';

/** More blocks in one change, as a load brings them, are summed up in one line. */
const MAX_LINES = 100;

/** Logs the blocks of a change after its response is sent: no client waits for the log. */
export function logBlocksSoon(log: Log, change: Change): void {
  setImmediate(() => logBlocks(log, change));
}

/** One line for each block that was added, and one for those that were undone. */
function logBlocks(log: Log, { before, after }: Change): void {
  const { undone, added } = diffWorlds(before, after);
  if (undone) log.info(`blocks ${undone.first.number} to ${undone.last.number} were removed`);
  if (added.to - added.from >= MAX_LINES) {
    log.info(`blocks ${added.from} to ${added.to} were added`);
    return;
  }
  for (let number = added.from; number <= added.to; number += 1) {
    const header = after.history.header(number);
    if (!header) return;
    const { transactionCount: count, hash } = header;
    log.info(`block ${number} · ${count} transaction${count === 1 ? '' : 's'} · ${hash}`);
  }
}
