// Accounts that a dump was made with: which options they stand for, and which contradict them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { describe, expect, test } from 'vitest';
import { defaultConfig } from '../../src/config/options.js';
import { ConfigError } from '../../src/config/rules.js';
import { createChain } from '../../src/index.js';
import {
  genesisRecordOf,
  showDifference,
  withDumped,
  withGenesis,
} from '../../src/service/recorded-genesis.js';

const folder = temporaryFolderOfFile();
const config = defaultConfig({ seed: 5, accounts: 3, initialBalance: 7n });
const record = genesisRecordOf(config, '0xc');
const custom = genesisRecordOf({ ...config, accountClassCustom: 'a.json' }, '0xd');

test('a record has the options of the accounts', () => {
  expect(record).toEqual({
    ...{ seed: 5, accounts: 3, account_class: 'cairo1', account_class_hash: '0xc' },
    ...{ initial_balance: '7', predeclare_argent: false },
  });
  expect(custom).toMatchObject({ account_class: 'custom', account_class_hash: '0xd' });
  expect(genesisRecordOf({ ...config, moreAccounts: 'm.json' }, '0xc')).toMatchObject({
    more_accounts: 'm.json',
  });
});

test('a chain takes them over, but no file of a custom class', () => {
  const other = defaultConfig({ seed: 1, accountClass: 'cairo0', accountClassCustom: 'b.json' });
  expect(withGenesis(other, record)).toMatchObject({
    ...{ seed: 5, accounts: 3, initialBalance: 7n, accountClass: 'cairo1' },
    accountClassCustom: undefined,
  });
  expect(withGenesis(config, { ...record, account_class: 'cairo0' }).accountClass).toBe('cairo0');
  expect(withGenesis(other, custom)).toMatchObject({
    ...{ seed: 5, accountClass: 'cairo0', accountClassCustom: 'b.json' },
  });
});

test('two records differ by an option, or by their class', () => {
  expect(showDifference(record, { ...record, seed: 6 })).toBe('--seed 5 and --seed 6');
  expect(showDifference(record, { ...record, more_accounts: 'm.json' })).toBe(
    '--more-accounts none and --more-accounts m.json',
  );
  expect(showDifference(record, { ...record, account_class_hash: '0xe' })).toBe(
    'accounts of class 0xc and of class 0xe',
  );
});

describe('the options of a start', async () => {
  const dumped = async (name: string, options: Parameters<typeof createChain>[0]) => {
    const path = join(folder, name);
    const node = await createChain({ ...options, dumpOn: 'request', dumpPath: path });
    await node.request('devnet_createBlock');
    await node.request('devnet_dump', { path });
    await node.close();
    return path;
  };
  const path = await dumped('plain.json', { seed: 5, accounts: 3, initialBalance: 7n });

  test('are completed with those of its file', async () => {
    expect(await withDumped({ dumpPath: path, port: 0 })).toMatchObject({
      ...{ seed: 5, accounts: 3, initialBalance: 7n, accountClass: 'cairo1', port: 0 },
    });
    expect(await withDumped({ dumpPath: path, seed: 5 })).toMatchObject({ seed: 5, accounts: 3 });
    expect(await withDumped({ port: 0 })).toEqual({ port: 0 });
    const none = { dumpPath: join(folder, 'none.json'), seed: 6 };
    expect(await withDumped(none)).toEqual(none);
    writeFileSync(join(folder, 'empty.json'), '[]');
    const empty = { dumpPath: join(folder, 'empty.json') };
    expect(await withDumped(empty)).toEqual(empty);
  });

  test('are refused where they contradict it', async () => {
    const refused = (options: Parameters<typeof withDumped>[0]) =>
      expect(withDumped({ dumpPath: path, ...options })).rejects;
    await refused({ seed: 6 }).toThrow(ConfigError);
    await refused({ seed: 6 }).toThrow(/was made with --seed 5 and cannot be loaded with --seed 6/);
    await refused({ moreAccounts: 'm.json' }).toThrow(
      /--more-accounts none .* --more-accounts m.json/,
    );
    await refused({ accountClassCustom: 'a.json' }).toThrow(
      /was made with --account-class cairo1 and cannot be loaded with --account-class-custom a.json/,
    );
    await refused({ accountClass: 'cairo0' }).toThrow(/--account-class cairo0/);
  });
});
