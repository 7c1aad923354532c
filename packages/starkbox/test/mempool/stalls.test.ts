// Changes of a long mempool leave the event loop free for other requests.
import { expect, test } from 'vitest';
import { startFixture } from '../support/compatibility/fixture.js';
import { invokeRequest, STRK } from '../support/compatibility/signing.js';

const CALL = { to: STRK, name: 'transfer', calldata: ['0x77', '0x1', '0x0'] };
const COUNT = 1000;
const EXECUTED = 400;

/** How many turns the event loop makes while something runs. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isDone = true;
  return turns;
}

test('selecting and returning many transactions takes more turns of the event loop than a few', {
  timeout: 300_000,
}, async () => {
  const { node, account } = await startFixture({ blockGenerationOn: 'mempool', timeout: 600 });
  const select = (count: number) => node.request('devnet_mempoolSelect', { count });
  const abort = () =>
    node.request('devnet_abortBlocks', {
      starting_block_id: 'latest',
      return_transactions: true,
    });
  const send = async (from: number, to: number): Promise<void> => {
    for (let nonce = from; nonce < to; nonce += 1) {
      const invoke_transaction = invokeRequest(account(), [CALL], nonce);
      await node.call('starknet_addInvokeTransaction', { invoke_transaction });
    }
  };
  await send(0, 1);
  const few = { select: await turnsDuring(() => select(1)), abort: 0 };
  await node.request('devnet_mempoolSeal', {});
  few.abort = await turnsDuring(abort);
  await send(1, COUNT);
  const many = { select: await turnsDuring(() => select(COUNT)), abort: 0 };
  await node.request('devnet_mempoolPreConfirm', { count: EXECUTED });
  await node.request('devnet_createBlock', {});
  many.abort = await turnsDuring(abort);
  expect(await node.request('devnet_mempoolList', {})).toMatchObject({ size: COUNT });
  expect.soft(many.select).toBeGreaterThan(few.select + 1);
  expect.soft(many.abort).toBeGreaterThan(few.abort + 1);
});
