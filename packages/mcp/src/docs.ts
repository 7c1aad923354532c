// The documentation: its pages, their sections, and a search in them.
import { readdir, readFile } from 'node:fs/promises';

/** Longer pages are read by sections. */
const MAX_PAGE_LENGTH = 20_000;
const MAX_HITS = 6;
const MAX_HIT_LENGTH = 1_500;

interface Section {
  readonly page: string;
  /** As a link names it. */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

export class Docs {
  readonly #folder: URL;
  #sections: Promise<readonly Section[]> | undefined;

  /** @param folder the pages as Markdown, in folders or not */
  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** The names of all pages with their headings. */
  async list(): Promise<string> {
    const sections = await this.#read();
    const first = sections.filter(({ page }, at) => sections[at - 1]?.page !== page);
    return first.map(({ page, heading }) => `${page}: ${heading}`).join('\n');
  }

  /** @param name a page, or a section as `page#section` */
  async page(name: string): Promise<string> {
    const [page = '', anchor] = name.replace(/\.md(?=#|$)/, '').split('#');
    const sections = (await this.#read()).filter((section) => section.page === page);
    if (sections.length === 0) {
      throw new Error(`There is no page ${page}. There are:\n${await this.list()}`);
    }
    const anchors = sections.map((section) => `${page}#${section.anchor}`).join('\n');
    if (anchor !== undefined) {
      const section = sections.find((section) => section.anchor === anchor);
      if (section) return section.text;
      throw new Error(`${page} has no section ${anchor}. It has:\n${anchors}`);
    }
    const text = sections.map((section) => section.text).join('');
    return text.length <= MAX_PAGE_LENGTH
      ? text
      : `This page is long; ask for one of its sections:\n${anchors}`;
  }

  /** The sections that have all words, those with a word in the heading first. */
  async search(words: string): Promise<string> {
    const searchWords = words.toLowerCase().split(/\s+/).filter(Boolean);
    const rank = ({ heading, text }: Section): number => {
      const [title, body] = [heading.toLowerCase(), text.toLowerCase()];
      if (!searchWords.every((word) => body.includes(word))) return 0;
      return 1 + searchWords.filter((word) => title.includes(word)).length;
    };
    const hits = (await this.#read())
      .map((section) => ({ section, score: rank(section) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, MAX_HITS);
    if (hits.length === 0) {
      return `No section has all of these words. The pages are:\n${await this.list()}`;
    }
    return hits
      .map(({ section: { page, anchor, text } }) => {
        const cut = text.length > MAX_HIT_LENGTH ? `${text.slice(0, MAX_HIT_LENGTH)} …` : text;
        return `--- ${page}#${anchor}\n${cut}`;
      })
      .join('\n');
  }

  #read(): Promise<readonly Section[]> {
    this.#sections ??= readSections(this.#folder);
    return this.#sections;
  }
}

async function readSections(folder: URL): Promise<readonly Section[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.md'));
  const pages = names.sort().map(async (name) => {
    const page = name.replaceAll('\\', '/').replace(/\.md$/, '');
    return sectionsOf(page, await readFile(new URL(name.replaceAll('\\', '/'), folder), 'utf8'));
  });
  return (await Promise.all(pages)).flat();
}

/** Each heading outside of code begins a section. */
function sectionsOf(page: string, text: string): Section[] {
  const sections: { heading: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,4} (.+)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ heading, lines: [line] });
    else if (sections.length > 0) sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ heading, lines }) => ({
    page,
    anchor: anchorOf(heading),
    heading,
    text: `${lines.join('\n')}\n`,
  }));
}

/** The anchor of a heading, as GitHub makes it; the site takes the same. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s/g, '-')
    .replaceAll(/[^\p{L}\p{N}_-]/gu, '');
}
