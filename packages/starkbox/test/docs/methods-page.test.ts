// The reference of methods names each of them, and each of the notifications.
import { readFileSync } from 'node:fs';
import { METHODS } from '@starkbox/spec';
import { expect, test } from 'vitest';
import { stringify } from '../../src/json/json.js';
import { readDocuments } from '../../src/rpc/protocol/documents.js';

const page = readFileSync(
  new URL('../../../../docs/reference/methods.md', import.meta.url),
  'utf8',
);

test('every method has a section of its own, and no other method has', () => {
  const sections = [...page.matchAll(/^### ((?:starknet|devnet|rpc)[._]\S+)$/gm)].map(
    ([, name]) => name,
  );
  expect(sections.toSorted()).toEqual(Object.keys(METHODS).toSorted());
});

test('a section has every parameter, the result, and whether anything changes', () => {
  for (const [name, { params, writes }] of Object.entries(METHODS)) {
    const [section = ''] = page.split(`\n### ${name}\n`).slice(1);
    const text = section.split(/^##/m)[0] ?? '';
    for (const param of params) expect(text, name).toContain(`| \`${param.name}\``);
    expect(text.includes('Changes the chain or the node.'), name).toBe(writes ?? false);
    expect(text, name).toContain('Returns ');
  }
});

test('every notification is in a table', () => {
  const names = [...readDocuments().values()].flatMap((document) =>
    [...stringify(document).matchAll(/"name":"(\w+_subscription[A-Z]\w+)"/g)].map(
      ([, name]) => name,
    ),
  );
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect(page).toContain(`| \`${name}\` |`);
});

test('every link leads to a section of the page, or to a file beside it', () => {
  const anchors = new Set(
    [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(' ', '-')
        .replace(/[^\w-]/g, ''),
    ),
  );
  const targets = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, target]) => target);
  expect(targets.length).toBeGreaterThan(Object.keys(METHODS).length);
  expect(targets.filter((target) => !anchors.has(target ?? ''))).toEqual([]);
});
