// A test of a project against the node that the workflow started.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Account, RpcProvider } from 'starknet';

const url = `http://127.0.0.1:${process.env.STARKBOX_PORT ?? 5050}`;
const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';

test('a transfer is accepted', async () => {
  const provider = new RpcProvider({ nodeUrl: url, transactionRetryIntervalFallback: 100 });
  const answer = await provider.channel.fetch('devnet_getPredeployedAccounts');
  const [{ address, private_key }] = (await answer.json()).result;
  const account = new Account({ provider, address, signer: private_key });
  const transfer = { contractAddress: STRK, entrypoint: 'transfer', calldata: ['0xabc', 5, 0] };
  const { transaction_hash } = await account.execute(transfer, { tip: 0 });
  const receipt = await provider.waitForTransaction(transaction_hash);
  assert.equal(receipt.execution_status, 'SUCCEEDED');
  const balance = await provider.callContract({
    contractAddress: STRK,
    entrypoint: 'balance_of',
    calldata: ['0xabc'],
  });
  assert.equal(BigInt(balance[0]), 5n);
});
