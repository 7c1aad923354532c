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

const KILLS = 10;
/** Writing so many letters takes most of the time. */
const LENGTH = 2 ** 25;
const BUILT = new URL('../../dist/files/atomic-file.js', import.meta.url);

/** Replaces a file again and again, each time by other letters. */
const PROGRAM = `
  import { replaceDurably, replaceText } from ${JSON.stringify(BUILT.href)};
  const [way, path] = process.argv.slice(1);
  const texts = ['a', 'b'].map((letter) => letter.repeat(${LENGTH}));
  for (let turn = 0; ; turn += 1) {
    const text = texts[turn % 2];
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
      const end = once(child, 'exit');
      await Promise.race([once(child.stdout, 'data'), end]);
      await sleep(random.below(50));
      child.kill('SIGKILL');
      await end;
      const text = readFileSync(path, 'latin1');
      expect(text === 'a'.repeat(LENGTH) || text === 'b'.repeat(LENGTH), `${text.length}`).toBe(
        true,
      );
      drafts += readdirSync(folder).length > 1 ? 1 : 0;
    }
    // Some were killed while they wrote, and what they left goes with the next write.
    expect(drafts).toBeGreaterThan(0);
    removeStaleDrafts(path);
    expect(readdirSync(folder)).toEqual(['file']);
  },
);
