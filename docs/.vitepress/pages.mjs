// The pages of the site: their order, their links to the repository, and their text for language models.
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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
      'new-project',
      'walkthrough',
      'platforms',
      'features',
      'comparison',
      'from-starknet-devnet',
      'from-katana',
      'from-hardhat',
      'from-anvil',
      'names',
      'troubleshooting',
      'uninstall',
    ],
  },
  {
    folder: 'guides',
    heading: 'Guides',
    first: [
      'test-a-contract',
      'test-a-dapp',
      'browser',
      'fixtures-and-instances',
      'debug-a-revert',
      'debugger',
      'bug-reports',
      'gas-and-coverage',
      'fork-in-ci',
      'indexer',
      'bridge',
      'test-a-wallet',
      'playground',
      'explorer',
      'mcp',
    ],
  },
  {
    folder: 'verification',
    heading: 'Verification',
    first: [
      'invariants',
      'properties',
      'planted-bugs',
      'rehearse-an-upgrade',
      'what-if',
      'congested-network',
    ],
  },
  { folder: 'recipes', heading: 'Recipes', first: ['time', 'state', 'accounts', 'blocks'] },
  { folder: 'ecosystem', heading: 'Ecosystem', first: ['starknet-react', 'wallets'] },
  {
    folder: 'features',
    heading: 'Features',
    first: [
      'forking',
      'instances',
      'images',
      'bundles',
      'data-directory',
      'failures',
      'l1',
      'paymaster',
      'logs-and-traces',
      'storage-names',
      'guarantees',
      'performance',
    ],
  },
  { folder: 'operate', heading: 'Operate', first: ['deployment', 'scaling'] },
  {
    folder: 'reference',
    heading: 'Reference',
    first: [
      'options',
      'commands',
      'methods',
      'library',
      'testing',
      'wallet',
      'controls',
      'errors',
      'files',
      'metrics',
      'versions',
      'glossary',
    ],
  },
  {
    folder: 'contributing',
    heading: 'Contributors',
    first: ['commands', 'style', 'releases', 'internals', 'engine', 'reliability', 'benchmarks'],
  },
];

/** The folder of pages below one page of the list. */
const METHODS = 'reference/methods';

/** @typedef {{ readonly path: string, readonly title: string, readonly text: string }} Page */

/** @returns {{ heading: string, pages: Page[] }[]} */
export function sections() {
  return SECTIONS.map(({ folder, heading, first }) => ({ heading, pages: pagesOf(folder, first) }));
}

/**
 * @param {string} folder
 * @param {readonly string[]} first names of the pages that come first, in their order
 * @returns {Page[]}
 */
function pagesOf(folder, first) {
  if (!existsSync(join(DOCS, folder))) return [];
  /** @param {string} name */
  const rank = (name) => {
    const at = first.indexOf(name);
    return at < 0 ? first.length : at;
  };
  return readdirSync(join(DOCS, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.replace(/\.md$/, ''))
    .toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b))
    .flatMap((name) => {
      const path = `${folder}/${name}`;
      const text = readFileSync(join(DOCS, `${path}.md`), 'utf8');
      const page = { path, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text };
      return path === METHODS ? [page, ...pagesOf(METHODS, [])] : [page];
    });
}

export function sidebar() {
  return sections()
    .filter(({ pages }) => pages.length > 0)
    .map(({ heading, pages }) => ({
      text: heading,
      collapsed: heading === 'Contributors',
      items: nested(pages),
    }));
}

/**
 * Entries of the list, pages of methods below their index.
 *
 * @param {readonly Page[]} pages
 */
function nested(pages) {
  /** @param {Page} page */
  const entry = ({ path, title }) => ({ text: title.replaceAll('`', ''), link: `/${path}` });
  const below = pages.filter(({ path }) => path.startsWith(`${METHODS}/`));
  return pages
    .filter((page) => !below.includes(page))
    .map((page) =>
      page.path === METHODS
        ? { ...entry(page), collapsed: true, items: below.map(entry) }
        : entry(page),
    );
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
  const all = sections().filter(({ pages }) => pages.length > 0);
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

/**
 * Copies the built playground into the site.
 *
 * @param {string} outDir
 */
export function copyPlayground(outDir) {
  const built = join(ROOT, 'packages/playground/dist');
  if (existsSync(built)) cpSync(built, join(outDir, 'playground'), { recursive: true });
  else console.warn('The site has no playground: run npm run build:playground first.');
}
