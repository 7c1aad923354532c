// The check of a database file: finds every lost page that the database uses, and none in an intact file.
import { copyFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { inDatabase, pageSizeOf } from '@starkbox/test-support/store/damaged-directory';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';
import { faultIn } from '../../src/store/database/file-fault.js';

const folder = temporaryFolderOfFile();
const [whole, damaged] = [join(folder, 'whole.mdb'), join(folder, 'damaged.mdb')];

const key = (number: number): Buffer => Buffer.from(String(number).padStart(40, '0'));
/** What can be reached; the check does not look into values. */
const contentOf = (path: string): Promise<readonly string[]> =>
  inDatabase(path, (database) =>
    [...database.getRange({})].map(({ key, value }) => `${key}: ${value.length}`),
  );

await inDatabase(whole, async (database) => {
  for (let round = 0; round < 20; round += 1) {
    await database.batch(() => {
      for (let number = round; number < 1500; number += 1 + round) {
        // Some values have pages of their own.
        const length = number % 50 === 0 ? 10_000 : 20 + (number % 200);
        database.put(key(number), Buffer.alloc(length, 97 + round));
      }
      for (let number = 0; number < 300; number += 7) database.remove(key(number + round));
    });
  }
});
const content = await contentOf(whole);
const page = pageSizeOf(whole);
const pages = statSync(whole).size / page;

test('a file that is whole has no fault, and an empty database has none either', async () => {
  expect(faultIn(whole)).toBeUndefined();
  expect(content.length).toBeGreaterThan(1000);
  const empty = join(folder, 'empty.mdb');
  await inDatabase(empty, () => undefined);
  expect(faultIn(empty)).toBeUndefined();
});

test('a file that is cut is found, unless the database does not need the rest', async () => {
  let faults = 0;
  for (let number = 0; number < pages; number += 1) {
    copyFileSync(whole, damaged);
    truncateSync(damaged, number * page + 100);
    if (faultIn(damaged) !== undefined) faults += 1;
    else expect(await contentOf(damaged)).toEqual(content);
  }
  expect(faults).toBeGreaterThan(10);
});
