// Prose that users read, as blocks: paragraphs, table cells, descriptions, messages and doc comments.
import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';
import { ROOT } from './cargo.mjs';
import { lineFinder, sourceFiles } from './sources.mjs';

/**
 * @typedef {{ text: string, line: number, isTitle: boolean }} Block `isTitle`: a heading or a header cell
 * @typedef {{ area: string, file: string, blocks: readonly Block[] }} Prose
 */

/** Stands for a code span, or for a value inside of a message: one word. */
const CODE = 'CODE';

/** Members of OpenRPC documents that are prose. Messages of errors are part of the protocol. */
const PROSE_MEMBERS = ['summary', 'description', 'x-wider'];

/**
 * Removes what is not prose from a line or paragraph of Markdown.
 *
 * @param {string} text
 */
function withoutMarkup(text) {
  return text
    .replace(/(`+)[\s\S]*?\1/g, CODE)
    .replace(/<!--[\s\S]*?-->|<[^>]+>/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/https?:\/\/\S+/g, CODE)
    .replace(/\*\*|(?<!\w)[*_]+(?=\w)|(?<=[\w.,:])[*_]+(?!\w)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Paragraphs, list items, headings and table cells of Markdown, without code and comments.
 *
 * @param {string} source
 * @returns {Block[]}
 */
export function markdownBlocks(source) {
  const blank = (/** @type {string} */ text) => text.replace(/[^\n]/g, '');
  const lines = source
    .replace(/^---\n[\s\S]*?\n---\n/, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/^( *)(```+|~~~+)[\s\S]*?^ *\2 *$/gm, blank)
    .split('\n');
  /** @type {Block[]} */
  const blocks = [];
  /** @type {string[]} */
  let paragraph = [];
  let start = 0;
  const endParagraph = () => {
    const text = withoutMarkup(paragraph.join('\n'));
    if (text !== '') blocks.push({ text, line: start + 1, isTitle: false });
    paragraph = [];
  };
  for (const [at, line] of lines.entries()) {
    const text = line.trim();
    if (/^\|/.test(text)) {
      endParagraph();
      if (/^\|[\s:|-]+\|$/.test(text)) continue;
      const isTitle = /^\|[\s:|-]+\|$/.test(lines[at + 1]?.trim() ?? '');
      // A code span may hold an escaped bar.
      const cells = text.replaceAll('\\|', ' ').split('|').map(withoutMarkup).filter(Boolean);
      blocks.push(...cells.map((cell) => ({ text: cell, line: at + 1, isTitle })));
    } else if (/^#{1,6} /.test(text)) {
      endParagraph();
      blocks.push({ text: withoutMarkup(text.replace(/^#+ /, '')), line: at + 1, isTitle: true });
    } else if (text === '') {
      endParagraph();
    } else {
      if (/^([-*+]|\d+\.) /.test(text)) endParagraph();
      if (paragraph.length === 0) start = at;
      paragraph.push(text.replace(/^([-*+]|\d+\.|>) /, ''));
    }
  }
  endParagraph();
  return blocks;
}

/**
 * Descriptions in an OpenRPC document, also of nested schemas.
 *
 * @param {string} source
 * @returns {Block[]}
 */
export function documentBlocks(source) {
  const member = new RegExp(`"(?:${PROSE_MEMBERS.join('|')})": ("(?:[^"\\\\]|\\\\.)*")`, 'g');
  const lineAt = lineFinder(source);
  return [...source.matchAll(member)].map(({ 1: text = '""', index }) => ({
    text: withoutMarkup(JSON.parse(text)),
    line: lineAt(index),
    isTitle: false,
  }));
}

/**
 * Whether most parts of a string are words. Scripts, styles, paths and types of content are not prose.
 *
 * @param {string} text
 */
function isProse(text) {
  const parts = text.split(' ');
  const words = parts.filter((part) => /^["'(“]*[a-z][a-z’'-]*[.,:;?!)"'”]*$/i.test(part));
  return words.length > 1 && words.length > parts.length * 0.6 && !/\{[^}]*:[^}]*;/.test(text);
}

/** @typedef {import('oxc-parser').Expression | import('oxc-parser').PrivateIdentifier} Operand */

/**
 * @param {Operand} node
 * @returns {string | undefined} undefined for what holds no literal
 */
function literalOf(node) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'TemplateLiteral') {
    return node.quasis.map(({ value }) => value.cooked ?? '').join(CODE);
  }
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined;
  const [left, right] = [literalOf(node.left), literalOf(node.right)];
  return left === undefined && right === undefined ? undefined : (left ?? CODE) + (right ?? CODE);
}

/**
 * String literals of several words: errors, hints, log lines, help and the texts of pages. Parts of a sum are one.
 *
 * @param {string} file
 * @param {string} source
 * @returns {Block[]}
 */
export function messageBlocks(file, source) {
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const lineAt = lineFinder(source);
  /** @type {Block[]} */
  const blocks = [];
  let end = -1;
  /** @param {string | undefined} value @param {{ start: number, end: number }} node */
  const add = (value, node) => {
    // A literal inside of a sum or a template comes after it, and is part of its block.
    if (value === undefined || node.end <= end) return;
    end = node.end;
    // Help has several lines, and indents its lists.
    for (const part of value.split(/\n(?=\n| {2})/)) {
      const text = withoutMarkup(part);
      if (isProse(text)) blocks.push({ text, line: lineAt(node.start), isTitle: false });
    }
  };
  new Visitor({
    JSXAttribute(node) {
      if (node.name.type === 'JSXIdentifier' && node.name.name === 'className') end = node.end;
    },
    BinaryExpression: (node) => add(literalOf(node), node),
    TemplateLiteral: (node) => add(literalOf(node), node),
    Literal: (node) => add(literalOf(node), node),
    JSXText: (node) => add(node.value, node),
  }).visit(program);
  return blocks;
}

/**
 * Doc comments of declarations and of their members, without tags such as `@example`.
 *
 * @param {string} file
 * @param {string} source
 * @param {ReadonlySet<string>} [names] only of these declarations
 * @returns {Block[]}
 */
export function commentBlocks(file, source, names) {
  const { program, comments } = parseSync(file, source);
  const lineAt = lineFinder(source);
  const declarations = program.body.map((node, at) => ({
    from: program.body[at - 1]?.end ?? 0,
    to: node.end,
    names: declaredBy('declaration' in node && node.declaration ? node.declaration : node),
  }));
  return comments.flatMap(({ type, value, start }) => {
    if (type !== 'Block' || !value.startsWith('*')) return [];
    const owner = declarations.find(({ from, to }) => from <= start && start < to);
    if (names && !owner?.names.some((name) => names.has(name))) return [];
    const [text = ''] = value
      .slice(1)
      .replace(/^ *\* ?/gm, '')
      .split(/^ *@(?:example|internal)/m);
    const prose = text
      .replace(/^@\w+ +(?:\{[^}]*\} *)?/gm, '\n\n')
      .replace(/\{@link ([^}]*)\}/g, CODE);
    const line = lineAt(start);
    return markdownBlocks(prose.trim()).map((block) => ({ ...block, line: line + block.line - 1 }));
  });
}

/** @param {object} node @returns {string[]} */
function declaredBy(node) {
  const ids =
    'declarations' in node && Array.isArray(node.declarations) ? node.declarations : [node];
  return ids.flatMap(({ id }) => (typeof id?.name === 'string' ? [id.name] : []));
}

/**
 * The declarations of the public API, by source files: the API reports list them.
 *
 * @returns {Map<string, Set<string>>}
 */
function publicDeclarations() {
  /** @type {Map<string, Set<string>>} */
  const files = new Map();
  for (const name of ['starkbox', 'testing', 'wallet']) {
    const report = readFileSync(`${ROOT}packages/${name}/api.txt`, 'utf8');
    for (const [, path, symbol = ''] of report.matchAll(/^### (.+): (\S+)$/gm)) {
      const file = `packages/${name}/src/${path}.ts`;
      files.set(file, (files.get(file) ?? new Set()).add(symbol));
    }
  }
  return files;
}

/** @param {string} file */
const read = (file) => readFileSync(`${ROOT}${file}`, 'utf8');

/** It quotes what it advises against. */
const STYLE_PAGE = /^docs\/.*\bstyle\.md$/;
/** @type {readonly (readonly [area: string, files: RegExp])[]} */
const PAGES = [
  ['README and root', /^[^/]+\.md$|^\.github\/|^\.changeset\//],
  ['docs: start', /^docs\/(start\/|index\.md)/],
  ['docs: guides', /^docs\/(guides|operate|ecosystem)\//],
  ['docs: reference', /^docs\/reference\//],
  ['docs: contributors', /^docs\/(contributing|contributors)\//],
  ['docs: other', /^docs\//],
  ['examples', /^examples\/|^contracts\/|^packages\/[^/]+\/(templates?\/.*)?README\.md$/],
];
/** Programs that no user runs have messages too; only these packages are published or make a page. */
const MESSAGES = /^packages\/(?!conformance|e2e|spec)[^/]+\/(src|js|bin)\//;
const HELP = /^packages\/starkbox\/src\/(cli|config)\//;

/**
 * All prose of the repository. Generated pages are left out: the generator and the documents that it reads are here.
 *
 * @returns {Prose[]}
 */
export function readProse() {
  const pages = sourceFiles(['md']).flatMap((file) => {
    const area = PAGES.find(([, files]) => files.test(file))?.[0];
    return area === undefined || STYLE_PAGE.test(file)
      ? []
      : [{ area, file, blocks: markdownBlocks(read(file)) }];
  });
  const documents = sourceFiles(['json'])
    .filter((file) => file.startsWith('packages/spec/documents/'))
    .map((file) => ({ area: 'specification', file, blocks: documentBlocks(read(file)) }));
  const declarations = publicDeclarations();
  const sources = sourceFiles().flatMap((file) => {
    const names = declarations.get(file);
    const isGenerator = file.startsWith('scripts/generate/');
    if (!names && !isGenerator && !MESSAGES.test(file)) return [];
    const source = read(file);
    const area = isGenerator ? 'generated pages' : HELP.test(file) ? 'help' : 'messages';
    const comments = names ? commentBlocks(file, source, names) : [];
    return [
      { area, file, blocks: messageBlocks(file, source) },
      { area: 'public API', file, blocks: comments },
    ];
  });
  return [...pages, ...documents, ...sources].filter(({ blocks }) => blocks.length > 0);
}
