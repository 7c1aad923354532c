// Every way to make a block notifies its subscribers once.
import type { Socket } from '@starkbox/test-support';
import {
  type Contract,
  contract,
  deployAccountRequest,
  newAccount,
  selector,
} from '@starkbox/test-support/signing';
import { digest } from '@starkbox/test-support/subscriptions/digest';
import { type Audience, gather } from '@starkbox/test-support/subscriptions/subscribers';
import { beforeAll, describe, expect, test, vi } from 'vitest';

const DEMAND = { blockGenerationOn: 'demand' } as const;

let counter: Contract;
let messenger: Contract;
beforeAll(async () => {
  [counter, messenger] = [await contract('counter'), await contract('messenger')];
});

const ACCOUNT = newAccount('0x123');

/** Arguments of the ways to make a block. */
async function prepare(audience: Audience): Promise<void> {
  await audience.client.call('devnet_mint', { address: ACCOUNT.address, amount: 1e20 });
  await audience.client.call('devnet_applyStateDiff', {
    state_diff: { deployed_contracts: [{ address: '0x777', class_hash: messenger.hash }] },
    classes: [{ contract_class: messenger.body }],
  });
  await audience.block();
}

/** Subscribes to everything, with every finality. */
async function follow({ connect }: Audience): Promise<Socket> {
  const socket = await connect();
  await socket.subscribe('starknet_subscribeNewHeads');
  await socket.subscribe('starknet_subscribeNewTransactions', { finality_status: [] });
  return socket;
}

type Way = readonly [string, (audience: Audience) => Promise<unknown>];

const TRANSACTIONS: readonly Way[] = [
  ['an invocation', ({ transfer }) => transfer()],
  [
    'an invocation that is reverted',
    ({ sender }) => sender.invoke([{ to: sender.account.address, name: 'nonsense' }]),
  ],
  ['a declaration', ({ sender }) => sender.declare(counter)],
  [
    'a new account',
    ({ client }) =>
      client.call('starknet_addDeployAccountTransaction', [deployAccountRequest(ACCOUNT)]),
  ],
  ['a mint', ({ mint }) => mint()],
  [
    'a message from L1',
    ({ client }) =>
      client.call('devnet_postmanSendMessageToL2', {
        l2_contract_address: '0x777',
        l1_contract_address: '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0',
        entry_point_selector: selector('deposit'),
        payload: ['0x1', '0x2'],
        paid_fee_on_l1: '0x1',
        nonce: '0x1',
      }),
  ],
];

const BLOCKS: readonly Way[] = [
  ['a call for a block', ({ client }) => client.call('devnet_createBlock')],
  ['a set time', ({ client }) => client.call('devnet_setTime', { time: 2_000_000_000 })],
  ['an increased time', ({ client }) => client.call('devnet_increaseTime', { time: 100 })],
  [
    'a set price',
    ({ client }) =>
      client.call('devnet_setGasPrice', { l2_gas_price_fri: 999_999_999, generate_block: true }),
  ],
];

/** Ways to make no block. */
const NOTHING: readonly Way[] = [
  [
    'a set time',
    ({ client }) => client.call('devnet_setTime', { time: 2_000_000_000, generate_block: false }),
  ],
  ['a set price', ({ client }) => client.call('devnet_setGasPrice', { l2_gas_price_fri: 5 })],
  ['a state diff', ({ client }) => client.call('devnet_applyStateDiff', { state_diff: {} })],
  ['a snapshot', ({ client }) => client.call('devnet_snapshot')],
  [
    'acceptance on L1',
    ({ client }) => client.call('devnet_acceptOnL1', { starting_block_id: 'latest' }),
  ],
  ['impersonation', ({ client }) => client.call('devnet_autoImpersonate')],
];

describe('a block per transaction', () => {
  test.each(TRANSACTIONS)('order.1a %s makes a block', async (_, act) => {
    const audience = await gather();
    await prepare(audience);
    const socket = await follow(audience);
    await act(audience);
    const { transactions } = await audience.client.call('starknet_getBlockWithTxHashes', [
      'latest',
    ]);
    const [hash = ''] = transactions;
    expect(digest(await socket.heard(), { hash })).toEqual([
      'head 3',
      'transaction hash ACCEPTED_ON_L2',
    ]);
  });

  test.each(BLOCKS)('order.1a %s makes a block', async (_, act) => {
    const audience = await gather();
    const socket = await follow(audience);
    await act(audience);
    expect(digest(await socket.heard())).toEqual(['head 1']);
  });

  test.each(NOTHING)('order.5a %s alone makes none', async (_, act) => {
    const audience = await gather();
    const socket = await follow(audience);
    await act(audience);
    await socket.quiet();
    await audience.block();
    expect(digest(await socket.heard())).toEqual(['head 1']);
  });
});

