// Shell blocks of the pages: their commands, which of them run in a test, and running those.
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readConfig } from '../../src/cli/arguments.js';
import { runCommand } from '../../src/cli/commands/command.js';
import { painter } from '../../src/terminal.js';
import { type Block, ROOT } from './markdown.js';

/** One command of a block, without assignments, comment and `&`. */
export interface ShellCommand {
  /** Begins with `PAGE:LINE`. */
  readonly where: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

const COMMAND = join(ROOT, 'packages/starkbox/bin/starkbox.js');
/** Commands that ask a node, and use the node at port 5050 by default. */
const ASKS: ReadonlySet<string> = new Set(['gas', 'coverage', 'explain', 'debug', 'bundle']);
const LISTENS = /listening on (http:\/\/)?\S+:\d+/;

/** `starkbox gas`, and not a node. */
const isSubcommand = ([name = '-']: readonly string[]): boolean => !name.startsWith('-');

export function commandsOf({ page, line, text }: Block): readonly ShellCommand[] {
  const joined = text.replaceAll(/\\\n\s*/g, ' ').split('\n');
  return joined.flatMap((commandLine) => {
    const words = wordsOf(commandLine);
    const assignments = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
    const rest = (assignments < 0 ? [] : words.slice(assignments)).filter((word) => word !== '&');
    if (rest.length === 0) return [];
    const pairs = words.slice(0, assignments).map((word) => {
      const at = word.indexOf('=');
      return [word.slice(0, at), word.slice(at + 1)] as const;
    });
    const where = `${page}:${line} ${commandLine.trim()}`;
    return [{ where, environment: Object.fromEntries(pairs), words: rest }];
  });
}

/** Words of a line: quotes are taken off, and what follows a `#` is a comment. */
function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/(?:'[^']*'|"[^"]*"|\$\([^)]*\)|[^\s'"])+/g)) {
    if (word.startsWith('#')) break;
    words.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  return words;
}

/** The arguments, if the command is ours. */
export function ownArguments({ words }: ShellCommand): readonly string[] | undefined {
  const at = words[0] === 'npx' || words[0] === 'exec' ? 1 : 0;
  const isOurs = /^(\.\/)?(node_modules\/\.bin\/)?(starkbox|starknet-devnet)$/.test(
    words[at] ?? '',
  );
  return isOurs ? words.slice(at + 1) : undefined;
}

/** The script of package.json that the command runs, if it does. */
export function npmScript({ words: [program, verb, name] }: ShellCommand): string | undefined {
  if (program !== 'npm') return undefined;
  if (verb === 'test') return verb;
  return verb === 'run' ? name : undefined;
}

/** Checks the arguments of a command of ours as the command line does, without running it. */
export async function checkArguments(args: readonly string[], directory: string): Promise<void> {
  const [name = '', ...rest] = args;
  if (!isSubcommand(args)) {
    await readConfig(args, { env: {}, directory, style: { width: 80, paint: painter(false) } });
    return;
  }
  const help = await runCommand([name, '--help']);
  const options = new Set(help.match(/--[a-z-]+/g));
  const unknown = rest.filter((word) => word.startsWith('--') && !options.has(word));
  if (unknown.length > 0) throw new Error(`starkbox ${name} has no ${unknown.join(', ')}`);
}

export function checkScript(name: string): void {
  const { scripts }: { scripts?: object } = Object(
    JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')),
  );
  if (!Object.hasOwn(scripts ?? {}, name)) throw new Error(`package.json has no script ${name}`);
}

/** What commands of pages meet: a folder, and a node with a transaction. */
export interface CommandContext {
  readonly folder: string;
  readonly url: string;
  readonly transactionHash: string;
}

/** Runs a command of ours or curl; a node is ended when it listens. Throws what it said if it fails. */
export async function runShellCommand(
  command: ShellCommand,
  context: CommandContext,
): Promise<void> {
  const host = new URL(context.url).host;
  const words = command.words.map((word) =>
    word
      .replaceAll(/(127\.0\.0\.1|localhost):5050/g, host)
      .replaceAll(/0x[0-9a-f]+…/g, context.transactionHash),
  );
  const args = ownArguments({ ...command, words });
  if (!args) return runCurl(words);
  const { PATH = '', HOME = '' } = process.env;
  const name = command.words.some((word) => word.endsWith('starknet-devnet'))
    ? { STARKBOX_AS: 'starknet-devnet' }
    : {};
  const options = {
    cwd: context.folder,
    env: { PATH, HOME, ...name, ...command.environment },
  };
  if (isSubcommand(args)) {
    const asks = ASKS.has(args[0] ?? '') && !args.includes('--url') && !args.includes('--file');
    const url = asks ? ['--url', context.url] : [];
    const running = promisify(execFile)(process.execPath, [COMMAND, ...args, ...url], options);
    running.child.stdin?.end();
    await running;
    return;
  }
  // The ports of the page may be taken here.
  const ports = args.map((word, at) => (/-port$|^--port$/.test(args[at - 1] ?? '') ? '0' : word));
  await startAndStop([COMMAND, '--port', '0', ...ports], options);
}

async function startAndStop(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let listened = false;
  const read = (part: Buffer): void => {
    said += part;
    if (listened || !LISTENS.test(said)) return;
    listened = true;
    child.kill('SIGTERM');
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (!listened || code !== 0) throw new Error(`the node ended with ${code}: ${said}`);
}

async function runCurl([program = '', ...args]: readonly string[]): Promise<void> {
  if (program !== 'curl') throw new Error(`${program} is not run: add 'no-run: REASON'`);
  const { stdout } = await promisify(execFile)(program, [...args, '--fail']);
  const answer: { error?: unknown } = Object(JSON.parse(stdout));
  if (answer.error !== undefined) throw new Error(`the answer is ${stdout}`);
}
