// Forks of an origin that serves an older version of the specification.

import { ERRORS } from '@starkbox/spec';
import { checkedClient, type ListeningNode, overHttp } from '@starkbox/test-support';
import { mint, startPair } from '@starkbox/test-support/fork/pair';
import { Sender, STRK, selector } from '@starkbox/test-support/signing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ETH = '0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7';
const L1 = `0x${'cd'.repeat(32)}`;

let minted: string;
const pair = await startPair(async (origin) => {
  minted = await mint(origin, '0x1234', 100);
  await origin.client.call('devnet_postmanSendMessageToL2', {
    l1_transaction_hash: L1,
    l1_contract_address: `0x${'1'.repeat(40)}`,
    l2_contract_address: STRK,
    entry_point_selector: selector('nothing'),
    payload: [],
    paid_fee_on_l1: '0x1234567',
    nonce: '0x1',
  });
  await origin.client.call('devnet_createBlock');
});
afterAll(() => pair.close());

describe.each(['v0_8', 'v0_9'] as const)('%s', (version) => {
  let fork: ListeningNode;
  beforeAll(async () => {
    fork = await pair.fork({ forkNetwork: `${pair.origin.url}/rpc/${version}` });
  });

  test('the chain goes on, with the state of the origin', async () => {
    const { client, node } = fork;
    const sender = new Sender(client, node.accounts[0]);
    const hash = await sender.invoke([
      { to: STRK, name: 'transfer', calldata: ['0x1234', '0x5', '0x0'] },
    ]);
    expect(await client.call('starknet_getTransactionReceipt', [hash])).toMatchObject({
      execution_status: 'SUCCEEDED',
      block_number: 5,
    });
    const request = {
      contract_address: STRK,
      entry_point_selector: selector('balanceOf'),
      calldata: ['0x1234'],
    };
    expect(await client.call('starknet_call', [request, 'latest'])).toEqual(['0x69', '0x0']);
  });

  test('its past is read in every version that says no more than the origin', async () => {
    const older = checkedClient(overHttp(`${fork.url}/rpc/${version}`), version);
    const hash = { transaction_hash: minted };
    for (const block_id of [{ block_number: 1 }, { block_number: 0 }]) {
      for (const name of ['TxHashes', 'Txs', 'Receipts']) {
        const block = await older.ask(`starknet_getBlockWith${name}`, { block_id });
        expect(block).toMatchObject({ ...block_id, status: 'ACCEPTED_ON_L2' });
      }
      await older.ask('starknet_getStateUpdate', { block_id });
      await older.ask('starknet_traceBlockTransactions', { block_id });
    }
    expect(await older.ask('starknet_getTransactionReceipt', hash)).toMatchObject({
      block_number: 1,
    });
    await older.ask('starknet_getTransactionByHash', hash);
    await older.ask('starknet_getTransactionStatus', hash);
    await older.ask('starknet_traceTransaction', hash);
    const { events } = Object(await older.ask('starknet_getEvents', [{ chunk_size: 100 }]));
    expect(events.length).toBeGreaterThan(0);
    if (version === 'v0_9') {
      const { code } = await older.failure('starknet_getNonce', ['l1_accepted', STRK]);
      expect(code).toBe(ERRORS.BLOCK_NOT_FOUND.code);
    }
  });

  test('the newest version asks the origin in its own', async () => {
    const block_id = { block_number: 1 };
    const flags = { response_flags: ['INCLUDE_PROOF_FACTS'] };
    expect(
      await fork.node.requestRaw('starknet_getBlockWithTxs', { block_id, ...flags }),
    ).toMatchObject(block_id);
    const filter = { from_block: { block_number: 0 }, to_block: block_id, chunk_size: 100 };
    const both = Object(
      await fork.node.requestRaw('starknet_getEvents', [{ ...filter, address: [STRK, ETH] }]),
    );
    const all = Object(await fork.node.requestRaw('starknet_getEvents', [filter]));
    expect(both.events.length).toBeGreaterThan(0);
    expect(both.events.length).toBeLessThanOrEqual(all.events.length);
    const [message] = Object(await fork.node.requestRaw('starknet_getMessagesStatus', [L1]));
    expect(message).toMatchObject({ execution_status: 'REVERTED' });
    const refused = fork.node.requestRaw('starknet_traceBlockTransactions', {
      block_id,
      trace_flags: ['RETURN_INITIAL_READS'],
    });
    await expect(refused).rejects.toThrow(/origin serves JSON-RPC 0\.[89]\.\d, .*INITIAL_READS/);
    const addresses = { block_id, contract_addresses: [STRK] };
    await expect(fork.node.requestRaw('starknet_getStateUpdate', addresses)).rejects.toThrow(
      /origin serves/,
    );
  });
});
