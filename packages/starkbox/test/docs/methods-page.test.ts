// The reference of methods names each of them, and each of the notifications.
import { METHODS } from '@starkbox/spec';
import { expect, test } from 'vitest';
import { stringify } from '../../src/json/json.js';
import { readDocuments } from '../../src/rpc/protocol/documents.js';
import { METHOD_PAGES, readPage } from './markdown.js';

const INDEX = readPage('docs/reference/methods.md');
const page = METHOD_PAGES.map(readPage).join('\n');

test('every method has a section of its own, and no other method has', () => {
  const sections = [...page.matchAll(/^## ((?:starknet|devnet|paymaster|rpc)[._]\S+)$/gm)].map(
    ([, name]) => name,
  );
  expect(sections.toSorted()).toEqual(Object.keys(METHODS).toSorted());
});

test('the index has a row for every method, and names both aliases once', () => {
  const rows = [...INDEX.matchAll(/^\| \[`([^`]+)`\]\(methods\/[\w-]+\.md#\w+\) \| [A-Z]/gm)];
  expect(rows.map(([, name]) => name).toSorted()).toEqual(Object.keys(METHODS).toSorted());
  for (const prefix of ['chain_', 'sandbox_']) expect(INDEX.split(prefix)).toHaveLength(2);
});

test('a section has every parameter, and whether anything changes', () => {
  for (const [name, { params, writes }] of Object.entries(METHODS)) {
    const [section = ''] = page.split(`\n## ${name}\n`).slice(1);
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
