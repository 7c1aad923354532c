// The library that people start and steer starknet-devnet with, as npm has it, on our command.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RpcProvider } from 'starknet';
import { Devnet } from 'starknet-devnet';
import { afterAll, expect, test, vi } from 'vitest';

const INSTALLED = fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url));

/** Whether nothing listens there. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Below the ports that systems give to callers that ask for any, so that none of them takes it before the node. */
async function freePort(): Promise<number> {
  let port = 20_000 + (process.pid % 10_000);
  while (!(await isFree(port))) port += 1;
  return port;
}

/** Its own search for a free port always begins at the same one, which another process may take meanwhile. */
async function spawned(): Promise<Devnet> {
  vi.stubEnv('PATH', [INSTALLED, process.env['PATH']].join(delimiter));
  try {
    return await Devnet.spawnInstalled({
      args: [
        ...['--seed', '7', '--accounts', '2', '--dump-on', 'request'],
        ...['--port', `${await freePort()}`, '--exit-with-parent'],
      ],
      stdout: 'ignore',
      maxStartupMillis: 60_000,
      // Its clean-up would handle the exceptions of every test of this process.
      keepAlive: true,
    });
  } finally {
    vi.unstubAllEnvs();
  }
}

const devnet = await spawned();
const devnetProvider = devnet.provider;
const starknet = new RpcProvider({ nodeUrl: `${devnetProvider.url}/rpc` });
const folder = await mkdtemp(join(tmpdir(), 'devnet-js-'));
afterAll(async () => {
  devnet.kill();
  await rm(folder, { recursive: true });
});

test('the config shows what the node was started with', async () => {
  expect(await devnetProvider.getConfig()).toMatchObject({
    seed: 7,
    total_accounts: 2,
    server_config: { host: '127.0.0.1', port: Number(new URL(devnetProvider.url).port) },
  });
});

test('predeployed accounts have balances, and minting raises one without loss', async () => {
  const [account, ...others] = await devnetProvider.getPredeployedAccounts({ withBalance: true });
  expect(others).toHaveLength(1);
  const before = BigInt(account?.balance['strk']?.amount ?? 0);
  const amount = 2n ** 70n + 1n;
  expect(await devnetProvider.mint(account?.address ?? '', amount)).toMatchObject({
    new_balance: before + amount,
    unit: 'FRI',
  });
  expect((await devnetProvider.mint('0x123', 5n, 'WEI')).new_balance).toBe(5n);
});

test('blocks are created and aborted', async () => {
  const first = await devnetProvider.createBlock();
  const second = await devnetProvider.createBlock();
  const { aborted } = await devnetProvider.abortBlocks(first.block_hash);
  expect(aborted.toSorted()).toEqual([first.block_hash, second.block_hash].toSorted());
  await expect(starknet.getBlock(first.block_hash)).rejects.toMatchObject({ code: 24 });
});

test('time and gas prices are set', async () => {
  const time = 4_000_000_000;
  const { block_hash } = await devnetProvider.setTime(time, { generateBlock: true });
  expect(await starknet.getBlock(block_hash ?? '')).toMatchObject({ timestamp: time });
  expect(
    (await starknet.getBlock((await devnetProvider.increaseTime(100)).block_hash)).timestamp,
  ).toBeGreaterThanOrEqual(time + 100);
  const l2GasPrice = 2n ** 53n - 1n;
  expect(await devnetProvider.setGasPrice({ l2GasPrice }, true)).toMatchObject({
    l2_gas_price: l2GasPrice,
  });
  expect((await starknet.getBlock('latest')).l2_gas_price.price_in_fri).toBe(
    `0x${l2GasPrice.toString(16)}`,
  );
});

test('a dump is loaded after a restart', async () => {
  const path = join(folder, 'chain.json');
  await devnetProvider.restart();
  await devnetProvider.mint('0x123', 17n);
  await devnetProvider.dump(path);
  expect((await stat(path)).size).toBeGreaterThan(0);
  await devnetProvider.restart();
  expect(await starknet.getBlockNumber()).toBe(0);
  await devnetProvider.load(path);
  expect(await starknet.getBlockNumber()).toBe(1);
  expect((await devnetProvider.mint('0x123', 1n)).new_balance).toBe(18n);
});

test('accounts are impersonated, and a refusal is the error of the node', async () => {
  const { cheats } = devnetProvider;
  await cheats.impersonateAccount('0x123');
  await cheats.stopImpersonateAccount('0x123');
  await cheats.autoImpersonate();
  await cheats.stopAutoImpersonate();
  await expect(devnetProvider.load(join(folder, 'missing.json'))).rejects.toMatchObject({
    code: -5,
    message: expect.any(String),
  });
});

test('messages are flushed without sending them', async () => {
  expect(await devnetProvider.postman.flush({ dryRun: true })).toMatchObject({
    messages_to_l1: [],
    messages_to_l2: [],
  });
});

test('kill ends the node', async () => {
  expect(devnet.kill()).toBe(true);
  await expect.poll(() => devnetProvider.isAlive()).toBe(false);
});
