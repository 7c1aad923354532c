// The pages of the site: their order, their links to the repository, and their text for language models.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const DOCS = fileURLToPath(new URL('..', import.meta.url));
const ROOT = join(DOCS, '..');
const REPOSITORY = 'https://github.com/starkbox/starkbox';

/**
 * Folders of the site with their headings; pages that are not named here follow in the order of their names.
 *
 * @type {readonly { folder: string, heading: string, first: readonly string[] }[]}
 */
const SECTIONS = [
  {
    folder: 'start',
    heading: 'Start',
    first: [
      'getting-started',
      'features',
      'comparison',
      'from-starknet-devnet',
      'from-katana',
      'from-anvil',
    ],
  },
  {
    folder: 'guides',
    heading: 'Guides',
    first: [
      'test-a-contract',
      'test-a-dapp',
      'fixtures-and-instances',
      'hosting',
      'debug-a-revert',
      'fork-in-ci',
      'indexer',
      'wallet',
      'bridge',
    ],
  },
  {
    folder: 'reference',
    heading: 'Reference',
    first: ['options', 'commands', 'methods', 'errors', 'metrics', 'files', 'library', 'testing'],
  },
  { folder: 'how-it-works', heading: 'How it works', first: ['engine', 'internals', 'scale'] },
  { folder: 'contributing', heading: 'Contributing', first: [] },
  { folder: '.', heading: 'More', first: ['benchmarks'] },
];

/** @typedef {{ readonly path: string, readonly title: string, readonly text: string }} Page */

/** @returns {{ heading: string, pages: Page[] }[]} */
export function sections() {
  return SECTIONS.map(({ folder, heading, first }) => {
    const names = readdirSync(join(DOCS, folder))
      .filter((name) => name.endsWith('.md') && name !== 'index.md')
      .map((name) => name.replace(/\.md$/, ''));
    /** @param {string} name */
    const rank = (name) => {
      const at = first.indexOf(name);
      return at < 0 ? first.length : at;
    };
    const pages = names
      .toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b))
      .map((name) => {
        const path = folder === '.' ? name : `${folder}/${name}`;
        const text = readFileSync(join(DOCS, `${path}.md`), 'utf8');
        return { path, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text };
      });
    return { heading, pages };
  });
}

export function sidebar() {
  return sections().map(({ heading, pages }) => ({
    text: heading,
    items: pages.map(({ path, title }) => ({ text: title.replaceAll('`', ''), link: `/${path}` })),
  }));
}

/**
 * Where a link of a page leads on the site: files outside of the site are in the repository.
 *
 * @param {string} href
 * @param {string} page path of the page in the site, with `.md`
 * @returns {string}
 */
export function siteLink(href, page) {
  if (/^([a-z]+:|#|\/)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = resolve(DOCS, dirname(page), path);
  const inRepository = relative(ROOT, target);
  const isPage = target.startsWith(DOCS) && /\.(md|png|svg)$/.test(target);
  if (isPage || !existsSync(target)) return href;
  const kind = statSync(target).isDirectory() ? 'tree' : 'blob';
  return `${REPOSITORY}/${kind}/main/${inRepository}${anchor === undefined ? '' : `#${anchor}`}`;
}

/**
 * Writes llms.txt, a list of all pages, each page as Markdown, and llms-full.txt, their whole text.
 *
 * @param {string} folder
 */
export function writeTexts(folder) {
  const all = sections();
  const intro =
    '# Starkbox\n\n> A local Starknet for developers: one node on the execution engine of the sequencer, as a command and as a library.\n';
  const lists = all.map(({ heading, pages }) => {
    const lines = pages.map(
      ({ path, title, text }) => `- [${title}](/${path}.md): ${summary(text)}`,
    );
    return `## ${heading}\n\n${lines.join('\n')}\n`;
  });
  writeFileSync(join(folder, 'llms.txt'), [intro, ...lists].join('\n'));
  const pages = all.flatMap((section) => section.pages);
  for (const { path, text } of pages) writeFileSync(join(folder, `${path}.md`), text);
  const texts = pages.map(({ text }) => text);
  writeFileSync(join(folder, 'llms-full.txt'), [intro, ...texts].join('\n\n'));
}

/**
 * The first sentence of a page.
 *
 * @param {string} text
 */
function summary(text) {
  const paragraph =
    text
      .split(/\n{2,}/)
      .find((block) => /^[A-Z`[]/.test(block) && !block.startsWith('```'))
      ?.replaceAll('\n', ' ')
      .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1') ?? '';
  return /^.*?\.(?= |$)/.exec(paragraph)?.[0] ?? paragraph;
}
