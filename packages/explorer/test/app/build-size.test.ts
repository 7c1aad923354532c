// Sizes and contents of the built explorer.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const BUILT = fileURLToPath(new URL('../../../starkbox/dist/explorer', import.meta.url));

const isBuilt = existsSync(BUILT);
if (!isBuilt)
  console.warn('The explorer is not built, and was not weighed: npm run build:explorer');

describe.runIf(isBuilt)('the built pages', () => {
  const size = (name: string): number => readFileSync(`${BUILT}/${name}.br`).length;
  const index = readFileSync(`${BUILT}/index.html`, 'utf8');
  const assets = readdirSync(`${BUILT}/assets`).filter((name) => /\.(js|css)$/.test(name));
  const first = assets.filter((name) => index.includes(name));

  test('load at most 130 kB at first, beside the fonts', () => {
    expect(first.reduce((sum, name) => sum + size(`assets/${name}`), 0)).toBeLessThanOrEqual(
      130_000,
    );
  });

  test('are at most 420 kB in all, and 45 kB for a page', () => {
    expect(assets.reduce((sum, name) => sum + size(`assets/${name}`), 0)).toBeLessThanOrEqual(
      420_000,
    );
    for (const name of assets)
      if (!first.includes(name)) expect(size(`assets/${name}`)).toBeLessThanOrEqual(45_000);
  });

  test('have no inline scripts or styles, and no links to other origins', () => {
    expect(index).not.toMatch(/<style|<script(?![^>]*src=)|\son\w+=|style=/);
    expect(index.match(/(?:src|href)="[^"]*"/g)?.every((link) => /="\/ui\//.test(link))).toBe(true);
    for (const name of assets.filter((asset) => asset.endsWith('.css'))) {
      expect(readFileSync(`${BUILT}/assets/${name}`, 'utf8')).not.toMatch(/https?:|data:/);
    }
  });

  test('hold two fonts of at most 60 kB together, which the first page preloads, and their licences', () => {
    const fonts = readdirSync(`${BUILT}/assets`).filter((name) => /\.(woff2?|ttf|otf)$/.test(name));
    expect(fonts).toHaveLength(2);
    const total = fonts.reduce(
      (sum, name) => sum + readFileSync(`${BUILT}/assets/${name}`).length,
      0,
    );
    expect(total).toBeLessThanOrEqual(60_000);
    for (const name of fonts) {
      expect(index).toMatch(new RegExp(`<link rel="preload" href="/ui/assets/${name}" as="font"`));
    }
    for (const name of ['geist', 'geist-mono']) {
      expect(readFileSync(`${BUILT}/assets/${name}-license.txt`, 'utf8')).toContain(
        'SIL OPEN FONT LICENSE',
      );
    }
  });

  test('hold no picture of more than 4 kB', () => {
    const files = readdirSync(BUILT, { recursive: true, encoding: 'utf8' });
    const pictures = files.filter((name) => /\.(svg|png|jpe?g|gif|webp|ico)$/.test(name));
    for (const name of pictures) {
      expect(readFileSync(`${BUILT}/${name}`).length).toBeLessThanOrEqual(4_096);
    }
  });
});
