// The time of blocks and contracts: how it is set and moved, and what waits for it.

import { sign } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { type Client, checkedClient } from '@starkbox/test-support';
import { runCommandLine } from '@starkbox/test-support/command-line';
import { openNode } from '@starkbox/test-support/fixture';
import {
  ACCOUNT_CLASS,
  type Call,
  contract,
  deployment,
  hex,
  read,
  Sender,
  STRK,
  selector,
  short,
} from '@starkbox/test-support/signing';
import type { Config } from 'starkbox';
import { constants, outsideExecution, typedData } from 'starknet';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

const NOW = 1_760_000_000;
const PAST = 1_000_000_000;
const FUTURE = 3_000_000_000;
const HOUR = 3600;

// Time stands still unless a test moves it.
const context = await contract('context');
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Started {
  readonly client: Client;
  readonly sender: Sender;
  readonly other: Sender;
}

async function start(config: Partial<Config> = {}): Promise<Started> {
  const node = await openNode({ seed: 0, accounts: 2, ...config });
  const client = checkedClient(node.handle);
  const [first, second] = node.accounts;
  return { client, sender: new Sender(client, first), other: new Sender(client, second) };
}

function letPass(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1000);
}

async function timeOf(client: Client, id: unknown = 'latest'): Promise<number> {
  return (await client.call('starknet_getBlockWithTxHashes', [id])).timestamp;
}

/** What the system call answers to a contract at the latest block. */
async function seenBy(client: Client, address: string, name = 'current'): Promise<number> {
  return Number((await read(client, address, name))[1]);
}

describe('what contracts see', () => {
  test.each([
    { when: 'the past', time: PAST },
    { when: 'the future', time: FUTURE },
  ])('time.1 the system call tells the time that was set, in $when', async ({ time }) => {
    const { client, sender } = await start();
    const address = await sender.deploy(context);
    expect(await seenBy(client, address)).toBe(NOW);
    await client.call('devnet_setTime', { time });
    expect(await seenBy(client, address)).toBe(time);
    letPass(5);
    await sender.invoke([{ to: address, name: 'store' }]);
    expect(await seenBy(client, address, 'stored')).toBe(time + 5);
  });

  test('time.1 the system call follows an increase', async () => {
    const { client, sender } = await start();
    const address = await sender.deploy(context);
    await client.call('devnet_increaseTime', { time: HOUR });
    expect(await seenBy(client, address)).toBe(NOW + HOUR);
    await sender.invoke([{ to: address, name: 'store' }]);
    expect(await seenBy(client, address, 'stored')).toBe(NOW + HOUR);
  });

  test.each([
    { when: 'the past', startTime: PAST },
    { when: 'the future', startTime: FUTURE },
  ])('time.1 the system call tells the start time, in $when', async ({ startTime }) => {
    const { client, sender } = await start({ startTime });
    const address = await sender.deploy(context);
    expect(await seenBy(client, address)).toBe(startTime);
    letPass(7);
    await client.call('devnet_createBlock');
    expect(await seenBy(client, address)).toBe(startTime + 7);
  });

  test('time.1 what was stored at the deployment is not later than what is seen afterwards', async () => {
    const { client, sender } = await start();
    await sender.declare(context);
    const { call, address } = deployment(context.hash);
    await sender.invoke([call, { to: address, name: 'store' }]);
    letPass(2);
    await client.call('devnet_createBlock');
    expect(await seenBy(client, address, 'stored')).toBe(NOW);
    expect(await seenBy(client, address)).toBe(NOW + 2);
  });
});

