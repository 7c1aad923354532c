// Options of an instance over those of its node: by either name, without those of the node, and without its files.
import { expect, test } from 'vitest';
import { UsageError } from '../../src/config/option.js';
import { defaultConfig } from '../../src/config/options.js';
import { instanceConfig } from '../../src/service/instance-options.js';

const NODE = defaultConfig({ seed: 5, accounts: 3, port: 0 });
const of = (overrides: object) => instanceConfig(NODE, overrides);

test('options have the names of a config file or of the command line', () => {
  expect(of({})).toEqual(NODE);
  expect(of({ seed: 7 })).toEqual({ ...NODE, seed: 7 });
  expect(of({ gas_price: 9 })).toMatchObject({ gasPriceWei: 9n });
  expect(of({ gasPriceWei: '9' })).toMatchObject({ gasPriceWei: 9n });
  expect(of({ block_generation_on: 'demand' })).toMatchObject({ blockGenerationOn: 'demand' });
  expect(of({ state_archive_capacity: 'none' })).toMatchObject({ stateArchive: 'none' });
  expect([of({ no_fee: true }).chargeFee, of({ no_fee: false }).chargeFee]).toEqual([false, true]);
  expect(of({ charge_fee: false }).chargeFee).toBe(false);
});

test('conditions of a network are a preset or an object, and bring its defaults', () => {
  const preset = of({ network_conditions: 'congested' });
  expect(preset.networkConditions).toBeDefined();
  expect(of({ networkConditions: { seed: 3 } }).networkConditions).toMatchObject({ seed: 3 });
  // What the conditions imply is not taken over from a node without them.
  expect(preset.blockGenerationOn).not.toBe(NODE.blockGenerationOn);
  expect(of({ gas_market: true })).toMatchObject({ gasMarket: true });
  for (const value of ['/etc/passwd', 'conditions.json', 5]) {
    expect(() => of({ networkConditions: value })).toThrow(UsageError);
  }
});

test('those of the node, and unknown ones, are refused', () => {
  for (const name of [
    'port',
    'host',
    'dataDir',
    'data_dir',
    'dumpPath',
    'maximumInstances',
    'authToken',
  ]) {
    expect(() => of({ [name]: '1' })).toThrow(/is an option of the node, not of an instance/);
  }
  expect(() => of({ sed: 1 })).toThrow(/unknown key 'sed'/);
  expect(() => of({ accounts: -1 })).toThrow(UsageError);
});
