// Links of all pages lead to files and headings that exist.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { expect, test } from 'vitest';
import { anchorOf } from '../../../mcp/src/docs.js';
import { PAGES, ROOT, readPage } from './markdown.js';

function anchorsOf(page: string): ReadonlySet<string> {
  const text = readPage(page).replaceAll(/^```[\s\S]*?^```/gm, '');
  return new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));
}

test('every link of a page leads somewhere', () => {
  const dead: string[] = [];
  let count = 0;
  for (const page of PAGES) {
    const text = readPage(page).replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
    for (const [, link = ''] of text.matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)) {
      count += 1;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      const exists = existsSync(join(ROOT, target));
      const isPage = exists && target.endsWith('.md') && anchor !== undefined;
      if (!exists || (isPage && !anchorsOf(target).has(anchor))) dead.push(`${page}: ${link}`);
    }
  }
  expect(dead).toEqual([]);
  expect(count).toBeGreaterThan(300);
});
