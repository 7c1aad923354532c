// Upgrade of a data directory whose format has no instances.
import { count, list, object, pair } from '../json/reader.js';
import { useOf } from './blocks/branches.js';
import { changedReferences } from './blocks/references.js';
import type { Database, Entry } from './database/database.js';
import { abandonedKey, ChainKeys, numberValue, singleKey } from './database/keys.js';
import { readRecords } from './records.js';

/**
 * Entries that format 2 adds to format 1, in which the head of the only chain had the ends of left
 * branches and the number of the next one; none if the database has them.
 */
export function upgradeEntries(database: Database): readonly Entry[] {
  if (database.has(singleKey('nextBranch'))) return [];
  const keys = new ChainKeys(0);
  const records = readRecords(database, keys);
  const text = database.get(keys.single('head'))?.toString();
  if (!records || text === undefined) return [];
  const { nextBranch, ends } = database.decode('the head of the chain', () => {
    const head = object(JSON.parse(text), 'head');
    return {
      nextBranch: count(head['nextBranch'], 'nextBranch'),
      ends: list(head['ends'], 'ends', (end, where) => pair(end, where, count, count)),
    };
  });
  const use = useOf(
    records.head,
    records.snapshots.map(({ record }) => record),
  );
  return [
    [singleKey('nextBranch'), numberValue(nextBranch)],
    ...ends.map(([branch, end]): Entry => [abandonedKey(branch), numberValue(end)]),
    ...changedReferences(0, new Map(), use),
  ];
}
