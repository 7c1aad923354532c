// Recorded conversations with the incumbent: a node answers them alike, but for the listed differences.
import { existsSync, readdirSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { IntendedDifferences } from './differences.js';
import { replay } from './replay.js';
import { readTranscript } from './transcript.js';

const FOLDER = new URL('./transcripts/', import.meta.url);
/** This conversation contains classes of others and is not part of the project. */
const FOREIGN = new URL('../../../../../shared/golden/transcripts/classes.jsonl', import.meta.url);

const intended = new IntendedDifferences(new URL('./differences.json', import.meta.url));
const files = readdirSync(FOLDER).map((name) => new URL(name, FOLDER));
if (existsSync(FOREIGN)) files.push(FOREIGN);
else console.warn('The conversation `classes` is not part of the project and was not replayed.');
const transcripts = files.map(readTranscript);
const replayed = new Set<string>();

test.concurrent.each(transcripts)('$theme', async (transcript) => {
  const { failures, exchanges } = await replay(transcript, intended);
  replayed.add(transcript.theme);
  expect(failures).toEqual([]);
  expect(exchanges).toBeGreaterThan(0);
});

afterAll(() => {
  expect(intended.unused(replayed)).toEqual([]);
});
