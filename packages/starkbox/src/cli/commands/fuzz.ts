// The fuzz command: checks the invariants of a file with the @starkbox/testing of its project.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { memberOf } from '@starkbox/abi/basics';
import { UsageError } from '../../config/option.js';
import { FailedWithOutput, type Style } from './format.js';
import type { FUZZ } from './options.js';
import type { Words } from './row.js';

/** The part of @starkbox/testing/properties that is used here. */
interface Properties {
  fuzzFile(
    file: URL,
    overrides: Readonly<Record<string, number | string>>,
    options: { readonly json: boolean },
  ): Promise<{
    readonly text: string;
    readonly isViolated: boolean;
    readonly isInterrupted: boolean;
  }>;
}

const PACKAGE = '@starkbox/testing';
/** As shells have it after SIGINT. */
const EXIT_INTERRUPTED = 130;
/** Least values of the options that are whole numbers. */
const WHOLE = { seed: Number.MIN_SAFE_INTEGER, runs: 1, depth: 1, calls: 1, workers: 0 } as const;

/** @throws FailedWithOutput if an invariant is violated */
export async function fuzz(
  { json }: Style,
  path: string,
  words: Words<typeof FUZZ>,
): Promise<string> {
  const file = resolve(path);
  if (!existsSync(file)) {
    throw new UsageError(`${path} does not exist: name a file of invariants`);
  }
  const overrides = overridesOf(words);
  const { fuzzFile } = await loadProperties(file);
  const { text, isViolated, isInterrupted } = await fuzzFile(pathToFileURL(file), overrides, {
    json,
  });
  if (isViolated) throw new FailedWithOutput(text);
  if (isInterrupted) process.exitCode = EXIT_INTERRUPTED;
  return text;
}

function overridesOf({
  corpus,
  seconds,
  ...whole
}: Words<typeof FUZZ>): Record<string, number | string> {
  const overrides: Record<string, number | string> = {};
  if (corpus !== undefined) overrides['corpus'] = resolve(corpus);
  if (seconds !== undefined) {
    if (!(Number(seconds) > 0)) {
      throw new UsageError(`--seconds must be a number above 0, not '${seconds}'`);
    }
    overrides['seconds'] = Number(seconds);
  }
  for (const [name, least] of Object.entries(WHOLE)) {
    const text = memberOf(whole, name);
    if (text === undefined) continue;
    const number = Number(text);
    if (text === '' || !Number.isSafeInteger(number) || number < least) {
      const bound = name === 'seed' ? '' : ` of at least ${least}`;
      throw new UsageError(`--${name} must be a whole number${bound}, not '${text}'`);
    }
    overrides[name] = number;
  }
  return overrides;
}

/** The package of the project that the file is in: the file imports it too. */
async function loadProperties(file: string): Promise<Properties> {
  let entry: string;
  try {
    entry = createRequire(file).resolve(`${PACKAGE}/properties`);
  } catch {
    throw new Error(
      `starkbox fuzz needs the package ${PACKAGE} in the project of ${file}: run \`npm install --save-dev ${PACKAGE} starknet\` there`,
    );
  }
  return import(pathToFileURL(entry).href);
}
