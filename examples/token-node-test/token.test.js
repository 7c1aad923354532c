// Tests of a token with node:test. Each test has its own chain, on which the token is deployed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from '@starkbox/testing';
import { assertChangesBalances, assertEmits, assertRevertsWith } from '@starkbox/testing/matchers';
import { withChain } from '@starkbox/testing/node';

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

test(
  'the owner holds the supply',
  withChain(deployed, async (chain, data) => {
    const token = await chain.contractAt(data.token);
    const [owner, other] = chain.accounts;
    assert.equal(await token.call('total_supply'), 1000n);
    assert.equal(await token.call('balance_of', [owner.address]), 1000n);
    assert.equal(await token.call('balance_of', [other.address]), 0n);
  }),
);

test(
  'a transfer changes two balances and emits an event',
  withChain(deployed, async (chain, data) => {
    const token = await chain.contractAt(data.token);
    const [owner, other] = chain.accounts;
    const transfer = token.invoke('transfer', [other.address, 300n]);
    await assertEmits(transfer, token, 'Transfer', {
      from: owner.address,
      to: other.address,
      value: 300n,
    });
    await assertChangesBalances(transfer, token, [
      [owner, -300n],
      [other, 300n],
    ]);
  }),
);

test(
  'more than the balance is not transferred',
  withChain(deployed, async (chain, data) => {
    const token = await chain.contractAt(data.token);
    const [owner, other] = chain.accounts;
    await assertRevertsWith(
      token.invoke('transfer', [other.address, 1001n]),
      'token: balance too low',
    );
    assert.equal(await token.call('balance_of', [owner.address]), 1000n);
  }),
);
