// Runner of a history with subscribers: from when on they listen, and when nothing may be sent.
import { Transaction, type TransactionValues } from '@starkbox/engine';
import * as cast from '@starkbox/test-support/model/accounts-and-contracts';
import type { Command } from '@starkbox/test-support/model/commands';
import { HistoryRunner, type ModelledNode } from '@starkbox/test-support/model/history-runner';
import { NodeClient } from '@starkbox/test-support/model/reading';
import { createChain, type LocalChain } from 'starkbox';
import { ChainReader } from './chain-reader.js';
import { Follower } from './follower.js';
import { LateSubscriber } from './late-subscriber.js';

/** Seconds between blocks, as the runner counts them. */
const INTERVAL = 60;
/** The end of every subscription. */
const RESTART = 'devnet_restart';
/** Calls that change nothing. */
const READS = /^(starknet|devnet)_(get|call|trace|simulate|block|postmanFlush)/;
/** Calls that may remove transactions of the pending block. */
const GOES_BACK = /^devnet_(abortBlocks|revert)/;

interface Call {
  readonly method: string;
  readonly params: Readonly<Record<string, TransactionValues>>;
}

export interface Timing {
  /** Number of changes after which notifications are read. */
  readonly batch: number;
  /** Number of changes before the late subscriber connects. */
  readonly late: number;
}

/** A runner with a subscriber from the first command of each history. */
export class FollowedRunner extends HistoryRunner {
  /** A reopened node would have no subscribers. */
  override readonly isReopened: boolean = false;
  #url = '';
  #chain: ChainReader | undefined;
  #follower: Follower | undefined;
  /** Whether a restart has ended all subscriptions. */
  #isUnsubscribed = false;
  #late: LateSubscriber | undefined;
  /** Changes before the late subscriber connects. */
  #untilLate = 0;
  /** Changes whose notifications are unread, and their limit. */
  #unread = 0;
  #batch = 1;

  /** Runs a history with subscribers. */
  async follow(commands: readonly Command[], { batch, late }: Timing): Promise<void> {
    this.#untilLate = late;
    this.#batch = batch;
    try {
      await this.play(commands);
      await this.#catchUp();
    } catch (error) {
      await this.#leave().catch(() => {});
      throw error;
    }
    await this.#leave();
  }

  /** As in the base class, but listening on a port, with every change observed. */
  override async open(dataDir?: string): Promise<ModelledNode> {
    const { blocksOn, lite, keepsHistory, startTime } = this.setup;
    const node = await createChain({
      seed: cast.SEED,
      accounts: cast.accounts.length,
      initialBalance: cast.INITIAL_BALANCE,
      blockGenerationOn: blocksOn === 'interval' ? INTERVAL : blocksOn,
      liteMode: lite,
      stateArchive: keepsHistory ? 'full' : 'none',
      startTime,
      port: 0,
      ...(dataDir === undefined ? {} : { dataDir, recentBlocks: 2 }),
    });
    this.#url = (await node.listen()).url;
    this.#chain = new ChainReader(new NodeClient(node));
    return {
      close: () => node.close(),
      handle: (text) => this.#handle(node, text),
      requestRaw: async (method, params) => {
        const answer = await node.requestRaw(method, params);
        await this.#receive(method);
        return answer;
      },
    };
  }

  async #leave(): Promise<void> {
    const subscribers = [this.#follower, this.#late];
    this.#follower = undefined;
    this.#late = undefined;
    this.#isUnsubscribed = false;
    this.#unread = 0;
    for (const subscriber of subscribers) await subscriber?.close();
  }

  async #handle(node: LocalChain, text: string): Promise<string | undefined> {
    const call: Call = JSON.parse(text);
    const { method } = call;
    if (READS.test(method)) return node.handle(text);
    const late = await this.#prepare(call);
    const answer = await (late ? late.begin(text) : node.handle(text));
    // The first snapshot marks the begin of a history.
    if (method === 'devnet_snapshot' && !this.#follower) await this.#enter();
    else await this.#receive(method);
    return answer;
  }

  async #enter(): Promise<void> {
    if (!this.#chain) return;
    this.#follower = await Follower.connect(this.#url, this.#chain);
    await this.#follower.begin();
  }

  /** Runs before a change. A late subscriber that connects now sends the call itself. */
  async #prepare(call: Call): Promise<LateSubscriber | undefined> {
    if (!this.#follower || !this.#chain) return undefined;
    if (call.method === RESTART) {
      await this.#catchUp();
      return undefined;
    }
    const hash = hashOf(call);
    // Half of the statuses are subscribed to before sending, the others after the notification.
    const isAwaited = hash !== undefined && BigInt(hash) % 2n === 0n;
    if (isAwaited && !this.#isUnsubscribed) await this.#follower.watch(hash);
    this.#untilLate -= 1;
    if (this.#untilLate !== -1) return undefined;
    this.#late = await LateSubscriber.connect(this.#url, this.#chain);
    return this.#late;
  }

  /** Runs after a change. */
  async #receive(method: string): Promise<void> {
    if (!this.#follower) return;
    if (method === RESTART) {
      await this.#follower.quiet();
      this.#follower.forget();
      await this.#late?.quiet();
      await this.#late?.close();
      this.#late = undefined;
      this.#isUnsubscribed = true;
    } else if (this.#isUnsubscribed) {
      await this.#follower.quiet();
      await this.#follower.begin();
      await this.#late?.catchUp();
      this.#isUnsubscribed = false;
    } else {
      this.#unread += 1;
      const goesBack = GOES_BACK.test(method);
      if (goesBack || this.#unread >= this.#batch) await this.#catchUp(goesBack);
    }
  }

  async #catchUp(goesBack = false): Promise<void> {
    if (this.#unread === 0) return;
    this.#unread = 0;
    await this.#follower?.catchUp(goesBack);
    await this.#late?.catchUp();
  }
}

/** The hash of a transaction before it is sent. */
function hashOf({ method, params }: Call): string | undefined {
  if (!method.startsWith('starknet_add')) return undefined;
  const [values = {}] = Object.values(params);
  const declared =
    method === 'starknet_addDeclareTransaction' ? cast.spareClass.compiledClass : undefined;
  return new Transaction(values, cast.CHAIN_ID, declared).hash;
}
