import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, type RPC_CALL } from '@starkbox/spec';
import { type Client, checkedClient, overHttp } from '@starkbox/test-support';
import { openNode } from '@starkbox/test-support/fixture';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { contract, deployAccountRequest, newAccount, Sender } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import type { Config, LocalChain } from 'starkbox';
import { beforeEach, describe, expect, test } from 'vitest';

const folder = temporaryFolderOfFile();
let path: string;
let count = 0;
beforeEach(() => {
  count += 1;
  path = join(folder, `${count}.json`);
});

interface Running {
  readonly node: LocalChain;
  readonly client: Client;
}

async function start(changes: Partial<Config> = {}): Promise<Running> {
  const node = await openNode({ seed: 0, accounts: 2, ...changes });
  return { node, client: checkedClient(node.handle) };
}

const mint = (client: Client, amount = 1): Promise<{ tx_hash: string; new_balance: string }> =>
  client.call('devnet_mint', { address: '0x1', amount });
const height = (client: Client): Promise<number> => client.call('starknet_blockNumber');
/** The calls in the file, without the first, which records the accounts of the chain. */
const written = (file = path): readonly RPC_CALL[] =>
  JSON.parse(readFileSync(file, 'utf8')).slice(1);

async function eventsOf(client: Client): Promise<readonly RPC_CALL[]> {
  const dump = await client.call('devnet_dump', { inline: true });
  if (!Array.isArray(dump)) throw new Error('this is no journal');
  return dump;
}

describe('dumping and loading twice over', () => {
  test.each(['exit', 'block'] as const)('dump.1 with --dump-on %s', async (dumpOn) => {
    const first = await start({ dumpOn, dumpPath: path });
    await mint(first.client);
    await mint(first.client);
    await first.node.close();
    const second = await start({ dumpOn, dumpPath: path });
    expect(await height(second.client)).toBe(2);
    await mint(second.client);
    await mint(second.client);
    await second.node.close();
    const third = await start({ dumpOn, dumpPath: path });
    expect(await height(third.client)).toBe(4);
  });

  test('dump.1 by calls in the answer, on request', async () => {
    const first = await start({ dumpOn: 'request' });
    await mint(first.client);
    await mint(first.client);
    const second = await start({ dumpOn: 'request' });
    await second.client.call('devnet_load', { events: await eventsOf(first.client) });
    await mint(second.client);
    await mint(second.client);
    const third = await start({ dumpOn: 'request' });
    await third.client.call('devnet_load', { events: await eventsOf(second.client) });
    expect(await height(third.client)).toBe(4);
  });
});

test('dump.2 a path that cannot be written, with --dump-on block', async () => {
  await expect(start({ dumpOn: 'block', dumpPath: '///' })).rejects.toThrow();
});

test('dump.3 blocks on demand keep their transactions', async () => {
  const options = { dumpOn: 'exit', dumpPath: path, blockGenerationOn: 'demand' } as const;
  const first = await start(options);
  await mint(first.client);
  await mint(first.client);
  await first.client.call('devnet_createBlock');
  await first.client.call('devnet_createBlock');
  await mint(first.client);
  const blocks = async (client: Client): Promise<readonly unknown[]> => {
    const transactions: unknown[] = [];
    for (const block_id of [{ block_number: 1 }, { block_number: 2 }, 'pre_confirmed'] as const) {
      const block = await client.call('starknet_getBlockWithTxHashes', { block_id });
      transactions.push(block.transactions);
    }
    return transactions;
  };
  const expected = await blocks(first.client);
  expect(expected).toMatchObject([{ length: 2 }, { length: 0 }, { length: 1 }]);
  await first.node.close();
  const second = await start(options);
  expect(await blocks(second.client)).toEqual(expected);
  expect(await height(second.client)).toBe(2);
});

