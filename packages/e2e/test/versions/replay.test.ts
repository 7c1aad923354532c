// Recordings with calls of older versions, which are replayed on the paths that they came from.

import { ERRORS } from '@starkbox/spec';
import { checkedClient, connectSocket, hasPublishedSpec, overHttp } from '@starkbox/test-support';
import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { STRK } from '@starkbox/test-support/signing';
import { replayIn } from '@starkbox/test-support/version-replay';
import { expect, test } from 'vitest';

test('calls over HTTP and WebSocket are answered alike in a replay', async () => {
  const { url, account, provider, close } = await startRecordedNode();
  const older = checkedClient(overHttp(`${url}/rpc/v0_8`), 'v0_8');
  const socket = await connectSocket(url, 'v0_8');
  const id = String(await socket.ask('starknet_subscribePendingTransactions'));
  const { transaction_hash } = await account(0).execute({
    contractAddress: STRK,
    entrypoint: 'transfer',
    calldata: ['0x2', '0x1', '0x0'],
  });
  await provider.waitForTransaction(transaction_hash);
  expect(await socket.heard()).toMatchObject([{ subscription: id, result: transaction_hash }]);
  expect(await socket.ask('starknet_specVersion')).toBe('0.8.1');
  await socket.unsubscribe(id);
  await older.ask('starknet_getBlockWithReceipts', ['pending']);
  await socket.close();
  // Fails unless the replay answers alike.
  await close();
});

test.skipIf(!hasPublishedSpec('v0_8'))(
  'a replay in another version reports what is refused, differs or was not recorded',
  async () => {
    const call = (method: string, params: unknown, answer: object) => ({
      request: { jsonrpc: '2.0', id: 1, method, params },
      answer: { jsonrpc: '2.0', id: 1, ...answer },
    });
    const nonce = { result: '0x0' };
    const calls = [
      call('starknet_getNonce', ['pre_confirmed', STRK], nonce),
      call('starknet_getNonce', ['l1_accepted', STRK], nonce),
      call('starknet_getNonce', ['latest', '0x5'], nonce),
      call('starknet_getNonce', ['latest', '0x5'], {
        error: { code: ERRORS.BLOCK_NOT_FOUND.code },
      }),
      { missing: 1 },
    ];
    const { requests, refused, violations } = await replayIn('v0_8', calls, {});
    expect([requests, refused]).toEqual([4, 1]);
    expect(violations).toEqual([
      expect.stringMatching(/^v0_8: starknet_getNonce was refused: .*-32602/),
      expect.stringMatching(/"code":20.* in place of .*"0x0"/),
      expect.stringMatching(/"code":20.* in place of .*"code":24/),
      expect.stringMatching(/does not hold/),
    ]);
  },
);
