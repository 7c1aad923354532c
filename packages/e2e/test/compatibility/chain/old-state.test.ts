// Reads and executions at past blocks: storage, balances, nonces and classes.

import { storageAddress } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import {
  contract,
  deployment,
  invokeRequest,
  padded,
  read,
  STRK,
  ZERO,
} from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';

const RECEIVER = '0x99';
const SLOT = storageAddress('ERC20_balances', [RECEIVER]);

const { client, sender } = await startFixture();
const counter = await contract('counter');
// Blocks 1 to 3 pay, block 4 is empty, block 5 declares, block 6 deploys.
for (const amount of ['0x1', '0x2', '0x3']) {
  await sender.invoke([{ to: STRK, name: 'transfer', calldata: [RECEIVER, amount, '0x0'] }]);
}
await client.call('devnet_createBlock');
await sender.declare(counter);
await sender.invoke([deployment(counter.hash, ['0x7']).call]);

const PAID = [0, 1, 3, 6, 6, 6, 6];
const NONCES = [0, 1, 2, 3, 3, 4, 5];

async function ids(number: number) {
  const id = { block_number: number };
  const block = await client.call('starknet_getBlockWithTxHashes', [id]);
  if (!('block_hash' in block)) throw new Error('the block is not closed');
  return [id, { block_hash: block.block_hash }];
}

describe('values of the past', () => {
  test('reads.8 storage, balance and nonce are those after each block', async () => {
    for (const [number, amount] of PAID.entries()) {
      for (const id of await ids(number)) {
        const slot = await client.call('starknet_getStorageAt', [STRK, SLOT, id]);
        expect(Number(slot)).toBe(amount);
        expect(await read(client, STRK, 'balance_of', [RECEIVER], id)).toEqual([slot, '0x0']);
        expect(
          await client.call('devnet_getAccountBalance', { address: RECEIVER, block_id: id }),
        ).toEqual({ amount: String(amount), unit: 'FRI' });
        const nonce = await client.call('starknet_getNonce', [id, sender.account.address]);
        expect(Number(nonce)).toBe(NONCES[number]);
      }
    }
  });

  test('reads.8 a slot tells the block that wrote it last, if asked', async () => {
    const response_flags = ['INCLUDE_LAST_UPDATE_BLOCK'];
    const at = (block_id: unknown) => ({ contract_address: STRK, key: SLOT, block_id });
    for (const [number, last_update_block] of [0, 1, 2, 3, 3, 3, 3].entries()) {
      const params = at({ block_number: number });
      const value = await client.call('starknet_getStorageAt', params);
      expect(Number(value)).toBe(PAID[number]);
      expect(await client.call('starknet_getStorageAt', { ...params, response_flags })).toEqual({
        value,
        last_update_block,
      });
    }
    expect(await client.call('starknet_getStorageAt', { ...at('latest'), response_flags })).toEqual(
      { value: '0x6', last_update_block: 3 },
    );
  });

  test('reads.8 a class and a contract are there from their blocks on', async () => {
    const { address } = deployment(counter.hash, ['0x7']);
    for (const number of [0, 4, 5, 6]) {
      for (const id of await ids(number)) {
        if (number < 5) {
          const { code } = await client.failure('starknet_getClass', [id, counter.hash]);
          expect(code).toBe(ERRORS.CLASS_HASH_NOT_FOUND.code);
        } else {
          const classBody = await client.call('starknet_getClass', [id, counter.hash]);
          expect(classBody).toEqual(counter.body);
        }
        if (number < 6) {
          expect((await client.failure('starknet_getClassAt', [id, address])).code).toBe(
            ERRORS.CONTRACT_NOT_FOUND.code,
          );
        } else {
          expect(await client.call('starknet_getClassAt', [id, address])).toEqual(counter.body);
        }
      }
    }
    for (const id of [{ block_number: 7 }, { block_hash: '0x1234' }]) {
      expect((await client.failure('starknet_getClass', [id, counter.hash])).code).toBe(
        ERRORS.BLOCK_NOT_FOUND.code,
      );
    }
  });
});

describe('executions in the past', () => {
  const reason = () => `Class with hash ${padded(counter.hash)} is not declared.\n`;
  const request = () => {
    const { call } = deployment(counter.hash, ['0x7'], { salt: '0x3' });
    const changes = { resource_bounds: ZERO };
    return invokeRequest(sender.account, [call], 3, { changes });
  };

  test('reads.8 deploying a class before it was declared fails in an estimate', async () => {
    const params = [[request()], [], { block_number: 4 }];
    const { code, data } = await client.failure('starknet_estimateFee', params);
    expect(code).toBe(ERRORS.TRANSACTION_EXECUTION_ERROR.code);
    expect(data).toMatchObject({
      transaction_index: 0,
      execution_error: {
        contract_address: sender.account.address,
        error: { error: { class_hash: counter.hash, selector: '0x0', error: reason() } },
      },
    });
  });

  test('reads.8 and reverts in a simulation, for the same reason', async () => {
    const params = [{ block_number: 4 }, [request()], ['SKIP_FEE_CHARGE']];
    const simulated = await client.call('starknet_simulateTransactions', params);
    expect(simulated).toMatchObject([
      {
        transaction_trace: {
          execute_invocation: { revert_reason: expect.stringMatching(new RegExp(`${reason()}$`)) },
        },
      },
    ]);
  });
});

test('reads.8 without history the state of old blocks is refused, and their contents are there', async () => {
  const { client, node } = await startFixture({ stateArchive: 'none' });
  await client.call('devnet_createBlock');
  const address = node.accounts[0]?.address;
  const genesis = await client.call('starknet_getBlockWithTxs', [{ block_number: 0 }]);
  if (!('block_hash' in genesis)) throw new Error('the block is not closed');
  const { block_hash } = genesis;
  for (const [id, blockText] of [
    [{ block_number: 0 }, 'Number(0)'],
    [{ block_hash }, `Hash(${block_hash})`],
  ] as const) {
    expect(await client.failure('starknet_getNonce', [id, address])).toMatchObject({
      code: -1,
      message: `No state at block ${blockText}; consider running with --state-archive-capacity full`,
    });
  }
  for (const id of ['latest', 'pre_confirmed', { block_number: 1 }]) {
    expect(await client.call('starknet_getNonce', [id, address])).toBe('0x0');
  }
});
