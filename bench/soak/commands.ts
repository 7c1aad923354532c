// Commands on a chain under load: writes, reads, and those that undo, each with its expected outcome.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { starknetKeccak } from '@starkbox/engine';
import { type Call, hex, STRK } from '../../packages/engine/test/fixtures/chain.js';
import { type BlockId, callParams } from '../harness/signed-requests.js';
import {
  type Action,
  type ChainModel,
  headOf,
  isReverted,
  withoutBlocks,
  withPending,
} from './model.js';
import { COUNTER, SoakedChain } from './soaked-chain.js';
import { Subscriber } from './subscriber.js';

/** A longer chain in memory is restarted, so that its memory has a bound. */
const LONGEST_CHAIN = 400;
const MOST_SNAPSHOTS = 8;
const RECEIVERS = 12;
/** Never a block, a transaction or a contract. */
const NOTHING = '0x123456789abcdef';

type Command = readonly [weight: number, name: string, run: () => Promise<void>];

export class Client {
  readonly chain: SoakedChain;
  readonly #folder: string;
  readonly #name: string;
  readonly #isBounded: boolean;
  #snapshots: { readonly id: string; readonly model: ChainModel }[] = [];
  #image: { readonly path: string; readonly model: ChainModel } | undefined;
  readonly #commands: readonly Command[];
  readonly #weights: number;
  /** How often each command ran. */
  readonly counts = new Map<string, number>();
  notifications = 0;

  /** @param isBounded whether the chain is restarted when it is long */
  constructor(chain: SoakedChain, name: string, folder: string, isBounded: boolean) {
    this.chain = chain;
    this.#name = name;
    this.#folder = folder;
    this.#isBounded = isBounded;
    this.#commands = this.#table();
    this.#weights = this.#commands.reduce((sum, [weight]) => sum + weight, 0);
  }

