// Runner of a history with subscribers: from when on they listen, and when nothing may be sent.
import { Transaction, type TransactionValues } from '@starkbox/engine';
import { createNode, type Node } from '../../src/index.js';
import * as cast from '../model/accounts-and-contracts.js';
import type { Command } from '../model/commands.js';
import { HistoryRunner } from '../model/history-runner.js';
import { NodeClient } from '../model/reading.js';
import { Follower } from './follower.js';
import { LateSubscriber } from './late-subscriber.js';
import { ShownChain } from './shown-chain.js';

/** Seconds between blocks, as the runner counts them. */
const INTERVAL = 60;
/** The end of every subscription. */
const RESTART = 'devnet_restart';
/** Calls that change nothing. */
const READS = /^(starknet|devnet)_(get|call|trace|simulate|block|postmanFlush)/;
/** Calls after which transactions may be gone that waited for a block. */
const GOES_BACK = /^devnet_(abortBlocks|revert)/;

interface Call {
  readonly method: string;
  readonly params: Readonly<Record<string, TransactionValues>>;
}

export interface Audience {
  /** The changes after which it is listened to what was told of them. */
  readonly patience: number;
  /** The changes before somebody else comes. */
  readonly newcomer: number;
}

/** A runner with an audience: somebody who follows each history from its first command on. */
export class FollowedRunner extends HistoryRunner {
  /** Nobody follows a node that is gone. */
  override readonly isReopened: boolean = false;
  #url = '';
  #chain: ShownChain | undefined;
  #follower: Follower | undefined;
  /** Whether all subscriptions are gone. */
  #isDeaf = false;
  #newcomer: LateSubscriber | undefined;
  /** Changes before the newcomer comes. */
  #untilNewcomer = 0;
  /** Changes that nobody listened to yet, and how many they may be. */
  #unheard = 0;
  #patience = 1;

  /** Plays a history that is followed. */
  async follow(commands: readonly Command[], { patience, newcomer }: Audience): Promise<void> {
    this.#untilNewcomer = newcomer;
    this.#patience = patience;
    try {
      await this.play(commands);
      await this.#catchUp();
    } catch (error) {
      // One reason is enough.
      await this.#leave().catch(() => {});
      throw error;
    }
    await this.#leave();
  }

  /** As the nodes of other runners, but with an open door, and all that goes through it is followed. */
  override async open(dataDir?: string): Promise<Node> {
    const { blocksOn, lite, keepsHistory, startTime } = this.setup;
    const node = await createNode({
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
    this.#chain = new ShownChain(new NodeClient(node));
    return {
      ...node,
      handle: (text) => this.#handle(node, text),
      request: async (method, params) => {
        const answer = await node.request(method, params);
        await this.#hear(method);
        return answer;
      },
    };
  }

  async #leave(): Promise<void> {
    const audience = [this.#follower, this.#newcomer];
    this.#follower = undefined;
    this.#newcomer = undefined;
    this.#isDeaf = false;
    this.#unheard = 0;
    for (const one of audience) await one?.close();
  }

  async #handle(node: Node, text: string): Promise<string | undefined> {
    const call: Call = JSON.parse(text);
    const { method } = call;
    if (READS.test(method)) return node.handle(text);
    const newcomer = await this.#prepare(call);
    const answer = await (newcomer ? newcomer.begin(text) : node.handle(text));
    // A history begins when the chain that it begins with has been kept.
    if (method === 'devnet_snapshot' && !this.#follower) await this.#enter();
    else await this.#hear(method);
    return answer;
  }

  async #enter(): Promise<void> {
    if (!this.#chain) return;
    this.#follower = await Follower.connect(this.#url, this.#chain);
    await this.#follower.begin();
  }

  /** Something is about to happen. If a newcomer comes now, it is they who ask for it. */
  async #prepare(call: Call): Promise<LateSubscriber | undefined> {
    if (!this.#follower || !this.#chain) return undefined;
    if (call.method === RESTART) {
      await this.#catchUp();
      return undefined;
    }
    const hash = hashOf(call);
    // Some are followed before they are sent, the others when they are heard of.
    const isAwaited = hash !== undefined && BigInt(hash) % 2n === 0n;
    if (isAwaited && !this.#isDeaf) await this.#follower.watch(hash);
    this.#untilNewcomer -= 1;
    if (this.#untilNewcomer !== -1) return undefined;
    this.#newcomer = await LateSubscriber.connect(this.#url, this.#chain);
    return this.#newcomer;
  }

  /** Something happened. */
  async #hear(method: string): Promise<void> {
    if (!this.#follower) return;
    if (method === RESTART) {
      await this.#follower.quiet();
      this.#follower.forget();
      await this.#newcomer?.quiet();
      await this.#newcomer?.close();
      this.#newcomer = undefined;
      this.#isDeaf = true;
    } else if (this.#isDeaf) {
      await this.#follower.quiet();
      await this.#follower.begin();
      await this.#newcomer?.catchUp();
      this.#isDeaf = false;
    } else {
      this.#unheard += 1;
      const goesBack = GOES_BACK.test(method);
      if (goesBack || this.#unheard >= this.#patience) await this.#catchUp(goesBack);
    }
  }

  async #catchUp(goesBack = false): Promise<void> {
    if (this.#unheard === 0) return;
    this.#unheard = 0;
    await this.#follower?.catchUp(goesBack);
    await this.#newcomer?.catchUp();
  }
}

/** The hash of a transaction that is about to be sent. */
function hashOf({ method, params }: Call): string | undefined {
  if (!method.startsWith('starknet_add')) return undefined;
  const [values = {}] = Object.values(params);
  const declared = method === 'starknet_addDeclareTransaction' ? cast.spareClass.made : undefined;
  return new Transaction(values, cast.CHAIN_ID, declared).hash;
}
