// The command in a pseudo terminal of a given width, by the program `script`.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const COMMAND = fileURLToPath(new URL('../../packages/starkbox/bin/starkbox.js', import.meta.url));

export interface TerminalOptions {
  readonly columns: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A running command whose stdin, stdout and stderr are one terminal. */
export class PseudoTerminal {
  readonly #child: ChildProcess;
  #raw = '';
  readonly ended: Promise<number | null>;

  constructor(args: readonly string[], { columns, cwd, env = {} }: TerminalOptions) {
    const words = [process.execPath, COMMAND, ...args].map((word) => `'${word}'`).join(' ');
    const line = `stty cols ${columns} rows 40; exec ${words}`;
    this.#child = spawn('script', ['-qefc', line, '/dev/null'], {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.on('data', (part) => {
      this.#raw += part;
    });
    this.ended = once(this.#child, 'close').then(([code]) => code);
  }

  /** Everything that was written, with colours and control sequences. */
  get raw(): string {
    return this.#raw;
  }

  /** The lines without colours; the progress line is drawn over. */
  get lines(): readonly string[] {
    return stripVTControlCharacters(this.#raw)
      .split('\n')
      .map((line) => line.replace(/\r$/, '').split('\r').at(-1) ?? '');
  }

  /** Types a line. */
  type(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Presses Control and C. */
  interrupt(): void {
    this.#child.stdin?.write('\u0003');
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

/** The lines and the exit code of a command that ends by itself. */
export async function inTerminal(args: readonly string[], options: TerminalOptions) {
  const terminal = new PseudoTerminal(args, options);
  const exitCode = await terminal.ended;
  return { lines: terminal.lines, raw: terminal.raw, exitCode };
}