  #table(): readonly Command[] {
    const isMempool = this.chain.mode === 'mempool';
    // The image of a chain that grows takes longer and longer.
    const image = this.#isBounded ? 1 : 0.1;
    return [
      [12, 'transfer', () => this.chain.send(this.#transfer())],
      [4, 'count', () => this.chain.send(this.#count())],
      [isMempool ? 0 : 2, 'mint', () => this.#mint()],
      [isMempool ? 4 : 0, 'mempool', () => this.#mempool()],
      [3, 'create block', () => this.#createBlock()],
      [6, 'read values', () => this.#readValues()],
      [4, 'read transaction', () => this.#readTransaction()],
      [3, 'read old block', () => this.#readOldBlock()],
      [3, 'estimate', () => this.#estimate()],
      [3, 'simulate', () => this.#simulate()],
      [3, 'events', () => this.#events()],
      [3, 'refused', () => this.#refused()],
      [3, 'subscribe', () => this.#subscribe()],
      [2, 'snapshot', () => this.#snapshot()],
      [2, 'revert', () => this.#revert()],
      [1, 'abort', () => this.#abort()],
      [2, 'instance', () => this.#instance()],
      [image, 'dump', () => this.#dump()],
      [image, 'load', () => this.#load()],
    ];
  }

  /** Performs one command; throws if the chain differs from its model. */
  async step(): Promise<void> {
    const { model, random } = this.chain;
    if (this.#isBounded && headOf(model).number > LONGEST_CHAIN) return this.#run('restart');
    let choice = random.next() * this.#weights;
    for (const [weight, name] of this.#commands) {
      choice -= weight;
      if (choice < 0) return this.#run(name);
    }
  }

  async #run(name: string): Promise<void> {
    const run = this.#commands.find(([, other]) => other === name)?.[2] ?? (() => this.#restart());
    try {
      await run();
    } catch (error) {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      throw new Error(`${this.#name}, ${name}: ${reason}`);
    }
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  async finish(): Promise<void> {
    await this.#unsubscribe();
    await this.chain.sync(0);
    this.chain.close();
  }

  // Writes.

  #receiver(): string {
    return hex(0xbeef00 + this.chain.random.below(RECEIVERS));
  }

  #transfer(): Action {
    const amount = BigInt(1 + this.chain.random.below(1000));
    return { kind: 'transfer', to: this.#receiver(), amount };
  }

  #count(): Action {
    return { kind: 'count', by: this.chain.random.below(4) };
  }

  async #mint(): Promise<void> {
    const to = this.#receiver();
    const params = { address: to, amount: 7, unit: 'FRI' };
    const { tx_hash } = Object(await this.chain.ask('devnet_mint', params));
    this.chain.transactions += 1;
    const action = { kind: 'transfer', to, amount: 7n } as const;
    const mint = { hash: tx_hash, sender: undefined, action };
    this.chain.model = withPending(this.chain.model, [mint]);
    await this.chain.sync(this.chain.mode === 'transaction' ? 1 : 0);
  }

  async #mempool(): Promise<void> {
    const { chain } = this;
    const { mempool } = chain.model;
    const isSealed = chain.random.next() < 0.5;
    const method = isSealed ? 'devnet_mempoolSeal' : 'devnet_mempoolPreConfirm';
    const { pre_confirmed, dropped } = Object(await chain.ask(method));
    if (dropped.length > 0) throw new Error(`dropped: ${JSON.stringify(dropped)}`);
    const executed = mempool.filter(({ hash }) => pre_confirmed.includes(hash));
    if (executed.length !== mempool.length) {
      throw new Error(`${executed.length} of ${mempool.length} were executed`);
    }
    const order: readonly string[] = pre_confirmed;
    const sorted = executed.toSorted((a, b) => order.indexOf(a.hash) - order.indexOf(b.hash));
    chain.model = withPending({ ...chain.model, mempool: [] }, sorted);
    await chain.sync(isSealed ? 1 : 0);
  }

  async #createBlock(): Promise<void> {
    await this.chain.ask('devnet_createBlock');
    await this.chain.sync(1);
  }

  // Reads.

  /** The first felt of an answer. */
  async #call(call: Call, block_id: BlockId): Promise<bigint> {
    const [felt] = Object(await this.chain.ask('starknet_call', callParams(call, block_id)));
    return BigInt(felt);
  }

  #balance(of: string, block_id: BlockId): Promise<bigint> {
    return this.#call({ to: STRK, name: 'balanceOf', calldata: [of] }, block_id);
  }

  async #readValues(): Promise<void> {
    const { chain } = this;
    const to = this.#receiver();
    await chain.sync(0);
    const { values } = chain.model;
    const block_id = 'pre_confirmed';
    same('a balance', await this.#balance(to, block_id), values.received.get(to) ?? 0n);
    const count = await this.#call({ to: COUNTER, name: 'get', calldata: [] }, block_id);
    same('the count', count, BigInt(values.count));
    for (const [index, { address }] of chain.accounts.entries()) {
      const nonce = await chain.ask('starknet_getNonce', { block_id, contract_address: address });
      same(`nonce ${index}`, nonce, hex(values.nonces[index] ?? 0));
    }
  }

  async #readTransaction(): Promise<void> {
    const { chain } = this;
    const block = chain.random.pick(chain.model.blocks);
    if (block.transactions.length === 0) return;
    const transaction = chain.random.pick(block.transactions);
    const transaction_hash = transaction.hash;
    const receipt = Object(await chain.ask('starknet_getTransactionReceipt', { transaction_hash }));
    const execution_status = isReverted(transaction) ? 'REVERTED' : 'SUCCEEDED';
    same('a receipt', receipt.execution_status, execution_status);
    same('its block', receipt.block_hash, block.hash);
    const status = Object(await chain.ask('starknet_getTransactionStatus', { transaction_hash }));
    same('a status', status.execution_status, execution_status);
    const trace = Object(await chain.ask('starknet_traceTransaction', { transaction_hash }));
    same('a trace', trace.type, 'INVOKE');
  }

  async #readOldBlock(): Promise<void> {
    const { chain } = this;
    const block = chain.random.pick(chain.model.blocks);
    const block_id = { block_hash: block.hash };
    const answer = Object(await chain.ask('starknet_getBlockWithReceipts', { block_id }));
    const hashes = answer.transactions.map(
      ({ receipt }: { receipt: { transaction_hash: string } }) => receipt.transaction_hash,
    );
    same('transactions', hashes.join(), block.transactions.map(({ hash }) => hash).join());
    const update = Object(await chain.ask('starknet_getStateUpdate', { block_id }));
    same('a state update', update.block_hash, block.hash);
    if (!chain.keepsHistory) return;
    const to = this.#receiver();
    const balance = await this.#balance(to, block_id);
    same('an old balance', balance, block.values.received.get(to) ?? 0n);
  }

  async #estimate(): Promise<void> {
    // The mempool has nonces that the state does not have yet.
    if (this.chain.model.mempool.length > 0) return;
    const [, transaction] = this.chain.signed(this.#transfer());
    const params = { request: [transaction], simulation_flags: [], block_id: 'pre_confirmed' };
    const [estimate] = Object(await this.chain.ask('starknet_estimateFee', params));
    same('whether a fee is estimated', BigInt(estimate.overall_fee) > 0n, true);
    await this.chain.sync(0);
  }

  async #simulate(): Promise<void> {
    if (this.chain.model.mempool.length > 0) return;
    const action = this.#count();
    const [, transaction] = this.chain.signed(action);
    const params = {
      block_id: 'pre_confirmed',
      transactions: [transaction],
      simulation_flags: [],
    };
    const [simulated] = Object(await this.chain.ask('starknet_simulateTransactions', params));
    const { revert_reason } = simulated.transaction_trace.execute_invocation;
    same('whether it reverts', revert_reason !== undefined, isReverted({ action }));
    await this.chain.sync(0);
  }

  /** A transfer of ours, and one of its fee, in each transaction that is not reverted. */
  async #events(): Promise<void> {
    const { chain } = this;
    const block = chain.random.pick(chain.model.blocks);
    const from_block = { block_hash: block.hash };
    const keys = [[starknetKeccak('Transfer')]];
    const events: { transaction_hash: string }[] = [];
    for (let token: string | undefined = ''; token !== undefined; ) {
      const more: object = token === '' ? {} : { continuation_token: token };
      const filter = {
        from_block,
        to_block: from_block,
        address: STRK,
        keys,
        chunk_size: 5,
        ...more,
      };
      const page = Object(await chain.ask('starknet_getEvents', { filter }));
      events.push(...page.events);
      token = page.continuation_token;
    }
    const expected = block.transactions.flatMap(({ hash, action }) =>
      action.kind === 'transfer' ? [hash, hash] : [hash],
    );
    same('events', events.map(({ transaction_hash }) => transaction_hash).join(), expected.join());
  }

  /** Calls that have to fail, with the code of each. */
  async #refused(): Promise<void> {
    const { chain } = this;
    const { connection } = chain;
    const latest = 'latest';
    const bad: readonly (readonly [code: number, method: string, params: object])[] = [
      [24, 'starknet_getBlockWithTxs', { block_id: { block_hash: NOTHING } }],
      [29, 'starknet_getTransactionByHash', { transaction_hash: NOTHING }],
      [20, 'starknet_getNonce', { block_id: latest, contract_address: NOTHING }],
      [28, 'starknet_getClass', { block_id: latest, class_hash: NOTHING }],
      [-32602, 'starknet_getNonce', { block_id: latest }],
      [-32601, 'starknet_nothing', {}],
      [33, 'starknet_getEvents', { filter: { chunk_size: 2, continuation_token: 'none' } }],
    ];
    const [code, method, params] = chain.random.pick(bad);
    await connection.refuses(code, method, params);
    const [sender, transaction] = chain.signed(this.#transfer(), true);
    if ((chain.model.values.nonces[sender] ?? 0) === 0 || chain.model.mempool.length > 0) return;
    await connection.refuses(52, 'starknet_addInvokeTransaction', {
      invoke_transaction: transaction,
    });
    await chain.sync(0);
  }

  async #subscribe(): Promise<void> {
    if (this.chain.subscriber) return this.#unsubscribe();
    const subscriber = await Subscriber.open(this.chain.connection.socketUrl);
    // Blocks that were closed before are not awaited.
    await this.chain.sync(0);
    this.chain.subscriber = subscriber;
  }

  async #unsubscribe(): Promise<void> {
    const { subscriber, random } = this.chain;
    this.chain.subscriber = undefined;
    await subscriber?.finish(random.next() < 0.3);
    this.notifications += subscriber?.notifications ?? 0;
  }

  // The whole chain.

  /** The model of the chain during a call; undefined if the clock closed a block meanwhile. */
  async #during(run: () => Promise<void>): Promise<ChainModel | undefined> {
    await this.chain.sync(0);
    const before = this.chain.model;
    await run();
    await this.chain.sync(0);
    // A block that was closed after the last read, but before the call, would show now.
    const isSame = headOf(this.chain.model).hash === headOf(before).hash;
    return isSame ? before : undefined;
  }

  async #snapshot(): Promise<void> {
    if (this.#snapshots.length >= MOST_SNAPSHOTS) return this.#revert(0);
    let id = '';
    const model = await this.#during(async () => {
      id = String(await this.chain.ask('devnet_snapshot'));
    });
    if (model) this.#snapshots.push({ id, model });
  }

  async #revert(which?: number): Promise<void> {
    const { length } = this.#snapshots;
    const at = which ?? this.chain.random.below(length);
    const snapshot = this.#snapshots[at];
    if (!snapshot) return;
    await this.#unsubscribe();
    const snapshot_id = snapshot.id;
    same('a revert', await this.chain.ask('devnet_revert', { snapshot_id }), true);
    this.#snapshots = this.#snapshots.slice(0, at);
    this.chain.model = snapshot.model;
    await this.chain.sync(0);
  }

  async #abort(): Promise<void> {
    const { chain } = this;
    const from = Math.max(1, chain.model.blocks.length - 1 - chain.random.below(5));
    const block = chain.model.blocks[from];
    if (!block) return;
    const params = { starting_block_id: { block_hash: block.hash } };
    if (!chain.keepsHistory) {
      await chain.connection.refuses(-1, 'devnet_abortBlocks', params);
      return chain.sync(0);
    }
    await this.#unsubscribe();
    if (chain.mode === 'mempool') await chain.ask('devnet_mempoolClear');
    await chain.ask('devnet_abortBlocks', params);
    chain.model = { ...withoutBlocks(chain.model, from), mempool: [] };
    await chain.sync(0);
  }

  /** A branch begins as this chain, changes without it, and is deleted. */
  async #instance(): Promise<void> {
    const { chain } = this;
    let instance_id = '';
    const model = await this.#during(async () => {
      ({ instance_id } = Object(await chain.ask('devnet_createInstance', { ttl: 0 })));
    });
    const root = chain.connection.url.replace(/\/instances\/.*/, '');
    const url = `${root}/instances/${instance_id}`;
    const branch = new SoakedChain(url, chain.mode, chain.keepsHistory, chain.random);
    if (model) {
      branch.branchFrom(chain, model);
      await branch.sync(0);
      await branch.send(this.#transfer());
      await branch.send(this.#count());
    }
    branch.close();
    await chain.ask('devnet_deleteInstance', { instance_id });
    await chain.sync(0);
  }

  async #dump(): Promise<void> {
    const path = join(this.#folder, `${this.#name.replaceAll(/\W+/g, '-')}.image`);
    if (existsSync(path)) rmSync(path);
    this.#image = undefined;
    const model = await this.#during(async () => {
      await this.chain.ask('devnet_dump', { path, format: 'image' });
    });
    if (model) this.#image = { path, model };
  }

  async #load(): Promise<void> {
    if (!this.#image) return;
    const { path, model } = this.#image;
    await this.#unsubscribe();
    await this.chain.ask('devnet_load', { path });
    this.chain.model = model;
    this.#snapshots = [];
    await this.chain.sync(0);
  }

  async #restart(): Promise<void> {
    await this.#unsubscribe();
    await this.chain.ask('devnet_restart');
    this.#snapshots = [];
    await this.chain.setUp();
    await this.chain.sync(0);
  }
}

function same(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what} is ${actual} instead of ${expected}`);
}
