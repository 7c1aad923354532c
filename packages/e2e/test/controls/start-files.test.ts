// Files of a start: calls that are made first, and what scripts need.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { createChain } from 'starkbox';
import { expect, test } from 'vitest';

const folder = temporaryFolderOfFile();

async function fileOf(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const CALLS = [
  { method: 'devnet_mint', params: { address: '0x1', amount: 7 } },
  { method: 'devnet_createBlock' },
  { method: 'sandbox_setTime', params: [3_000_000_000, true] },
];

test('the calls of a file are made before the node listens, also restricted ones', async () => {
  const init = await fileOf('calls.json', CALLS);
  const { client } = await startFixture({ init, restrictedMethods: ['devnet_mint'] });
  expect(await client.call('starknet_blockNumber')).toBe(3);
  expect(await client.call('devnet_getAccountBalance', { address: '0x1' })).toMatchObject({
    amount: '7',
  });
  expect((await client.failure('devnet_mint', CALLS[0]?.params)).code).toBe(
    ERRORS.METHOD_FORBIDDEN.code,
  );
});

test('they are not made again where a chain is continued', async () => {
  const init = await fileOf('calls.json', CALLS);
  const dataDir = join(folder, 'data');
  for (const _run of ['first', 'second']) {
    const { client, node } = await startFixture({ init, dataDir });
    expect(await client.call('starknet_blockNumber')).toBe(3);
    await node.close();
  }
});

test.each([
  [
    [{ method: 'devnet_createBlock' }, { method: 'devnet_mint', params: { address: '0x1' } }],
    /call 1 \(devnet_mint\) failed: /,
  ],
  [[{ method: 'devnet_nothing' }], /call 0 \(devnet_nothing\) failed: /],
  [[{ method: 'devnet_createBlock' }, {}], /\[1\]\.method: expected a string/],
  ['{"method"', /--init .*: /],
])('a start fails with %j', async (content, message) => {
  const init = await fileOf('wrong.json', content);
  await expect(createChain({ accounts: 1, init })).rejects.toThrow(message);
});

test('a start fails without the file', async () => {
  await expect(createChain({ accounts: 1, init: join(folder, 'none') })).rejects.toThrow(/--init/);
});

test('addresses, keys and chain id are written once the node listens', async () => {
  const configOut = join(folder, 'node.json');
  const { node } = await startFixture({ configOut, port: 0, ui: true, wallet: true });
  await expect(readFile(configOut)).rejects.toThrow('ENOENT');
  const { url } = await node.listen();
  expect(JSON.parse(await readFile(configOut, 'utf8'))).toEqual({
    url,
    rpc_url: `${url}/rpc`,
    ws_url: `${url.replace('http', 'ws')}/ws`,
    ui_url: `${url}/ui`,
    wallet_url: `${url}/wallet.js`,
    metrics_url: null,
    chain_id: 'SN_SEPOLIA',
    chain_id_felt: '0x534e5f5345504f4c4941',
    seed: 42,
    accounts: node.accounts.map(({ address, publicKey, privateKey }) => ({
      address,
      public_key: publicKey,
      private_key: privateKey,
    })),
    account_class_hash: node.accountClassHash,
    argent_class_hashes: null,
    tokens: {
      eth: { address: node.tokens.eth.address, class_hash: node.tokens.eth.classHash },
      strk: { address: node.tokens.strk.address, class_hash: node.tokens.strk.classHash },
    },
    universal_deployer: { address: node.udc.address, class_hash: node.udc.classHash },
    l1: null,
  });
  expect((await stat(configOut)).mode & 0o777).toBe(0o600);
});

test('a file that cannot be written fails the start', async () => {
  const { node } = await startFixture({ configOut: join(folder, 'none', 'node.json'), port: 0 });
  await expect(node.listen()).rejects.toThrow(/--config-out/);
});
