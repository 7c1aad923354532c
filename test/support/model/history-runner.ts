// Runner of random histories, one after another on the same node, with a clock of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkedClient } from '@starkbox/test-support';
import { createChain, type LocalChain } from 'starkbox';
import { vi } from 'vitest';
import * as cast from './accounts-and-contracts.js';
import { agree } from './agreement.js';
import { applyStateDiff, createBlock, restart } from './chain-control.js';
import { checkAll, checkHead } from './checks.js';
import { type Command, describeCommand } from './commands.js';
import { NodeAndModel, type Setup, type Wall } from './node-and-model.js';
import { perform } from './perform.js';
import { everything, NodeClient } from './reading.js';
import { className, declaredName, firstWorld, type World, withValues } from './world.js';

const plain = (blocksOn: Setup['blocksOn']): Setup => ({
  name: blocksOn,
  blocksOn,
  lite: false,
  keepsHistory: true,
  startTime: undefined,
  isKept: false,
});

export const SETUPS: readonly Setup[] = [
  plain('transaction'),
  plain('demand'),
  plain('interval'),
  { ...plain('transaction'), name: 'transaction, lite, in 2020', lite: true, startTime: 1.6e9 },
  { ...plain('demand'), name: 'demand, without old states', keepsHistory: false },
  { ...plain('transaction'), name: 'transaction, in a directory', isKept: true },
  { ...plain('demand'), name: 'demand, in a directory', isKept: true },
];

/** The node of a chain that is kept is another one after so many commands. */
const REOPENED = 4;

/** When every history begins. */
const BEGIN = 1_750_000_000;
/** Seconds between two blocks of the node that closes them by the clock. */
const INTERVAL = 60;

/** What a history needs of a node. */
export type ModelledNode = Pick<LocalChain, 'handle' | 'requestRaw' | 'close'>;

interface Prepared {
  readonly world: World;
  readonly snapshot: bigint;
}

export class HistoryRunner {
  readonly setup: Setup;
  /** Whether a chain that is kept gets another node now and then. */
  readonly isReopened: boolean = true;
  /** What a new node already has; undefined for one that is at its genesis. */
  readonly begun: World | undefined = undefined;
  #node: ModelledNode | undefined;
  /** Where the chain is kept. */
  #directory: string | undefined;
  #door: NodeClient | undefined;
  #prepared: Prepared | undefined;
  #lastSnapshot = 0n;
  /** Seconds until the timer of the node closes a block. */
  #untilTick = INTERVAL;

  constructor(setup: Setup) {
    this.setup = setup;
  }

