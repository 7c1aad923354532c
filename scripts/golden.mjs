// Replays the recorded conversations with the built node.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from './cargo.mjs';

const GOLDEN = join(ROOT, 'packages', 'starkbox', 'test', 'golden');
/** One theme holds class bodies of others and is not part of the project. */
const SHARED = join(ROOT, '..', 'shared', 'golden', 'transcripts');
/**
 * @param {string} transcripts
 * @param {readonly string[]} themes
 */
function replay(transcripts, themes) {
  const { status } = spawnSync(
    process.execPath,
    [
      join(GOLDEN, 'replay.mjs'),
      '--command',
      `${process.execPath} ${relative(process.cwd(), join(ROOT, 'packages/starkbox/bin/starkbox.js'))}`,
      '--transcripts',
      transcripts,
      '--differences',
      join(GOLDEN, 'differences.json'),
      '--only',
      themes.join(','),
      ...process.argv.slice(2),
    ],
    { stdio: 'inherit' },
  );
  return status === 0;
}

const themes = readdirSync(join(GOLDEN, 'transcripts')).map((file) => file.replace(/\.jsonl$/, ''));
let equal = replay(join(GOLDEN, 'transcripts'), themes);
if (existsSync(join(SHARED, 'classes.jsonl'))) equal = replay(SHARED, ['classes']) && equal;
else console.log('the theme `classes` is not part of the project and was not replayed');
process.exitCode = equal ? 0 : 1;
