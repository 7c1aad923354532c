// A folder with config files for each test, and the config that arguments, variables and files give.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { beforeEach } from 'vitest';
import { readConfig } from '../../src/cli/arguments.js';
import type { Environment } from '../../src/config/environment.js';
import { UsageError } from '../../src/config/option.js';
import type { Config } from '../../src/config/options.js';
import { ConfigError } from '../../src/config/rules.js';
import { painter } from '../../src/terminal.js';

export let directory: string;

/** Gives each test of a file a folder of its own. */
export function useConfigFolder(): void {
  beforeEach(() => {
    directory = temporaryFolder();
  });
}

export const write = (name: string, text: string): void =>
  writeFileSync(join(directory, name), text);

export async function read(argv: string | readonly string[] = [], env = {}): Promise<Config> {
  const words = typeof argv === 'string' ? argv.split(' ').filter(Boolean) : argv;
  return (await readStart(words, env)).config;
}

/** Sentences about variables and files that are ignored. */
export async function warnings(env = {}): Promise<readonly string[]> {
  return (await readStart([], env)).warnings;
}

async function readStart(argv: readonly string[], env: Environment) {
  const style = { width: 80, paint: painter(false) };
  const line = await readConfig(argv, { env, directory, style });
  if (line.kind !== 'start') throw new Error('nothing to start');
  return line;
}

export async function refusal(argv: string | readonly string[], env = {}): Promise<Error> {
  const outcome: unknown = await read(argv, env).catch((error: unknown) => error);
  if (outcome instanceof UsageError || outcome instanceof ConfigError) return outcome;
  throw new Error(`was not refused: ${JSON.stringify(outcome)}`);
}
