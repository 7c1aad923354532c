// The origin of a fork: its last block, the engine's reads, and no later data.
import { membersOf } from '@starkbox/abi/basics';
import { Block, State, StateSource } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { balanceSlot, STRK } from '@starkbox/test-support/signing';
import { afterAll, describe, expect, test } from 'vitest';
import { OriginFailure } from '../../src/fork/origin/failure.js';
import { mint, startOrigin } from '../support/fork/origin.js';
import { classHashOf, classText, nonceOf, storageOf } from '../support/fork/state-reads.js';

const hashes: string[] = [];

const origin = await startOrigin();
const { node } = origin;
for (let block = 1; block <= 4; block += 1) await mint(node, '0x1234', block * 100);
for (let block_number = 0; block_number <= 4; block_number += 1) {
  const block = await node.request('starknet_getBlockWithTxHashes', {
    block_id: { block_number },
  });
  hashes.push(String(membersOf(block)['block_hash']));
}
afterAll(() => origin.close());

describe('the fork point', () => {
  test('is the latest block by default', async () => {
    const upstream = await origin.connect();
    expect(upstream.block).toMatchObject({ number: 4, hash: hashes[4], parentHash: hashes[3] });
    expect(upstream.block).toMatchObject({ starknetVersion: '0.14.4', l1DaMode: 'BLOB' });
    expect(upstream.block.prices.l2_gas_price).toEqual({
      price_in_fri: '0x3b9aca00',
      price_in_wei: '0x3b9aca00',
    });
    expect(upstream.chainId).toBe('0x534e5f5345504f4c4941');
    expect(upstream.specVersion).toMatch(/^0\.10\./);
  });

  test('can be a number, a hash, or so many blocks ago', async () => {
    expect((await origin.connect({ block: 2 })).block.hash).toBe(hashes[2]);
    expect((await origin.connect({ block: hashes[1] })).block.number).toBe(1);
    expect((await origin.connect({ block: -3 })).block.number).toBe(1);
    expect((await origin.connect({ block: -300 })).block.number).toBe(0);
  });

  test('takes one request, or two for an offset', async () => {
    origin.proxy.forget();
    await origin.connect({ block: 2 });
    expect(origin.proxy.requests).toBe(1);
    await origin.connect({ block: -2 });
    expect(origin.proxy.requests).toBe(3);
  });

  test.each([99, '0x99'])('must exist: %s', async (block) => {
    await expect(origin.connect({ block })).rejects.toMatchObject({
      code: ERRORS.BLOCK_NOT_FOUND.code,
    });
  });

  test('needs an origin', async () => {
    await expect(
      origin.connect({ urls: ['http://127.0.0.1:1'], policy: { backoff: 1 } }),
    ).rejects.toMatchObject({ kind: 'unreachable', url: 'http://127.0.0.1:1' });
  });
});

describe('state', () => {
  test('is that of the fork point', async () => {
    const [early, late] = [await origin.connect({ block: 2 }), await origin.connect()];
    expect(await storageOf(early, STRK, balanceSlot('0x1234'))).toBe('0x12c');
    expect(await storageOf(late, STRK, balanceSlot('0x1234'))).toBe('0x3e8');
    expect(await classHashOf(early, STRK)).toBe(origin.node.tokens.strk.classHash);
  });

  test('of an earlier block can be read as well', async () => {
    const upstream = await origin.connect({ block: 3 });
    const earlier = await upstream.at(1);
    expect(earlier.block.hash).toBe(hashes[1]);
    expect(await storageOf(earlier, STRK, balanceSlot('0x1234'))).toBe('0x64');
    expect(await storageOf(upstream, STRK, balanceSlot('0x1234'))).toBe('0x258');
    await expect(earlier.hashOf(2)).rejects.toMatchObject({ code: ERRORS.BLOCK_NOT_FOUND.code });
    await expect(upstream.at(4)).rejects.toMatchObject({ code: ERRORS.BLOCK_NOT_FOUND.code });
    await earlier.close();
    expect(await nonceOf(upstream, '0x77')).toBe('0x0');
  });

  test('of a block that the origin no longer has is a failure and no zero', async () => {
    const upstream = await origin.connect();
    origin.proxy.mishap = () => ({
      kind: 'error',
      code: ERRORS.BLOCK_NOT_FOUND.code,
      message: 'Block not found',
    });
    await expect(storageOf(upstream, STRK, '0x1')).rejects.toBeInstanceOf(OriginFailure);
    await expect(classText(upstream, '0x1')).rejects.toBeInstanceOf(OriginFailure);
    origin.proxy.mishap = () => undefined;
  });

  test('runs in the engine: contracts of either language are called on it', async () => {
    const upstream = await origin.connect();
    const state = State.create({ version: 5, source: new StateSource(upstream.ask) });
    const block = new Block({
      number: 5,
      timestamp: 1_700_000_000,
      sequencer_address: '0x1000',
      chain_id: 'SN_SEPOLIA',
      fee_tokens: { strk: STRK, eth: origin.node.tokens.eth.address },
      gas_prices: { l1_gas: GWEI, l1_data_gas: GWEI, l2_gas: GWEI },
    });
    const { result } = await state.call(block, {
      contract_address: STRK,
      entry_point_selector: BALANCE_OF,
      calldata: ['0x1234'],
    });
    expect(result).toEqual(['0x3e8', '0x0']);
    const legacyUdc = '0x41a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf';
    const hash = await state.classHashAt(legacyUdc);
    expect((await state.class(hash))?.kind).toBe('cairo0');
  });

  test('that the origin does not give fails the execution with the reason', async () => {
    const upstream = await origin.connect({ policy: { attempts: 2, backoff: 1 } });
    const state = State.create({ version: 5, source: new StateSource(upstream.ask) });
    origin.proxy.mishap = () => ({ kind: 'status', status: 503 });
    await expect(state.storageAt(STRK, '0x1')).rejects.toMatchObject({
      kind: 'state_source',
      message: expect.stringContaining('it returned status 503'),
    });
    origin.proxy.mishap = () => undefined;
    expect(await state.storageAt(STRK, '0x1')).toBe('0x0');
  });

  test('is read at once by executions that run at once', async () => {
    const upstream = await origin.connect();
    const state = State.create({ version: 5, source: new StateSource(upstream.ask) });
    origin.proxy.forget();
    origin.proxy.delay = 50;
    const readers = Array.from({ length: 32 }, async (_, reader) => {
      for (let slot = 1; slot <= 10; slot += 1) {
        await state.storageAt(STRK, `0x${(1000 * reader + slot).toString(16)}`);
      }
    });
    await Promise.all(readers);
    origin.proxy.delay = 0;
    expect(origin.proxy.reads).toBe(320);
    // One after another, each would be a request of its own, and never two at once.
    const { mostAtOnce, requests } = origin.proxy;
    expect(Math.max(mostAtOnce, 320 / requests)).toBeGreaterThan(2);
  });
});