describe('blocks on demand', () => {
  test.each(TRANSACTIONS)('order.2 %s is pending until the next block', async (_, act) => {
    const audience = await gather(DEMAND);
    await prepare(audience);
    const socket = await follow(audience);
    await act(audience);
    const { transactions } = await audience.client.call('starknet_getBlockWithTxHashes', [
      'pre_confirmed',
    ]);
    const [hash = ''] = transactions;
    expect(digest(await socket.heard(), { hash })).toEqual(['transaction hash PRE_CONFIRMED']);
    await audience.block();
    expect(digest(await socket.heard(), { hash })).toEqual([
      'head 2',
      'transaction hash ACCEPTED_ON_L2',
    ]);
  });

  test.each(BLOCKS)('order.1a %s makes a block of the pending transactions', async (_, act) => {
    const audience = await gather(DEMAND);
    const [minted, transferred] = [await audience.mint(), await audience.transfer()];
    const socket = await follow(audience);
    await act(audience);
    expect(digest(await socket.heard(), { minted, transferred })).toEqual([
      'head 1',
      'transaction minted ACCEPTED_ON_L2',
      'transaction transferred ACCEPTED_ON_L2',
    ]);
  });

  test.each(NOTHING)('order.5a %s alone makes none', async (_, act) => {
    const audience = await gather(DEMAND);
    const hash = await audience.mint();
    const socket = await follow(audience);
    await act(audience);
    await socket.quiet();
    await audience.block();
    expect(digest(await socket.heard(), { hash })).toEqual([
      'head 1',
      'transaction hash ACCEPTED_ON_L2',
    ]);
  });
});

test('order.1a the timer makes a block of the pending transactions', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const audience = await gather({ blockGenerationOn: 7 });
    const socket = await follow(audience);
    const hash = await audience.mint();
    expect(digest(await socket.heard(), { hash })).toEqual(['transaction hash PRE_CONFIRMED']);
    vi.advanceTimersByTime(7_000);
    expect(digest([await socket.next(), await socket.next()], { hash })).toEqual([
      'head 1',
      'transaction hash ACCEPTED_ON_L2',
    ]);
    // A requested block in between is notified as well, and does not move the timer.
    await audience.block();
    vi.advanceTimersByTime(7_000);
    expect(digest([await socket.next(), await socket.next()])).toEqual(['head 2', 'head 3']);
    await socket.quiet();
  } finally {
    vi.useRealTimers();
  }
});

describe('the order of notifications', () => {
  /** Subscribes in another order than that of the notifications. */
  async function everything({ connect }: Audience, hashes: readonly string[]): Promise<Socket> {
    const socket = await connect();
    await socket.subscribe('starknet_subscribeEvents', { finality_status: 'PRE_CONFIRMED' });
    await socket.subscribe('starknet_subscribeEvents');
    await socket.subscribe('starknet_subscribeNewTransactionReceipts', { finality_status: [] });
    for (const hash of hashes) {
      await socket.subscribe('starknet_subscribeTransactionStatus', [hash]);
    }
    await socket.subscribe('starknet_subscribeNewTransactions', { finality_status: [] });
    await socket.subscribe('starknet_subscribeNewHeads');
    await socket.heard();
    return socket;
  }

  /** The hashes of the next transactions, taken from a chain with the same past. */
  async function prefetchReads(): Promise<{ readonly a: string; readonly b: string }> {
    const twin = await gather(DEMAND);
    return { a: await twin.mint(), b: await twin.transfer() };
  }

  test('order.2 of a pending transaction', async () => {
    const names = await prefetchReads();
    const audience = await gather(DEMAND);
    const socket = await everything(audience, [names.a, names.b]);
    await audience.mint();
    await audience.transfer();
    expect(digest(await socket.heard(), names)).toEqual(
      ['a', 'b'].flatMap((name) => [
        `status ${name} PRE_CONFIRMED`,
        `transaction ${name} PRE_CONFIRMED`,
        `receipt ${name} PRE_CONFIRMED`,
        `event ${name}/0 PRE_CONFIRMED`,
        `event ${name}/1 PRE_CONFIRMED`,
      ]),
    );
  });

  test('order.3 of a block', async () => {
    const names = await prefetchReads();
    const audience = await gather(DEMAND);
    const socket = await everything(audience, [names.a, names.b]);
    await audience.mint();
    await audience.transfer();
    await socket.heard();
    await audience.block();
    expect(digest(await socket.heard(), names)).toEqual([
      'head 1',
      ...['a', 'b'].flatMap((name) => [
        `transaction ${name} ACCEPTED_ON_L2`,
        `status ${name} ACCEPTED_ON_L2`,
        `receipt ${name} ACCEPTED_ON_L2`,
      ]),
      ...['a', 'b'].flatMap((name) => [
        `event ${name}/0 ACCEPTED_ON_L2`,
        `event ${name}/1 ACCEPTED_ON_L2`,
      ]),
    ]);
  });

  test('order.3 of a block that a transaction makes', async () => {
    const names = await prefetchReads();
    const audience = await gather();
    const socket = await everything(audience, [names.a]);
    await audience.mint();
    expect(digest(await socket.heard(), names)).toEqual([
      'head 1',
      'transaction a ACCEPTED_ON_L2',
      'status a ACCEPTED_ON_L2',
      'receipt a ACCEPTED_ON_L2',
      'event a/0 ACCEPTED_ON_L2',
      'event a/1 ACCEPTED_ON_L2',
    ]);
  });
});
