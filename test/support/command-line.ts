// The command line in this process: what it prints, and the options that it reads.
import { tmpdir } from 'node:os';
import type { Config } from 'starkbox';
import { type Outcome, type RunOptions, run } from '../../packages/starkbox/src/cli/cli.js';

export interface CommandRun {
  readonly outcome: Outcome;
  readonly stdout: string;
  readonly stderr: string;
}

/** Up to a listening node, which the caller closes. */
export async function runCommandLine(
  argv: readonly string[],
  options: Partial<RunOptions> = {},
): Promise<CommandRun> {
  const texts = { stdout: '', stderr: '' };
  const output = (name: keyof typeof texts) => ({
    write: (text: string) => {
      texts[name] += text;
    },
  });
  const outcome = await run({
    argv,
    env: {},
    directory: tmpdir(),
    stdout: output('stdout'),
    stderr: output('stderr'),
    ...options,
  });
  return { outcome, ...texts };
}

/** The output of a subcommand; throws its error message. */
export async function commandOutput(...argv: readonly string[]): Promise<string> {
  const { outcome, stdout, stderr } = await runCommandLine(argv);
  if ('exitCode' in outcome && outcome.exitCode === 0) return stdout;
  throw new Error(stderr);
}

/** The options that a command line passes to a node, which is not started; throws the error message. */
export async function optionsOf(...argv: readonly string[]): Promise<Partial<Config>> {
  const read: Partial<Config>[] = [];
  const { stderr } = await runCommandLine(argv, {
    createChain: (options) => {
      read.push(options);
      return Promise.reject(new Error('only the options are read'));
    },
  });
  const [options] = read;
  if (!options) throw new Error(stderr);
  return options;
}
