// Tests of a token with vitest. Each test has its own chain, on which the token is deployed.
import { fixture } from '@starkbox/testing';
import { withChain } from '@starkbox/testing/vitest';
import { expect } from 'vitest';

const artifact = new URL('./contracts/token.sierra.json', import.meta.url);

// Runs once. Later runs load the result, and each test starts with a copy of the chain.
const deployed = fixture(
  'token',
  async (chain) => {
    const [owner] = chain.accounts;
    const token = await chain.deployContract(artifact, ['Example', 'EXM', 1000n, owner.address]);
    return { token: token.address };
  },
  { artifacts: [artifact] },
);
const test = withChain(deployed);

test('the owner holds the supply', async ({ chain, data }) => {
  const token = await chain.contractAt(data.token);
  const [owner, other] = chain.accounts;
  expect(await token.call('total_supply')).toBe(1000n);
  expect(await token.call('balance_of', [owner.address])).toBe(1000n);
  expect(await token.call('balance_of', [other.address])).toBe(0n);
});

test('a transfer changes two balances and emits an event', async ({ chain, data }) => {
  const token = await chain.contractAt(data.token);
  const [owner, other] = chain.accounts;
  const transfer = token.invoke('transfer', [other.address, 300n]);
  await expect(transfer).toEmit(token, 'Transfer', {
    from: owner.address,
    to: other.address,
    value: 300n,
  });
  await expect(transfer).toChangeBalances(token, [
    [owner, -300n],
    [other, 300n],
  ]);
});

test('more than the balance is not transferred', async ({ chain, data }) => {
  const token = await chain.contractAt(data.token);
  const [owner, other] = chain.accounts;
  await expect(token.invoke('transfer', [other.address, 1001n])).toRevertWith(
    'token: balance too low',
  );
  expect(await token.call('balance_of', [owner.address])).toBe(1000n);
});

test('transfers may be sent at the same time', async ({ chain, data }) => {
  const token = await chain.contractAt(data.token);
  const other = chain.accounts[1];
  const amounts = [1n, 2n, 3n];
  await Promise.all(
    amounts.map(async (amount) => {
      const { transaction_hash } = await token.invoke('transfer', [other.address, amount]);
      await chain.provider.waitForTransaction(transaction_hash);
    }),
  );
  expect(await token.call('balance_of', [other.address])).toBe(6n);
});
