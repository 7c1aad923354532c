// Block contexts from plain values, and commitments and hashes of finished blocks.

import { Block, EngineError, type Receipt, starknetKeccak } from '@starkbox/engine';
import { describe, expect, test } from 'vitest';
import {
  accountClass,
  block,
  blockValues,
  firstAccount,
  genesis,
  hex,
  place,
  transfer,
} from '../fixtures/chain.js';

const chain = await genesis(await accountClass());
const account = firstAccount(chain);

const refused = (kind: string) => expect.objectContaining({ name: 'EngineError', kind });

describe('a block context', () => {
  test.each([
    ['an unknown field', { nonsense: 1 }],
    ['a negative number', { number: -1 }],
    ['a fractional time', { timestamp: 1.5 }],
    ['a malformed sequencer', { sequencer_address: '1000' }],
    ['an empty chain id', { chain_id: '' }],
    ['a price of zero', { gas_prices: prices('0') }],
    ['a price above 128 bits', { gas_prices: prices(hex(2n ** 128n)) }],
    ['a price that is no number', { gas_prices: prices('free') }],
    ['an unknown protocol version', { starknet_version: '9.9.9' }],
    ['a protocol version without constants', { starknet_version: '0.9.1' }],
    ['a malformed protocol version', { starknet_version: 'latest' }],
  ])('%s is refused', (_, change) => {
    expect(() => new Block({ ...blockValues(1), ...change })).toThrow(refused('input'));
  });

  test('prices may be decimal or hexadecimal and beyond 2^53', () => {
    for (const price of ['1', '0x1', hex(2n ** 128n - 1n), (2n ** 100n).toString()]) {
      expect(() => block(1, { gas_prices: prices(price) })).not.toThrow();
    }
  });

  test('an older protocol version charges by its own constants', async () => {
    const fee = async (starknet_version?: string) => {
      const context = block(1, starknet_version ? { starknet_version } : {});
      const execution = await chain.state.execute(context, transfer(account, '0x1', 1, 0));
      if (execution.outcome === 'rejected') throw new Error(execution.rejection.message);
      return execution.receipt.actual_fee.amount;
    };
    expect(await fee('0.14.4')).toBe(await fee());
    expect(await fee('0.13.4')).not.toBe(await fee());
  });

  test('the hash of an old block is read from the state', async () => {
    const placed = await place(chain.state, 'context', '0xc0de');
    const state = await placed.apply({
      storage_diffs: [{ address: '0x1', storage_entries: [{ key: hex(5), value: '0xabc' }] }],
    });
    const call = {
      contract_address: '0xc0de',
      entry_point_selector: starknetKeccak('block_hash'),
      calldata: [hex(5)],
    };
    expect(await state.call(block(20), call)).toEqual({ result: ['0xabc'] });
    expect((await state.call(block(14), call)).failure).toBeDefined();
  });
});

function prices(l1: string) {
  const price = { wei: '1', fri: '1' };
  return { l1_gas: { wei: l1, fri: '1' }, l1_data_gas: price, l2_gas: price };
}

describe('a finished block', () => {
  const EMPTY_DIFF = '0x49973925542c74a9d9ff0efaa98c61e1225d0aedb708092433cbbb20836d30a';

  test('without content has the known commitments', async () => {
    const state = chain.state.advance();
    const { seal } = await state.close(block(1), [], { parentHash: '0x5' });
    expect(seal).toMatchObject({
      transaction_commitment: '0x0',
      event_commitment: '0x0',
      receipt_commitment: '0x0',
      state_diff_commitment: EMPTY_DIFF,
      transaction_count: 0,
      event_count: 0,
      state_diff_length: 0,
    });
  });

  test('hashes its parent, number, time, prices and sequencer', async () => {
    const state = chain.state.advance();
    const hash = async (context: Block, parent = '0x5') =>
      (await state.close(context, [], { parentHash: parent })).seal.block_hash;
    const hashes = [
      await hash(block(1)),
      await hash(block(1), '0x6'),
      await hash(block(2)),
      await hash(block(1, { timestamp: 1 })),
      await hash(block(1, { gas_prices: prices('7') })),
      await hash(block(1, { sequencer_address: '0x2' })),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(await hash(block(1))).toBe(hashes[0]);
  });

  test('commits to reverted transactions and messages as well', async () => {
    const receipt: Receipt = {
      type: 'INVOKE',
      transaction_hash: '0x1',
      actual_fee: { amount: '0x10', unit: 'FRI' },
      messages_sent: [{ from_address: '0x2', to_address: '0x3', payload: ['0x4'] }],
      events: [{ from_address: '0x2', keys: ['0x5'], data: [] }],
      execution_status: 'REVERTED',
      revert_reason: 'because',
      execution_resources: { l1_gas: 1, l1_data_gas: 2, l2_gas: 3 },
      data_availability: { l1_gas: 0, l1_data_gas: 2, l2_gas: 0 },
    };
    const seal = async (change: Partial<Receipt>) => {
      const transactions = [{ signature: ['0x1'], receipt: { ...receipt, ...change } }];
      const { seal } = await chain.state.close(block(1), transactions, { parentHash: '0x0' });
      return seal.receipt_commitment;
    };
    const commitments = [
      await seal({}),
      await seal({ revert_reason: 'of that' }),
      await seal({ messages_sent: [] }),
      await seal({ actual_fee: { amount: '0x11', unit: 'FRI' } }),
      await seal({ execution_resources: { l1_gas: 1, l1_data_gas: 3, l2_gas: 3 } }),
    ];
    expect(new Set(commitments).size).toBe(commitments.length);
  });

  test('of a closed version, a malformed parent or malformed receipts is refused', async () => {
    expect(() => chain.state.native.diffOf(9)).toThrow();
    const old = chain.state.advance().at(chain.state.version);
    await expect(old.close(block(1), [], { parentHash: '0x0' })).rejects.toThrow(refused('state'));
    await expect(chain.state.close(block(1), [], { parentHash: 'x' })).rejects.toThrow(EngineError);
    await expect(
      chain.state.native.close(block(1).native, '[{"signature":[]}]', '0x0'),
    ).rejects.toThrow(/receipt/);
  });

  test('carries what is written at the start of the next one', async () => {
    const firstWrite = { address: '0x1', key: '0x5', value: '0xabc' };
    const { version } = chain.state;
    const closed = await chain.state.close(block(1), [], { parentHash: '0x0', firstWrite });
    expect(await closed.latest.storageAt('0x1', '0x5')).toBe('0x0');
    expect(await closed.next.storageAt('0x1', '0x5')).toBe('0xabc');
    expect([closed.latest.version, closed.next.version]).toEqual([version + 1, version + 1]);
    expect(closed.diff).toBe(chain.state.diffTextOf(version));
    const advanced = chain.state.advance(firstWrite);
    expect(await closed.next.diffTo(advanced)).toEqual(await advanced.diffTo(advanced));
    const malformed = { ...firstWrite, key: 'x' };
    expect(() => chain.state.advance(malformed)).toThrow(refused('input'));
  });
});