describe('setting and increasing', () => {
  const modes = (['transaction', 'demand'] as const).flatMap((blockGenerationOn) => [
    { mode: blockGenerationOn, when: 'the past', time: PAST },
    { mode: blockGenerationOn, when: 'the future', time: FUTURE },
  ]);

  test.each(modes)(
    'time.2 time runs on from one set in $when, blocks on $mode',
    async ({ mode, time }) => {
      const { client } = await start({ blockGenerationOn: mode });
      expect(await client.call('devnet_setTime', { time })).toMatchObject({
        block_timestamp: time,
      });
      expect(await timeOf(client)).toBe(time);
      await client.call('devnet_createBlock');
      expect(await timeOf(client)).toBe(time);
      letPass(1);
      await client.call('devnet_createBlock');
      expect(await timeOf(client)).toBe(time + 1);
      letPass(HOUR);
      await client.call('devnet_mint', { address: '0x1', amount: 1 });
      if (mode === 'demand') await client.call('devnet_createBlock');
      expect(await timeOf(client)).toBe(time + 1 + HOUR);
    },
  );

  test('time.3 setTime in demand mode closes the pending block', async () => {
    const { client } = await start({ blockGenerationOn: 'demand' });
    const { tx_hash } = await client.call('devnet_mint', { address: '0x1', amount: 1 });
    const waiting = await client.call('starknet_getBlockWithTxHashes', ['pre_confirmed']);
    expect(waiting.transactions).toEqual([tx_hash]);
    const { block_hash } = await client.call('devnet_setTime', { time: PAST });
    expect(await client.call('starknet_getBlockWithTxHashes', ['latest'])).toMatchObject({
      block_hash,
      block_number: 1,
      timestamp: PAST,
      transactions: [tx_hash],
    });
    const next = await client.call('starknet_getBlockWithTxHashes', ['pre_confirmed']);
    expect(next.transactions).toEqual([]);
    expect(await client.call('starknet_getTransactionStatus', [tx_hash])).toMatchObject({
      finality_status: 'ACCEPTED_ON_L2',
    });
  });

  const malformed: readonly object[] = [
    {},
    { timestamp: PAST },
    { time: PAST, block: true },
    { time: '1000' },
    { time: -1 },
    { time: 1.5 },
  ];
  test.each(malformed)('time.4 %j is no time', async (params) => {
    const { client } = await start();
    for (const method of ['devnet_setTime', 'devnet_increaseTime']) {
      expect((await client.failure(method, params)).code).toBe(ERRORS.INVALID_PARAMS.code);
    }
    expect(await client.call('starknet_blockNumber')).toBe(0);
  });

  test('time.4 a start time that is no number ends the start', async () => {
    const { outcome, stderr } = await runCommandLine(['--start-time', 'wrong']);
    expect(outcome).toEqual({ exitCode: 2 });
    expect(stderr).toContain('--start-time');
    expect(stderr).toContain('wrong');
  });

  test('time.5a two increases add up', async () => {
    const { client } = await start();
    for (const time of [1000, HOUR]) {
      const { block_hash, timestamp_increased_by } = await client.call('devnet_increaseTime', {
        time,
      });
      expect(timestamp_increased_by).toBe(time);
      expect(await client.call('starknet_blockHashAndNumber')).toMatchObject({ block_hash });
    }
    expect(await timeOf(client, { block_number: 1 })).toBe(NOW + 1000);
    expect(await timeOf(client, { block_number: 2 })).toBe(NOW + 1000 + HOUR);
    letPass(3);
    await client.call('devnet_createBlock');
    expect(await timeOf(client)).toBe(NOW + 1000 + HOUR + 3);
  });

  test('time.5a an increase counts from the start time', async () => {
    const { client } = await start({ startTime: PAST });
    await client.call('devnet_increaseTime', { time: HOUR });
    expect(await timeOf(client, { block_number: 0 })).toBe(PAST);
    expect(await timeOf(client)).toBe(PAST + HOUR);
  });

  test('a system clock that steps back gives no block a time before its parent', async () => {
    const { client, sender } = await start();
    const address = await sender.deploy(context);
    letPass(-HOUR);
    expect(await timeOf(client, 'pre_confirmed')).toBe(NOW);
    await sender.invoke([{ to: address, name: 'store' }]);
    expect(await seenBy(client, address, 'stored')).toBe(NOW);
    await client.call('devnet_createBlock');
    expect(await timeOf(client)).toBe(NOW);
    await client.call('devnet_increaseTime', { time: 3 });
    expect(await timeOf(client)).toBe(NOW + 3);
    letPass(2);
    await client.call('devnet_createBlock');
    expect(await timeOf(client)).toBe(NOW + 5);
  });

  test('time continues from a requested past time, though the clock steps back', async () => {
    const { client } = await start();
    await client.call('devnet_setTime', { time: PAST });
    letPass(-5);
    await client.call('devnet_createBlock');
    expect(await timeOf(client)).toBe(PAST);
    letPass(8);
    await client.call('devnet_createBlock');
    expect(await timeOf(client)).toBe(PAST + 3);
  });

  test('an increase that no block could show is refused with the bound, and changes nothing', async () => {
    const { client } = await start();
    const most = Number.MAX_SAFE_INTEGER - NOW;
    for (const time of [most + 1, Number.MAX_SAFE_INTEGER]) {
      const { code, message } = await client.failure('devnet_increaseTime', { time });
      expect(code).toBe(ERRORS.INVALID_PARAMS.code);
      expect(message).toContain(`at most ${most} seconds`);
    }
    expect(await client.call('starknet_blockNumber')).toBe(0);
    await client.call('devnet_increaseTime', { time: most });
    expect(await timeOf(client)).toBe(Number.MAX_SAFE_INTEGER);
    expect((await client.failure('devnet_increaseTime', { time: 1 })).message).toContain(
      'at most 0',
    );
  });

  test('time.6 a time set without a block is exactly that of the next one', async () => {
    const { client } = await start();
    const answer = await client.call('devnet_setTime', { time: PAST, generate_block: false });
    expect(answer).toEqual({ block_timestamp: PAST, block_hash: null });
    expect(await client.call('starknet_blockNumber')).toBe(0);
    expect(await timeOf(client)).toBe(NOW);
    letPass(HOUR);
    await client.call('devnet_createBlock');
    expect(await timeOf(client)).toBe(PAST);
    await client.call('devnet_createBlock');
    expect(await timeOf(client)).toBe(PAST + HOUR);
  });

  test('time.7a the block under construction has the start time at first', async () => {
    const { client } = await start({ startTime: PAST });
    expect(await timeOf(client, 'pre_confirmed')).toBe(PAST);
  });

  test('time.7a a start time and a set time last a whole second, whatever the clock shows', async () => {
    vi.setSystemTime(NOW * 1000 + 900);
    const { client } = await start({ startTime: PAST });
    letPass(0.999);
    expect(await timeOf(client, 'pre_confirmed')).toBe(PAST);
    letPass(0.001);
    expect(await timeOf(client, 'pre_confirmed')).toBe(PAST + 1);
    letPass(0.5);
    await client.call('devnet_setTime', { time: FUTURE });
    letPass(0.999);
    await client.call('devnet_createBlock');
    expect(await timeOf(client)).toBe(FUTURE);
    await client.call('devnet_increaseTime', { time: HOUR });
    letPass(0.001);
    await client.call('devnet_createBlock');
    expect(await timeOf(client)).toBe(FUTURE + HOUR + 1);
  });

  test('time.7b the block under construction has the time it would be sealed at', async () => {
    const { client } = await start({ startTime: PAST });
    letPass(4);
    expect(await timeOf(client, 'pre_confirmed')).toBe(PAST + 4);
    await client.call('devnet_createBlock');
    expect(await timeOf(client)).toBe(PAST + 4);
    expect(await timeOf(client, 'pre_confirmed')).toBe(PAST + 4);
    await client.call('devnet_setTime', { time: FUTURE, generate_block: false });
    expect(await timeOf(client, 'pre_confirmed')).toBe(FUTURE);
  });
});

