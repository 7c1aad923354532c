// Nonces that are ahead of their turn, by how blocks are closed.
import { ERRORS } from '@starkbox/spec';
import { type Fixture, startFixture } from '@starkbox/test-support/fixture';
import { contract, declareRequest, invokeRequest, STRK } from '@starkbox/test-support/signing';
import { expect, test } from 'vitest';

const REJECTED = { code: ERRORS.INVALID_TRANSACTION_NONCE.code };

/** @param amount makes transactions of one nonce differ */
const transfer = ({ account }: Fixture, nonce: number, amount: number) => {
  const call = {
    to: STRK,
    name: 'transfer',
    calldata: ['0x99', `0x${amount.toString(16)}`, '0x0'],
  };
  return invokeRequest(account(), [call], nonce);
};

const send = (fixture: Fixture, nonce: number, amount: number) =>
  fixture.client.call('starknet_addInvokeTransaction', [transfer(fixture, nonce, amount)]);
const failure = (fixture: Fixture, nonce: number, amount: number) =>
  fixture.client.failure('starknet_addInvokeTransaction', [transfer(fixture, nonce, amount)]);
const accountNonce = ({ client, account }: Fixture) =>
  client.call('starknet_getNonce', ['pre_confirmed', account().address]);

test.each(['demand', 1000] as const)(
  'with blocks on %s, a nonce is executed at once unless it is below that of the account',
  async (blockGenerationOn) => {
    const fixture = await startFixture({ blockGenerationOn });
    const { client, account } = fixture;
    // The second one with nonce 2 is executed too, because it is the account's turn.
    for (const [amount, nonce] of [7, 2, 2].entries()) await send(fixture, nonce, amount);
    expect(await accountNonce(fixture)).toBe('0x3');
    expect(await failure(fixture, 2, 3)).toMatchObject(REJECTED);
    const declaration = declareRequest(account(), await contract('counter'), 4);
    expect(await client.failure('starknet_addDeclareTransaction', [declaration])).toMatchObject(
      REJECTED,
    );
    await client.call('devnet_createBlock');
    const { transactions } = await client.call('starknet_getBlockWithTxs', ['latest']);
    expect(transactions).toMatchObject([{ nonce: '0x7' }, { nonce: '0x2' }, { nonce: '0x2' }]);
    expect(await accountNonce(fixture)).toBe('0x3');
  },
);

test('with a block for each transaction, only the nonce of the account is executed', async () => {
  const fixture = await startFixture();
  expect(await failure(fixture, 1, 1)).toMatchObject(REJECTED);
  await send(fixture, 0, 1);
  expect(await failure(fixture, 0, 2)).toMatchObject(REJECTED);
  expect(await accountNonce(fixture)).toBe('0x1');
});
