// Classes that are replaced in place: by a call, and when an artifact changes.
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@starkbox/test-support';
import { startFixture } from '@starkbox/test-support/fixture';
import { contract, read, Sender } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { createChain } from 'starkbox';
import { expect, test, vi } from 'vitest';

const folder = temporaryFolderOfFile();

const artifact = (name: string): string =>
  fileURLToPath(new URL(`../../../../contracts/cairo/${name}.sierra.json`, import.meta.url));

const [upgradable, upgraded] = await Promise.all([contract('upgradable'), contract('upgraded')]);

/** The address of a contract whose storage holds 7. */
async function deployed(client: Client, sender: Sender): Promise<string> {
  const address = await sender.deploy(upgradable);
  await sender.invoke([{ to: address, name: 'set_kept', calldata: ['0x7'] }]);
  expect(await read(client, address, 'version')).toEqual(['0x1']);
  return address;
}

test('a contract gets a new class and keeps its storage', async () => {
  const { client, node } = await startFixture({ dumpOn: 'request' });
  const address = await deployed(client, new Sender(client, node.accounts[0]));
  // As the compiler writes it.
  const contract_class: unknown = JSON.parse(await readFile(artifact('upgraded'), 'utf8'));
  const replaced = await client.call('devnet_replaceClass', {
    contract_address: address,
    contract_class,
  });
  expect(replaced).toEqual({ old_class_hash: upgradable.hash, class_hash: upgraded.hash });
  expect(await read(client, address, 'version')).toEqual(['0x2']);
  expect(await read(client, address, 'kept')).toEqual(['0x7']);
  const update = await client.call('starknet_getStateUpdate', ['latest']);
  expect(update.state_diff.replaced_classes).toEqual([
    { contract_address: address, class_hash: upgraded.hash },
  ]);

  // And back to a class that is declared.
  const replacement = { contract_address: address, class_hash: upgradable.hash };
  await client.call('devnet_replaceClass', replacement);
  expect(await read(client, address, 'version')).toEqual(['0x1']);
  await client.call('devnet_replaceClass', { ...replacement, class_hash: upgraded.hash });

  const other = await startFixture({ dumpOn: 'request' });
  await other.client.call('devnet_load', { events: await client.call('devnet_dump', {}) });
  expect(await read(other.client, address, 'version')).toEqual(['0x2']);
});

test('what does not exist is refused', async () => {
  const { client, node } = await startFixture();
  const contract_address = node.tokens.eth.address;
  const class_hash = node.accountClassHash;
  const failure = async (params: object) =>
    (await client.failure('devnet_replaceClass', params)).code;
  expect(await failure({ contract_address: '0x5', class_hash })).toBe(20);
  expect(await failure({ contract_address, class_hash: '0x5' })).toBe(28);
  expect(await failure({ contract_address })).toBe(-1);
  expect(await failure({ contract_address, class_hash, contract_class: {} })).toBe(-1);
  expect(await failure({ contract_address, contract_class: {} })).not.toBe(-32603);
  expect(await client.call('starknet_blockNumber')).toBe(0);
});

test('contracts follow the artifact they were deployed from', async () => {
  const file = join(folder, 'app_Upgradable.contract_class.json');
  await copyFile(artifact('upgradable'), file);
  await writeFile(join(folder, 'app.starknet_artifacts.json'), '{}');
  const { client, node } = await startFixture({ artifacts: folder });
  const address = await deployed(client, new Sender(client, node.accounts[0]));
  await copyFile(artifact('upgraded'), file);
  await vi.waitUntil(async () => (await read(client, address, 'version'))[0] === '0x2', {
    timeout: 20_000,
    interval: 50,
  });
  expect(await read(client, address, 'kept')).toEqual(['0x7']);

  // A file that is half written changes nothing, and the next one counts.
  await writeFile(file, '{"sierra_program": [');
  await copyFile(artifact('upgradable'), file);
  await vi.waitUntil(async () => (await read(client, address, 'version'))[0] === '0x1', {
    timeout: 20_000,
    interval: 50,
  });
  await node.close();
});

test('folders below it are watched too, also new ones', async () => {
  const artifacts = await mkdtemp(join(folder, 'workspace-'));
  const old = join(artifacts, 'one', 'target', 'dev');
  const skipped = join(artifacts, 'node_modules', 'one');
  for (const path of [old, skipped]) await mkdir(path, { recursive: true });
  const name = 'app_Upgradable.contract_class.json';
  await copyFile(artifact('upgradable'), join(old, name));
  await writeFile(join(skipped, name), 'no class');
  const { client, node } = await startFixture({ artifacts });
  const address = await deployed(client, new Sender(client, node.accounts[0]));
  const becomes = (version: string) =>
    vi.waitUntil(async () => (await read(client, address, 'version'))[0] === version, {
      timeout: 20_000,
      interval: 50,
    });

  // One that comes while the node runs, as a whole and before the other in order, is read with the other's change.
  const [staged, added] = [join(folder, 'staged'), join(artifacts, 'a', 'target')];
  await mkdir(join(staged, 'target'), { recursive: true });
  await copyFile(artifact('upgraded'), join(staged, 'target', name));
  await rename(staged, join(artifacts, 'a'));
  await copyFile(artifact('upgraded'), join(old, name));
  await becomes('0x2');
  await copyFile(artifact('upgradable'), join(added, name));
  await becomes('0x1');

  // One that is removed and made again, as a clean build does.
  await rm(added, { recursive: true });
  await mkdir(added);
  await copyFile(artifact('upgraded'), join(added, name));
  await becomes('0x2');
  await copyFile(artifact('upgradable'), join(added, name));
  await becomes('0x1');

  // One that goes does not keep the others from being watched.
  await rm(join(artifacts, 'one'), { recursive: true });
  await copyFile(artifact('upgraded'), join(added, name));
  await becomes('0x2');
  await node.close();
});

test('a folder that does not exist fails the start', async () => {
  const artifacts = join(folder, 'none');
  await expect(createChain({ accounts: 1, artifacts })).rejects.toThrow(/--artifacts .*none/);
});
