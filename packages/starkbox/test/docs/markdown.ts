// The pages of the repository, and the code blocks in them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../../../../', import.meta.url));

/** One fenced block. Its note follows the language: `continues`, `file: NAME`, `exits: CODE`, or `no-run: REASON`. */
export interface Block {
  readonly page: string;
  /** Line of the page with the first line of the code. */
  readonly line: number;
  readonly language: string;
  /** Whether the code belongs to the program of the block before it. */
  readonly continues: boolean;
  /** The file that the reader saves it as. */
  readonly file: string | undefined;
  /** Why it cannot be run in a test. */
  readonly notRun: string | undefined;
  /** The exit code of its last command, if it is not 0. */
  readonly exitCode: number | undefined;
  readonly text: string;
  /** Blocks of one section follow each other without a heading between them. */
  readonly section: number;
}

/** Every page that people read, by its path from the root. */
export const PAGES: readonly string[] = [
  ...pagesIn('', 0),
  ...pagesIn('docs', 2),
  ...['contracts', 'examples', 'packages'].flatMap((folder) => pagesIn(folder, 1)),
];

/** Pages of a folder and of folders in it, down to a depth. */
function pagesIn(folder: string, depth: number): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return path.endsWith('.md') ? [path] : [];
    const isOurs = !entry.name.startsWith('.') && entry.name !== 'node_modules';
    return entry.isDirectory() && isOurs && depth > 0 ? pagesIn(path, depth - 1) : [];
  });
}

export const readPage = (page: string): string => readFileSync(`${ROOT}${page}`, 'utf8');

export function blocksOf(page: string, text: string = readPage(page)): readonly Block[] {
  const blocks: Block[] = [];
  let section = 0;
  let open: { readonly info: string; readonly line: number; readonly lines: string[] } | undefined;
  for (const [at, line] of text.split('\n').entries()) {
    const [, info] = /^ *```(.*)$/.exec(line) ?? [];
    if (open && info === undefined) open.lines.push(line);
    else if (open) {
      blocks.push(blockOf(page, open, section));
      open = undefined;
    } else if (info !== undefined) open = { info, line: at + 2, lines: [] };
    else if (line.startsWith('#')) section += 1;
  }
  if (open) throw new Error(`${page}:${open.line} a block does not end`);
  return blocks;
}

function blockOf(
  page: string,
  { info, line, lines }: { info: string; line: number; lines: readonly string[] },
  section: number,
): Block {
  const [, language = '', note = ''] = /^(\S*)\s*(.*)$/.exec(info) ?? [];
  const [, notRun] = /^no-run: (\S.*)$/.exec(note) ?? [];
  const [, file] = /^file: ([\w./-]+)$/.exec(note) ?? [];
  const [, exitCode] = /^exits: (\d+)$/.exec(note) ?? [];
  const continues = note === 'continues';
  const isNoted = [notRun, file, exitCode].some((part) => part !== undefined) || continues;
  if (note !== '' && !isNoted) {
    throw new Error(
      `${page}:${line} a block is noted '${note}': continues, file: NAME, exits: CODE, or no-run: REASON`,
    );
  }
  const text = lines.map((codeLine) => `${codeLine}\n`).join('');
  return {
    page,
    line,
    language,
    continues,
    file,
    notRun,
    exitCode: exitCode === undefined ? undefined : Number(exitCode),
    text,
    section,
  };
}

/** Whether a reader saves files of the page and runs them: `follow.test.ts` does the same. */
export const isFollowed = (page: string): boolean =>
  blocksOf(page).some(({ file }) => file !== undefined);

/** The sources and documents in folders of packages. */
export function sourceTexts(...folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => {
    const path = join(ROOT, 'packages', folder);
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|json)$/.test(name))
      .map((name) => readFileSync(join(path, name), 'utf8'));
  });
}
