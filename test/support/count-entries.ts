// Counts of the entries in the database of a data directory.
import { join } from 'node:path';
import { open } from 'lmdb';

/**
 * By the kind of entry.
 *
 * @param directory one that no node has open
 */
export async function countEntries(directory: string): Promise<Map<number, number>> {
  const database = open({
    path: join(directory, 'chain.mdb'),
    noSubdir: true,
    keyEncoding: 'binary',
    encoding: 'binary',
  });
  const counts = new Map<number, number>();
  for (const key of database.getKeys()) {
    const [kind = 0] = Buffer.isBuffer(key) ? key : [];
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  await database.close();
  return counts;
}