describe('a contract that waits for its time', () => {
  /** A call that the other account signed, to be made after a moment and not before. */
  function locked({ account }: Sender, after: number): Call {
    const before = after + 1000 * HOUR;
    const caller = constants.OutsideExecutionCallerAny;
    const transfer = ['0x99', '0x5', '0x0'];
    const message = typedData.getMessageHash(
      outsideExecution.getTypedData(
        constants.StarknetChainId.SN_SEPOLIA,
        { caller, execute_after: after, execute_before: before },
        '0x1',
        [{ contractAddress: STRK, entrypoint: 'transfer', calldata: transfer }],
        '2',
      ),
      account.address,
    );
    const signature = sign(account.privateKey, message);
    return {
      to: account.address,
      name: 'execute_from_outside_v2',
      calldata: [
        ...[caller, '0x1', hex(after), hex(before)],
        ...['0x1', STRK, selector('transfer'), hex(transfer.length), ...transfer],
        ...[hex(signature.length), ...signature],
      ],
    };
  }

  async function waits({ client, sender, other }: Started): Promise<void> {
    const call = locked(other, NOW + HOUR);
    const early = await sender.invokeRequest([call]);
    const frame = {
      contract_address: sender.account.address,
      class_hash: ACCOUNT_CLASS,
      selector: selector('__execute__'),
    };
    const panic = short('SRC9: now <= execute_after');
    for (const id of ['latest', 'pre_confirmed']) {
      const { code, data } = await client.failure('starknet_estimateFee', [[early], [], id]);
      expect(code).toBe(ERRORS.TRANSACTION_EXECUTION_ERROR.code);
      expect(data).toMatchObject({
        transaction_index: 0,
        execution_error: {
          ...frame,
          error: {
            ...frame,
            error: {
              contract_address: other.account.address,
              class_hash: ACCOUNT_CLASS,
              selector: selector('execute_from_outside_v2'),
              error: expect.stringMatching(
                new RegExp(`${panic} \\('SRC9: now <= execute_after'\\)[\\s\\S]*\\["${panic}"\\]$`),
              ),
            },
          },
        },
      });
    }

    const reverted = await sender.invoke([call]);
    expect(await client.call('starknet_getTransactionReceipt', [reverted])).toMatchObject({
      execution_status: 'REVERTED',
      revert_reason: expect.stringContaining(panic),
    });

    await client.call('devnet_increaseTime', { time: HOUR + 1 });
    const late = await sender.invokeRequest([call]);
    const [estimate] = await client.call('starknet_estimateFee', [[late], [], 'latest']);
    expect(BigInt(estimate?.overall_fee ?? 0)).toBeGreaterThan(0n);
    const transactionHash = await sender.invoke([call]);
    expect(await client.call('starknet_getTransactionReceipt', [transactionHash])).toMatchObject({
      execution_status: 'SUCCEEDED',
    });
    expect(await client.call('devnet_getAccountBalance', { address: '0x99' })).toEqual({
      amount: '5',
      unit: 'FRI',
    });
  }

  test('time.8a it fails in estimates and reverts before, and succeeds after time was moved', async () => {
    await waits(await start());
  });

  test('time.8b the same on a fork, by an account of the origin and without its key', async () => {
    const origin = await openNode({ seed: 0, accounts: 2, port: 0 });
    const { url } = await origin.listen();
    const fork = await start({ seed: 1, forkNetwork: url, forkUpstreamCaching: false });
    await fork.client.call('devnet_autoImpersonate');
    const address = origin.accounts[0]?.address ?? '';
    const sender = new Sender(fork.client, { address, privateKey: '0x5' });
    await waits({ ...fork, sender, other: new Sender(fork.client, origin.accounts[1]) });
  });
});
