// The reference names every option, command, method, error and file option, and no others.

import { ERRORS, METHODS } from '@starkbox/spec';
import { expect, test } from 'vitest';
import { COMMAND_FACTS } from '../../src/cli/commands/command.js';
import { environmentNames, longName, optionKind } from '../../src/config/option.js';
import { CONFIG_KEYS, OPTIONS } from '../../src/config/options.js';
import { OTHER_VARIABLES } from '../../src/config/variables.js';
import { METHOD_PAGES, readPage, sourceTexts } from './markdown.js';

const rows = (page: string): readonly (readonly string[])[] =>
  readPage(page)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim())
        .slice(1, -1),
    );

test('options: flag, variable and key of each', () => {
  const listed = rows('docs/reference/options.md').filter(([flag]) => flag?.includes('`--'));
  const keys = listed.map(([, , key = '']) => key.replaceAll('`', ''));
  expect(keys.toSorted()).toEqual([...CONFIG_KEYS].toSorted());
  for (const key of CONFIG_KEYS) {
    const option = OPTIONS[key];
    const [flags = '', variable = ''] = listed[keys.indexOf(key)] ?? [];
    expect(flags).toContain(longName(option));
    for (const name of environmentNames(option)) expect(variable).toContain(name);
  }
});

test('options: variables that belong to no option', () => {
  const listed = rows('docs/reference/options.md').map(([name]) => name?.replaceAll('`', ''));
  expect(listed).toEqual(expect.arrayContaining(Object.keys(OTHER_VARIABLES)));
});

test('commands: a section of each, with all of its help', () => {
  const page = readPage('docs/reference/commands.md');
  const sections = [...page.matchAll(/^## starkbox (\S+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(Object.keys(COMMAND_FACTS));
  for (const { usage, summary, options } of Object.values(COMMAND_FACTS)) {
    expect(page).toContain(`${summary}.\n\n\`\`\`text\n${usage}\n`);
    for (const [flag] of options) expect(page).toContain(`| \`${flag.replaceAll('|', '\\|')}\` | `);
  }
});

test('methods: an example of each, in a section of its own', () => {
  const sections = METHOD_PAGES.flatMap((page) => readPage(page).split(/^## /m).slice(1));
  const examples = sections.flatMap((section) => {
    const [, method] = /^```json\n\{\s*"method": "([^"]+)"/m.exec(section) ?? [];
    return method !== undefined && section.startsWith(`${method}\n`) ? [method] : [];
  });
  expect(examples.toSorted()).toEqual(Object.keys(METHODS).toSorted());
});

test('errors: code and name of each', () => {
  const listed = rows('docs/reference/errors.md').filter(([, name]) =>
    /^`[A-Z_]+`$/.test(name ?? ''),
  );
  const listedErrors = listed.map(([code, name = '']) => [name.replaceAll('`', ''), Number(code)]);
  const errors = Object.entries(ERRORS).map(([name, { code }]) => [name, code]);
  for (const error of errors) expect(listedErrors).toContainEqual(error);
});

test('files: every option that takes a path is named', () => {
  const page = readPage('docs/reference/files.md');
  const paths = CONFIG_KEYS.map((key) => OPTIONS[key]).filter(
    (option) => optionKind(option) === 'value' && /<(\w*PATH|FILE|FOLDER)>$/.test(option.flag),
  );
  expect(paths.length).toBeGreaterThan(8);
  for (const option of paths) expect(page).toContain(`\`${longName(option)}\``);
});

test('files: every environment variable that the packages read is named', () => {
  const options = readPage('docs/reference/options.md');
  const page = `${readPage('docs/reference/files.md')}${options}`;
  const read = sourceTexts('starkbox/src', 'testing/src', 'engine/js').flatMap((text) =>
    [...text.matchAll(/\benv\['([A-Z_]+)'\]/g)].map(([, name = '']) => name),
  );
  const internal = new Set(['STARKBOX_REPORT_FOLDER', 'CI']);
  const names = new Set(
    [...read, ...Object.keys(OTHER_VARIABLES)].filter((name) => !internal.has(name)),
  );
  expect(names.size).toBeGreaterThan(12);
  expect([...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('security: the packages of an installation are listed', () => {
  const [, list = ''] = /has six packages: ([\s\S]*?)\.\n/.exec(readPage('SECURITY.md')) ?? [];
  const listed = [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  const installed = [...installedWith('starkbox'), '@starkbox/engine-…', '@lmdb/lmdb-…'];
  expect(listed.toSorted()).toEqual(installed.toSorted());
  expect(listed).toHaveLength(6);
});

/** A package with all that it depends on, except for packages of platforms. */
function installedWith(name: string): readonly string[] {
  const { dependencies = {} }: { dependencies?: object } = Object(
    JSON.parse(readPage(`node_modules/${name}/package.json`)),
  );
  return [...new Set([name, ...Object.keys(dependencies).flatMap(installedWith)])];
}

test('migration: every option and method of starknet-devnet is named', () => {
  const page = readPage('docs/start/from-starknet-devnet.md');
  for (const method of DEVNET_METHODS) expect(page, method).toContain(`\`${method}\``);
  for (const option of DEVNET_OPTIONS) expect(page, option).toContain(`\`${option}`);
});

/** Those of starknet-devnet 0.10.1. */
const DEVNET_METHODS = [
  'getConfig',
  'getStatus',
  'getPredeployedAccounts',
  'getAccountBalance',
  'mint',
  'createBlock',
  'abortBlocks',
  'acceptOnL1',
  'setGasPrice',
  'setTime',
  'increaseTime',
  'restart',
  'dump',
  'load',
  'snapshot',
  'revert',
  'applyStateDiff',
  'impersonateAccount',
  'stopImpersonateAccount',
  'autoImpersonate',
  'stopAutoImpersonate',
  'postmanLoad',
  'postmanFlush',
  'postmanSendMessageToL2',
  'postmanConsumeMessageFromL2',
].map((name) => `devnet_${name}`);

const DEVNET_OPTIONS = [
  'accounts',
  'account-class',
  'account-class-custom',
  'predeclare-argent',
  'initial-balance',
  'seed',
  'host',
  'port',
  'start-time',
  'timeout',
  'gas-price',
  'gas-price-fri',
  'data-gas-price',
  'data-gas-price-fri',
  'l2-gas-price',
  'l2-gas-price-fri',
  'chain-id',
  'dump-on',
  'dump-path',
  'lite-mode',
  'proof-mode',
  'block-generation-on',
  'state-archive-capacity',
  'fork-network',
  'fork-block',
  'fork-upstream-caching',
  'restrictive-mode',
  'maximum-contract-class-size',
  'maximum-contract-bytecode-size',
  'maximum-sierra-length',
  'metrics-host',
  'metrics-port',
  'ui',
].map((name) => `--${name}`);
