// Facts of tokens: a call that did not run leaves nothing behind.
import { expect, onTestFinished, test } from 'vitest';
import { Abis } from '../../src/chain/queries/abis.js';
import { TokenFacts } from '../../src/chain/queries/token-facts.js';
import { STRK } from '../../src/predeployed.js';
import { bareChain } from '../support/bare-chain.js';

test('a client that leaves ends the calls of tokens, and the next one gets their names', async () => {
  const chain = await bareChain('demand');
  onTestFinished(() => chain.close());
  const { world } = chain;
  const classHash = await world.pendingState.classHashAt(STRK);
  const facts = new TokenFacts(chain, new Abis());
  await expect(facts.of(world, STRK, classHash, AbortSignal.abort())).rejects.toThrow();
  expect(await facts.of(world, STRK, classHash)).toMatchObject({ symbol: 'STRK', decimals: 18 });
});
