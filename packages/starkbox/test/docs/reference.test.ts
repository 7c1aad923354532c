// Pages that are written by hand name every file option, variable, installed package and option of starknet-devnet.

import { expect, test } from 'vitest';
import { longName, optionKind } from '../../src/config/option.js';
import { CONFIG_KEYS, OPTIONS } from '../../src/config/options.js';
import { OTHER_VARIABLES } from '../../src/config/variables.js';
import { readPage, sourceTexts } from './markdown.js';

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
