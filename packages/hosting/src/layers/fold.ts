// Folding of a chain's newest entries into a table, and of small tables into larger ones.
import type { Layers } from './layered-database.js';
import { MemoryRun, merged } from './run.js';
import { Table } from './table.js';

/** Tables above this size are not merged any more, because that would hold up the node. */
const LARGEST_MERGE = 16 * 1024 * 1024;

/**
 * The same entries, with none beside the tables if those have more bytes than a limit. A table is merged with the one before it if that is not twice
 * as large, so that the number of tables grows with the logarithm of the entries.
 *
 * @param shared tables, the oldest, that belong to other chains too and stay as they are
 */
export function foldedAbove(limit: number, { tables, newest }: Layers, shared: number): Layers {
  if (newest.bytes <= limit) return { tables, newest };
  let top = Table.of(merged([newest]));
  const unfolded = [...tables];
  while (unfolded.length > shared) {
    const below = unfolded.at(-1);
    if (!below || below.bytes > 2 * top.bytes || below.bytes + top.bytes > LARGEST_MERGE) break;
    top = Table.of(merged([top, below]));
    unfolded.pop();
  }
  return { tables: [...unfolded, top], newest: MemoryRun.EMPTY };
}
