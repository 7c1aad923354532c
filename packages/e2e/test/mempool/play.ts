// Histories of a chain with a mempool: random commands, played on a chain and on the model at once.

import { Transaction } from '@starkbox/engine';
import { ERRORS, type Methods } from '@starkbox/spec';
import { type Client, checkedClient, RpcFailure } from '@starkbox/test-support';
import {
  type Account,
  deployAccountRequest,
  hex,
  invokeRequest,
  newAccount,
  STRK,
} from '@starkbox/test-support/signing';
import fc from 'fast-check';
import type { LocalChain } from 'starkbox';
import { expect } from 'vitest';
import { FIRST_NONCES, Model, NEW_ACCOUNT, type Order, type Sent } from './model.js';

export const CONFIG = { seed: 5, accounts: 3, startTime: 1_700_000_000 } as const;

export type Command =
  | {
      readonly does: 'send';
      readonly sender: number;
      readonly ahead: number;
      readonly tip: number;
      readonly isValid: boolean;
    }
  | { readonly does: 'remove'; readonly which: number }
  | { readonly does: 'select' | 'pre-confirm'; readonly count: number }
  | { readonly does: 'seal' | 'close' | 'clear' | 'snapshot' | 'revert' }
  | { readonly does: 'abort'; readonly back: number; readonly returns: boolean };

const small = (most: number) => fc.integer({ min: 0, max: most });

export const COMMAND: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({
      does: fc.constant('send' as const),
      sender: small(3),
      ahead: fc.constantFrom(-1, 0, 0, 0, 1, 1, 2, 3),
      tip: small(3),
      isValid: fc.integer({ min: 0, max: 9 }).map((roll) => roll > 0),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('remove' as const), which: small(20) }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      does: fc.constantFrom('select' as const, 'pre-confirm' as const, 'pre-confirm' as const),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      does: fc.constantFrom(
        'seal' as const,
        'close' as const,
        'close' as const,
        'snapshot' as const,
        'revert' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('clear' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('abort' as const),
      back: small(2),
      returns: fc.integer({ min: 0, max: 3 }).map((roll) => roll > 0),
    }),
  },
);

const NEW = newAccount('0x123');

/** A chain that histories are played on. */
export interface PlayedChain extends Pick<LocalChain, 'handle'> {
  readonly accounts: readonly Account[];
}

/** Gives a new chain what each history begins with. */
export async function prepare({ handle, accounts }: PlayedChain): Promise<void> {
  const client = checkedClient(handle);
  await client.call('devnet_mint', { address: NEW.address, amount: 10 ** 21 });
  const nonces = accounts.map(({ address }, index) => ({
    contract_address: address,
    nonce: hex(FIRST_NONCES[index] ?? 0),
  }));
  await client.call('devnet_applyStateDiff', { state_diff: { nonces } });
  await client.call('devnet_createBlock');
}

