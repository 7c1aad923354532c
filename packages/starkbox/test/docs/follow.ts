// Following a page as a reader does: an empty folder, the packages that it installs, its files and its commands.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { commandsOf, type ShellCommand } from './commands.js';
import { type Block, blocksOf, ROOT } from './markdown.js';

const LISTENS = /listening on http:\/\/(\S+:\d+)/;
const PAGE_HOST = /(127\.0\.0\.1|localhost):5050/g;
/** Commands of the system that a page may use. */
const SYSTEM: ReadonlySet<string> = new Set(['mkdir', 'cp', 'node']);

/** Follows all blocks of a page; throws at the first that does not work. The number of commands that ran. */
export async function followPage(page: string): Promise<number> {
  const reader = await Reader.begin();
  try {
    await reader.follow(blocksOf(page));
    return reader.commands;
  } finally {
    await reader.end();
  }
}

/** Whether a block shows the output of the block before it. */
const isOutputOf = (command: Block, block: Block | undefined): boolean =>
  block?.language === 'text' && block.section === command.section;

/** Of a program that failed. */
function exitCodeOf(error: unknown): unknown {
  return Object(Object(error).cause).code;
}

class Reader {
  commands = 0;
  readonly #folder: string;
  readonly #nodes: ChildProcess[] = [];
  /** Address of the node that the page has started. */
  #host: string | undefined;
  #file = '';
  /** Output of the last command. */
  #output = '';

  constructor(folder: string) {
    this.#folder = folder;
  }

  static async begin(): Promise<Reader> {
    return new Reader(await mkdtemp(join(tmpdir(), 'starkbox-reader-')));
  }

