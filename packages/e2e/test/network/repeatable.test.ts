// The same seed and requests give the same blocks, byte for byte.
import { join } from 'node:path';
import { imageOf, openNode } from '@starkbox/test-support/fixture';
import { AMPLE, hex, invokeRequest, STRK } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import type { Config, LocalChain } from 'starkbox';
import { expect, test } from 'vitest';

const CONFIG = {
  seed: 11,
  accounts: 6,
  startTime: 1_700_000_000,
  blockGenerationOn: 'mempool',
  initialBalance: 10n ** 24n,
} as const;
const ROUNDS = 24;
const folder = temporaryFolderOfFile();

/** Numbers that look random and are the same in each run. */
function* numbers(): Generator<number, never, undefined> {
  for (let state = 12_345; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state;
  }
}

/** One run of requests: the texts of all answers. */
class Run {
  readonly answers: string[] = [];
  readonly #numbers = numbers();
  readonly #nonces = new Map<string, number>();
  #node: LocalChain;

  constructor(node: LocalChain) {
    this.#node = node;
  }

  set node(node: LocalChain) {
    this.#node = node;
  }

  async ask(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const text = (await this.#node.handle(body)) ?? '';
    this.answers.push(text);
    return Object(JSON.parse(text).result);
  }

  async begin(seed: number): Promise<void> {
    await this.ask('devnet_setBlockSettings', { time_step: 2 });
    const { conditions } = await this.ask('devnet_setNetworkConditions', {
      conditions: 'congested',
    });
    await this.ask('devnet_setNetworkConditions', {
      conditions: {
        ...Object(conditions),
        seed,
        block_generation_on: 'mempool',
        lifetime_blocks: 6,
        submissions: { lost: 0.1, delayed: 0.3, delay_blocks: [1, 5] },
        reorgs: { probability: 0.3, depth: 2 },
      },
    });
  }

  /** Each account counts its nonces, and looks from time to time what became of them; some pay too little for now. */
  async rounds(count: number): Promise<void> {
    for (let round = 0; round < count; round += 1) {
      for (const account of this.#node.accounts) {
        const { address: contract_address } = account;
        const pending = { block_id: 'pre_confirmed', contract_address };
        const accountNonce = Number(await this.ask('starknet_getNonce', pending));
        const next = this.#nonces.get(contract_address) ?? 0;
        const nonce = this.#next(4) === 0 || next < accountNonce ? accountNonce : next;
        this.#nonces.set(contract_address, nonce + 1);
        const price = BigInt(10 + this.#next(110)) * 10n ** 9n;
        const request = invokeRequest(
          account,
          [{ to: STRK, name: 'transfer', calldata: ['0x77', hex(1 + this.#next(1000)), '0x0'] }],
          nonce,
          {
            changes: {
              tip: hex(this.#next(100) * 10 ** 9),
              resource_bounds: {
                ...AMPLE,
                l2_gas: { max_amount: hex(2_000_000), max_price_per_unit: hex(price) },
              },
            },
          },
        );
        await this.ask('starknet_addInvokeTransaction', { invoke_transaction: request });
      }
      await this.ask(this.#next(3) === 0 ? 'devnet_createBlock' : 'devnet_mempoolSeal');
    }
  }

  #next(bound: number): number {
    return this.#numbers.next().value % bound;
  }

  /** All that the chain says at the end. */
  async end(): Promise<readonly string[]> {
    await this.ask('devnet_mempoolList', { limit: 200, dropped_from: 0 });
    const { block_number: last } = await this.ask('starknet_blockHashAndNumber');
    for (let block_number = 0; block_number <= Number(last); block_number += 1) {
      for (const method of [
        'starknet_getBlockWithReceipts',
        'starknet_getBlockWithTxs',
        'starknet_getStateUpdate',
        'starknet_traceBlockTransactions',
      ]) {
        await this.ask(method, { block_id: { block_number } });
      }
    }
    await this.ask('starknet_getBlockWithReceipts', { block_id: 'pre_confirmed' });
    await this.ask('devnet_getNetworkConditions');
    return this.answers;
  }
}

async function play(seed: number, config: Partial<Config> = {}): Promise<readonly string[]> {
  const node = await openNode({ ...CONFIG, ...config });
  const run = new Run(node);
  await run.begin(seed);
  await run.rounds(ROUNDS);
  return run.end();
}

const first = await play(5);

test('a run has what conditions bring', async () => {
  const text = first.join('\n');
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const { rounds, submissions } = JSON.parse(first.at(-1) ?? '').result;
  const height = first.filter((answer) => answer.includes('parent_hash')).length / 2 - 1;
  expect(rounds).toBe(ROUNDS);
  expect(submissions).toBeGreaterThan(50);
  expect(height).toBeLessThan(ROUNDS - 3);
  expect(count(/Lost on its way/g)).toBeGreaterThan(2);
  expect(count(/the lifetime by/g)).toBeGreaterThan(0);
  expect(count(/"finality_status":"ACCEPTED_ON_L2"/g)).toBeGreaterThan(50);
});

test('the same seed and requests give the same answers on another node', async () => {
  expect(await play(5)).toEqual(first);
});

test('another seed gives others', async () => {
  const other = await play(6);
  expect(other).not.toEqual(first);
  const blocksOf = (answers: readonly string[]) =>
    answers.filter((answer) => answer.includes('state_root') || answer.includes('parent_hash'));
  expect(blocksOf(other).slice(2)).not.toEqual(blocksOf(first).slice(2));
});

test('a restart from a data directory in the middle changes nothing', async () => {
  const config = { ...CONFIG, dataDir: join(folder, 'chain') };
  const before = await openNode(config);
  const run = new Run(before);
  await run.begin(5);
  await run.rounds(ROUNDS / 2);
  await before.close();
  run.node = await openNode(config);
  await run.rounds(ROUNDS / 2);
  expect(await run.end()).toEqual(first);
});

test('an image in the middle changes nothing', async () => {
  const before = await openNode(CONFIG);
  const run = new Run(before);
  await run.begin(5);
  await run.rounds(ROUNDS / 2);
  const image = await imageOf(before);
  const other = await openNode(CONFIG);
  await other.request('devnet_load', { image });
  run.node = other;
  await run.rounds(ROUNDS / 2);
  expect(await run.end()).toEqual(first);
});