/** One history on a chain and on the model. */
export class Play {
  readonly #node: PlayedChain;
  /** Lets no answer pass that breaks the specification. */
  readonly #client: Client;
  readonly #model: Model;
  readonly #requests = new Map<string, readonly [method: string, request: object]>();
  /** What became of the transactions that are neither in the mempool nor in the chain. */
  readonly #gone = new Set<string>();
  #snapshots: {
    readonly id: unknown;
    readonly content: ReturnType<Model['copy']>;
    readonly gone: ReadonlySet<string>;
    readonly accepted: ReadonlySet<string>;
  }[] = [];
  #accepted = new Set<string>();
  #sent = 0;
  #firstBlock = 0;

  constructor(node: PlayedChain, order: Order) {
    this.#node = node;
    this.#client = checkedClient(node.handle);
    this.#model = new Model(order, CONFIG.seed);
  }

  async run(commands: readonly Command[]): Promise<void> {
    this.#firstBlock = Number(await this.#client.call('starknet_blockNumber')) + 1;
    for (const command of commands) {
      await this.#perform(command);
      await this.#agree();
    }
    this.#nothingLost();
  }

  async #perform(command: Command): Promise<void> {
    const { content } = this.#model;
    switch (command.does) {
      case 'send':
        return this.#send(command);
      case 'remove': {
        const transaction = content.pool[command.which % Math.max(1, content.pool.length)];
        if (!transaction) return;
        await this.#client.call('devnet_mempoolRemove', [transaction.hash]);
        this.#model.remove(transaction.hash);
        this.#gone.add(transaction.hash);
        return;
      }
      case 'select': {
        const { candidates } = await this.#client.call('devnet_mempoolSelect', [command.count]);
        expect(candidates).toEqual(this.#model.select(command.count));
        return;
      }
      case 'pre-confirm':
        this.#executed(
          await this.#client.call('devnet_mempoolPreConfirm', [command.count]),
          command.count,
        );
        return;
      case 'seal':
        this.#executed(await this.#client.call('devnet_mempoolSeal'), Number.POSITIVE_INFINITY);
        this.#model.close();
        return;
      case 'close':
        await this.#client.call('devnet_createBlock');
        this.#model.close();
        return;
      case 'clear':
        for (const { hash } of content.pool) this.#gone.add(hash);
        await this.#client.call('devnet_mempoolClear');
        this.#model.clear();
        return;
      case 'abort':
        return this.#abort(command);
      case 'snapshot': {
        const id = await this.#client.call('devnet_snapshot');
        const hashSets = { gone: new Set(this.#gone), accepted: new Set(this.#accepted) };
        this.#snapshots.push({ id, content: this.#model.copy(), ...hashSets });
        return;
      }
      case 'revert': {
        const last = this.#snapshots.pop();
        if (!last) return;
        await this.#client.call('devnet_revert', [last.id]);
        this.#model.restore(last.content);
        this.#gone.clear();
        for (const hash of last.gone) this.#gone.add(hash);
        this.#accepted = new Set(last.accepted);
      }
    }
  }

  #executed(answer: Methods['devnet_mempoolPreConfirm']['result'], count: number): void {
    const { included, dropped } = this.#model.preConfirm(count);
    expect(answer.pre_confirmed).toEqual(included);
    expect(answer.dropped.map((transaction) => transaction.transaction_hash)).toEqual(dropped);
    for (const hash of dropped) this.#gone.add(hash);
  }

  async #send({ sender, ahead, tip, isValid }: Extract<Command, { does: 'send' }>): Promise<void> {
    const nonce = Math.max(0, this.#model.nonceOf(sender) + ahead);
    const isDeployment = sender === NEW_ACCOUNT && nonce === 0;
    this.#sent += 1;
    const changes = {
      tip: hex(tip),
      ...(isValid || isDeployment ? {} : { signature: ['0x1', hex(this.#sent)] }),
    };
    const account: Account | undefined = sender === NEW_ACCOUNT ? NEW : this.#node.accounts[sender];
    if (!account) throw new Error('there is no such account');
    const calls = [{ to: STRK, name: 'transfer', calldata: ['0x77', hex(this.#sent), '0x0'] }];
    const request = isDeployment
      ? deployAccountRequest(NEW, { changes })
      : invokeRequest(account, calls, nonce, { changes });
    const { hash } = new Transaction(request, 'SN_SEPOLIA');
    const type = isDeployment ? 'DEPLOY_ACCOUNT' : 'INVOKE';
    const transaction: Sent = { hash, sender, nonce, tip, type, isValid: isValid || isDeployment };
    const method = isDeployment
      ? 'starknet_addDeployAccountTransaction'
      : 'starknet_addInvokeTransaction';
    const code = await this.#client.call(method, [request]).then(
      () => undefined,
      (error: unknown) => (error instanceof RpcFailure ? error.code : Promise.reject(error)),
    );
    const { pool, blocks, pending } = this.#model.content;
    // A deployment has no number of its own, so that it may be sent twice.
    if ([...pool, ...blocks.flat(), ...pending].some((pooled) => pooled.hash === hash)) {
      expect(code).toBe(ERRORS.DUPLICATE_TX.code);
      return;
    }
    const rival = pool.find((pooled) => pooled.sender === sender && pooled.nonce === nonce);
    expect(code).toBe(this.#model.send(transaction));
    if (code !== undefined) return;
    if (rival) this.#gone.add(rival.hash);
    this.#gone.delete(hash);
    this.#accepted.add(hash);
    this.#requests.set(hash, [method, request]);
  }

  async #abort({ back: depth, returns }: Extract<Command, { does: 'abort' }>): Promise<void> {
    const { blocks, pending } = this.#model.content;
    const from = Math.max(0, blocks.length - depth);
    const gone = [...blocks.slice(from).flat(), ...pending];
    const id = from === blocks.length ? 'pre_confirmed' : { block_number: this.#firstBlock + from };
    await this.#client.call('devnet_abortBlocks', {
      starting_block_id: id,
      return_transactions: returns,
    });
    this.#model.abort(from, returns);
    if (!returns) for (const { hash } of gone) this.#gone.add(hash);
  }

  /** The node shows what the model holds. */
  async #agree(): Promise<void> {
    const { pool, pending, blocks, nonces } = this.#model.content;
    const listed = await this.#client.call('devnet_mempoolList', { limit: 200 });
    expect(
      listed.transactions.map((row) => [
        row.transaction_hash,
        Number(row.nonce),
        Number(row.tip),
        row.status,
        row.waits_for_nonce,
      ]),
    ).toEqual(
      pool.map((pooled) => [
        pooled.hash,
        pooled.nonce,
        pooled.tip,
        pooled.position === undefined ? 'RECEIVED' : 'CANDIDATE',
        this.#model.lacksNonce(pooled),
      ]),
    );
    expect(listed.upcoming).toEqual(this.#model.upcoming());
    const waiting = await this.#client.call('starknet_getBlockWithTxHashes', ['pre_confirmed']);
    expect(waiting.transactions).toEqual(pending.map(({ hash }) => hash));
    const newest = await this.#client.call('starknet_getBlockWithTxHashes', ['latest']);
    expect(newest).toMatchObject({ block_number: this.#firstBlock + blocks.length - 1 });
    if (blocks.length > 0) {
      expect(newest.transactions).toEqual(blocks.at(-1)?.map(({ hash }) => hash));
    }
    for (const [sender, nonce] of nonces.entries()) {
      const address = sender === NEW_ACCOUNT ? NEW.address : this.#node.accounts[sender]?.address;
      if (sender === NEW_ACCOUNT && nonce === 0) continue;
      expect(Number(await this.#client.call('starknet_getNonce', ['pre_confirmed', address]))).toBe(
        nonce,
      );
    }
  }

  /** Each accepted transaction is in one place, and the nonces of each sender ascend. */
  #nothingLost(): void {
    const { pool, pending, blocks } = this.#model.content;
    const chain = [...blocks.flat(), ...pending];
    const places = [...pool, ...chain].map(({ hash }) => hash);
    expect([...places, ...this.#gone].sort()).toEqual([...this.#accepted].sort());
    for (const [sender, first] of FIRST_NONCES.entries()) {
      const nonces = chain
        .filter((included) => included.sender === sender)
        .map(({ nonce }) => nonce);
      expect(nonces).toEqual(nonces.map((_, index) => first + index));
    }
  }

  /** A node without a mempool makes the same chain of the same transactions. */
  async checkOn(plain: LocalChain): Promise<void> {
    const { pending, blocks } = this.#model.content;
    const send = async (transactions: readonly Sent[]) => {
      for (const { hash } of transactions) {
        const [method, request] = this.#requests.get(hash) ?? [];
        if (method) await plain.requestRaw(method, [request]);
      }
    };
    for (const block of blocks) {
      await send(block);
      await plain.request('devnet_createBlock');
    }
    await send(pending);
    const ids = [
      ...blocks.map((_, index) => ({ block_number: this.#firstBlock + index })),
      'pre_confirmed',
    ];
    for (const id of ids) {
      for (const method of ['starknet_getBlockWithReceipts', 'starknet_getStateUpdate'] as const) {
        const expected = await checkedClient(plain.handle).call(method, [id]);
        expect(await this.#client.call(method, [id])).toEqual(expected);
      }
    }
  }
}
