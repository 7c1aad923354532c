// The explorer and the debugger call contracts the same.

import { startFixture } from '@starkbox/test-support/fixture';
import { expect, test } from 'vitest';
import { classText } from '../../../../contracts/classes.js';
import { contractNames, type LoadedName } from '../../src/format/names.js';

const { client, sender } = await startFixture();

/** One request for each contract, as pages that show one after the other make them. */
async function loadOneByOne(
  addresses: readonly string[],
): Promise<ReadonlyMap<string, LoadedName>> {
  const names = new Map<string, LoadedName>();
  for (const address of addresses) {
    const { contracts } = await client.call('devnet_nameContracts', {
      contract_addresses: [address],
    });
    for (const { name, name_source, class_hash } of contracts)
      names.set(address, { name, source: name_source, classHash: class_hash });
  }
  return names;
}

test('contracts of one name, and names of other cases, are the same in the debugger and on pages', async () => {
  const { class_hash } = await client.call('devnet_declare', {
    contract_class: JSON.parse(await classText('counter')),
  });
  const counters: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const deployed = await client.call('devnet_deploy', {
      class_hash,
      constructor_calldata: ['0x0'],
    });
    counters.push(deployed.contract_address);
  }
  const [labelled = '', ...others] = counters;
  await client.call('devnet_setLabel', { value: labelled, label: 'Counter' });
  const transaction_hash = await sender.invoke(
    counters.map((to) => ({ to, name: 'increase', calldata: ['0x1'] })),
  );
  const { runs } = await client.call('devnet_openDebugTrace', { transaction_hash });

  contractNames.loadWith(loadOneByOne);
  await contractNames.load(counters);
  const pages = contractNames.texts();

  const inDebugger = new Map(
    runs.map(({ contract_address, contract_name }) => [contract_address, contract_name]),
  );
  expect(pages.get(labelled)).toBe('Counter');
  for (const address of others) expect(pages.get(address)).toMatch(/^counter 0x/);
  expect(counters.map((address) => inDebugger.get(address))).toEqual(
    counters.map((address) => pages.get(address)),
  );
});

test('the name of a class is its label, its artifact or its ABI in both', async () => {
  const { classes: declared } = await client.call('devnet_listClasses');
  for (const { class_hash } of declared) {
    const { classes } = await client.call('devnet_nameContracts', { class_hashes: [class_hash] });
    const { name, name_source } = classes[0] ?? {};
    const debugClass = await client.call('devnet_getDebugClass', { class_hash });
    expect(debugClass.name).toBe(name_source === 'ADDRESS' ? undefined : name);
  }
});
