// One chain of a soaked node beside its model: what is read of it is what its transactions made of it.
import { readFile } from 'node:fs/promises';
import {
  type Account,
  type Call,
  hex,
  invokeValues,
  STRK,
} from '../../packages/engine/test/fixtures/chain.js';
import type { Random } from '../random.js';
import { CONTRACTS } from '../repository.js';
import { Connection } from './connection.js';
import {
  type Block,
  headOf,
  nextNonce,
  type Sent,
  type World,
  withBlock,
  withPending,
} from './model.js';
import type { Subscriber } from './subscriber.js';

export type Mode = 'transaction' | 'demand' | 'mempool' | `${number}ms`;

export const COUNTER = '0xc0ffee';

export class SoakedChain {
  readonly mode: Mode;
  readonly keepsHistory: boolean;
  readonly connection: Connection;
  readonly random: Random;
  #accounts: readonly Account[] = [];
  #world: World | undefined;
  subscriber: Subscriber | undefined;
  blocks = 0;
  transactions = 0;

  constructor(url: string, mode: Mode, keepsHistory: boolean, random: Random) {
    this.mode = mode;
    this.keepsHistory = keepsHistory;
    this.random = random;
    this.connection = new Connection(url, random);
  }

  get world(): World {
    if (!this.#world) throw new Error('the chain was not begun');
    return this.#world;
  }

  set world(world: World) {
    this.#world = world;
  }

  get accounts(): readonly Account[] {
    return this.#accounts;
  }

  /** Whether blocks are closed by the clock. */
  get isTimed(): boolean {
    return this.mode.endsWith('ms');
  }

  ask(method: string, params: object = {}): Promise<unknown> {
    return this.connection.ask(method, params);
  }

  /** Deploys a counter on a chain at its genesis. */
  async begin(): Promise<void> {
    const listed = await this.ask('devnet_getPredeployedAccounts');
    const rows: readonly { address: string; private_key: string; public_key: string }[] =
      Object(listed);
    this.#accounts = rows.map(({ address, private_key, public_key }) => ({
      address,
      privateKey: private_key,
      publicKey: public_key,
    }));
    const file = new URL('cairo/counter.sierra.json', CONTRACTS);
    const { abi, ...rest } = Object(JSON.parse(await readFile(file, 'utf8')));
    const contract_class = { ...rest, abi: JSON.stringify(abi) };
    const declared = await this.ask('devnet_applyStateDiff', {
      state_diff: {},
      classes: [{ contract_class }],
    });
    const [{ class_hash }] = Object(declared).classes;
    await this.ask('devnet_applyStateDiff', {
      state_diff: { deployed_contracts: [{ address: COUNTER, class_hash }] },
    });
    await this.ask('devnet_createBlock');
    const head = Object(await this.ask('starknet_getBlockWithTxHashes', { block_id: 'latest' }));
    const values = { nonces: this.#accounts.map(() => 0), received: new Map(), count: 0 };
    const block: Block = {
      number: head.block_number,
      hash: head.block_hash,
      sent: [],
      values,
    };
    this.#world = { blocks: [block], pending: [], waiting: [], values };
  }

  /** Begins as another chain was. */
  branchOf({ accounts }: SoakedChain, world: World): void {
    this.#accounts = accounts;
    this.#world = world;
  }

  /**
   * Reads what is new, and holds it against the model.
   *
   * @param closed how many blocks must have been closed, where the clock closes none
   */
  async sync(closed: number): Promise<void> {
    const before = headOf(this.world).number;
    // Blocks that are closed after this read are left to the next one.
    const next = await this.#pendingBlock();
    if (next.number <= before) {
      throw new Error(`block ${before} is gone: the next one is ${next.number}`);
    }
    const found = next.number - 1 - before;
    if (!this.isTimed && found !== closed) {
      throw new Error(`${found} blocks were closed instead of ${closed}`);
    }
    for (let number = before + 1; number < next.number; number += 1) {
      const block_id = { block_number: number };
      const block = Object(await this.ask('starknet_getBlockWithTxHashes', { block_id }));
      this.#close(block.block_hash, block.parent_hash, block.transactions);
    }
    sameTransactions(next.transactions, this.world.pending);
  }

  async #pendingBlock(): Promise<{ number: number; transactions: readonly string[] }> {
    const block_id = 'pre_confirmed';
    const block = Object(await this.ask('starknet_getBlockWithTxHashes', { block_id }));
    return { number: block.block_number, transactions: block.transactions };
  }

  #close(hash: string, parent: string, transactions: readonly string[]): void {
    const head = headOf(this.world);
    if (parent !== head.hash) {
      throw new Error(`the parent of block ${head.number + 1} is ${parent}, not ${head.hash}`);
    }
    sameTransactions(transactions, this.world.pending.slice(0, transactions.length));
    this.world = withBlock(this.world, hash, transactions.length);
    this.blocks += 1;
    this.subscriber?.saw(headOf(this.world));
  }

  /** A transaction of an account that no other one waits for. */
  signed(does: Sent['does'], nonceTooLow = false): [sender: number, transaction: object] {
    const sender = Math.floor(this.random.next() * this.#accounts.length);
    const account = this.#accounts[sender];
    if (!account) throw new Error('no account');
    const call: Call =
      does.kind === 'transfer'
        ? { to: STRK, name: 'transfer', calldata: [does.to, hex(does.amount), '0x0'] }
        : { to: COUNTER, name: 'increase', calldata: [hex(does.by)] };
    const nonce = Math.max(0, nextNonce(this.world, sender) - (nonceTooLow ? 1 : 0));
    return [sender, invokeValues(account, [call], nonce)];
  }

  /** Sends a transaction; it is in a block, pending or waiting afterwards. */
  async send(does: Sent['does']): Promise<void> {
    const [sender, invoke_transaction] = this.signed(does);
    const answer = await this.ask('starknet_addInvokeTransaction', { invoke_transaction });
    this.transactions += 1;
    const sent: Sent = { hash: Object(answer).transaction_hash, sender, does };
    if (this.mode === 'mempool') {
      this.world = { ...this.world, waiting: [...this.world.waiting, sent] };
      return this.sync(0);
    }
    this.world = withPending(this.world, [sent]);
    await this.sync(this.mode === 'transaction' ? 1 : 0);
  }

  close(): void {
    this.connection.close();
  }
}

function sameTransactions(found: readonly string[], due: readonly Sent[]): void {
  const hashes = due.map(({ hash }) => hash).join();
  if (found.join() !== hashes) {
    throw new Error(`a block has ${found.join() || 'nothing'} instead of ${hashes || 'nothing'}`);
  }
}
