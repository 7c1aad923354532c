// Files that are replaced while the disk is full or the process is killed: dumps, images, bundles, lock files.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';

const BUILT = new URL('../../dist/files/atomic-file.js', import.meta.url);

/** Files of the program end after 100 blocks, as on a disk that is full. */
const LIMITED = 'ulimit -f 100; exec "$@"';

const REPLACEMENTS = {
  'a text on a full disk': `replaceText(path, 'new'.repeat(1_000_000))`,
  'a file on a full disk': `await replaceDurably(path, (file) => file.writeFile('new'.repeat(1_000_000)))`,
  'a file by a process that is killed': `await replaceDurably(path, async (file) => {
    await file.write('new');
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  })`,
};

test.each(Object.entries(REPLACEMENTS))('%s stays as it was', (_, replacement) => {
  const path = join(temporaryFolder(), 'file');
  const program = `
    import { replaceDurably, replaceText } from ${JSON.stringify(BUILT.href)};
    const path = ${JSON.stringify(path)};
    replaceText(path, 'old');
    ${replacement};
  `;
  const command = [process.execPath, '--input-type=module', '-e', program];
  const { status } = spawnSync('sh', ['-c', LIMITED, 'sh', ...command], { encoding: 'utf8' });
  expect(status).not.toBe(0);
  expect(readFileSync(path, 'utf8')).toBe('old');
});
