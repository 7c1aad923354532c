// Commands of a soaked chain: writes, reads, and what takes a chain back, each with its expected outcome.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { starknetKeccak } from '@starkbox/engine';
import { hex, STRK } from '../../packages/engine/test/fixtures/chain.js';
import { headOf, isReverted, type Sent, type World, withoutBlocks, withPending } from './model.js';
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
  #snapshots: { readonly id: string; readonly world: World }[] = [];
  #dumped: { readonly path: string; readonly world: World } | undefined;
  readonly #commands: readonly Command[];
  readonly #weights: number;
  /** How often each command ran. */
  readonly ran = new Map<string, number>();
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

  /** Performs one command; throws where the chain is not as the model says. */
  async step(): Promise<void> {
    const { world, random } = this.chain;
    if (this.#isBounded && headOf(world).number > LONGEST_CHAIN) return this.#run('restart');
    let left = random.next() * this.#weights;
    for (const [weight, name] of this.#commands) {
      left -= weight;
      if (left < 0) return this.#run(name);
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
    this.ran.set(name, (this.ran.get(name) ?? 0) + 1);
  }

  async finish(): Promise<void> {
    await this.#leave();
    await this.chain.sync(0);
    this.chain.close();
  }

  // Writes.

  #receiver(): string {
    return hex(0xbeef00 + Math.floor(this.chain.random.next() * RECEIVERS));
  }

  #transfer(): Sent['does'] {
    const amount = BigInt(1 + Math.floor(this.chain.random.next() * 1000));
    return { kind: 'transfer', to: this.#receiver(), amount };
  }

  #count(): Sent['does'] {
    return { kind: 'count', by: Math.floor(this.chain.random.next() * 4) };
  }

  async #mint(): Promise<void> {
    const to = this.#receiver();
    const params = { address: to, amount: 7, unit: 'FRI' };
    const { tx_hash } = Object(await this.chain.ask('devnet_mint', params));
    this.chain.transactions += 1;
    const does = { kind: 'transfer', to, amount: 7n } as const;
    this.chain.world = withPending(this.chain.world, [{ hash: tx_hash, sender: undefined, does }]);
    await this.chain.sync(this.chain.mode === 'transaction' ? 1 : 0);
  }

  async #mempool(): Promise<void> {
    const { chain } = this;
    const { waiting } = chain.world;
    const isSealed = chain.random.next() < 0.5;
    const method = isSealed ? 'devnet_mempoolSeal' : 'devnet_mempoolPreConfirm';
    const { pre_confirmed, dropped } = Object(await chain.ask(method));
    if (dropped.length > 0) throw new Error(`dropped: ${JSON.stringify(dropped)}`);
    const executed = waiting.filter(({ hash }) => pre_confirmed.includes(hash));
    if (executed.length !== waiting.length) {
      throw new Error(`${executed.length} of ${waiting.length} were executed`);
    }
    const order: readonly string[] = pre_confirmed;
    const sorted = executed.toSorted((a, b) => order.indexOf(a.hash) - order.indexOf(b.hash));
    chain.world = withPending({ ...chain.world, waiting: [] }, sorted);
    await chain.sync(isSealed ? 1 : 0);
  }

  async #createBlock(): Promise<void> {
    await this.chain.ask('devnet_createBlock');
    await this.chain.sync(1);
  }

  // Reads.

  async #readValues(): Promise<void> {
    const { chain } = this;
    const to = this.#receiver();
    await chain.sync(0);
    const { values } = chain.world;
    const block_id = 'pre_confirmed';
    const call = async (contract_address: string, name: string, calldata: readonly string[]) => {
      const request = { contract_address, entry_point_selector: starknetKeccak(name), calldata };
      const [low]: readonly unknown[] = Object(
        await chain.ask('starknet_call', { request, block_id }),
      );
      return BigInt(String(low));
    };
    same('a balance', await call(STRK, 'balanceOf', [to]), values.received.get(to) ?? 0n);
    same('the count', await call(COUNTER, 'get', []), BigInt(values.count));
    for (const [index, { address }] of chain.accounts.entries()) {
      const nonce = await chain.ask('starknet_getNonce', { block_id, contract_address: address });
      same(`nonce ${index}`, nonce, hex(values.nonces[index] ?? 0));
    }
  }

  async #readTransaction(): Promise<void> {
    const { chain } = this;
    const block = chain.random.pick(chain.world.blocks);
    if (block.sent.length === 0) return;
    const sent = chain.random.pick(block.sent);
    const transaction_hash = sent.hash;
    const receipt = Object(await chain.ask('starknet_getTransactionReceipt', { transaction_hash }));
    const execution_status = isReverted(sent) ? 'REVERTED' : 'SUCCEEDED';
    same('a receipt', receipt.execution_status, execution_status);
    same('its block', receipt.block_hash, block.hash);
    const status = Object(await chain.ask('starknet_getTransactionStatus', { transaction_hash }));
    same('a status', status.execution_status, execution_status);
    const trace = Object(await chain.ask('starknet_traceTransaction', { transaction_hash }));
    same('a trace', trace.type, 'INVOKE');
  }

  async #readOldBlock(): Promise<void> {
    const { chain } = this;
    const block = chain.random.pick(chain.world.blocks);
    const block_id = { block_hash: block.hash };
    const found = Object(await chain.ask('starknet_getBlockWithReceipts', { block_id }));
    const hashes = found.transactions.map(
      (one: { receipt: { transaction_hash: string } }) => one.receipt.transaction_hash,
    );
    same('transactions', hashes.join(), block.sent.map(({ hash }) => hash).join());
    const update = Object(await chain.ask('starknet_getStateUpdate', { block_id }));
    same('a state update', update.block_hash, block.hash);
    if (!chain.keepsHistory) return;
    const to = this.#receiver();
    const calldata = [to];
    const entry_point_selector = starknetKeccak('balanceOf');
    const request = { contract_address: STRK, entry_point_selector, calldata };
    const [low] = Object(await chain.ask('starknet_call', { request, block_id }));
    same('an old balance', BigInt(low), block.values.received.get(to) ?? 0n);
  }

  async #estimate(): Promise<void> {
    // What waits has nonces that the state does not have yet.
    if (this.chain.world.waiting.length > 0) return;
    const [, transaction] = this.chain.signed(this.#transfer());
    const params = { request: [transaction], simulation_flags: [], block_id: 'pre_confirmed' };
    const [estimate] = Object(await this.chain.ask('starknet_estimateFee', params));
    same('whether a fee is estimated', BigInt(estimate.overall_fee) > 0n, true);
    await this.chain.sync(0);
  }

  async #simulate(): Promise<void> {
    if (this.chain.world.waiting.length > 0) return;
    const does = this.#count();
    const [, transaction] = this.chain.signed(does);
    const params = {
      block_id: 'pre_confirmed',
      transactions: [transaction],
      simulation_flags: [],
    };
    const [simulated] = Object(await this.chain.ask('starknet_simulateTransactions', params));
    const { revert_reason } = simulated.transaction_trace.execute_invocation;
    same('whether it reverts', revert_reason !== undefined, does.kind === 'count' && does.by === 0);
    await this.chain.sync(0);
  }

  /** A transfer of ours, and one of its fee, in each transaction that is not reverted. */
  async #events(): Promise<void> {
    const { chain } = this;
    const block = chain.random.pick(chain.world.blocks);
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
    const due = block.sent.flatMap(({ hash, does }) =>
      does.kind === 'transfer' ? [hash, hash] : [hash],
    );
    same('events', events.map(({ transaction_hash }) => transaction_hash).join(), due.join());
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
    if ((chain.world.values.nonces[sender] ?? 0) === 0 || chain.world.waiting.length > 0) return;
    await connection.refuses(52, 'starknet_addInvokeTransaction', {
      invoke_transaction: transaction,
    });
    await chain.sync(0);
  }

  async #subscribe(): Promise<void> {
    if (this.chain.subscriber) return this.#leave();
    const subscriber = await Subscriber.open(this.chain.connection.socketUrl);
    // Blocks that were closed before are not awaited.
    await this.chain.sync(0);
    this.chain.subscriber = subscriber;
  }

  async #leave(): Promise<void> {
    const { subscriber, random } = this.chain;
    this.chain.subscriber = undefined;
    await subscriber?.finish(random.next() < 0.3);
    this.notifications += subscriber?.notifications ?? 0;
  }

  // The whole chain.

  /** What the chain was during a call; undefined where the clock closed a block meanwhile. */
  async #during(run: () => Promise<void>): Promise<World | undefined> {
    await this.chain.sync(0);
    const before = this.chain.world;
    await run();
    await this.chain.sync(0);
    // A block that was closed after the last read, but before the call, would show now.
    const isSame = headOf(this.chain.world).hash === headOf(before).hash;
    return isSame ? before : undefined;
  }

  async #snapshot(): Promise<void> {
    if (this.#snapshots.length >= MOST_SNAPSHOTS) return this.#revert(0);
    let id = '';
    const world = await this.#during(async () => {
      id = String(await this.chain.ask('devnet_snapshot'));
    });
    if (world) this.#snapshots.push({ id, world });
  }

  async #revert(which?: number): Promise<void> {
    const { length } = this.#snapshots;
    const at = which ?? Math.floor(this.chain.random.next() * length);
    const kept = this.#snapshots[at];
    if (!kept) return;
    await this.#leave();
    const snapshot_id = kept.id;
    same('a revert', await this.chain.ask('devnet_revert', { snapshot_id }), true);
    this.#snapshots = this.#snapshots.slice(0, at);
    this.chain.world = kept.world;
    await this.chain.sync(0);
  }

  async #abort(): Promise<void> {
    const { chain } = this;
    const from = Math.max(1, chain.world.blocks.length - 1 - Math.floor(chain.random.next() * 5));
    const block = chain.world.blocks[from];
    if (!block) return;
    const params = { starting_block_id: { block_hash: block.hash } };
    if (!chain.keepsHistory) {
      await chain.connection.refuses(-1, 'devnet_abortBlocks', params);
      return chain.sync(0);
    }
    await this.#leave();
    if (chain.mode === 'mempool') await chain.ask('devnet_mempoolClear');
    await chain.ask('devnet_abortBlocks', params);
    chain.world = { ...withoutBlocks(chain.world, from), waiting: [] };
    await chain.sync(0);
  }

  /** A branch begins as this chain, changes without it, and is deleted. */
  async #instance(): Promise<void> {
    const { chain } = this;
    let made: { instance_id?: string } = {};
    const world = await this.#during(async () => {
      made = Object(await chain.ask('devnet_createInstance', { ttl: 0 }));
    });
    const { instance_id = '' } = made;
    const root = chain.connection.url.replace(/\/instances\/.*/, '');
    const url = `${root}/instances/${instance_id}`;
    const branch = new SoakedChain(url, chain.mode, chain.keepsHistory, chain.random);
    if (world) {
      branch.branchOf(chain, world);
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
    this.#dumped = undefined;
    const world = await this.#during(async () => {
      await this.chain.ask('devnet_dump', { path, format: 'image' });
    });
    if (world) this.#dumped = { path, world };
  }

  async #load(): Promise<void> {
    if (!this.#dumped) return;
    const { path, world } = this.#dumped;
    await this.#leave();
    await this.chain.ask('devnet_load', { path });
    this.chain.world = world;
    this.#snapshots = [];
    await this.chain.sync(0);
  }

  async #restart(): Promise<void> {
    await this.#leave();
    await this.chain.ask('devnet_restart');
    this.#snapshots = [];
    await this.chain.begin();
    await this.chain.sync(0);
  }
}

function same(what: string, found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${what} is ${found} instead of ${wanted}`);
}