  async end(): Promise<void> {
    for (const node of this.#nodes) {
      node.kill('SIGTERM');
      if (node.exitCode === null) await once(node, 'exit');
    }
    await rm(this.#folder, { recursive: true });
  }

  async follow(blocks: readonly Block[]): Promise<void> {
    for (const [at, block] of blocks.entries()) {
      const before = blocks[at - 1];
      if (block.file !== undefined) {
        this.#file = join(this.#folder, block.file);
        await mkdir(dirname(this.#file), { recursive: true });
        await writeFile(this.#file, this.#addressed(block.text));
      } else if (block.continues) await appendFile(this.#file, this.#addressed(`\n${block.text}`));
      else if (block.language === 'sh')
        await this.#runBlock(block, isOutputOf(block, blocks[at + 1]));
      else if (
        before?.language === 'sh' &&
        before.notRun === undefined &&
        isOutputOf(before, block) &&
        this.#output !== block.text
      ) {
        throw new Error(
          `${block.page}:${block.line} prints\n${this.#output}instead of\n${block.text}`,
        );
      }
    }
  }

  /** @param isShown whether the page shows the output */
  async #runBlock(block: Block, isShown: boolean): Promise<void> {
    for (const command of commandsOf(block)) {
      try {
        const [program, verb] = command.words;
        if (program === 'npm' && verb === 'install') await this.#install(command.words.slice(2));
        else if (block.notRun === undefined) await this.#run(command, isShown);
      } catch (error) {
        if (block.exitCode !== undefined && exitCodeOf(error) === block.exitCode) continue;
        throw new Error(`${command.where}: ${error instanceof Error ? error.message : error}`);
      }
    }
  }

  /** Links packages of this repository's `node_modules`, and nothing else. */
  async #install(words: readonly string[]): Promise<void> {
    for (const word of words.filter((name) => !name.startsWith('-'))) {
      const name = word.replace(/(?<=.)@[\d.^~]+$/, '');
      const target = join(this.#folder, 'node_modules', name);
      await mkdir(dirname(target), { recursive: true });
      await symlink(join(ROOT, 'node_modules', name), target);
    }
  }

  async #run({ words, environment }: ShellCommand, isShown: boolean): Promise<void> {
    const [program = '', ...args] = words.map((word) =>
      this.#addressed(word.replaceAll('STARKBOX/', ROOT)),
    );
    this.commands += 1;
    if (program === 'npm' && (args[0] === 'init' || args[0] === 'pkg')) {
      await this.#execute('npm', args, environment);
    } else if (program === 'npx') {
      const bin = this.#binary(args[0] ?? '');
      if (args[0] === 'starkbox' && !/^[a-z]/.test(args[1] ?? '')) {
        await this.#startNode([bin, '--port', '0', ...args.slice(1)], environment);
      } else {
        // A busy machine takes longer than the five seconds of vitest.
        const patience = args[0] === 'vitest' ? ['--testTimeout', '120000'] : [];
        await this.#execute(process.execPath, [bin, ...args.slice(1), ...patience], environment);
      }
    } else if (!SYSTEM.has(program)) {
      throw new Error(`${program} is not run: add 'no-run: REASON'`);
    } else {
      await this.#execute(program, await this.#expanded(program, args), environment);
      if (program !== 'node') return;
      // A reader runs a program more than once on the same node.
      const first = this.#output;
      await this.#execute(program, args, environment);
      if (isShown && this.#output !== first) {
        throw new Error(`the second run prints\n${this.#output}instead of\n${first}`);
      }
    }
  }

  /** Patterns of `cp` and `mkdir`, as a shell expands them. */
  async #expanded(program: string, args: readonly string[]): Promise<readonly string[]> {
    if (program === 'node' || !args.some((word) => word.includes('*'))) return args;
    const { stdout } = await promisify(execFile)('sh', ['-c', `printf '%s\\n' ${args.join(' ')}`], {
      cwd: this.#folder,
    });
    return stdout.trim().split('\n');
  }

  async #execute(
    program: string,
    args: readonly string[],
    environment: ShellCommand['environment'],
  ): Promise<void> {
    const { PATH = '', HOME = '' } = process.env;
    const options = {
      cwd: this.#folder,
      env: { PATH, HOME, NO_COLOR: '1', ...this.#nodeVariable(), ...environment },
      maxBuffer: 1 << 24,
    };
    const { stdout } = await promisify(execFile)(program, args, options).catch(
      (error: { stdout?: string; stderr?: string; message: string }) => {
        throw new Error(`${error.message}\n${error.stdout ?? ''}\n${error.stderr ?? ''}`, {
          cause: error,
        });
      },
    );
    this.#output = stdout;
  }

  async #startNode(
    args: readonly string[],
    environment: ShellCommand['environment'],
  ): Promise<void> {
    const { PATH = '', HOME = '' } = process.env;
    const node = spawn(process.execPath, args, {
      cwd: this.#folder,
      env: { PATH, HOME, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#nodes.push(node);
    let output = '';
    this.#host = await new Promise((resolve, reject) => {
      const read = (part: Buffer): void => {
        output += part;
        const host = LISTENS.exec(output)?.[1];
        if (host !== undefined) resolve(host);
      };
      node.stdout.on('data', read);
      node.stderr.on('data', read);
      node.once('error', reject);
      node.once('exit', () => reject(new Error(`the node ended: ${output}`)));
    });
  }

  /** Commands use the node at port 5050 by default, which may be taken here. */
  #nodeVariable(): NodeJS.ProcessEnv {
    return this.#host === undefined ? {} : { STARKBOX_URL: `http://${this.#host}` };
  }

  /** The command of a package that the page has installed. */
  #binary(name: string): string {
    const folder = join(this.#folder, 'node_modules', name === 'tsc' ? 'typescript' : name);
    let text: string;
    try {
      text = readFileSync(join(folder, 'package.json'), 'utf8');
    } catch {
      throw new Error(`the page does not install ${name}`);
    }
    const { bin }: { bin?: unknown } = Object(JSON.parse(text));
    const path: unknown = typeof bin === 'string' ? bin : Object(bin)[name];
    if (typeof path !== 'string') throw new Error(`${name} has no command of this name`);
    return join(folder, path);
  }

  #addressed(text: string): string {
    return this.#host === undefined ? text : text.replaceAll(PAGE_HOST, this.#host);
  }
}
