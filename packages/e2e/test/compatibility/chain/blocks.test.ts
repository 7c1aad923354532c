// When blocks are made, and what is in them and visible before.
import { ERRORS } from '@starkbox/spec';
import { type Fixture, startFixture } from '@starkbox/test-support/fixture';
import {
  ACCOUNT_CLASS,
  contract,
  deployment,
  ETH,
  hex,
  MINTER,
  read,
  Sender,
  STRK,
  selector,
} from '@starkbox/test-support/signing';
import { beforeAll, describe, expect, test } from 'vitest';

const RECEIVER = '0x1';
const AMOUNT = 10;

async function mintTimes({ client }: Fixture, times: number): Promise<readonly string[]> {
  const hashes: string[] = [];
  for (let i = 0; i < times; i += 1) {
    const minted = await client.call('devnet_mint', { address: RECEIVER, amount: AMOUNT });
    hashes.push(minted.tx_hash);
  }
  return hashes;
}

async function balanceAt({ client }: Fixture, block_id: unknown): Promise<string> {
  const query = { address: RECEIVER, block_id };
  return (await client.call('devnet_getAccountBalance', query)).amount;
}

/** Members that a block under construction does not have. */
const OF_CLOSED_BLOCKS = [
  'status',
  'block_hash',
  'parent_hash',
  'new_root',
  'state_diff_commitment',
  'state_diff_length',
  'transaction_commitment',
  'event_commitment',
  'receipt_commitment',
  'transaction_count',
  'event_count',
];

/** All three forms of a block, without what is in it. */
async function expectPending({ client }: Fixture, number: number, hashes: readonly string[]) {
  const block = await client.call('starknet_getBlockWithTxHashes', ['pre_confirmed']);
  expect(block).toMatchObject({ block_number: number, transactions: hashes });
  const whole = await client.call('starknet_getBlockWithTxs', ['pre_confirmed']);
  expect(whole.transactions).toHaveLength(hashes.length);
  for (const name of OF_CLOSED_BLOCKS) {
    expect(block).not.toHaveProperty(name);
    expect(whole).not.toHaveProperty(name);
  }
}

const NOTHING = {
  storage_diffs: [],
  nonces: [],
  deployed_contracts: [],
  declared_classes: [],
  deprecated_declared_classes: [],
  replaced_classes: [],
};

describe('a block per transaction', () => {
  let fixture: Fixture;
  let hashes: readonly string[];
  beforeAll(async () => {
    fixture = await startFixture();
    hashes = await mintTimes(fixture, 5);
  });

  test('blocks.1a both tags see the balance', async () => {
    expect(await balanceAt(fixture, 'latest')).toBe('50');
    expect(await balanceAt(fixture, 'pre_confirmed')).toBe('50');
  });

  test('blocks.1a the latest block holds the last transaction alone', async () => {
    const { client } = fixture;
    expect(await client.call('starknet_blockNumber')).toBe(5);
    const block = await client.call('starknet_getBlockWithTxHashes', ['latest']);
    expect(block).toMatchObject({
      status: 'ACCEPTED_ON_L2',
      block_number: 5,
      transactions: hashes.slice(4),
      transaction_count: 1,
      event_count: 2,
      new_root: '0x0',
      sequencer_address: '0x1000',
      starknet_version: '0.14.4',
      l1_da_mode: 'BLOB',
    });
    const { events } = await client.call('starknet_getEvents', [
      { from_block: 'latest', to_block: 'latest', chunk_size: 10 },
    ]);
    expect(events.map((event) => event.from_address)).toEqual([STRK, STRK]);
    expect(await client.call('starknet_blockHashAndNumber')).toEqual({
      block_number: 5,
      block_hash: 'block_hash' in block ? block.block_hash : undefined,
    });
  });

  test('blocks.1a nothing waits', async () => {
    await expectPending(fixture, 6, []);
  });

  test('blocks.1a blocks are linked', async () => {
    const { client } = fixture;
    let parent = '0x0';
    for (let number = 0; number <= 5; number += 1) {
      const block = await client.call('starknet_getBlockWithTxHashes', [{ block_number: number }]);
      expect(block).toHaveProperty('parent_hash', parent);
      parent = 'block_hash' in block ? block.block_hash : '';
    }
  });

  test('blocks.1b the state update of the latest block', async () => {
    const { client } = fixture;
    const update = await client.call('starknet_getStateUpdate', ['latest']);
    expect(Object.keys(update).sort()).toEqual([
      'block_hash',
      'new_root',
      'old_root',
      'state_diff',
    ]);
    expect(update).toMatchObject({
      new_root: '0x0',
      old_root: '0x0',
      state_diff: {
        ...NOTHING,
        nonces: [{ contract_address: MINTER, nonce: '0x5' }],
        storage_diffs: [{ address: STRK, storage_entries: expect.any(Array) }],
      },
    });
  });

  test('blocks.1b the state update of the block under construction', async () => {
    expect(await fixture.client.call('starknet_getStateUpdate', ['pre_confirmed'])).toEqual({
      old_root: '0x0',
      state_diff: NOTHING,
    });
  });

  test('blocks.1b every transaction is accepted', async () => {
    for (const hash of hashes) {
      expect(await fixture.client.call('starknet_getTransactionStatus', [hash])).toEqual({
        finality_status: 'ACCEPTED_ON_L2',
        execution_status: 'SUCCEEDED',
        failure_reason: null,
      });
    }
  });
});

