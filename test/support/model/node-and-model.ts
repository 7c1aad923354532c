// A node beside its model, with the rule that a refused call changes nothing.
import type { MethodName } from '@starkbox/spec';
import { agree, agreeExactly } from './agreement.js';
import { differences, everything, type NodeClient, type Reading } from './reading.js';
import type { Sent } from './transactions.js';
import { closed, type Included, type Values, type World } from './world.js';

export interface Setup {
  readonly name: string;
  readonly blocksOn: 'transaction' | 'demand' | 'interval';
  readonly lite: boolean;
  readonly keepsHistory: boolean;
  readonly startTime: number | undefined;
  /** The chain is in a data directory, which is closed and opened again all the time. */
  readonly isKept: boolean;
}

/** The clock on the wall, and with it the timer of a node that closes blocks by it. */
export interface Wall {
  readonly now: () => number;
  /** Lets time pass; calls `onTick` after each block that the timer closed. */
  readonly pass: (seconds: number, onTick: () => Promise<void>) => Promise<void>;
}

export interface SavedWorld {
  readonly world: World;
  readonly reading: Reading | undefined;
}

/** Reading everything takes longer than a transaction. */
const FULL_READINGS = 2;
const FULL_REFUSALS = 1;

export class NodeAndModel {
  readonly door: NodeClient;
  readonly setup: Setup;
  readonly wall: Wall;
  /** What the chain must be. */
  world: World;
  /** Transactions to send again. */
  readonly sent: Sent[] = [];
  readonly snapshots = new Map<string, SavedWorld>();
  /** The names of all snapshots, also of those that are used up. */
  readonly issued: string[] = [];
  lastSnapshot: bigint;
  hasRestarted = false;
  /** How many calls had been made when the history began. */
  readonly begin: number;
  /** How many messages came from L1. */
  deposits = 0;
  /** Every transaction and every block that there ever was, by hash. */
  readonly transactions = new Set<string>();
  readonly blocks = new Set<string>();
  #readings = FULL_READINGS;
  #refusals = FULL_REFUSALS;

  constructor(door: NodeClient, setup: Setup, wall: Wall, world: World, lastSnapshot: bigint) {
    this.door = door;
    this.begin = door.written.length;
    this.setup = setup;
    this.wall = wall;
    this.world = world;
    this.lastSnapshot = lastSnapshot;
  }

  /** A call that must be refused. */
  async fails(method: MethodName, params: unknown, code: number): Promise<void> {
    const questions =
      this.#refusals > 0 ? [...everything(this.world, this.setup.keepsHistory)] : [];
    this.#refusals -= 1;
    const before = await this.door.read(questions);
    const { error, result } = await this.door.answer(method, params);
    agree(error?.code, code, `${method} (${error?.message ?? JSON.stringify(result)})`);
    const now = await this.door.read(questions);
    agreeExactly(differences(before, now), [], `what the refused ${method} changed`);
  }

  /** All that can be read, of the first few times that it is asked for. */
  async reading(): Promise<Reading | undefined> {
    this.#readings -= 1;
    if (this.#readings < 0) return undefined;
    return this.door.read(everything(this.world, this.setup.keepsHistory));
  }

  close(): void {
    this.world = closed(this.world, this.wall.now());
  }

  include(transaction: Included, values: Values): void {
    this.world = { ...this.world, values, pending: [...this.world.pending, transaction] };
    if (this.setup.blocksOn === 'transaction') this.close();
  }
}
