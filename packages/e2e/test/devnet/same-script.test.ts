// One script on the library devnet-js as npm has it, and on ours: only the import differs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  DevnetProviderError,
  DevnetProvider as OurProvider,
  Devnet as Ours,
  toRpcBlockId,
} from 'starkbox/devnet';
import { DevnetProvider as TheirProvider, Devnet as Theirs } from 'starknet-devnet';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolderOfFile } from '../../support/temporary-folder.js';

const COMMAND = fileURLToPath(new URL('../../../starkbox/bin/starkbox.js', import.meta.url));
const folder = temporaryFolderOfFile();
const started: { kill(): boolean }[] = [];
afterAll(async () => {
  for (const devnet of started) devnet.kill();
});

const config = () => ({
  args: ['--seed', '7', '--accounts', '2', '--dump-on', 'request', '--start-time', '1700000000'],
  stdout: 'ignore' as const,
  stderr: 'ignore' as const,
  maxStartupMillis: 60_000,
  // The clean-up of the other library would handle the exceptions of every test of this process.
  keepAlive: true,
});

const withParent = () => ({ ...config(), args: [...config().args, '--exit-with-parent'] });

/** Uses every call; what was answered, without what depends on the moment. */
async function script(devnet: Theirs | Ours, name: string) {
  const { provider } = devnet;
  const dump = join(folder, name);
  const [account] = await provider.getPredeployedAccounts({ withBalance: true });
  const minted = await provider.mint('0x1', 10n ** 25n, 'WEI');
  const { block_hash } = await provider.createBlock();
  const { aborted } = await provider.abortBlocks('latest');
  await provider.dump(dump);
  const prices = await provider.setGasPrice({ l1GasPrice: 10n ** 20n, l2GasPrice: 7n }, true);
  const time = await provider.setTime(1_800_000_000, { generateBlock: true });
  const later = await provider.increaseTime(100);
  await provider.cheats.impersonateAccount('0xabc');
  await provider.cheats.stopImpersonateAccount('0xabc');
  await provider.cheats.autoImpersonate();
  await provider.cheats.stopAutoImpersonate();
  const flushed = await provider.postman.flush({ dryRun: true }).catch((error) => error.code);
  const consumed = await provider.postman
    .consumeMessageFromL2('0x1', '0x2', [1n, 2, '0x3'])
    .catch((error) => error.code);
  await provider.restart();
  await provider.load(dump);
  const wrong = await provider.mint('no address', 1n).catch(({ code }) => code);
  const loaded = await provider.mint('0x1', 1n, 'WEI');
  return {
    account,
    minted,
    aborted: aborted.map((hash) => hash === block_hash),
    dumped: existsSync(dump),
    prices,
    // Its types name a time that its answers do not have.
    time: { ...time, time: undefined, block_hash: typeof time.block_hash },
    later: { ...later, time: undefined, block_hash: typeof later.block_hash },
    codes: [flushed, consumed, wrong],
    loaded: loaded.new_balance,
    seed: (await provider.getConfig()).seed,
    isAlive: await provider.isAlive(),
  };
}

test('a script gets the same answers from both', async () => {
  const theirs = await Theirs.spawnCommand(COMMAND, withParent());
  started.push(theirs);
  const ours = await Ours.spawnInstalled(withParent());
  started.push(ours);
  const answers = await script(theirs, 'theirs');
  expect(answers).toMatchObject({ aborted: [true], dumped: true, isAlive: true, seed: 7 });
  expect(await script(ours, 'ours')).toEqual(answers);
  expect(await ours.provider.setTime(1_900_000_000)).toMatchObject({ time: 1_900_000_000 });
  expect((await ours.provider.increaseTime(100)).time).toBeGreaterThanOrEqual(1_900_000_000);
  expect(ours.kill()).toBe(true);
  await expect.poll(() => ours.provider.isAlive()).toBe(false);
});

test('any version is this one, and other commands can be started', async () => {
  const devnet = await Ours.spawnVersion('v0.6.0', { ...withParent(), keepAlive: false });
  started.push(devnet);
  expect(Ours.instances).toContain(devnet);
  expect(await devnet.provider.isAlive()).toBe(true);
  await expect(Ours.spawnCommand('no-such-command', config())).rejects.toThrow(/ENOENT/);
  const wrong = { ...config(), args: ['--no-such-option'] };
  await expect(Ours.spawnInstalled(wrong)).rejects.toThrow(/exited with code/);
});

test('errors have the code and the data of the node, or say what to do', async () => {
  const nowhere = { url: 'http://127.0.0.1:9' };
  expect(await new OurProvider(nowhere).isAlive()).toBe(await new TheirProvider(nowhere).isAlive());
  const failed = new OurProvider(nowhere).mint('0x1', 1n);
  await expect(failed).rejects.toThrow(DevnetProviderError);
  expect(new OurProvider().url).toBe(new TheirProvider().url);
  expect([5, 'latest', '0x5'].map(toRpcBlockId)).toEqual([
    { block_number: 5 },
    'latest',
    { block_hash: '0x5' },
  ]);
});
