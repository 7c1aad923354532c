// Requests of the newest version in the words of older ones.
import { describe, expect, test } from 'vitest';
import { hasPublishedSpec, inWordsOf, type SpecVersion } from '../conformance/index.js';

const words = (version: SpecVersion, method: string, params: unknown) => {
  const { request, obstacles } = inWordsOf(version, { id: 1, method, params });
  return obstacles.length > 0 ? 'refused' : request['params'];
};

// Without the published documents nothing is known of the words of a version.
describe.skipIf(!hasPublishedSpec('v0_8'))('a request', () => {
  test('has the tag and the parameters of the version', () => {
    const nonce = ['pre_confirmed', '0x5'];
    expect(words('v0_8', 'starknet_getNonce', nonce)).toEqual(['pending', '0x5']);
    expect(words('v0_9', 'starknet_getNonce', nonce)).toEqual(nonce);
    const flags = { block_id: 'latest', response_flags: ['INCLUDE_PROOF_FACTS'] };
    expect(words('v0_9', 'chain_getBlockWithTxs', flags)).toEqual({ block_id: 'latest' });
    expect(words('v0_10', 'chain_getBlockWithTxs', flags)).toEqual(flags);
  });

  test('that a version has no words for is to be refused', () => {
    expect(words('v0_8', 'starknet_getNonce', ['l1_accepted', '0x5'])).toBe('refused');
    expect(words('v0_9', 'starknet_getNonce', ['l1_accepted', '0x5'])).not.toBe('refused');
    const filter = [{ chunk_size: 1, address: ['0x1'] }];
    expect(words('v0_9', 'starknet_getEvents', filter)).toBe('refused');
    expect(words('v0_8', 'starknet_subscribeNewTransactions', {})).toBe('refused');
  });

  test('of a method of the sandbox stays as it is', () => {
    const params = { address: '0x1', amount: 1, block_tag: 'pre_confirmed' };
    expect(words('v0_8', 'devnet_mint', params)).toEqual(params);
  });
});
