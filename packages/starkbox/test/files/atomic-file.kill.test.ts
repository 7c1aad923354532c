// Files that are replaced while their process is killed: dumps, journals, lock files, images, bundles.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@starkbox/test-support/random';
import { SEED } from '@starkbox/test-support/seed';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';
import { removeStaleDrafts } from '../../src/files/atomic-file.js';

const KILLS = 6;
/** Writing so many letters takes several milliseconds. */
const LENGTH = 2 ** 23;
const BUILT = new URL('../../dist/files/atomic-file.js', import.meta.url);

/** Replaces a file for ever, each time by other letters. */
const PROGRAM = `
  import { replaceDurably, replaceText } from ${JSON.stringify(BUILT.href)};
  const [way, path] = process.argv.slice(1);
  for (let turn = 0; ; turn += 1) {
    const text = 'abcdefgh'.charAt(turn % 8).repeat(${LENGTH});
    if (way === 'replaceText') replaceText(path, text);
    else await replaceDurably(path, (file) => file.writeFile(text));
    if (turn === 1) process.stdout.write('.');
  }
`;

test.each(['replaceText', 'replaceDurably'])(
  `%s leaves a whole file when its process is killed, ${KILLS} times by seed ${SEED}`,
  async (way) => {
    const folder = temporaryFolder();
    const path = join(folder, 'file');
    const random = new Random(SEED);
    let drafts = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const args = ['--input-type=module', '-e', PROGRAM, '--', way, path];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      await sleep(random.below(50));
      child.kill('SIGKILL');
      await once(child, 'exit');
      const text = readFileSync(path, 'latin1');
      expect([text.length, new Set(text).size]).toEqual([LENGTH, 1]);
      drafts += readdirSync(folder).length > 1 ? 1 : 0;
    }
    // Some were killed while they wrote, and what they left goes with the next write.
    expect(drafts).toBeGreaterThan(0);
    removeStaleDrafts(path);
    expect(readdirSync(folder)).toEqual(['file']);
  },
);
