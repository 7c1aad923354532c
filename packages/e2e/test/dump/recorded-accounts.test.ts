// Accounts of dumps: those that the chain was made with, whatever the options of the node that loads them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkedClient } from '@starkbox/test-support';
import { runCommandLine } from '@starkbox/test-support/command-line';
import { Sender, STRK } from '@starkbox/test-support/signing';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { type Config, createChain, type LocalChain } from 'starkbox';
import { beforeEach, describe, expect, test } from 'vitest';

const FORMATS = ['journal', 'image'] as const;
let path: string;
beforeEach(() => {
  path = join(temporaryFolder(), 'chain');
});

/** A transaction of the first account, which exists and can pay. */
function transfer(node: LocalChain): Promise<unknown> {
  const sender = new Sender(checkedClient(node.handle), node.accounts[0]);
  return sender.invoke([{ to: STRK, name: 'transfer', calldata: ['0x7', '0x5', '0x0'] }]);
}

/** Writes the chain of a node with these options at its exit. */
async function dump(dumpFormat: (typeof FORMATS)[number], options: Partial<Config> = {}) {
  await using node = await createChain({ dumpOn: 'exit', dumpPath: path, dumpFormat, ...options });
  await transfer(node);
  return { seed: node.config.seed, accounts: node.accounts };
}

const addresses = (accounts: readonly { readonly address: string }[]): readonly string[] =>
  accounts.map(({ address }) => address);

async function shownAccounts(node: LocalChain): Promise<readonly string[]> {
  return addresses(await node.request('devnet_getPredeployedAccounts', {}));
}

/** Whether the first account exists on the chain and can pay. */
async function expectUsable(node: LocalChain): Promise<void> {
  await transfer(node);
  const [address = ''] = await shownAccounts(node);
  const nonce = await node.request('starknet_getNonce', {
    block_id: 'latest',
    contract_address: address,
  });
  expect(BigInt(nonce)).toBeGreaterThan(0n);
}

describe.each(FORMATS)('%s', (format) => {
  test('made without a seed is loaded at the start with its accounts', async () => {
    const options = { accounts: 3, initialBalance: 10n ** 22n };
    const dumped = await dump(format, options);
    await using again = await createChain({ dumpPath: path });
    expect(again.config).toMatchObject({ seed: dumped.seed, ...options });
    expect(addresses(again.accounts)).toEqual(addresses(dumped.accounts));
    expect(await shownAccounts(again)).toEqual(addresses(dumped.accounts));
    await expectUsable(again);
    await again.request('devnet_restart', {});
    expect(await shownAccounts(again)).toEqual(addresses(dumped.accounts));
  });

  test('is dumped and loaded again and again', async () => {
    const dumped = await dump(format);
    for (let round = 0; round < 2; round += 1) {
      const again = await dump(format);
      expect(again.seed).toBe(dumped.seed);
    }
    await using last = await createChain({ dumpPath: path });
    expect(await last.request('starknet_blockNumber')).toBe(3);
  });

  test.each([
    ['seed', 5, '--seed 4', '--seed 5'],
    ['accounts', 2, '--accounts 1', '--accounts 2'],
    ['accountClass', 'cairo0', '--account-class cairo1', '--account-class cairo0'],
    ['initialBalance', 7n, `--initial-balance ${10n ** 21n}`, '--initial-balance 7'],
    ['predeclareArgent', true, '--predeclare-argent false', '--predeclare-argent true'],
    ['moreAccounts', 'cairo0=1', '--more-accounts none', '--more-accounts cairo0=1'],
    ['accountClassCustom', 'a.json', '--account-class cairo1', '--account-class-custom a.json'],
  ] as const)('with another %s than was given is rejected', async (key, value, was, requested) => {
    await dump(format, { seed: 4, accounts: 1 });
    await expect(createChain({ dumpPath: path, [key]: value })).rejects.toThrow(
      `${path} was made with ${was} and cannot be loaded with ${requested}: omit the option`,
    );
    // The same as was given is accepted.
    await using same = await createChain({ dumpPath: path, seed: 4, accounts: 1 });
    expect(same.config.seed).toBe(4);
  });

  test('brings its accounts into a running node, up to a restart', async () => {
    const dumped = await dump(format, { seed: 4, accounts: 3 });
    await using node = await createChain({ seed: 9 });
    const ownAccounts = await shownAccounts(node);
    await node.request('devnet_load', { path });
    expect(await shownAccounts(node)).toEqual(addresses(dumped.accounts));
    expect(addresses(node.accounts)).toEqual(addresses(dumped.accounts));
    expect(await node.request('devnet_getConfig')).toMatchObject({ seed: 4, total_accounts: 3 });
    await expectUsable(node);
    await using branch = node.branch();
    expect(await shownAccounts(branch)).toEqual(addresses(dumped.accounts));
    for (const chain of [node, branch]) {
      await chain.request('devnet_restart', {});
      expect(await shownAccounts(chain)).toEqual(ownAccounts);
      expect(await chain.request('devnet_getConfig')).toMatchObject({ seed: 9 });
    }
    await expectUsable(node);
  });

  test('with other accounts is rejected where the chain is kept', async () => {
    await dump(format, { seed: 4 });
    const dataDir = join(temporaryFolder(), 'data');
    await using node = await createChain({ dataDir, seed: 9 });
    await expect(node.request('devnet_load', { path })).rejects.toMatchObject({
      code: -5,
      message: expect.stringMatching(/--seed 4 and --seed 9/),
    });
    await node.close();
    await expect(createChain({ dataDir, dumpPath: path })).rejects.toThrow(/--seed 4 and --seed 9/);
    const fresh = join(temporaryFolder(), 'fresh');
    await using other = await createChain({ dataDir: fresh, dumpPath: path });
    expect(other.config.seed).toBe(4);
  });

  test('is announced with its accounts', async () => {
    const dumped = await dump(format);
    const { outcome, stdout } = await runCommandLine(['--port', '0', '--dump-path', path]);
    if ('node' in outcome) await outcome.node.close();
    expect(stdout).toContain(`Seed to replicate this account sequence: ${dumped.seed}\n`);
  });
});

