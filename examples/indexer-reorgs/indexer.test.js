// The indexer agrees with the contract before a reorg and after it.
import './websocket.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestChain } from '@starkbox/testing';
import { Indexer } from './indexer.js';

const artifact = new URL('./contracts/token.sierra.json', import.meta.url);

test('balances follow the chain when blocks are removed and replaced', async (t) => {
  const chain = await createTestChain();
  t.after(() => chain.close());
  const [owner, alice, bob] = chain.accounts;
  const token = await chain.deployContract(artifact, ['Example', 'EXM', 1000n, owner.address]);
  const { url } = await chain.listen();
  const indexer = await Indexer.follow(`${url.replace('http', 'ws')}/ws`, token.address);
  t.after(() => indexer.close());

  const send = async (to, amount) => {
    const { transaction_hash } = await token.invoke('transfer', [to.address, amount]);
    return chain.provider.waitForTransaction(transaction_hash);
  };
  const agrees = async () => {
    for (const { address } of [alice, bob]) {
      assert.equal(indexer.balanceOf(address), await token.call('balance_of', [address]));
    }
  };

  await send(alice, 100n);
  const { block_number } = await send(bob, 20n);
  await indexer.until((it) => it.balanceOf(bob.address) === 20n);
  await agrees();

  // The reorg removes the block with bob's tokens and puts another block in its place.
  await chain.request('devnet_abortBlocks', { starting_block_id: { block_number } });
  await indexer.until((it) => it.reorgs === 1);
  assert.equal(indexer.balanceOf(bob.address), 0n);
  await agrees();

  await send(bob, 3n);
  await indexer.until((it) => it.balanceOf(bob.address) === 3n);
  assert.equal(indexer.balanceOf(alice.address), 100n);
  await agrees();
});
