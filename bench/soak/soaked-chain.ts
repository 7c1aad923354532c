// One chain of a node under load beside its model; its reads must agree with the model.
import {
  type Account,
  type Call,
  hex,
  invokeValues,
  STRK,
} from '../../packages/engine/test/fixtures/chain.js';
import type { Random } from '../harness/rounds.js';
import { accountsOf, deploymentOf } from '../harness/signed-requests.js';
import { Connection } from './connection.js';
import {
  type Action,
  type ChainModel,
  headOf,
  type ModelBlock,
  type ModelTransaction,
  nextNonce,
  withBlock,
  withPending,
} from './model.js';
import type { Subscriber } from './subscriber.js';

export type Mode = 'transaction' | 'demand' | 'mempool' | `${number}ms`;

export const COUNTER = '0xc0ffee';
const DEPLOYMENT = deploymentOf({ [COUNTER]: 'counter' });

export class SoakedChain {
  readonly mode: Mode;
  readonly keepsHistory: boolean;
  readonly connection: Connection;
  readonly random: Random;
  #accounts: readonly Account[] = [];
  #model: ChainModel | undefined;
  subscriber: Subscriber | undefined;
  blocks = 0;
  transactions = 0;

  constructor(url: string, mode: Mode, keepsHistory: boolean, random: Random) {
    this.mode = mode;
    this.keepsHistory = keepsHistory;
    this.random = random;
    this.connection = new Connection(url, random);
  }

  get model(): ChainModel {
    if (!this.#model) throw new Error('the chain was not set up');
    return this.#model;
  }

  set model(model: ChainModel) {
    this.#model = model;
  }

  get accounts(): readonly Account[] {
    return this.#accounts;
  }

  /** Whether blocks are closed by the clock. */
  get isTimed(): boolean {
    return this.mode.endsWith('ms');
  }

  ask(method: string, params: object = {}): Promise<unknown> {
    return this.connection.call(method, params);
  }

  /** Deploys a counter on a chain at its genesis. */
  async setUp(): Promise<void> {
    this.#accounts = await accountsOf(this.connection);
    await this.ask('devnet_applyStateDiff', await DEPLOYMENT);
    await this.ask('devnet_createBlock');
    const head = Object(await this.ask('starknet_getBlockWithTxHashes', { block_id: 'latest' }));
    const values = { nonces: this.#accounts.map(() => 0), received: new Map(), count: 0 };
    const block: ModelBlock = {
      number: head.block_number,
      hash: head.block_hash,
      transactions: [],
      values,
    };
    this.#model = { blocks: [block], pending: [], mempool: [], values };
  }

  /** Continues another chain. */
  branchFrom({ accounts }: SoakedChain, model: ChainModel): void {
    this.#accounts = accounts;
    this.#model = model;
  }

  /**
   * Reads new blocks and compares them with the model.
   *
   * @param expected how many blocks must have been closed, where the clock closes none
   */
  async sync(expected: number): Promise<void> {
    const before = headOf(this.model).number;
    // Blocks that are closed after this read are left to the next one.
    const next = await this.#pendingBlock();
    if (next.number <= before) {
      throw new Error(`block ${before} is gone: the next one is ${next.number}`);
    }
    const closed = next.number - 1 - before;
    if (!this.isTimed && closed !== expected) {
      throw new Error(`${closed} blocks were closed instead of ${expected}`);
    }
    for (let number = before + 1; number < next.number; number += 1) {
      const block_id = { block_number: number };
      const block = Object(await this.ask('starknet_getBlockWithTxHashes', { block_id }));
      this.#close(block.block_hash, block.parent_hash, block.transactions);
    }
    mustHave(next.transactions, this.model.pending);
  }

  async #pendingBlock(): Promise<{ number: number; transactions: readonly string[] }> {
    const block_id = 'pre_confirmed';
    const block = Object(await this.ask('starknet_getBlockWithTxHashes', { block_id }));
    return { number: block.block_number, transactions: block.transactions };
  }

  #close(hash: string, parent: string, transactions: readonly string[]): void {
    const head = headOf(this.model);
    if (parent !== head.hash) {
      throw new Error(`the parent of block ${head.number + 1} is ${parent}, not ${head.hash}`);
    }
    mustHave(transactions, this.model.pending.slice(0, transactions.length));
    this.model = withBlock(this.model, hash, transactions.length);
    this.blocks += 1;
    this.subscriber?.expect(headOf(this.model));
  }

  /** A transaction with the next nonce of a random account, or with one too low. */
  signed(action: Action, nonceTooLow = false): [sender: number, transaction: object] {
    const sender = this.random.below(this.#accounts.length);
    const account = this.#accounts[sender];
    if (!account) throw new Error('no account');
    const call: Call =
      action.kind === 'transfer'
        ? { to: STRK, name: 'transfer', calldata: [action.to, hex(action.amount), '0x0'] }
        : { to: COUNTER, name: 'increase', calldata: [hex(action.by)] };
    const nonce = Math.max(0, nextNonce(this.model, sender) - (nonceTooLow ? 1 : 0));
    return [sender, invokeValues(account, [call], nonce)];
  }

  /** Sends a transaction; it is in a block, pending or in the mempool afterwards. */
  async send(action: Action): Promise<void> {
    const [sender, invoke_transaction] = this.signed(action);
    const answer = await this.ask('starknet_addInvokeTransaction', { invoke_transaction });
    this.transactions += 1;
    const hash = Object(answer).transaction_hash;
    const transaction: ModelTransaction = { hash, sender, action };
    if (this.mode === 'mempool') {
      this.model = { ...this.model, mempool: [...this.model.mempool, transaction] };
      return this.sync(0);
    }
    this.model = withPending(this.model, [transaction]);
    await this.sync(this.mode === 'transaction' ? 1 : 0);
  }

  close(): void {
    this.connection.close();
  }
}

function mustHave(actual: readonly string[], expected: readonly ModelTransaction[]): void {
  const hashes = expected.map(({ hash }) => hash).join();
  if (actual.join() !== hashes) {
    throw new Error(`a block has ${actual.join() || 'nothing'} instead of ${hashes || 'nothing'}`);
  }
}
