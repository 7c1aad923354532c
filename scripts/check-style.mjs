// Counts of phrases and sentences that docs/contributing/style.md advises against: `npm run check:style`.
//
//   node scripts/check-style.mjs             counts by area and rule; fails if a file has more than the baseline
//   node scripts/check-style.mjs --update    writes the baseline, if no rule's total has risen
//   node scripts/check-style.mjs --list      each place as well
//   node scripts/check-style.mjs FILE…       these files alone: .md, .json, or sources with all their doc comments
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './cargo.mjs';
import {
  commentBlocks,
  documentBlocks,
  markdownBlocks,
  messageBlocks,
  readProse,
} from './prose.mjs';

/** @typedef {import('./prose.mjs').Block} Block */

/** Words of a sentence. The advice is 25; a few more are no reason to fail. */
const MOST_WORDS = 30;

/** @param {string} text */
const sentencesIn = (text) => text.split(/(?<=[.!?]["')]?)\s+(?=["'(]?[A-Z0-9])/);

/** @param {RegExp} phrase @returns {(block: Block) => number} */
const matching =
  (phrase) =>
  ({ text }) =>
    [...text.matchAll(phrase)].length;

/** @param {(sentence: string) => boolean} isBad @returns {(block: Block) => number} */
const sentences =
  (isBad) =>
  ({ text }) =>
    sentencesIn(text).filter(isBad).length;

/**
 * Clauses with `what` where a noun belongs: at the start of a statement, after a conjunction, or after `is`. Questions
 * and titles may begin with it, and so may the second of two objects ("says what came and what was expected").
 *
 * @param {Block} block
 */
function whatClauses({ text, isTitle }) {
  if (isTitle) return 0;
  let count = 0;
  for (const sentence of sentencesIn(text)) {
    if (sentence.endsWith('?')) continue;
    const clauses =
      /(?:^|[;:(–] *|\b(?:and|but|or|that|if|because|where|when|while|since|is|are|was|were) )what\b(?! (?:to|if)\b)/gi;
    for (const { index } of sentence.matchAll(clauses)) {
      if (!/\b(what|how|why|which|where|when|whether)\b/i.test(sentence.slice(0, index)))
        count += 1;
    }
  }
  return count;
}

/** @type {Readonly<Record<string, (block: Block) => number>>} */
const RULES = {
  answer: matching(/\banswer(?:s|ed|ing)?\b/gi),
  refuse: matching(/(?<!Connection )\brefus(?:e|es|ed|ing|als?)\b/gi),
  text: matching(
    /(?<!\b(?:plain|full|alternative)[- ])\btexts?\b(?! (?:files?|editors?|fields?|box|search)\b)/gi,
  ),
  'those of': matching(
    /\bthose (?:of|that|which|with|in|for|from|by)\b|\bthat of\b|\bthe ones?\b(?!-)/gi,
  ),
  'what is': whatClauses,
  'of its own': matching(/\bof (?:its|their|your|our|my|his|her) own\b/gi),
  'so that': matching(/\bso that\b/gi),
  'also if': matching(/\balso (?:if|where|when|while)\b/gi),
  'has to be': matching(/\b(?:has|have|had) to be\b/gi),
  'is none': matching(/\b(?:is|are|was|were) none\b/g),
  persons: matching(/\b(?:whoever|nobody|anybody|knows|told)\b/gi),
  'long sentence': sentences((sentence) => sentence.split(/\s+/).length > MOST_WORDS),
  semicolons: sentences((sentence) => sentence.split(';').length > 2),
};
const NAMES = Object.keys(RULES);

/** @typedef {Record<string, number>} Counts by rule, without zeros */

/** @param {readonly Block[]} blocks @param {(rule: string, block: Block) => void} report */
function countIn(blocks, report) {
  /** @type {Counts} */
  const counts = {};
  for (const block of blocks) {
    for (const [rule, count] of Object.entries(RULES)) {
      const places = count(block);
      if (places === 0) continue;
      counts[rule] = (counts[rule] ?? 0) + places;
      report(rule, block);
    }
  }
  return counts;
}

/** @param {string} file @returns {import('./prose.mjs').Prose} */
function proseOf(file) {
  const source = readFileSync(file, 'utf8');
  if (file.endsWith('.md')) return { area: 'pages', file, blocks: markdownBlocks(source) };
  if (file.endsWith('.json'))
    return { area: 'specification', file, blocks: documentBlocks(source) };
  const blocks = [...messageBlocks(file, source), ...commentBlocks(file, source)];
  return { area: 'sources', file, blocks };
}

/** @param {Map<string, Counts>} counts @returns {Counts} */
function totalsOf(counts) {
  /** @type {Counts} */
  const totals = {};
  for (const row of counts.values()) {
    for (const [rule, count] of Object.entries(row)) totals[rule] = (totals[rule] ?? 0) + count;
  }
  return totals;
}

/** @param {Map<string, Counts>} areas */
function printTable(areas) {
  const header = ['area', ...NAMES, 'sum'];
  const rows = [...areas, /** @type {const} */ (['all', totalsOf(areas)])].map(([area, counts]) => [
    area,
    ...NAMES.map((rule) => counts[rule] ?? 0),
    Object.values(counts).reduce((sum, count) => sum + count, 0),
  ]);
  for (const row of [header, ...rows]) {
    const [area, ...cells] = row;
    const columns = cells.map((cell, at) =>
      String(cell).padStart((header[at + 1]?.length ?? 0) + 2),
    );
    console.log(String(area).padEnd(20) + columns.join(''));
  }
}

/** @param {Map<string, Counts>} files @returns {string} a line for each file, for small differences */
function baselineText(files) {
  const rows = [...files].filter(([, counts]) => Object.keys(counts).length > 0).sort();
  const lines = rows.map(([file, counts]) => {
    const ordered = NAMES.flatMap((rule) => (counts[rule] ? [[rule, counts[rule]]] : []));
    return `  ${JSON.stringify(file)}: ${JSON.stringify(Object.fromEntries(ordered))}`;
  });
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** @param {Map<string, Counts>} current @param {Map<string, Counts>} allowed */
function risesOf(current, allowed) {
  return [...current].flatMap(([key, counts]) =>
    Object.entries(counts).flatMap(([rule, count]) => {
      const limit = allowed.get(key)?.[rule] ?? 0;
      return count > limit ? [`${key}: "${rule}" ${count} times, at most ${limit}`] : [];
    }),
  );
}

const { values: options, positionals } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    baseline: { type: 'string', default: join(ROOT, 'scripts/style-baseline.json') },
  },
  allowPositionals: true,
});
const prose = positionals.length > 0 ? positionals.map(proseOf) : readProse();
if (!prose.some(({ blocks }) => blocks.length > 0)) throw new Error('no prose was read');
/** @type {Map<string, Counts>} */
const files = new Map();
/** @type {Map<string, Counts>} */
const areas = new Map();
for (const { area, file, blocks } of prose) {
  const counts = countIn(blocks, (rule, { text, line }) => {
    if (options.list) console.log(`${file}:${line}: ${rule}: ${text}`);
  });
  for (const [sums, key] of /** @type {const} */ ([
    [files, file],
    [areas, area],
  ])) {
    const sum = sums.get(key) ?? {};
    sums.set(
      key,
      totalsOf(
        new Map([
          ['before', sum],
          ['now', counts],
        ]),
      ),
    );
  }
}
printTable(areas);

const hasBaseline = existsSync(options.baseline);
/** @type {Map<string, Counts>} */
const allowed = new Map(
  Object.entries(hasBaseline ? JSON.parse(readFileSync(options.baseline, 'utf8')) : {}),
);
const total = (/** @type {Map<string, Counts>} */ counts) => new Map([['all', totalsOf(counts)]]);
// A moved page keeps its counts; the baseline of the repository as a whole may only fall.
const rises =
  options.update && !hasBaseline
    ? []
    : options.update
      ? risesOf(total(files), total(allowed))
      : risesOf(files, allowed);
if (rises.length > 0) {
  console.log(`\n${rises.join('\n')}`);
  console.log('\nSee docs/contributing/style.md; `npm run check:style -- --list` has the places.');
  process.exitCode = 1;
} else if (options.update) {
  writeFileSync(options.baseline, baselineText(files));
}
