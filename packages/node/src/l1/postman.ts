// Knows how messages get from one layer to the other exactly once, whenever the process or a network fails.
import type { Chain } from '../chain/chain.js';
import type { L1Message } from '../chain/l1-handler.js';
import {
  type InFlight,
  isOutgoing,
  type L1Cursor,
  type L1Link,
  type L1Place,
  type MessageToL1,
} from '../chain/messages.js';
import type { Log } from '../log.js';
import {
  checkKey,
  DEFAULT_KEY,
  type Ethereum,
  ethereumAt,
  type Fetched,
  L1Error,
} from './ethereum.js';

/*
 * The rule. From L1: the place of the next unread message is part of the world, and the write that
 * includes a message's transaction is the one that moves it. To L1: before a message leaves, its signed
 * transaction is written into the world; after a failure that very transaction is sent again, and its
 * nonce lets it be mined once. Nothing waits for a network inside of a write. What a write says about
 * an L1 that we run and keep is on disk there first.
 */

export interface PostmanOptions {
  readonly chain: Chain;
  readonly log: Log;
  /** Runs the write that includes a message from L1, so that it can be kept like a call. */
  readonly onMessage?: <T>(message: L1Message, write: () => T) => T;
  /** Resolves when the L1 at this URL will not lose the blocks that it has now, as far as that is up to us. */
  readonly settle: (url: string) => Promise<void>;
}

export interface Connection {
  readonly url: string;
  /** The messaging contract; one is deployed by default. */
  readonly contract?: string | undefined;
  /** Signs on L1. */
  readonly key?: string | undefined;
}

export interface Carried {
  readonly toL1: readonly MessageToL1[];
  readonly toL2: readonly Fetched['message'][];
  /** The transactions that handled the messages to L2. */
  readonly transactions: readonly string[];
  readonly url: string;
}

/** Which half of a delivery failed, and why. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly direction: 'from L1' | 'to L1';

  constructor(direction: 'from L1' | 'to L1', cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.direction = direction;
  }
}

/** Blocks of L1 without messages that may be read again, to spare writes. */
const UNWRITTEN_BLOCKS = 500;

/** Messages that L1 is asked about at once: so many can be executed before the next question. */
const TOGETHER = 16;

/** How often L1 is read anew because the chain went back in the meantime. */
const ATTEMPTS = 10;

/** How long a delivery that waits for L1 may keep the node from closing. */
const CLOSING_MILLISECONDS = 500;

export class Postman {
  readonly #options: PostmanOptions;
  /** Deliveries happen one after the other. */
  #tail: Promise<unknown> = Promise.resolve();
  #node: Ethereum | undefined;
  #isClosed = false;

  constructor(options: PostmanOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#chain.world.messages.l1 !== undefined;
  }

