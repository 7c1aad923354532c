// Recordings with calls of older versions, which are replayed on the paths that they came from.
import { checkedClient, connectSocket, overHttp } from '@starkbox/conformance';
import { expect, test } from 'vitest';
import { STRK } from '../support/compatibility/signing.js';
import { startRecordedNode } from '../support/e2e/recorded-node.js';

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
