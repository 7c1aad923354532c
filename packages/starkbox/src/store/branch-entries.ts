// Entries by which a copy of a stored chain becomes a branch: without snapshots and without a link to L1.
import { messagesFromJson, messagesToJson } from '../chain/world/messages.js';
import { stringify } from '../json/json.js';
import type { Database, Entry } from './database/database.js';
import { ChainKeys } from './database/keys.js';

const KEYS = new ChainKeys(0);

/** Changes of entries by which a copy of a stored chain becomes a branch. */
export function* branchEntries(database: Database): Generator<Entry, void, undefined> {
  const snapshots = { start: KEYS.numbered('snapshot', 0), end: KEYS.afterAll('snapshot') };
  for (const key of database.getKeys(snapshots)) yield [Buffer.from(key), undefined];
  const key = KEYS.single('messages');
  const text = database.get(key);
  if (!text) return;
  const messages = messagesFromJson(JSON.parse(text.toString()));
  if (!messages.l1) return;
  yield [key, Buffer.from(stringify(messagesToJson({ ...messages, l1: undefined })))];
}