  async close(): Promise<void> {
    await this.#node?.close();
    this.#node = undefined;
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true });
    this.#directory = undefined;
    this.#door = undefined;
    this.#prepared = undefined;
    this.#lastSnapshot = 0n;
    this.#untilTick = INTERVAL;
  }

  /**
   * Plays a history; the chain is left as it then is.
   *
   * @param judged whether everything is also held against the specifications at the end
   */
  async play(commands: readonly Command[], judged = false): Promise<NodeAndModel> {
    try {
      return await this.#play(commands, judged);
    } catch (error) {
      // A failed chain is not reused for the next history.
      await this.close();
      throw error;
    }
  }

  async #play(commands: readonly Command[], judged: boolean): Promise<NodeAndModel> {
    vi.setSystemTime(BEGIN * 1000);
    if (this.setup.isKept) this.#directory ??= mkdtempSync(join(tmpdir(), 'starkbox-'));
    this.#node ??= await this.open(this.#directory);
    this.#door?.written.splice(0);
    this.#door ??= new NodeClient({ handle: async (text) => this.#node?.handle(text) });
    const door = this.#door;
    const wall = this.#wall(this.#node);
    const { world } = await this.#prepare(door, wall);
    const stage = new NodeAndModel(door, this.setup, wall, world, this.#lastSnapshot);
    await checkHead(stage);
    for (const [index, command] of commands.entries()) {
      await at(describeCommand(command), async () => {
        await perform(stage, command);
        await checkHead(stage);
      });
      const isDue = index % REOPENED === REOPENED - 1;
      if (this.setup.isKept && this.isReopened && isDue) await this.#reopen();
    }
    await at('the end', () => checkAll(stage));
    const node = this.#node;
    if (judged) await at('the specifications', () => judge(node, stage));
    this.#lastSnapshot = stage.lastSnapshot;
    if (stage.hasRestarted) this.#prepared = undefined;
    // The next history begins with a full interval.
    if (this.setup.blocksOn === 'interval') await wall.pass(this.#untilTick, async () => {});
    return stage;
  }

  async #reopen(): Promise<void> {
    await this.#node?.close();
    this.#node = await this.open(this.#directory);
  }

  /** Another node as the one that histories are played on. */
  open(dataDir?: string): Promise<ModelledNode> {
    const { blocksOn, lite, keepsHistory, startTime } = this.setup;
    return createChain({
      seed: cast.SEED,
      accounts: cast.accounts.length,
      initialBalance: cast.INITIAL_BALANCE,
      blockGenerationOn: blocksOn === 'interval' ? INTERVAL : blocksOn,
      liteMode: lite,
      stateArchive: keepsHistory ? 'full' : 'none',
      startTime,
      ...(dataDir === undefined ? {} : { dataDir, recentBlocks: 2 }),
    });
  }

  /** A chain with our contracts in its second block, the same for every history. */
  async #prepare(door: NodeClient, wall: Wall): Promise<Prepared> {
    const before = this.#prepared;
    const world = before?.world ?? this.begun ?? (await this.#deploy(door, wall));
    if (before) {
      const snapshot_id = cast.hex(before.snapshot);
      agree(await door.ask('devnet_revert', { snapshot_id }), true);
    }
    this.#lastSnapshot += 1n;
    agree(await door.ask('devnet_snapshot'), cast.hex(this.#lastSnapshot));
    this.#prepared = { world, snapshot: this.#lastSnapshot };
    return this.#prepared;
  }

  async #deploy(door: NodeClient, wall: Wall): Promise<World> {
    const first = firstWorld(wall.now(), this.setup.startTime);
    const stage = new NodeAndModel(door, this.setup, wall, first, this.#lastSnapshot);
    await restart(stage);
    await checkHead(stage);
    const placed = [
      { address: cast.COUNTER, ...cast.counterClass },
      { address: cast.MESSENGER, ...cast.messengerClass },
    ];
    await stage.door.ask('devnet_applyStateDiff', {
      state_diff: {
        deployed_contracts: placed.map(({ address, compiledClass }) => ({
          address,
          class_hash: compiledClass.hash,
        })),
      },
      classes: placed.map(({ wire }) => ({ contract_class: wire })),
    });
    const values = withValues(
      stage.world.values,
      placed.flatMap(({ address, compiledClass }) => [
        [className(address), compiledClass.hash],
        [declaredName(compiledClass.hash), compiledClass.compiledClassHash ?? ''],
      ]),
    );
    stage.world = { ...stage.world, values };
    // The account that is not there yet can pay for its deployment.
    const late = cast.senders.indexOf(cast.late);
    const amount = cast.INITIAL_BALANCE;
    await applyStateDiff(stage, { does: 'setBalance', of: late, amount });
    await createBlock(stage);
    await checkHead(stage);
    return stage.world;
  }

  #wall(node: ModelledNode): Wall {
    const now = (): number => Math.floor(Date.now() / 1000);
    return {
      now,
      pass: async (seconds, onTick) => {
        if (this.setup.blocksOn !== 'interval') {
          // The timer of another node must not run.
          vi.setSystemTime((now() + seconds) * 1000);
          return;
        }
        for (let remaining = seconds; remaining > 0; ) {
          const step = Math.min(remaining, this.#untilTick);
          vi.advanceTimersByTime(step * 1000);
          remaining -= step;
          this.#untilTick -= step;
          if (this.#untilTick > 0) continue;
          this.#untilTick = INTERVAL;
          // Changes happen one after another: when this one is through, the block is closed.
          await node.requestRaw('devnet_stopImpersonateAccount', { account_address: '0xdead' });
          await onTick();
        }
      },
    };
  }
}

async function at(position: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`at ${position}: ${reason}`, { cause: error });
  }
}

/** Validates every answer by the specifications. */
async function judge(node: ModelledNode, { world, setup }: NodeAndModel): Promise<void> {
  const client = checkedClient(node.handle);
  for (const { method, params } of everything(world, setup.keepsHistory)) {
    try {
      await client.call(method, params);
    } catch (error) {
      if (error instanceof Error && error.name !== 'RpcFailure') throw error;
    }
  }
}
