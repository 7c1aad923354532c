// JavaScript and TypeScript of the pages: programs, what they print, and their type check.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Block, ROOT } from './markdown.js';

/** Blocks that belong together, in the order of the page. */
export interface Program {
  readonly page: string;
  readonly line: number;
  readonly isTypeScript: boolean;
  readonly blocks: readonly Block[];
  /** What the page says that it prints, where it says so. */
  readonly prints: string | undefined;
}

const LANGUAGES: ReadonlySet<string> = new Set(['js', 'ts']);

/** The programs of a page. A block of text that follows code in the same section is what the code prints. */
export function programsOf(blocks: readonly Block[]): readonly Program[] {
  const programs: { blocks: Block[]; prints: string | undefined }[] = [];
  for (const [at, block] of blocks.entries()) {
    const before = blocks[at - 1];
    const current = programs.at(-1);
    if (LANGUAGES.has(block.language)) {
      if (block.continues && current) current.blocks.push(block);
      else programs.push({ blocks: [block], prints: undefined });
    } else if (
      block.language === 'text' &&
      before?.section === block.section &&
      LANGUAGES.has(before.language) &&
      current &&
      current.blocks[0]?.file === undefined
    ) {
      current.prints = `${current.prints ?? ''}${block.text}`;
    }
  }
  return programs.map(({ blocks: [first, ...rest], prints }) => {
    if (!first) throw new Error('a program has no blocks');
    const { page, line, language } = first;
    return { page, line, isTypeScript: language === 'ts', blocks: [first, ...rest], prints };
  });
}

/** Whether the code imports other files of its reader. */
export const isPartOfProject = ({ blocks }: Program): boolean =>
  blocks.some(({ text }) => /from '\.{1,2}\//.test(text));

/** The code with each line where it is in the page, so that messages name lines of the page. */
function codeOf({ blocks }: Program): string {
  let code = '';
  let line = 1;
  for (const block of blocks) {
    code += '\n'.repeat(block.line - line) + block.text;
    line = block.line + block.text.split('\n').length - 1;
  }
  return code;
}

const nameOf = ({ page, line }: Program): string => `${page.replaceAll(/[^\w-]/g, '_')}_${line}`;

/** Names that the code of the pages takes from the project of its reader. */
const READER = {
  'reader.d.ts': `
    import type { Fixture } from '@starkbox/testing';
    import type { WalletController } from '@starkbox/wallet';
    import type { Page } from 'playwright-core';
    declare global {
      const page: Page;
      const counters: Fixture<{ counter: string }>;
      const starkboxWallet: WalletController;
      const request: {
        contract_address: string;
        entry_point_selector: string;
        calldata: string[];
      };
    }`,
  // It is not installed here: the browser tests use its core.
  'playwright.d.ts': `
    declare module '@playwright/test' {
      interface TestOf<A> {
        (name: string, body: (given: A) => Promise<void>): void;
        extend<T>(fixtures: object): TestOf<A & T>;
      }
      export const test: TestOf<{ page: import('playwright-core').Page }>;
      export function expect(found: unknown): { toHaveText(text: string): Promise<void> };
    }`,
};

const CHECKS = {
  target: 'es2023',
  lib: ['esnext', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
  skipLibCheck: true,
  noEmit: true,
};

/** A folder like that of a reader who has installed what the pages name. */
export async function readersFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'starkbox-docs-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const classes = ['counter', 'coin', 'pool', 'pool_fee'].map((name) => `${name}.sierra.json`);
  for (const name of [...classes, 'counter.casm.json']) {
    await symlink(join(ROOT, 'contracts/cairo', name), join(folder, name));
  }
  return folder;
}

/** What the compiler says about all programs, one line each, with pages and their lines. */
export async function typeErrors(programs: readonly Program[]): Promise<readonly string[]> {
  const folder = await readersFolder();
  const names = new Map<string, string>();
  const write = async (kind: 'js' | 'ts', options: object): Promise<string> => {
    const ofKind = programs.filter(({ isTypeScript }) => isTypeScript === (kind === 'ts'));
    const files = ofKind.map((program) => `${nameOf(program)}.m${kind}`);
    await mkdir(join(folder, kind));
    for (const [name, text] of Object.entries(READER)) {
      await writeFile(join(folder, kind, name), text);
    }
    for (const [at, program] of ofKind.entries()) {
      names.set(files[at] ?? '', program.page);
      await writeFile(join(folder, kind, files[at] ?? ''), codeOf(program));
    }
    const config = {
      compilerOptions: { ...CHECKS, ...options },
      files: [...files, ...Object.keys(READER)],
    };
    await writeFile(join(folder, kind, 'tsconfig.json'), JSON.stringify(config));
    return join(folder, kind);
  };
  const projects = [
    await write('ts', { strict: true }),
    await write('js', { strict: false, allowJs: true, checkJs: true }),
  ];
  const compiler = join(ROOT, 'node_modules/.bin/tsc');
  const { stdout } = await promisify(execFile)(compiler, ['-b', '--pretty', 'false', ...projects], {
    cwd: folder,
    maxBuffer: 1 << 24,
  }).catch((error: { stdout: string }) => error);
  await rm(folder, { recursive: true });
  return stdout
    .split('\n')
    .filter((line) => line.includes('error TS'))
    .map((line) =>
      line.replace(/^.*?([\w-]+\.m[jt]s)\((\d+),\d+\)/, (_, file: string, at: string) => {
        return `${names.get(file)}:${at}`;
      }),
    );
}

/** Runs a program in a folder against a node; what it printed. */
export async function printed(program: Program, folder: string, node: string): Promise<string> {
  const host = new URL(node).host;
  const text = program.blocks.map((block) => block.text).join('\n');
  const code = text.replaceAll(/(127\.0\.0\.1|localhost):5050/g, host);
  const file = `${nameOf(program)}.mjs`;
  await writeFile(join(folder, file), code);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { cwd: folder });
  return stdout + stderr;
}