describe('blocks on demand', () => {
  let fixture: Fixture;
  let hashes: readonly string[];
  beforeAll(async () => {
    fixture = await startFixture({ blockGenerationOn: 'demand' });
    hashes = await mintTimes(fixture, 5);
  });

  test('blocks.2a only the block under construction has the transactions', async () => {
    const { client } = fixture;
    expect(await balanceAt(fixture, 'latest')).toBe('0');
    expect(await balanceAt(fixture, 'pre_confirmed')).toBe('50');
    expect(await client.call('starknet_blockNumber')).toBe(0);
    await expectPending(fixture, 1, hashes);
    expect(await client.call('starknet_getBlockTransactionCount', ['pre_confirmed'])).toBe(5);
  });

  test('blocks.2a its state update adds up', async () => {
    const update = await fixture.client.call('starknet_getStateUpdate', ['pre_confirmed']);
    expect(Object.keys(update).sort()).toEqual(['old_root', 'state_diff']);
    expect(update.state_diff.nonces).toEqual([{ contract_address: MINTER, nonce: '0x5' }]);
  });

  test('blocks.2a transactions wait', async () => {
    const { client } = fixture;
    for (const [index, hash] of hashes.entries()) {
      expect(await client.call('starknet_getTransactionStatus', [hash])).toEqual({
        finality_status: 'PRE_CONFIRMED',
        execution_status: 'SUCCEEDED',
        failure_reason: null,
      });
      const receipt = await client.call('starknet_getTransactionReceipt', [hash]);
      expect(receipt).toMatchObject({ finality_status: 'PRE_CONFIRMED', block_number: 1 });
      expect(receipt).not.toHaveProperty('block_hash');
      expect(
        await client.call('starknet_getTransactionByBlockIdAndIndex', ['pre_confirmed', index]),
      ).toHaveProperty('transaction_hash', hash);
    }
  });

  test('blocks.3 the block under construction has no status, with receipts either', async () => {
    const block = await fixture.client.call('starknet_getBlockWithReceipts', ['pre_confirmed']);
    expect(block.transactions).toHaveLength(5);
    for (const name of OF_CLOSED_BLOCKS) expect(block).not.toHaveProperty(name);
  });

  test('blocks.2b one block holds all of them, in order', async () => {
    const { client } = fixture;
    const { block_hash } = await client.call('devnet_createBlock');
    const block = await client.call('starknet_getBlockWithTxHashes', ['latest']);
    expect(block).toMatchObject({
      status: 'ACCEPTED_ON_L2',
      block_hash,
      block_number: 1,
      transactions: hashes,
      transaction_count: 5,
      event_count: 10,
    });
    const { events } = await client.call('starknet_getEvents', [
      { from_block: { block_hash }, to_block: { block_hash }, chunk_size: 100 },
    ]);
    expect(events).toHaveLength(10);
    expect(new Set(events.map((event) => event.transaction_hash))).toEqual(new Set(hashes));
    expect(await balanceAt(fixture, 'latest')).toBe('50');
    expect(await client.call('starknet_getTransactionStatus', [hashes[0]])).toMatchObject({
      finality_status: 'ACCEPTED_ON_L2',
    });
  });

  test('blocks.2b nothing waits any more', async () => {
    await expectPending(fixture, 2, []);
    expect(await fixture.client.call('starknet_getStateUpdate', ['pre_confirmed'])).toEqual({
      old_root: '0x0',
      state_diff: NOTHING,
    });
  });

  test('blocks.2b a block may be empty', async () => {
    const { client } = fixture;
    const { block_hash } = await client.call('devnet_createBlock');
    expect(await client.call('starknet_getBlockWithTxs', ['latest'])).toMatchObject({
      block_hash,
      block_number: 2,
      transactions: [],
      transaction_count: 0,
      event_count: 0,
    });
  });
});

