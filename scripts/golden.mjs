// Replays the recorded conversations with the built node, and says which of them wait for a feature.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from './cargo.mjs';

const GOLDEN = join(ROOT, 'packages', 'node', 'test', 'golden');
/** One theme holds class bodies of others and is not part of the project. */
const SHARED = join(ROOT, '..', 'shared', 'golden', 'transcripts');
/** Themes of features that are not built yet. */
const LATER = [/^dump-/, /^restrictive-list$/];

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
      `${process.execPath} ${relative(process.cwd(), join(ROOT, 'packages/node/bin/starkbox.js'))}`,
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

const all = readdirSync(join(GOLDEN, 'transcripts')).map((file) => file.replace(/\.jsonl$/, ''));
const waiting = all.filter((theme) => LATER.some((pattern) => pattern.test(theme)));
console.log(`waiting for their features: ${waiting.join(', ') || 'none'}`);

let equal = replay(
  join(GOLDEN, 'transcripts'),
  all.filter((theme) => !waiting.includes(theme)),
);
if (existsSync(join(SHARED, 'classes.jsonl'))) equal = replay(SHARED, ['classes']) && equal;
else console.log('the theme `classes` is not part of the project and was not replayed');
process.exitCode = equal ? 0 : 1;