  get #chain(): Chain {
    return this.#options.chain;
  }

  /** Connects with an L1; the messaging contract there. */
  load({ url, contract: given, key = DEFAULT_KEY }: Connection): Promise<string> {
    return this.alone(async () => {
      const node = await this.#nodeAt(readUrl(url));
      await checkKey(key);
      const head = await node.head();
      const contract = given?.toLowerCase() ?? (await deploy(node, key));
      if (given !== undefined && !(await node.hasCode(contract))) {
        throw new L1Error(`The specified address (${contract}) contains no contract.`);
      }
      const start = { block: head.number + 1, log: 0 };
      // The block of the contract tells this L1 from one that begins with the same block.
      const seen = given === undefined ? await node.head() : head;
      await this.#options.settle(node.url);
      await this.#chain.crossing.link({
        url: node.url,
        contract,
        key,
        start,
        cursor: { ...start, seen },
        inFlight: await this.#stillInFlight(node, contract, key),
      });
      return contract;
    });
  }

  /**
   * Goes on with the L1 that the chain was connected with, if that is what is found at this URL.
   *
   * @param formerly another URL of the same L1: there it may have gone back since it was read
   */
  resume(url: string, formerly?: string): Promise<boolean> {
    return this.alone(async () => {
      const { l1 } = this.#chain.world.messages;
      if (!l1) return false;
      const node = await this.#nodeAt(readUrl(url));
      const { number, hash } = l1.cursor.seen;
      const isSame = l1.url === formerly || (await node.blockHash(number)) === hash;
      if (!isSame || !(await node.hasCode(l1.contract))) return false;
      if (l1.url !== node.url) await this.#chain.crossing.link({ ...l1, url: node.url });
      return true;
    });
  }

  /** What may have reached this L1 already, if it is the one that we were connected with. */
  async #stillInFlight(
    node: Ethereum,
    contract: string,
    key: string,
  ): Promise<InFlight | undefined> {
    const { l1 } = this.#chain.world.messages;
    if (!l1?.inFlight || l1.url !== node.url || l1.contract !== contract || l1.key !== key) {
      return undefined;
    }
    const { number, hash } = l1.cursor.seen;
    return (await node.blockHash(number)) === hash ? l1.inFlight : undefined;
  }

  /** Carries everything that waits, in both directions. */
  flush(): Promise<Carried> {
    return this.alone(async () => {
      const received = await inDirection('from L1', () => this.#receive());
      const toL1 = await inDirection('to L1', () => this.#send());
      return { ...received, toL1 };
    });
  }

  /** Runs something while nothing is delivered. */
  alone<T>(action: () => Promise<T>): Promise<T> {
    const run = this.#tail.then(action);
    this.#tail = run.catch(() => undefined);
    return run;
  }

  /** Begins nothing more, and does not wait long for an L1. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const late = new Promise((resolve) => setTimeout(resolve, CLOSING_MILLISECONDS).unref());
    await Promise.race([this.#tail, late]);
  }

  // From L1.

  async #receive(): Promise<Omit<Carried, 'toL1'>> {
    const toL2: Fetched['message'][] = [];
    const transactions: string[] = [];
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const isDone = await this.#readOn((message, hash) => {
        toL2.push(message);
        transactions.push(hash);
      });
      if (isDone) return { toL2, transactions, url: this.#link().url };
    }
    throw new L1Error('the chain goes back again and again while L1 is read');
  }

  /** Reads L1 to its end; false if the chain went back meanwhile. */
  async #readOn(taken: (message: Fetched['message'], hash: string) => void): Promise<boolean> {
    let link: L1Link | undefined = this.#link();
    const { contract, cursor, start, url } = link;
    const node = await this.#nodeAt(url);
    const [head, hasCode, seen] = await Promise.all([
      node.head(),
      node.hasCode(contract),
      node.blockHash(cursor.seen.number),
    ]);
    if (!hasCode) {
      throw new L1Error(
        `the L1 at ${url} has no messaging contract ${contract}: it is another chain by now. Connect with devnet_postmanLoad.`,
      );
    }
    // An L1 that has gone back may have other messages where we have been: those we know are passed over.
    const hasGoneBack = seen !== cursor.seen.hash;
    const from: L1Place = hasGoneBack ? start : cursor;
    const fetched =
      head.number < from.block ? [] : await node.fetchMessages(contract, from.block, head.number);
    const unread = fetched.filter((each) => !isBefore(each, from));
    const isFar = head.number - cursor.block > UNWRITTEN_BLOCKS;
    if (unread.length > 0 || hasGoneBack || isFar) await this.#options.settle(url);
    for (let done = 0; done < unread.length; done += TOGETHER) {
      const some = unread.slice(done, done + TOGETHER);
      const cancelled = await Promise.all(
        some.map(({ message }) => node.isCancelled(contract, message)),
      );
      for (const [index, { block, log, message }] of some.entries()) {
        const next = { block, log: log + 1, seen: head };
        this.#mustBeOpen();
        link = cancelled[index]
          ? await this.#chain.crossing.pass(link, next)
          : await this.#take(link, next, message, taken);
        if (!link) return false;
      }
    }
    if (hasGoneBack || head.number - link.cursor.block > UNWRITTEN_BLOCKS) {
      this.#mustBeOpen();
      await this.#chain.crossing.pass(link, { block: head.number + 1, log: 0, seen: head });
    }
    return true;
  }

  /** Executes a message, or passes it over; the link then, unless the chain went back. */
  async #take(
    link: L1Link,
    next: L1Cursor,
    message: Fetched['message'],
    taken: (message: Fetched['message'], hash: string) => void,
  ): Promise<L1Link | undefined> {
    const { onMessage = (_message, write) => write(), log } = this.#options;
    const done = await onMessage(message, () => this.#chain.crossing.take(link, next, message));
    switch (done.outcome) {
      case 'taken':
        taken(message, done.hash);
        return done.link;
      case 'stale':
        return undefined;
      case 'refused':
        log.warn(
          { l1TransactionHash: message.l1_transaction_hash, nonce: message.nonce },
          `a message from L1 cannot be executed and is passed over: ${done.reason}`,
        );
    }
    return this.#chain.crossing.pass(link, next);
  }

  // To L1.

  async #send(): Promise<readonly MessageToL1[]> {
    const sent: MessageToL1[] = [];
    // What is sent from now on is for the next time.
    const { nextId } = this.#chain.world.messages;
    for (;;) {
      this.#mustBeOpen();
      const { outgoing } = this.#chain.world.messages;
      const link = this.#link();
      const node = await this.#nodeAt(link.url);
      const { inFlight } = link;
      if (inFlight) {
        const message = outgoing.find(({ id }) => id === inFlight.id)?.message;
        if ((await this.#bring(node, link, inFlight)) && message) sent.push(message);
        continue;
      }
      const first = outgoing.first();
      if (!first || first.id >= nextId) return sent;
      const signed = await node.signMessage(link.key, link.contract, first.message);
      this.#mustBeOpen();
      await this.#chain.crossing.depart(link, { id: first.id, ...signed });
    }
  }

  /** Brings a message in flight to an end; whether L1 has got it. */
  async #bring(node: Ethereum, link: L1Link, inFlight: InFlight): Promise<boolean> {
    const land = async (arrived: boolean): Promise<boolean> => {
      this.#mustBeOpen();
      await this.#chain.crossing.land(inFlight, arrived);
      return arrived;
    };
    // The block that sent it was undone. If it is too late, then at least L1 gets it once.
    if (!isOutgoing(this.#chain.world.messages, inFlight.id)) return land(false);
    try {
      await node.submit(inFlight.signed);
    } catch (error) {
      if (!(error instanceof L1Error) || !error.isAnswer) throw error;
      // Either L1 has it, or its nonce went to a transaction of somebody else with the same key.
      const isTaken = (await node.minedNonce(link.key)) > inFlight.nonce;
      if (!(await node.knows(inFlight.hash))) {
        // The next one is signed anew, perhaps at another price; of two with one nonce, one is mined.
        await land(false);
        if (isTaken) return false;
        throw error;
      }
    }
    const { status } = await node.waitFor(inFlight.hash);
    await this.#options.settle(link.url);
    if (await land(status === 'success')) return true;
    throw new L1Error(
      `the messaging contract refused a message, see L1 transaction ${inFlight.hash}`,
    );
  }

  #link(): L1Link {
    const { l1 } = this.#chain.world.messages;
    if (!l1) throw new L1Error('no L1 is connected: devnet_postmanLoad does that.');
    return l1;
  }

  async #nodeAt(url: string): Promise<Ethereum> {
    if (this.#node?.url !== url) this.#node = await ethereumAt(url);
    return this.#node;
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new L1Error('the node is closing');
  }
}

async function deploy(node: Ethereum, key: string): Promise<string> {
  try {
    return await node.deployMessaging(key);
  } catch (error) {
    if (!(error instanceof L1Error)) throw error;
    throw new L1Error(`Failed deploying the messaging contract: ${error.message}`);
  }
}

async function inDirection<T>(
  direction: DeliveryError['direction'],
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof L1Error ? new DeliveryError(direction, error) : error;
  }
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new L1Error(`Failed to parse RPC URL '${text}': it begins with http:// or https://.`);
  }
  return url.href;
}

function isBefore(one: L1Place, other: L1Place): boolean {
  return one.block === other.block ? one.log < other.log : one.block < other.block;
}