describe('several kinds of transaction in one block', () => {
  test('blocks.4 two declarations in one block', async () => {
    const { client, sender } = await startFixture({ blockGenerationOn: 'demand' });
    const classes = [await contract('counter'), await contract('emitter')];
    const hashes: string[] = [];
    for (const declared of classes) hashes.push(await sender.declare(declared));
    const { block_hash } = await client.call('devnet_createBlock');

    const declared = classes.map(({ hash, compiledHash }) => ({
      class_hash: hash,
      compiled_class_hash: compiledHash,
    }));
    const nonce = (value: number) => [
      { contract_address: sender.account.address, nonce: hex(value) },
    ];
    for (const [index, hash] of hashes.entries()) {
      const trace = await client.call('starknet_traceTransaction', [hash]);
      expect(trace.state_diff?.declared_classes).toEqual([declared[index]]);
      expect(trace.state_diff?.nonces).toEqual(nonce(index + 1));
    }
    for (const block_id of ['latest', { block_hash }]) {
      const { state_diff } = await client.call('starknet_getStateUpdate', [block_id]);
      expect(sorted(state_diff.declared_classes)).toEqual(sorted(declared));
      expect(state_diff.nonces).toEqual(nonce(2));
    }
  });

  test('blocks.5 declaring, deploying and invoking in one block', async () => {
    const { client, sender } = await startFixture({ blockGenerationOn: 'demand' });
    const counter = await contract('counter');
    await sender.declare(counter);
    const { call, address } = deployment(counter.hash, ['0x0']);
    await sender.invoke([call]);
    for (const amount of ['0xa', '0x14']) {
      await sender.invoke([{ to: address, name: 'increase', calldata: [amount] }]);
    }
    const request = {
      contract_address: address,
      entry_point_selector: selector('get'),
      calldata: [],
    };
    expect(await client.failure('starknet_call', [request, 'latest'])).toMatchObject({
      code: ERRORS.CONTRACT_NOT_FOUND.code,
    });
    expect(await read(client, address, 'get', [], 'pre_confirmed')).toEqual(['0x1e']);

    await client.call('devnet_createBlock');
    expect(await read(client, address, 'get')).toEqual(['0x1e']);
    const block = await client.call('starknet_getBlockWithReceipts', ['latest']);
    expect(block.transactions.map(({ transaction }) => transaction.type)).toEqual([
      'DECLARE',
      'INVOKE',
      'INVOKE',
      'INVOKE',
    ]);
    for (const { receipt } of block.transactions) {
      expect(receipt.execution_status).toBe('SUCCEEDED');
    }
    // Fees of four, the deployment, and two raised counts.
    expect(block).toMatchObject({ transaction_count: 4, event_count: 4 + 1 + 2 });
  });
});

describe.each(['transaction', 'demand'] as const)('a fresh chain (%s)', (blockGenerationOn) => {
  test('blocks.8 both tags agree on a predeployed account', async () => {
    const { client, node } = await startFixture({ blockGenerationOn });
    const { address = '', publicKey } = node.accounts[0] ?? {};
    const key = '0x1379ac0624b939ceb9dede92211d7db5ee174fe28be72245b0a1a2abd81c98f';
    for (const tag of ['latest', 'pre_confirmed']) {
      expect(await client.call('starknet_getNonce', [tag, address])).toBe('0x0');
      expect(await client.call('starknet_getClassHashAt', [tag, address])).toBe(ACCOUNT_CLASS);
      expect(await client.call('starknet_getStorageAt', [address, key, tag])).toBe(publicKey);
      const { abi } = await client.call('starknet_getClassAt', [tag, address]);
      expect(abi).toContain('__execute__');
    }
  });
});

describe('the latest block', () => {
  test('blocks.9 it is found by hash and number without kept history', async () => {
    const fixture = await startFixture({ stateArchive: 'none' });
    const { client, node } = fixture;
    const sender = new Sender(client, node.accounts[0]);
    await mintTimes(fixture, 1);
    await sender.invoke([{ to: ETH, name: 'transfer', calldata: [RECEIVER, '0x7', '0x0'] }]);
    const { block_hash, block_number } = await client.call('starknet_blockHashAndNumber');
    expect(block_number).toBe(2);

    const { address } = sender.account;
    for (const block_id of [{ block_hash }, { block_number }, 'latest']) {
      expect(await client.call('starknet_getNonce', [block_id, address])).toBe('0x1');
      expect(await client.call('starknet_getClassHashAt', [block_id, address])).toBe(ACCOUNT_CLASS);
      expect(await read(client, ETH, 'balanceOf', [RECEIVER], block_id)).toEqual(['0x7', '0x0']);
      expect(await balanceAt(fixture, block_id)).toBe('10');
    }
    expect(await client.failure('starknet_getNonce', [{ block_number: 1 }, address])).toMatchObject(
      { code: -1 },
    );
  });

  test('blocks.10 receipts inside a block do not repeat the block', async () => {
    const fixture = await startFixture();
    const [hash] = await mintTimes(fixture, 1);
    const block = await fixture.client.call('starknet_getBlockWithReceipts', ['latest']);
    expect(block).toHaveProperty('status', 'ACCEPTED_ON_L2');
    expect(block.transactions).toHaveLength(1);
    for (const { receipt, transaction } of block.transactions) {
      expect(receipt).toMatchObject({
        transaction_hash: hash,
        finality_status: 'ACCEPTED_ON_L2',
        execution_status: 'SUCCEEDED',
      });
      expect(receipt).not.toHaveProperty('block_hash');
      expect(receipt).not.toHaveProperty('block_number');
      expect(transaction).not.toHaveProperty('transaction_hash');
    }
  });
});

function sorted<T extends { readonly class_hash: string }>(list: readonly T[]): readonly T[] {
  return [...list].sort((a, b) => a.class_hash.localeCompare(b.class_hash));
}