describe('the past', () => {
  test('is the origin’s own, by number and by hash', async () => {
    const upstream = await origin.connect({ block: 2 });
    for (const block_id of [{ block_number: 1 }, { block_hash: hashes[1] }]) {
      for (const method of ['starknet_getBlockWithTxs', 'starknet_getStateUpdate']) {
        const expected = await origin.node.requestRaw(method, { block_id });
        expect(JSON.parse((await upstream.forward(method, { block_id })).text)).toEqual(expected);
      }
    }
    expect(await upstream.hashOf(1)).toBe(hashes[1]);
    expect(await upstream.numberOf(String(hashes[1]))).toBe(1);
  });

  test('ends at the fork point', async () => {
    const upstream = await origin.connect({ block: 2 });
    for (const block_id of [
      { block_number: 3 },
      { block_hash: hashes[3] },
      { block_hash: '0x99' },
    ]) {
      await expect(
        upstream.forward('starknet_getBlockWithTxs', { block_id }),
      ).rejects.toMatchObject({ code: ERRORS.BLOCK_NOT_FOUND.code });
      await expect(
        upstream.forward('starknet_getNonce', { block_id, contract_address: STRK }),
      ).rejects.toMatchObject({ code: ERRORS.BLOCK_NOT_FOUND.code });
      await expect(
        upstream.forward('starknet_getEvents', { filter: { to_block: block_id, chunk_size: 9 } }),
      ).rejects.toMatchObject({ code: ERRORS.BLOCK_NOT_FOUND.code });
    }
  });

  test('holds the transactions up to the fork point and no later ones', async () => {
    const upstream = await origin.connect({ block: 2 });
    const [early, late] = await Promise.all([2, 3].map((number) => firstTransaction(number)));
    const methods = [
      'starknet_getTransactionByHash',
      'starknet_getTransactionReceipt',
      'starknet_getTransactionStatus',
      'starknet_traceTransaction',
    ];
    for (const method of methods) {
      const expected = await origin.node.requestRaw(method, { transaction_hash: early });
      const answer = await upstream.forward(method, { transaction_hash: early });
      expect(JSON.parse(answer.text)).toEqual(expected);
      await expect(upstream.forward(method, { transaction_hash: late })).rejects.toMatchObject({
        code: ERRORS.TXN_HASH_NOT_FOUND.code,
      });
    }
    expect(await upstream.blockOf(String(early))).toBe(2);
  });

  test('is read by number or hash', async () => {
    const upstream = await origin.connect();
    await expect(
      upstream.forward('starknet_getBlockWithTxs', { block_id: 'latest' }),
    ).rejects.toThrow(/"latest" is not a block/);
  });

  test('that cannot be read is a failure', async () => {
    const upstream = await origin.connect({ policy: { attempts: 1 } });
    origin.proxy.mishap = () => ({ kind: 'reset' });
    await expect(
      upstream.forward('starknet_getBlockWithTxs', { block_id: { block_number: 0 } }),
    ).rejects.toMatchObject({ kind: 'unreachable', code: ERRORS.INTERNAL_ERROR.code });
    origin.proxy.mishap = () => undefined;
  });
});

async function firstTransaction(block_number: number): Promise<string> {
  const block = await origin.node.request('starknet_getBlockWithTxHashes', {
    block_id: { block_number },
  });
  const { transactions } = membersOf(block);
  return Array.isArray(transactions) ? String(transactions[0]) : '';
}

const GWEI = { fri: '0x3b9aca00', wei: '0x3b9aca00' };
const BALANCE_OF = '0x35a73cd311a05d46deda634c5ee045db92f811b4e74bca4437fcb5302b7af33';
