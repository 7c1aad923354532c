// Hashes, addresses and signatures against the network's values and starknet.js.

import {
  blake,
  contractAddress,
  hades,
  pedersen,
  pedersenPair,
  poseidon,
  publicKey,
  sign,
  starknetKeccak,
  storageAddress,
} from '@starkbox/engine';
import fc from 'fast-check';
import { ec, hash as js } from 'starknet';
import { describe, expect, test } from 'vitest';
import { CHAIN_ID, hex, PRIME, STRK } from '../fixtures/chain.js';

const felt = fc.bigInt({ min: 0n, max: PRIME - 1n }).map(hex);
const refused = (kind: string) => expect.objectContaining({ name: 'EngineError', kind });

describe('hashes', () => {
  test('Pedersen, Poseidon and Keccak are those of starknet.js', () => {
    fc.assert(
      fc.property(
        fc.array(felt, { maxLength: 6 }),
        felt,
        felt,
        fc.string(),
        (felts, a, b, text) => {
          expect(BigInt(pedersen(felts))).toBe(BigInt(js.computeHashOnElements(felts)));
          expect(BigInt(pedersenPair(a, b))).toBe(BigInt(ec.starkCurve.pedersen(a, b)));
          expect(BigInt(poseidon(felts))).toBe(ec.starkCurve.poseidonHashMany(felts.map(BigInt)));
          expect(BigInt(starknetKeccak(text))).toBe(
            ec.starkCurve.keccak(new TextEncoder().encode(text)),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  test('Blake2 gives the known configuration hash of a chain', () => {
    const config = [
      `0x${Buffer.from('StarknetOsConfig4').toString('hex')}`,
      `0x${Buffer.from(CHAIN_ID).toString('hex')}`,
      STRK,
    ];
    expect(blake(config)).toBe('0x57ed4d5e20d617d8cc087a5882eae4f71d005172326be6439b2e1fd8b4dc57');
    expect(() => blake(['1'])).toThrow(refused('input'));
  });

  test('slots of variables, map entries and byte arrays are the known ones', () => {
    expect(storageAddress('Account_public_key')).toBe(
      '0x1379ac0624b939ceb9dede92211d7db5ee174fe28be72245b0a1a2abd81c98f',
    );
    expect(
      storageAddress('SRC5_supported_interfaces', [
        '0x2ceccef7f994940b3962a6c67e0ba4fcd37df7d131417c604f91e03caecc1cd',
      ]),
    ).toBe('0x7e79bbb6be5d418acd50c88b675e697f6f7094e203c9d7e29c6ad6731f931dd');
    const [word = '0x0'] = hades([storageAddress('ERC20_name'), '0x0', '0x427974654172726179']);
    expect(BigInt(word) % (2n ** 251n - 256n)).toBe(
      0x35b0c37f7f34be47076c6cfbcf811ad0769dbc81f4c509ee9613e0b0c648ca9n,
    );
    expect(() => storageAddress('')).toThrow(refused('input'));
    expect(() => storageAddress('x', ['0x'])).toThrow(refused('input'));
  });

  test.each(['', '0x', '1', '0xg', ' 0x1', `0x${hex(PRIME).slice(2)}`, `0x1${'0'.repeat(64)}`])(
    'the felt %j is refused',
    (text) => {
      expect(() => pedersen([text])).toThrow(refused('input'));
    },
  );

  test('a felt may have leading zeros and capitals, and comes back canonical', () => {
    expect(pedersenPair('0x00AB', '0x0')).toBe(pedersenPair('0xab', '0x0'));
    expect(
      contractAddress({
        salt: '0x0',
        class_hash: '0x1',
        constructor_calldata: [],
        deployer: '0x0',
      }),
    ).toMatch(/^0x[1-9a-f][0-9a-f]*$/);
  });

  test('an address outside the contract range is refused', () => {
    const deployment = {
      salt: '0x0',
      class_hash: '0x1',
      constructor_calldata: [],
      deployer: hex(2n ** 251n),
    };
    expect(() => contractAddress(deployment)).toThrow(refused('input'));
  });
});

test('a text that is no felt is quoted in part', () => {
  let message = '';
  try {
    pedersen([`0x${'é'.repeat(10_000)}`]);
  } catch (error) {
    message = String(error);
  }
  expect(message).toContain('ééé');
  expect(message.length).toBeLessThan(300);
});

describe('signatures', () => {
  test('are accepted by the curve and repeat', () => {
    const key = '0x71d7bb07b9a64f6f78ac4c816aff4da9';
    const signature = sign(key, '0x1234');
    expect(sign(key, '0x1234')).toEqual(signature);
    const theirs = ec.starkCurve.sign('0x1234', key);
    expect(signature).toEqual([hex(theirs.r), hex(theirs.s)]);
  });

  test('no key 0, and no hash that the curve cannot sign', () => {
    expect(() => publicKey('0x0')).toThrow(refused('input'));
    expect(() => sign('0x0', '0x1')).toThrow(refused('input'));
    expect(() => sign('0x1', hex(2n ** 251n))).toThrow(refused('input'));
  });
});
