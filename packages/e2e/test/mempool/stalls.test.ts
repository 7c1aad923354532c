// Changes of a long mempool leave the event loop free for other requests.

import { startFixture } from '@starkbox/test-support/fixture';
import { invokeRequest, STRK } from '@starkbox/test-support/signing';
import { threadMilliseconds } from '@starkbox/test-support/thread-time';
import { expect, test } from 'vitest';

const CALL = { to: STRK, name: 'transfer', calldata: ['0x77', '0x1', '0x0'] };
const COUNT = 1000;
/** The part of a call's work that one turn of the event loop may do. */
const MAX_SHARE = 0.5;

/** The turns of the event loop while something runs: their number, and the longest as a part of what they compute. */
async function turnsDuring(
  work: () => Promise<unknown>,
): Promise<{ readonly count: number; readonly longest: number }> {
  let isDone = false;
  let [count, longest] = [0, 0];
  const begun = threadMilliseconds();
  let last = begun;
  const turn = (): void => {
    const now = threadMilliseconds();
    longest = Math.max(longest, now - last);
    last = now;
    if (isDone) return;
    count += 1;
    setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isDone = true;
  turn();
  return { count, longest: longest / (last - begun) };
}

test('no turn takes most of the time of selecting or returning many transactions', {
  timeout: 600_000,
}, async () => {
  const options = { blockGenerationOn: 'mempool', timeout: 600 } as const;
  const { node, account } = await startFixture(options);
  for (let nonce = 0; nonce < COUNT; nonce += 1) {
    const invoke_transaction = invokeRequest(account(), [CALL], nonce);
    await node.requestRaw('starknet_addInvokeTransaction', { invoke_transaction });
  }
  const select = await turnsDuring(() => node.request('devnet_mempoolSelect', {}));
  await node.request('devnet_mempoolSeal', {});
  expect(await node.request('devnet_mempoolList', {})).toMatchObject({ size: 0, dropped: [] });
  const abort = await turnsDuring(() =>
    node.request('devnet_abortBlocks', { starting_block_id: 'latest', return_transactions: true }),
  );
  expect(await node.request('devnet_mempoolList', {})).toMatchObject({ size: COUNT });
  // Selecting is done on this thread alone, in slices.
  expect.soft(select.count).toBeGreaterThan(1);
  expect.soft(abort.longest).toBeLessThan(MAX_SHARE);
});
