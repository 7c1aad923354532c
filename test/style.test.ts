// The check of style reads every kind of prose, ignores code, and compares with its baseline.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../scripts/check-style.mjs', import.meta.url));

let folder: string;
let baseline: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starkbox-style-'));
  baseline = join(folder, 'baseline.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** @returns the status, and each place as `line: rule` */
function check(name: string, content: string, ...options: string[]) {
  const file = join(folder, name);
  writeFileSync(file, content);
  const args = [SCRIPT, '--list', '--baseline', baseline, ...options, file];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const places = run.stdout.split('\n').flatMap((line) => {
    const [, number, rule] = /^:(\d+): ([^:]+): /.exec(line.replace(file, '')) ?? [];
    return number === undefined ? [] : [`${number}: ${rule}`];
  });
  return { status: run.status, places, output: run.stdout + run.stderr };
}

const LONG = `${'word '.repeat(30)}end.`;

/** Each line breaks one rule. */
const SENTENCES: readonly (readonly [rule: string, sentence: string])[] = [
  ['answer', 'The node answers a call.'],
  ['refuse', 'The call is a refusal.'],
  ['text', 'It returns a text.'],
  ['those of', 'Prices are like those of a network.'],
  ['those of', 'Take the one with a name.'],
  ['what is', 'What was minted is in the receipt.'],
  ['what is', 'The method is what a reader looks for.'],
  ['of its own', 'It has a port of its own.'],
  ['so that', 'It waits, so that tests pass.'],
  ['also if', 'It waits also if a test fails.'],
  ['has to be', 'A port has to be free.'],
  ['is none', 'The port is none of the node.'],
  ['persons', 'The node knows the port.'],
  ['long sentence', LONG],
  ['semicolons', 'It opens; it reads; it closes.'],
];

test('each rule finds its phrase in a page', () => {
  const page = SENTENCES.map(([, sentence]) => sentence).join('\n\n');
  const { status, places } = check('page.md', page);
  expect(places).toEqual(SENTENCES.map(([rule], index) => `${2 * index + 1}: ${rule}`));
  expect(status).toBe(1);
});

test('cells, list items and headings are read one by one', () => {
  const page = [
    '| what | text |',
    '| --- | --- |',
    `| ${LONG.slice(0, 80)} | ${LONG.slice(0, 80)} |`,
  ];
  const items = ['', `- ${LONG.slice(0, 80)}`, `- ${LONG.slice(0, 80)}`, '', '## What it does'];
  expect(check('page.md', [...page, ...items].join('\n')).places).toEqual(['1: text']);
});

test('code, comments, links and plain questions do not count', () => {
  const page = [
    '---\ntitle: the answer\n---',
    'Call `answer` and ``refuse``, see [a page](https://example.org/answer/text).',
    '```sh\necho the answer is refused\n```',
    '<!-- the answer -->',
    'What is a fork?',
    'An error says what was expected and what came. A plain text file. Connection refused.',
  ];
  const { status, places } = check('page.md', page.join('\n\n'));
  expect({ status, places }).toEqual({ status: 0, places: [] });
});

test('messages and doc comments of sources are prose; names, types and styles are not', () => {
  const source = [
    '/** Whether the node answers. */',
    'export const answer: "refuse" | "text" = "text";',
    '// the answer of a comment',
    `throw new Error('the call was refused, ' + \`and \${count} answers are lost\`);`,
    "log.warn('a lease is lost, so that ' + 'it stops');",
    "style('p { text-align: left; color: red; }', 'text/html; charset=utf-8');",
    'const page = <p className="the text">No text here</p>;',
  ];
  expect(check('source.tsx', source.join('\n')).places).toEqual([
    '4: answer',
    '4: refuse',
    '5: so that',
    '7: text',
    '1: answer',
  ]);
});

test('summaries and descriptions of an OpenRPC document are prose; messages of errors are not', () => {
  const document = {
    methods: [{ name: 'answer', summary: 'What it answers', description: 'With `text`.' }],
    components: { errors: { REFUSED: { code: 1, message: 'the call was refused' } } },
  };
  expect(check('document.json', JSON.stringify(document, undefined, 2)).places).toEqual([
    '5: answer',
    '5: what is',
  ]);
});

test('the baseline allows what it counts, falls with --update, and never rises', () => {
  const twice = 'The answer is an answer.';
  expect(check('page.md', twice, '--update').status).toBe(0);
  expect(check('page.md', twice).status).toBe(0);
  const risen = check('page.md', `${twice} It is refused.`);
  expect(risen.status).toBe(1);
  expect(risen.output).toContain('page.md: "refuse" 1 times, at most 0');
  expect(check('page.md', `${twice} An answer.`, '--update').status).toBe(1);
  expect(check('page.md', 'An answer.', '--update').status).toBe(0);
  expect(Object.values(JSON.parse(readFileSync(baseline, 'utf8')))).toEqual([{ answer: 1 }]);
  expect(check('page.md', twice).status).toBe(1);
});

test('a moved page needs an update of the baseline, which its counts pass', () => {
  check('page.md', 'An answer.', '--update');
  expect(check('moved.md', 'An answer.').status).toBe(1);
  expect(check('moved.md', 'An answer.', '--update').status).toBe(0);
  expect(existsSync(baseline)).toBe(true);
});