describe('what comes back', () => {
  test('dump.4 transactions have their hashes', async () => {
    const first = await start({ dumpOn: 'request' });
    const sender = new Sender(first.client, first.node.accounts[0]);
    const hashes = [(await mint(first.client)).tx_hash];
    const account = newAccount('0x77');
    await first.client.call('devnet_mint', { address: account.address, amount: 10 ** 20 });
    const declared = await sender.declareRequest(await contract('counter'));
    const deployed = deployAccountRequest(account);
    for (const { transaction_hash } of [
      await first.client.call('starknet_addDeclareTransaction', [declared]),
      await first.client.call('starknet_addDeployAccountTransaction', [deployed]),
    ]) {
      hashes.push(transaction_hash);
    }
    const second = await start();
    await second.client.call('devnet_load', { events: await eventsOf(first.client) });
    for (const transaction_hash of hashes) {
      const params = { transaction_hash };
      expect(await second.client.call('starknet_getTransactionByHash', params)).toEqual(
        await first.client.call('starknet_getTransactionByHash', params),
      );
      expect(await second.client.call('starknet_getTransactionStatus', params)).toMatchObject({
        execution_status: 'SUCCEEDED',
      });
    }
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'dump.4 %s writes the file',
    async (signal) => {
      const command = await spawned('exit');
      await mint(checkedClient(overHttp(command.url)));
      expect(existsSync(path)).toBe(false);
      expect(await command.stop(signal)).toBe(0);
      expect(written()).toMatchObject([{ method: 'devnet_mint' }]);
    },
  );

  test('dump.4 no file if nothing happened', async () => {
    await (await spawned('exit')).stop('SIGINT');
    expect(existsSync(path)).toBe(false);
  });
});

describe('refused are', () => {
  test('dump.5 dumps without a mode, with a wrong field or to no file', async () => {
    const plain = await start();
    expect(await plain.client.failure('devnet_dump', {})).toMatchObject({
      code: -5,
      message:
        'Please provide --dump-on mode on startup, or use format image, which works without it.',
    });
    const stored = await start({ dataDir: join(folder, 'data') });
    expect(await stored.client.failure('devnet_dump', {})).toMatchObject({
      code: -5,
      message: 'A node with --data-dir keeps no journal: use format image.',
    });
    const { client } = await start({ dumpOn: 'request' });
    expect((await client.failure('devnet_dump', { test: '' })).code).toBe(
      ERRORS.INVALID_PARAMS.code,
    );
    await mint(client);
    expect(await client.failure('devnet_dump', { path: '///' })).toMatchObject({
      code: -5,
      message: expect.stringContaining('I/O error'),
    });
  });

  test('dump.6 loads with a wrong field or of no file', async () => {
    const { client } = await start();
    expect((await client.failure('devnet_load', { test: '' })).code).toBe(
      ERRORS.INVALID_PARAMS.code,
    );
    expect(await client.failure('devnet_load', { path })).toMatchObject({
      code: -5,
      message: expect.stringContaining('file does not exist'),
    });
  });
});

describe('dumps in the answer', () => {
  test('dump.7 leave the usual file alone', async () => {
    const { client } = await start({ dumpOn: 'request', dumpPath: path });
    await mint(client);
    expect(await eventsOf(client)).toMatchObject([{ method: 'devnet_mint' }]);
    expect(existsSync(path)).toBe(false);
  });

  test('dump.7 go to a path that is given as well', async () => {
    const { client } = await start({ dumpOn: 'request' });
    await mint(client);
    const dump = await client.call('devnet_dump', { path, inline: true });
    expect(written()).toEqual(dump);
  });

  test('dump.7 with --dump-on block, the file is the journal after loading them', async () => {
    const first = await start({ dumpOn: 'request' });
    await mint(first.client);
    const events = await eventsOf(first.client);
    const { client } = await start({ dumpOn: 'block', dumpPath: path });
    await mint(client, 2);
    await client.call('devnet_load', { events });
    expect(written()).toEqual(events);
    expect(await eventsOf(client)).toEqual(events);
  });
});

test('dump.8 the usual path, and another', async () => {
  const { client } = await start({ dumpOn: 'request', dumpPath: path });
  await mint(client);
  const usual = await client.call('devnet_dump', {});
  expect(written()).toEqual(usual);
  const custom = join(folder, 'custom.json');
  expect(await client.call('devnet_dump', { path: custom })).toEqual(usual);
  expect(written(custom)).toEqual(usual);
});

test('dump.9 an earlier moment of the same chain', async () => {
  const { client } = await start({ dumpOn: 'request' });
  await mint(client, 5);
  await client.call('devnet_dump', { path });
  expect((await mint(client, 2)).new_balance).toBe('7');
  await client.call('devnet_load', { path });
  const params = { address: '0x1' };
  expect(await client.call('devnet_getAccountBalance', params)).toMatchObject({ amount: '5' });
  expect((await mint(client, 1)).new_balance).toBe('6');
});

test('dump.10 a set time survives', async () => {
  const first = await start({ dumpOn: 'request' });
  await first.client.call('devnet_setTime', { time: 1_600_000_000, generate_block: false });
  const second = await start();
  await second.client.call('devnet_load', { events: await eventsOf(first.client) });
  await second.client.call('devnet_createBlock');
  const block = await second.client.call('starknet_getBlockWithTxHashes', { block_id: 'latest' });
  expect(block.timestamp).toBe(1_600_000_000);
});

describe('a restart', () => {
  test('dump.11b empties the journal', async () => {
    const { client } = await start({ dumpOn: 'request', dumpPath: path });
    await mint(client);
    await client.call('devnet_restart');
    expect(await client.call('devnet_dump')).toEqual([]);
    expect(existsSync(path)).toBe(false);
  });

  test('dump.11b is followed by a dump at exit', async () => {
    const first = await start({ dumpOn: 'exit', dumpPath: path });
    await mint(first.client, 1);
    await first.client.call('devnet_restart');
    await mint(first.client, 2);
    await first.node.close();
    expect(written()).toMatchObject([{ method: 'devnet_mint', params: { amount: 2 } }]);
  });

  test('dump.11b after a load at the start gives an empty chain', async () => {
    const first = await start({ dumpOn: 'exit', dumpPath: path });
    await mint(first.client);
    await first.node.close();
    const { client } = await start({ dumpPath: path });
    expect(await height(client)).toBe(1);
    await client.call('devnet_restart');
    expect(await height(client)).toBe(0);
  });
});

/** A node in a process of its own, as it was built. */
function spawned(mode: string): Promise<RunningCommand> {
  return RunningCommand.start(['--seed', '0', '--dump-on', mode, '--dump-path', path]);
}
