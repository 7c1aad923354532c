// Soak: mixed load on nodes for a long time, balances that follow from what was sent, and the growth of memory.
//
//   npm run bench -- soak --minutes 60   by hand, with bounds on the growth of memory
//   npm run bench -- soak --quick        75 seconds, with a wide bound on memory
//
// Each node is a process. Chains in a data directory keep no old states: they grow, and their memory must not. Chains in
// memory keep old states: they are undone and restarted. The third node only grows, by as much as the engine counts.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listOf } from '@starkbox/abi/basics';
import type { Config } from 'starkbox';
import { connect } from 'starkbox/client';
import { hex, STRK } from '../../packages/engine/test/fixtures/chain.js';
import { Random } from '../../test/support/random.js';
import { median, slopeOf } from '../harness/figures.js';
import { type MemoryUse, NodeProcess } from '../harness/node-process.js';
import { RpcClient, RpcError } from '../harness/rpc-client.js';
import { defineScenario } from '../harness/scenario.js';
import { callParams, Signer, transferTo } from '../harness/signed-requests.js';

const CHAINS = 4;
const RECEIVERS = 12;
/** A longer chain in memory is restarted, so that its memory has a bound. */
const MAX_BLOCKS = 400;
/** Transfers that a step sends and then undoes, or reads as notifications. */
const TRANSFERS = 3;
/** More than an account has. */
const TOO_MUCH = hex(2n ** 127n);
/** Never a block, a transaction or a contract. */
const MISSING = '0x123456789abcdef';
const ERRORS: readonly (readonly [code: number, method: string, params: object])[] = [
  [24, 'starknet_getBlockWithTxs', { block_id: { block_hash: MISSING } }],
  [29, 'starknet_getTransactionByHash', { transaction_hash: MISSING }],
  [20, 'starknet_getNonce', { block_id: 'latest', contract_address: MISSING }],
  [-32602, 'starknet_getNonce', { block_id: 'latest' }],
  [-32601, 'starknet_nothing', {}],
];

function mustBeEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what} is ${actual} instead of ${expected}`);
}

/** A chain with one client, which knows what each receiver must have. */
class SoakedChain {
  readonly client: RpcClient;
  readonly #random: Random;
  readonly #keepsHistory: boolean;
  readonly #image: string;
  #signer: Signer;
  #received = new Map<string, bigint>();
  steps = 0;
  transactions = 0;

  constructor(
    client: RpcClient,
    signer: Signer,
    image: string,
    keepsHistory: boolean,
    seed: number,
  ) {
    this.client = client;
    this.#signer = signer;
    this.#image = image;
    this.#keepsHistory = keepsHistory;
    this.#random = new Random(seed);
  }

  /** A step is as likely as it is often in the list. */
  get #choices(): readonly (() => Promise<unknown>)[] {
    const read = [() => this.#checkBalance(), () => this.#readBlock(), () => this.#simulate()];
    const write = [() => this.#transfer(), () => this.#revertedTransfer(), () => this.#mint()];
    const undo = [() => this.#revert(), () => this.#instance()];
    const rare = [() => this.#load(), () => this.#fail(), () => this.#subscribe()];
    const history = this.#keepsHistory ? [() => this.#abort()] : [];
    return [write, write, write, read, read, read, undo, rare, history].flat();
  }

  async step(): Promise<void> {
    const latest = Number(await this.client.call('starknet_blockNumber'));
    if (this.#keepsHistory && latest > MAX_BLOCKS) await this.#restart();
    else await this.#random.pick(this.#choices)();
    this.steps += 1;
  }

  #receiver(): string {
    return hex(0xbeef00 + this.#random.below(RECEIVERS));
  }

  #receive(receiver: string, amount: bigint): void {
    this.#received.set(receiver, (this.#received.get(receiver) ?? 0n) + amount);
    this.transactions += 1;
  }

  async #transfer(): Promise<void> {
    const receiver = this.#receiver();
    const sender = this.#random.below(this.#signer.count);
    await this.client.send(this.#signer.invoke([transferTo(receiver)], sender));
    this.#receive(receiver, 1n);
  }

  async #transfers(): Promise<void> {
    for (let count = 0; count < TRANSFERS; count += 1) await this.#transfer();
  }

  async #revertedTransfer(): Promise<void> {
    const call = { to: STRK, name: 'transfer', calldata: [this.#receiver(), TOO_MUCH, '0x0'] };
    const { transaction_hash } = await this.client.send<'starknet_addInvokeTransaction'>(
      this.#signer.invoke([call]),
    );
    const status = await this.client.call('starknet_getTransactionStatus', { transaction_hash });
    mustBeEqual('the status', status.execution_status, 'REVERTED');
    this.transactions += 1;
  }

  async #mint(): Promise<void> {
    const address = this.#receiver();
    await this.client.call('devnet_mint', { address, amount: 7, unit: 'FRI' });
    this.#receive(address, 7n);
  }

  async #checkBalance(client: RpcClient = this.client): Promise<void> {
    const receiver = this.#receiver();
    const params = callParams({ to: STRK, name: 'balanceOf', calldata: [receiver] });
    const [low = ''] = await client.call('starknet_call', params);
    mustBeEqual(`what ${receiver} has`, BigInt(low), this.#received.get(receiver) ?? 0n);
  }

  async #readBlock(): Promise<void> {
    const block_id = { block_number: Number(await this.client.call('starknet_blockNumber')) };
    const block = await this.client.call('starknet_getBlockWithReceipts', { block_id });
    const filter = { from_block: block_id, to_block: 'latest', chunk_size: 100 };
    const { events } = await this.client.call('starknet_getEvents', { filter });
    const count = block.transactions.flatMap(({ receipt }) => receipt.events).length;
    mustBeEqual('the number of events', events.length, count);
  }

  async #simulate(): Promise<void> {
    const transactions = this.#signer.unsent(2);
    const params = { transactions, simulation_flags: [], block_id: 'latest' };
    const simulated = await this.client.call('starknet_simulateTransactions', params);
    mustBeEqual('the number of simulations', listOf(simulated).length, 2);
  }

  async #fail(): Promise<void> {
    const [code, method, params] = this.#random.pick(ERRORS);
    const error: unknown = await this.client.call(method, params).catch((reason) => reason);
    mustBeEqual(`the error of ${method}`, error instanceof RpcError ? error.code : error, code);
  }

  async #subscribe(): Promise<void> {
    const chain = await connect(this.client.url);
    try {
      const heads = chain.subscribe('starknet_subscribeNewHeads');
      await heads.ready;
      const latest = Number(await this.client.call('starknet_blockNumber'));
      await this.#transfers();
      for (let number = latest + 1; number <= latest + TRANSFERS; number += 1) {
        const { value } = await heads.next();
        const head = value?.name === 'starknet_subscriptionNewHeads' ? value.result : undefined;
        mustBeEqual('the next head', head?.block_number, number);
      }
      await heads.close();
    } finally {
      await chain.close();
    }
  }

  // The whole chain.

  /** Sends transfers that `undo` takes back. */
  async #undone(undo: () => Promise<unknown>): Promise<void> {
    const [signer, received] = [this.#signer.copy(), new Map(this.#received)];
    await this.#transfers();
    await undo();
    this.#signer = signer;
    this.#received = received;
    await this.#checkBalance();
  }

  async #revert(): Promise<void> {
    const snapshot_id = await this.client.call('devnet_snapshot');
    await this.#undone(() => this.client.call('devnet_revert', { snapshot_id }));
  }

  async #abort(): Promise<void> {
    const latest = Number(await this.client.call('starknet_blockNumber'));
    const starting_block_id = { block_number: latest + 1 };
    await this.#undone(() => this.client.call('devnet_abortBlocks', { starting_block_id }));
  }

  async #load(): Promise<void> {
    const path = this.#image;
    rmSync(path, { force: true });
    await this.client.call('devnet_dump', { path, format: 'image' });
    await this.#undone(() => this.client.call('devnet_load', { path }));
  }

  /** A branch begins as this chain, changes without it, and is deleted. */
  async #instance(): Promise<void> {
    const { instance_id } = await this.client.call('devnet_createInstance', { ttl: 0 });
    const root = this.client.url.replace(/\/instances\/.*/, '');
    const branch = new RpcClient(`${root}/instances/${instance_id}`);
    await this.#checkBalance(branch);
    for (const body of this.#signer.copy().transfers(TRANSFERS)) await branch.send(body);
    branch.close();
    await this.client.call('devnet_deleteInstance', { instance_id });
    await this.#checkBalance();
  }

  async #restart(): Promise<void> {
    await this.client.call('devnet_restart');
    this.#signer = this.#signer.fresh();
    this.#received.clear();
  }
}

// A chain with old states that only grows.

/** Above the slots of the token. */
const FIRST_SLOT = 0x510700000000;
const SLOTS = 600;
const WRITES = 60;
/** Other chains share the processor. */
const PAUSE_MILLISECONDS = 50;

/** Closes blocks that write the same slots repeatedly, and reads an old one. */
class GrowingHistory {
  readonly client: RpcClient;
  readonly #random: Random;
  #genesis: number | undefined;
  steps = 0;

  constructor(client: RpcClient, seed: number) {
    this.client = client;
    this.#random = new Random(seed);
  }

  #slot(step: number, index: number): string {
    return hex(FIRST_SLOT + ((step * WRITES + index) % SLOTS));
  }

  async step(): Promise<void> {
    this.#genesis ??= Number(await this.client.call('starknet_blockNumber'));
    const step = this.steps + 1;
    const storage_entries = Array.from({ length: WRITES }, (_, index) => ({
      key: this.#slot(step, index),
      value: hex(step),
    }));
    const state_diff = { storage_diffs: [{ address: STRK, storage_entries }] };
    await this.client.call('devnet_applyStateDiff', { state_diff });
    await this.client.call('devnet_createBlock');
    this.steps = step;
    const old = 1 + this.#random.below(step);
    const slot = await this.client.call('starknet_getStorageAt', {
      contract_address: STRK,
      key: this.#slot(old, this.#random.below(WRITES)),
      block_id: { block_number: this.#genesis + old },
    });
    mustBeEqual(`a slot of step ${old}`, slot, hex(old));
    await sleep(PAUSE_MILLISECONDS);
  }
}

// Nodes and their memory.

/** Of the measurement of snapshots at the end, each after some blocks. */
const SNAPSHOTS = 100;
const BLOCKS_A_SNAPSHOT = 5;
/** V8 changes the size of the space for new objects by tens of megabytes with the load. */
const FLAGS = ['--expose-gc', '--min-semi-space-size=16', '--max-semi-space-size=16'];
const MEGABYTE = 2 ** 20;

interface Sample extends MemoryUse {
  readonly minutes: number;
}

/** Megabytes a minute. */
const slope = (samples: readonly Sample[], part: keyof MemoryUse): number =>
  slopeOf(samples.map((sample) => ({ x: sample.minutes, y: sample[part] / MEGABYTE })));

/** Growth from the first third of the samples to the last one, and its slope in the last half. */
function growthFigures(name: string, samples: readonly Sample[]): Record<string, number> {
  const third = Math.ceil(samples.length / 3);
  const megabytes = (part: readonly Sample[]): number =>
    median(part.map(({ anonymous }) => anonymous)) / MEGABYTE;
  return {
    [`${name}_growth_megabytes`]:
      megabytes(samples.slice(-third)) - megabytes(samples.slice(0, third)),
    [`${name}_slope_anonymous`]: slope(samples, 'anonymous'),
    [`${name}_slope_heap`]: slope(samples, 'heap'),
    [`${name}_later_slope`]: slope(samples.slice(Math.floor(samples.length / 2)), 'anonymous'),
  };
}

class SoakedNode extends NodeProcess {
  readonly samples: Sample[] = [];
  url = '';

  /** Heap that a snapshot takes. During the load, snapshots do not stay, so that growth has other causes. */
  async heapPerSnapshot(): Promise<number> {
    const client = new RpcClient(this.url);
    const take = async (): Promise<void> => {
      for (let count = 1; count <= SNAPSHOTS * BLOCKS_A_SNAPSHOT; count += 1) {
        await client.call('devnet_mint', { address: '0xbeef', amount: 1 });
        if (count % BLOCKS_A_SNAPSHOT === 0) await client.call('devnet_snapshot');
      }
    };
    // What the load left in memory goes meanwhile.
    await take();
    const before = await this.call('memory');
    await take();
    const after = await this.call('memory');
    client.close();
    return (after.heap - before.heap) / SNAPSHOTS;
  }

  constructor() {
    super({ execArgv: FLAGS });
  }

  async open(options: Partial<Config>): Promise<void> {
    this.url = (await this.call('open', { accounts: 6, ...options })).url;
  }

  /** Chains of this node, of which the last ones are instances. */
  async chains(folder: string, keepsHistory: boolean, seed: number): Promise<SoakedChain[]> {
    const root = new RpcClient(this.url);
    const chains: SoakedChain[] = [];
    while (chains.length < CHAINS) {
      const index = chains.length;
      const created =
        index === 0 ? undefined : await root.call('devnet_createInstance', { ttl: 0 });
      const path = created ? `/instances/${created.instance_id}` : '';
      const client = new RpcClient(`${this.url}${path}`);
      const image = join(folder, `${keepsHistory ? 'memory' : 'stored'}-${index}.image`);
      const signer = await Signer.of(client);
      chains.push(new SoakedChain(client, signer, image, keepsHistory, seed + index));
    }
    root.close();
    return chains;
  }
}

export const scenario = defineScenario({
  measures: 'mixed load for a long time: balances that follow from it, and growth of memory',
  sizes: { minutes: [60, 1.25], 'sample-seconds': [10, 2], seed: [1, 1] },
  promises: () => ({
    unexpected_errors: { atMost: 0 },
    stored_growth_megabytes: { atMost: 400 },
    memory_growth_megabytes: { atMost: 400 },
    stored_slope_anonymous: { atMost: 1, isNoisy: true },
    stored_slope_heap: { atMost: 1, isNoisy: true },
    stored_heap_bytes_per_snapshot: { atMost: 5_000, isNoisy: true },
    stored_later_slope: { atMost: 0.3, isNoisy: true },
    memory_slope_anonymous: { atMost: 1, isNoisy: true },
    memory_slope_heap: { atMost: 1, isNoisy: true },
    full_off_percent: { atMost: 20, isNoisy: true },
  }),
  async measure(run) {
    const { sizes, figures } = run;
    const folder = run.folder();
    const [stored, memory, full] = [new SoakedNode(), new SoakedNode(), new SoakedNode()];
    const nodes = [stored, memory, full];
    for (const node of nodes) run.defer(() => node.end());
    await Promise.all([
      // So few recent blocks that they are all present before the end of the warm-up.
      stored.open({ dataDir: join(folder, 'chain'), recentBlocks: 64, stateArchive: 'none' }),
      memory.open({ stateArchive: 'full' }),
      full.open({ stateArchive: 'full', metricsHost: '127.0.0.1', metricsPort: 0 }),
    ]);
    const chains = [
      ...(await stored.chains(folder, false, sizes.seed * 100)),
      ...(await memory.chains(folder, true, sizes.seed * 100 + CHAINS)),
    ];
    const history = new GrowingHistory(new RpcClient(full.url), sizes.seed);

    const faults: string[] = [];
    const start = performance.now();
    const minutes = (): number => (performance.now() - start) / 60_000;
    const isOver = (): boolean => minutes() >= sizes.minutes || faults.length > 0;
    const drive = async (driven: SoakedChain | GrowingHistory): Promise<void> => {
      try {
        while (!isOver()) await driven.step();
      } catch (error) {
        faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      }
      driven.client.close();
    };
    const sampleMemory = async (): Promise<void> => {
      // Code is compiled and caches are filled in the first part of the time.
      const warmUp = Math.min(10, sizes.minutes / 3);
      while (!isOver()) {
        await sleep(Math.min(sizes['sample-seconds'], (sizes.minutes - minutes()) * 60) * 1000);
        for (const node of nodes) {
          const use = await node.call('memory');
          if (minutes() >= warmUp) node.samples.push({ minutes: minutes(), ...use });
        }
      }
    };
    await Promise.all([sampleMemory(), drive(history), ...chains.map(drive)]);
    for (const fault of faults) console.log(fault);

    const [native, counted] = [slope(full.samples, 'native'), slope(full.samples, 'counted')];
    const sum = (part: (chain: SoakedChain) => number): number =>
      chains.reduce((total, chain) => total + part(chain), 0);
    figures.sayAll({
      steps: sum(({ steps }) => steps),
      transactions: sum(({ transactions }) => transactions),
      unexpected_errors: faults.length,
      ...growthFigures('stored', stored.samples),
      stored_heap_bytes_per_snapshot: await stored.heapPerSnapshot(),
      ...growthFigures('memory', memory.samples),
      full_blocks: history.steps,
      full_slope_native: native,
      full_slope_counted: counted,
      full_off_percent: Math.abs(native / counted - 1) * 100,
    });
    // A node must also be able to close after the load.
    for (const node of faults.length === 0 ? nodes : []) await node.call('close');
    return undefined;
  },
});
