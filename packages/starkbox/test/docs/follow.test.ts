// Pages that a reader follows work in an empty folder that has only the packages that the page installs.
import { describe, expect, test } from 'vitest';
import { followPage } from './follow.js';
import { blocksOf, isFollowed, PAGES } from './markdown.js';

const FOLLOWED = PAGES.filter(isFollowed);

test('the README and all pages of Start with code are followed', () => {
  const pages = PAGES.filter((page) => page === 'README.md' || page.startsWith('docs/start/'));
  const isCode = (language: string): boolean => language === 'js' || language === 'ts';
  const others = pages.filter((page) =>
    blocksOf(page).some(({ language, file, continues, notRun }) => {
      const isPartOfFile = file !== undefined || continues || notRun !== undefined;
      return isCode(language) && !isPartOfFile;
    }),
  );
  expect(others).toEqual([]);
  expect(FOLLOWED).toContain('README.md');
  expect(FOLLOWED).toContain('docs/start/getting-started.md');
});

describe('a reader', () => {
  test.each(FOLLOWED)(
    'follows %s',
    async (page) => {
      expect(await followPage(page)).toBeGreaterThan(0);
    },
    180_000,
  );
});
