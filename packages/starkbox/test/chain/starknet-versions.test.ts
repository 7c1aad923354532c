// The table of Starknet versions, and the nearest one to a network's version.
import { Block, versions } from '@starkbox/engine';
import { expect, test } from 'vitest';
import {
  isReplayable,
  NEWEST_VERSION,
  nearestVersion,
  OLDEST_REPLAYED,
  STARKNET_VERSIONS,
} from '../../src/starknet-versions.js';

test('the table ends with the newest version of the engine', () => {
  expect(STARKNET_VERSIONS.at(-1)).toBe(versions().starknet);
  expect(NEWEST_VERSION).toBe(versions().starknet);
});

test.each([
  ['0.14.4', '0.14.4', 'same'],
  ['0.14.9', '0.14.4', 'newer'],
  ['0.13.5.1', '0.13.5', 'newer'],
  ['1.0.0', '0.14.4', 'newer'],
  ['0.13.2.1', '0.13.4', 'older'],
  ['0.9.1', '0.13.4', 'older'],
  ['', '0.14.4', 'absent'],
])('the version nearest to "%s" is %s', (text, version, relation) => {
  expect(nearestVersion(text)).toEqual({ version, relation });
});

test('versions below the table have constants for replay alone', () => {
  const values = {
    number: 1,
    timestamp: 1,
    sequencer_address: '0x1',
    chain_id: 'SN_MAIN',
    fee_tokens: { strk: '0x1', eth: '0x2' },
    gas_prices: {
      l1_gas: { wei: '1', fri: '1' },
      l1_data_gas: { wei: '1', fri: '1' },
      l2_gas: { wei: '1', fri: '1' },
    },
  };
  expect(() => new Block({ ...values, starknet_version: OLDEST_REPLAYED })).not.toThrow();
  expect(() => new Block({ ...values, starknet_version: '0.12.3' })).toThrow();
  expect(isReplayable(OLDEST_REPLAYED)).toBe(true);
  expect(isReplayable('0.12.3')).toBe(false);
  for (const starknet_version of STARKNET_VERSIONS) {
    expect(() => new Block({ ...values, starknet_version })).not.toThrow();
  }
});
