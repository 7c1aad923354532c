// A crowd sends into a congested chain: each transaction ends as a plain model predicts, none unsaid, none twice.

import { ERRORS } from '@starkbox/spec';
import { RpcFailure } from '@starkbox/test-support';
import { type Fixture, startFixture } from '@starkbox/test-support/fixture';
import { AMPLE, hex, invokeRequest, STRK } from '@starkbox/test-support/signing';
import { expect, test } from 'vitest';
import { backgroundLoad, gasOf } from '../../../src/chain/network/background-load.js';
import { capacityOf } from '../../../src/chain/network/capacity.js';
import { readConditions } from '../../../src/chain/network/conditions.js';
import { marketConstants } from '../../../src/chain/network/market.js';
import { CrowdModel, type Opening, type Sent } from './crowd-model.js';

/** By hand, for more: TEST_CROWD=5000. */
const TOTAL = Number(process.env['TEST_CROWD'] ?? 1_000);
const SENDERS = Math.ceil(TOTAL / 20);
const IN_A_ROUND = 50;
const GIGAFRI = 10n ** 9n;
const ROOM = 60;

const CONDITIONS = {
  seed: 9,
  gas_market: true,
  capacity: { n_txs: ROOM },
  congestion: {
    demand: 1.8,
    variation: 0.4,
    elasticity: 1,
    median_tip: 5_000_000_000,
    tip_spread: 16,
    transactions: 2,
  },
  order: 'tip',
  lifetime_blocks: 12,
  submissions: { lost: 0.02, delayed: 0.3, delay_blocks: [1, 5] },
  reorgs: { probability: 0.1, depth: 2 },
} as const;

const { seed, submissions, reorgs } = CONDITIONS;

/** Numbers that look random and are the same in each run. */
function counter(): (bound: number) => number {
  let state = 20_261_118;
  return (bound) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * bound);
  };
}

/** Sends transactions to a node and to the model alike. */
class Crowd {
  readonly model = new CrowdModel(
    {
      seed,
      lost: submissions.lost,
      delayed: submissions.delayed,
      delayBlocks: [...submissions.delay_blocks],
      lifetime: CONDITIONS.lifetime_blocks,
      reorgProbability: reorgs.probability,
      reorgDepth: reorgs.depth,
    },
    SENDERS,
  );
  readonly accepted: Sent[] = [];
  readonly codes = new Map<number | undefined, number>();
  readonly #fixture: Fixture;
  readonly #next: number[] = [];
  readonly #random = counter();

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
  }

  async send(): Promise<void> {
    const { client, account } = this.#fixture;
    const random = this.#random;
    const sender = random(SENDERS);
    const nonce = this.#nonce(sender);
    const tip = BigInt(random(100)) * GIGAFRI;
    const price = BigInt(8 + random(150)) * GIGAFRI;
    const amount = hex(this.accepted.length * 1000 + random(1000));
    const request = invokeRequest(
      account(sender),
      [{ to: STRK, name: 'transfer', calldata: ['0x77', amount, '0x0'] }],
      nonce,
      {
        changes: {
          tip: hex(tip),
          resource_bounds: {
            ...AMPLE,
            l2_gas: { max_amount: hex(2_000_000), max_price_per_unit: hex(price) },
          },
        },
      },
    );
    const answer = await client.call('starknet_addInvokeTransaction', [request]).then(
      ({ transaction_hash }) => transaction_hash,
      (error: unknown) => (error instanceof RpcFailure ? error.code : Promise.reject(error)),
    );
    const hash = typeof answer === 'string' ? answer : '';
    const sent: Sent = { hash, sender, nonce, tip, price };
    const code = this.model.send(sent);
    expect(typeof answer === 'number' ? answer : undefined).toBe(code);
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    if (code !== undefined) return;
    this.accepted.push(sent);
    this.#next[sender] = Math.max(nonce + 1, this.#next[sender] ?? 0);
  }

  /** The next one that the client counts, the one that the account has now, or that of a waiting transaction. */
  #nonce(sender: number): number {
    const choice = this.#random(10);
    const next = Math.max(this.#next[sender] ?? 0, this.model.nonceOf(sender));
    if (choice < 6) return next;
    return choice < 9 ? this.model.nonceOf(sender) : Math.max(0, next - 1);
  }

  async seal(): Promise<void> {
    const { client } = this.#fixture;
    const { l2_gas_price } = await client.call('devnet_getNetworkConditions');
    const { pre_confirmed, dropped } = await client.call('devnet_mempoolSeal');
    expect(dropped).toEqual([]);
    expect(pre_confirmed).toEqual(this.model.seal(this.#opening(BigInt(l2_gas_price))));
  }

  #opening(price: bigint): Opening {
    const conditions = readConditions(CONDITIONS);
    const { receipt_l2_gas: whole } = capacityOf(conditions.capacity ?? {});
    const { floor } = marketConstants();
    const factors = { round: this.model.rounds, price, floor, capacity: whole };
    const load = backgroundLoad(conditions, factors);
    return {
      price,
      room(tip) {
        const before = gasOf(load.filter((transaction) => BigInt(transaction.tip) >= tip));
        return Math.floor((ROOM * Math.max(0, whole - before)) / whole);
      },
    };
  }
}