describe('a journal', () => {
  test('of another program has no record, and is loaded as before', async () => {
    const call =
      '{"jsonrpc":"2.0","method":"devnet_mint","params":{"address":"0x7","amount":5},"id":0}';
    writeFileSync(path, `[${call}]`);
    await using node = await createChain({ seed: 3, dumpPath: path });
    expect(node.config.seed).toBe(3);
    expect(await node.request('starknet_blockNumber')).toBe(1);
  });

  test('has a first entry that other programs repeat without an effect', async () => {
    const { seed } = await dump('journal');
    const calls: { method: string; params: unknown; id: unknown }[] = JSON.parse(
      readFileSync(path, 'utf8'),
    );
    expect(calls).toHaveLength(2);
    expect(calls[0]).toEqual({
      jsonrpc: '2.0',
      method: 'devnet_getConfig',
      params: null,
      id: expect.stringMatching(`^starkbox genesis {"seed":${seed},`),
    });
    await using node = await createChain({ seed: 1 });
    // As events of a call.
    await node.requestRaw('devnet_load', { events: calls });
    expect(await node.request('devnet_getConfig')).toMatchObject({ seed });
  });

  test('in an answer is the calls alone', async () => {
    await using node = await createChain({ dumpOn: 'request', dumpPath: path });
    await node.mint('0x7', 1n);
    expect(await node.request('devnet_dump')).toHaveLength(1);
    expect(existsSync(path)).toBe(true);
  });

  test.each([
    ['starkbox genesis {', /call 0 of the journal/],
    ['starkbox genesis {"seed":-1}', /genesis.seed/],
    ['starkbox genesis {"seed":1,"accounts":4000000000}', /genesis.accounts: expected at most 255/],
  ])('with the record %s is rejected', async (id, reason) => {
    const record = { jsonrpc: '2.0', method: 'devnet_getConfig', params: null, id };
    writeFileSync(path, JSON.stringify([record]));
    await expect(createChain({ dumpPath: path })).rejects.toThrow(reason);
  });
});
