// A contract replaces its own class and keeps its storage.

import { deployed, hashed } from '@starkbox/test-support/contracts';
import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { Contract, num } from 'starknet';
import { afterAll, expect, test } from 'vitest';

const { provider, account, close } = await startRecordedNode();
afterAll(close);

test('an upgraded contract has new code and its old storage', async () => {
  const owner = account(0);
  const before = await deployed(owner, 'upgradable');
  await before.invoke('set_kept', [21], { waitForTransaction: true });
  expect(await before.call('version')).toBe(1n);

  const next = await hashed('upgraded');
  const declared = await owner.declare(next);
  await provider.waitForTransaction(declared.transaction_hash);
  const receipt = await before.invoke('replace_class', [declared.class_hash], {
    waitForTransaction: true,
  });
  expect(before.parseEvents(receipt)[0]).toMatchObject({
    'starkbox_contracts::upgradable::upgradable::ClassReplaced': {
      class_hash: BigInt(declared.class_hash),
    },
  });

  const { abi } = next.contract;
  const after = new Contract({ abi, address: before.address, providerOrAccount: owner });
  expect(await after.call('version')).toBe(2n);
  expect(await after.call('kept')).toBe(21n);
  await after.invoke('double_kept', [], { waitForTransaction: true });
  expect(await after.call('kept')).toBe(42n);
  expect(await provider.getClassHashAt(before.address)).toBe(num.toHex(declared.class_hash));

  const { state_diff } = await provider.getStateUpdate(receipt.block_number);
  expect(state_diff.replaced_classes).toEqual([
    { contract_address: before.address, class_hash: declared.class_hash },
  ]);
  const earlier = { blockIdentifier: receipt.block_number - 1 };
  expect(await before.call('version', [], earlier)).toBe(1n);
});