async function droppedOf({ client }: Fixture): Promise<readonly (readonly [string, string])[]> {
  const rows: (readonly [string, string])[] = [];
  for (let from = 0; ; ) {
    const page = await client.call('devnet_mempoolList', { limit: 200, dropped_from: from });
    if (page.dropped.length === 0) return rows;
    rows.push(...page.dropped.map((row) => [row.transaction_hash, row.reason] as const));
    from = page.next_dropped ?? 0;
  }
}

const REASONS = { lost: /^Lost on its way/, replaced: /^Replaced by/, expired: /lifetime/ };

test(`${TOTAL} transactions end as the model says`, { timeout: 60_000 + TOTAL * 60 }, async () => {
  const fixture = await startFixture({
    accounts: SENDERS,
    blockGenerationOn: 'mempool',
    initialBalance: 10n ** 27n,
    startTime: 1_700_000_000,
  });
  const { client } = fixture;
  await client.call('devnet_setNetworkConditions', { conditions: CONDITIONS });
  const crowd = new Crowd(fixture);
  const { model, accepted } = crowd;
  while (accepted.length < TOTAL) {
    for (let index = 0; index < IN_A_ROUND && accepted.length < TOTAL; index += 1) {
      await crowd.send();
    }
    await crowd.seal();
  }
  while (model.waiting.length > 0) await crowd.seal();

  // Each has one end.
  const ends = [...model.blocks.flat(), ...model.dropped].map(({ hash }) => hash);
  expect(ends.toSorted()).toEqual(accepted.map(({ hash }) => hash).toSorted());

  // The chain has the transactions of the model, each in its place.
  const first = Number(await client.call('starknet_blockNumber')) - model.blocks.length + 1;
  const senders = new Set(fixture.node.accounts.map(({ address }) => address));
  for (const [index, block] of model.blocks.entries()) {
    const id = { block_number: first + index };
    const { transactions } = await client.call('starknet_getBlockWithTxs', [id]);
    const ofCrowd = transactions.filter(
      (transaction) => 'sender_address' in transaction && senders.has(transaction.sender_address),
    );
    expect(ofCrowd.map(({ transaction_hash }) => transaction_hash)).toEqual(
      block.map(({ hash }) => hash),
    );
  }

  // The node says the end of each, with the reason.
  const dropped = await droppedOf(fixture);
  expect(dropped.map(([hash]) => hash)).toEqual(model.dropped.map(({ hash }) => hash));
  for (const [index, { end }] of model.dropped.entries()) {
    expect(dropped[index]?.[1]).toMatch(REASONS[end]);
  }
  const included = new Set(model.blocks.flat().map(({ hash }) => hash));
  for (const { hash } of accepted) {
    if (included.has(hash)) {
      const { finality_status } = await client.call('starknet_getTransactionStatus', [hash]);
      expect(finality_status).toBe('ACCEPTED_ON_L2');
    } else {
      const { code } = await client.failure('starknet_getTransactionStatus', [hash]);
      expect(code).toBe(ERRORS.TXN_HASH_NOT_FOUND.code);
    }
  }

  // Every rule had its part.
  const count = (end: string) => model.dropped.filter((row) => row.end === end).length;
  for (const end of Object.keys(REASONS)) expect(count(end)).toBeGreaterThan(0);
  expect(included.size).toBeGreaterThan(TOTAL / 5);
  expect(model.removed).toBeGreaterThan(0);
  console.info(
    `${TOTAL} sent: ${included.size} included, ${count('lost')} lost, ${count('replaced')} replaced, ` +
      `${count('expired')} expired; refused ${crowd.codes.get(ERRORS.REPLACEMENT_TRANSACTION_UNDERPRICED.code) ?? 0}; ` +
      `${model.rounds} rounds, ${model.removed} blocks removed`,
  );
});
