// Pages of Start name things that exist and quote real errors.
import { METHODS } from '@starkbox/spec';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMAND_FACTS } from '../../src/cli/commands/command.js';
import { longName } from '../../src/config/option.js';
import { CONFIG_KEYS, OPTIONS } from '../../src/config/options.js';
import { createChain, type LocalChain } from '../../src/index.js';
import { blocksOf, PAGES, readPage, sourceTexts } from './markdown.js';

test('blocks run on every Node that is supported: none needs `await using`', () => {
  const newer = PAGES.flatMap((page) => blocksOf(page)).filter(
    ({ language, text }) => /^[jt]s$/.test(language) && /\bawait using\b/.test(text),
  );
  expect(newer.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
});

describe('names', () => {
  const PAGES_OF_NAMES = ['docs/start/names.md', 'docs/start/from-hardhat.md'];
  let chain: LocalChain;
  beforeAll(async () => {
    chain = await createChain({ seed: 0 });
  });
  afterAll(() => chain.close());

  /** Code in the last column of the tables. */
  const namesIn = (page: string): readonly string[] =>
    readPage(page)
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
      .flatMap((line) => line.split(/(?<!\\)\|/).at(-2) ?? [])
      .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code));

  /** Names that packages export, and their members. */
  const exported: ReadonlySet<string> = new Set(
    ['starkbox', 'testing'].flatMap(
      (name) => readPage(`packages/${name}/api.txt`).match(/[A-Za-z]\w+/g) ?? [],
    ),
  );
  const flags: ReadonlySet<string> = new Set(
    CONFIG_KEYS.flatMap((key) => [longName(OPTIONS[key]), ...(OPTIONS[key].aliases ?? [])]),
  );
  const commands: ReadonlySet<string> = new Set(['start', 'help', ...Object.keys(COMMAND_FACTS)]);

  /** Whether the code names a member of a chain, a method, an option, a command or an export. */
  function exists(code: string): boolean {
    const [, path] = /^chain((?:\.\w+)+)/.exec(code) ?? [];
    if (path !== undefined) {
      const members = path.slice(1).split('.');
      return members.reduce<unknown>((value, name) => Object(value)[name], chain) !== undefined;
    }
    if (/^(devnet|starknet)_$/.test(code)) return true;
    if (/^(devnet|starknet)_\w+$/.test(code)) return Object.hasOwn(METHODS, code);
    if (code.startsWith('--')) return flags.has(code.split(/[ =]/)[0] ?? '');
    const [, command] = /^(?:npx )?starkbox(?: ([a-z]+))?/.exec(code) ?? [];
    if (/^(npx )?starkbox( |$)/.test(code)) return command === undefined || commands.has(command);
    if (/^(starkbox|@starkbox)\//.test(code)) return true;
    if (/^[A-Z_]+=/.test(code) || /^(npm create starkbox|scarb build)$/.test(code)) return true;
    return (code.split('(')[0] ?? '').split('.').every((name) => exported.has(name));
  }

  test.each(PAGES_OF_NAMES)('the last column of %s has real names', (page) => {
    const names = namesIn(page);
    expect(names.length).toBeGreaterThan(25);
    expect(names.filter((name) => !exists(name))).toEqual([]);
  });

  test('a wrong name is found', () => {
    const wrong = ['chain.warp', 'devnet_warp', '--block-times', 'starkbox warp', 'toWarp'];
    expect(wrong.filter(exists)).toEqual([]);
  });
});

test('errors that the page of troubleshooting quotes are in the sources', () => {
  const sources = sourceTexts(
    ...['starkbox/src', 'engine/js', 'testing/src', 'abi/src', 'spec/documents'],
  );
  const quotes = [...readPage('docs/start/troubleshooting.md').matchAll(/^> `([^`]+)`$/gm)].map(
    ([, quote = '']) => quote,
  );
  expect(quotes.length).toBeGreaterThan(12);
  const isQuoted = (quote: string): boolean => {
    const parts = quote
      .replace(/^error: port 5050 on 127\.0\.0\.1/, '… on …')
      .split('…')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    return sources.some((text) => parts.every((part) => text.includes(part)));
  };
  expect(quotes.filter((quote) => !isQuoted(quote))).toEqual([]);
});
