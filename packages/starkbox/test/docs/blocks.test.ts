// Every code block of the pages works: it is run, type-checked, parsed, or says why it is not run.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { METHODS } from '@starkbox/spec';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createChain } from '../../src/index.js';
import type { LocalChain } from '../../src/library/local-chain.js';
import {
  type CommandContext,
  checkArguments,
  checkScript,
  commandsOf,
  npmScript,
  ownArguments,
  runShellCommand,
} from './commands.js';
import { type Block, blocksOf, isFollowed, PAGES, readPage } from './markdown.js';
import { isPartOfProject, printed, programsOf, readersFolder, typeErrors } from './programs.js';

const PARALLEL = 4;
/** Output, and formats of other tools. */
const SHOWN: ReadonlySet<string> = new Set([
  '',
  'text',
  'toml',
  'html',
  'yaml',
  'cairo',
  'dockerfile',
  'lua',
]);

const blocks = PAGES.flatMap((page) => blocksOf(page));
const programs = PAGES.flatMap((page) => programsOf(blocksOf(page)));
const inLanguage = (language: string): readonly Block[] =>
  blocks.filter((block) => block.language === language);
const location = ({ page, line }: Pick<Block, 'page' | 'line'>): string => `${page}:${line}`;

const counts = { executed: 0, checked: 0, 'type-checked': 0, parsed: 0, 'not run': 0, shown: 0 };
let node: LocalChain;
let url: string;
let transactionHash: string;
const folders: string[] = [];

beforeAll(async () => {
  node = await createChain({ seed: 0, port: 0 });
  ({ url } = await node.listen());
  const minted = await node.request('devnet_mint', { address: '0x123', amount: 1000 });
  transactionHash = minted.tx_hash;
  // Pages name blocks up to 20.
  await node.mine(25);
});

afterAll(async () => {
  await node.close();
  for (const folder of folders) await rm(folder, { recursive: true });
  const reasons = blocks.filter(({ notRun }) => notRun !== undefined);
  const lines = reasons.map((block) => `  ${location(block)}: ${block.notRun}`);
  const total = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  process.stdout.write(`code blocks: ${total.join(', ')}\nnot run:\n${lines.join('\n')}\n`);
});

/** A folder in which commands of one page run after each other. */
async function commandContext(): Promise<CommandContext> {
  const folder = await readersFolder();
  folders.push(folder);
  const dump = (name: string): Promise<unknown> =>
    node.request('devnet_dump', { path: join(folder, name), format: 'image' });
  for (const name of ['chain.image', 'before.image', 'after.image']) await dump(name);
  await writeFile(join(folder, 'names.json'), '{ "addresses": { "0x123": "alice" } }');
  return { folder, url, transactionHash };
}

/** Runs jobs, a few at a time; what went wrong. */
async function failures(jobs: readonly (() => Promise<void>)[]): Promise<readonly string[]> {
  const messages: string[] = [];
  const waiting = [...jobs];
  const work = async (): Promise<void> => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      await job().catch((error: Error) => messages.push(error.message));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return messages;
}

test('blocks have a language that is run, checked, parsed or only shown', () => {
  const languages = new Set([...SHOWN, 'sh', 'json', 'js', 'ts']);
  expect(blocks.filter(({ language }) => !languages.has(language)).map(location)).toEqual([]);
  counts.shown = blocks.filter(({ language }) => SHOWN.has(language)).length;
  expect(blocks.length).toBeGreaterThan(50);
});

test('no page starts a node in the background with npx, which would receive its signals', () => {
  const inBackground = /npx starkbox[^\n]*[^&]&\s*$/m;
  expect(blocks.filter(({ text }) => inBackground.test(text)).map(location)).toEqual([]);
  const workflow = readPage('examples/github-actions/workflow.yml');
  expect(workflow).toContain('starkbox --seed 0');
  expect(workflow).not.toMatch(inBackground);
});

test('JSON is JSON, and its calls name methods and parameters that exist', () => {
  const wrong: string[] = [];
  for (const block of inLanguage('json')) {
    try {
      for (const value of jsonOf(block.text)) checkCall(value);
      counts.parsed += 1;
    } catch (error) {
      wrong.push(`${location(block)} ${error instanceof Error ? error.message : error}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('JavaScript and TypeScript fit the types of the built packages', async () => {
  const run = programs.filter(
    (program) => program.blocks[0]?.notRun === undefined && !isPartOfProject(program),
  );
  expect(await typeErrors(run)).toEqual([]);
  counts['type-checked'] = run.reduce((sum, program) => sum + program.blocks.length, 0);
});

test('programs print what the pages say', async () => {
  const jobs = programs.flatMap((program) => {
    const { prints } = program;
    if (prints === undefined) return [];
    return async (): Promise<void> => {
      const programNode = await createChain({ seed: 0, port: 0 });
      const folder = await readersFolder();
      folders.push(folder);
      try {
        const output = await printed(program, folder, (await programNode.listen()).url);
        if (output !== prints)
          throw new Error(`${location(program)} prints ${output}, not ${prints}`);
        counts.executed += program.blocks.length;
      } finally {
        await programNode.close();
      }
    };
  });
  expect(jobs.length).toBeGreaterThan(3);
  expect(await failures(jobs)).toEqual([]);
});

test('shell commands run, or their options and scripts exist', async () => {
  const jobs = PAGES.map((page) => async (): Promise<void> => {
    const pageBlocks = inLanguage('sh').filter((block) => block.page === page);
    if (isFollowed(page)) return;
    if (pageBlocks.length === 0) return;
    const context = await commandContext();
    for (const block of pageBlocks) await runOrCheck(block, context);
  });
  expect(await failures(jobs)).toEqual([]);
});

/** A block whose commands are all scripts of package.json is checked: running them is what CI does. */
async function runOrCheck(block: Block, context: CommandContext): Promise<void> {
  const commands = commandsOf(block);
  const isRun =
    block.notRun === undefined && commands.some((command) => npmScript(command) === undefined);
  for (const command of commands) {
    try {
      const script = npmScript(command);
      const args = ownArguments(command);
      if (script !== undefined && !block.page.startsWith('examples/')) checkScript(script);
      else if (isRun) await runShellCommand(command, context);
      else if (args) await checkArguments(args, context.folder);
    } catch (error) {
      throw new Error(`${command.where}: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (isRun) counts.executed += 1;
  else if (block.notRun === undefined) counts.checked += 1;
  else counts['not run'] += 1;
}

/** One value, or one value in each line. */
function jsonOf(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
  }
}

function checkCall(value: unknown): void {
  if (Array.isArray(value)) value.forEach(checkCall);
  const { method, params }: { method?: unknown; params?: unknown } = Object(value);
  if (typeof method !== 'string') return;
  const declaredMethod = Object.entries(METHODS).find(([name]) => name === method)?.[1];
  if (!declaredMethod) throw new Error(`there is no method ${method}`);
  const names = new Set<string>(declaredMethod.params.map(({ name }) => name));
  const unknown = Object.keys(Object(params)).filter((name) => !names.has(name));
  if (!Array.isArray(params) && unknown.length > 0) {
    throw new Error(`${method} has no ${unknown.join(', ')}`);
  }
}
