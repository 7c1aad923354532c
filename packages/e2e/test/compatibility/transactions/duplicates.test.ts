// A transaction that is sent twice counts once.
import type { TransactionValues } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { type Fixture, startFixture } from '@starkbox/test-support/fixture';
import {
  contract,
  declareRequest,
  deployAccountRequest,
  invokeRequest,
  newAccount,
  STRK,
} from '@starkbox/test-support/signing';
import type { Config } from 'starkbox';
import { describe, expect, test } from 'vitest';

const ACCOUNT = newAccount('0x123');

const counter = await contract('counter');

const MODES: readonly (readonly [string, Partial<Config>])[] = [
  ['a block per transaction', {}],
  ['blocks on demand', { blockGenerationOn: 'demand' }],
  ['blocks by the clock', { blockGenerationOn: 1000 }],
];

type Sending = (fixture: Fixture) => readonly [string, TransactionValues];

const SENDINGS: readonly (readonly [string, Sending])[] = [
  [
    'an invocation',
    ({ node }) => {
      const call = { to: STRK, name: 'transfer', calldata: ['0x2', '0x1', '0x0'] };
      return ['starknet_addInvokeTransaction', invokeRequest(first(node.accounts), [call], 0)];
    },
  ],
  [
    'a declaration',
    ({ node }) => [
      'starknet_addDeclareTransaction',
      declareRequest(first(node.accounts), counter, 0),
    ],
  ],
  ['a new account', () => ['starknet_addDeployAccountTransaction', deployAccountRequest(ACCOUNT)]],
];

function first<T>([value]: readonly T[]): T {
  if (value === undefined) throw new Error('there is none');
  return value;
}

/** Everything that a transaction changes. */
async function traces({ client, node }: Fixture): Promise<unknown> {
  const { address } = first(node.accounts);
  return [
    await client.call('devnet_getStatus'),
    await client.call('starknet_getNonce', ['pre_confirmed', address]),
    await client.call('devnet_getAccountBalance', { address, block_id: 'pre_confirmed' }),
    await client.call('devnet_getAccountBalance', { address: '0x2', block_id: 'pre_confirmed' }),
    await client.call('starknet_getStateUpdate', ['latest']),
    await client.call('starknet_getStateUpdate', ['pre_confirmed']),
  ];
}

describe.each(MODES)('%s', (_, mode) => {
  test.each(SENDINGS)('additions.1 %s that is known is refused', async (__, sending) => {
    const fixture = await startFixture(mode);
    const { node, client } = fixture;
    await client.call('devnet_mint', { address: ACCOUNT.address, amount: 1e20 });
    const [method, request] = sending(fixture);
    await node.requestRaw(method, [request]);
    const before = await traces(fixture);
    expect((await client.failure(method, [request])).code).toBe(ERRORS.DUPLICATE_TX.code);
    expect(await traces(fixture)).toEqual(before);

    // It stays known, however old its block.
    await client.call('devnet_createBlock');
    await client.call('devnet_createBlock');
    const later = await traces(fixture);
    expect((await client.failure(method, [request])).code).toBe(ERRORS.DUPLICATE_TX.code);
    expect(await traces(fixture)).toEqual(later);
  });
});

test('additions.1 one whose block is gone can be sent again', async () => {
  const fixture = await startFixture();
  const { node, client } = fixture;
  const call = { to: STRK, name: 'transfer', calldata: ['0x2', '0x1', '0x0'] };
  const request = invokeRequest(first(node.accounts), [call], 0);
  const response = await client.call('starknet_addInvokeTransaction', [request]);
  await client.call('devnet_abortBlocks', { starting_block_id: 'latest' });
  expect(await client.call('starknet_addInvokeTransaction', [request])).toEqual(response);
});
