// Relay of messages between L1 and L2, exactly once across crashes and network failures.

import { linkL1 } from '../chain/l1-messages.js';
import type { Cause } from '../chain/world/cause.js';
import type { InFlight, MessageToL1 } from '../chain/world/messages.js';
import { reasonOf, shortUrl } from '../errors.js';
import { SerialQueue } from '../scheduling/serial-queue.js';
import type { Ethereum } from './ethereum/client.js';
import { L1Error } from './ethereum/l1-error.js';
import { checkKey, DEFAULT_KEY } from './ethereum/open.js';
import { type Received, receive } from './receiving.js';
import { Route, type RouteOptions } from './route.js';
import { Sending } from './sending.js';

/*
 * Exactly once. From L1: the read position is part of the world, and the step that includes a
 * message's transaction also advances it. To L1: the signed transaction is stored in the world
 * before it is sent; after a failure the same transaction is sent again, and its nonce lets it
 * be mined once. No step waits for the network. The state of a managed L1 is on disk before a
 * step refers to it.
 */

export interface Connection {
  readonly url: string;
  /** The messaging contract; one is deployed by default. */
  readonly contract?: string | undefined;
  /** The private key that signs on L1. */
  readonly key?: string | undefined;
}

export interface Carried extends Received {
  readonly toL1: readonly MessageToL1[];
}

/** Which half of a delivery failed, and why. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly direction: 'from L1' | 'to L1';

  constructor(direction: 'from L1' | 'to L1', cause: unknown) {
    super(reasonOf(cause), { cause });
    this.direction = direction;
  }
}

/** How long closing waits for a running delivery. */
const CLOSING_MILLISECONDS = 500;

export class Postman {
  readonly #route: Route;
  readonly #sending: Sending;
  readonly #deliveries = new SerialQueue();

  constructor(options: RouteOptions) {
    this.#route = new Route(options);
    this.#sending = new Sending(this.#route);
  }

  get isConnected(): boolean {
    return this.#route.chain.world.messages.l1 !== undefined;
  }

  /** Connects to an L1. @returns the address of the messaging contract */
  load({ url, contract: given, key = DEFAULT_KEY }: Connection, cause?: Cause): Promise<string> {
    return this.exclusive(async () => {
      const node = await this.#route.nodeAt(readUrl(url));
      await checkKey(key);
      const head = await node.head();
      const contract = given?.toLowerCase() ?? (await deploy(node, key));
      if (given !== undefined && !(await node.hasCode(contract))) {
        throw new L1Error(`The specified address (${contract}) contains no contract.`);
      }
      const start = { block: head.number + 1, log: 0 };
      // The block of the contract identifies this L1 among those with the same genesis block.
      const seen = given === undefined ? await node.head() : head;
      await this.#route.options.settle(node.url);
      const inFlight = await this.#stillInFlight(node, contract, key);
      const cursor = { ...start, seen };
      const link = { url: node.url, contract, key, start, cursor, inFlight };
      await linkL1(this.#route.chain, link, cause);
      return contract;
    });
  }

  /**
   * Resumes the stored link if the L1 at this URL is the linked one.
   *
   * @param formerly the previous URL of the same L1, which may have been reverted since it was read
   */
  resume(url: string, formerly?: string): Promise<boolean> {
    return this.exclusive(async () => {
      const { l1 } = this.#route.chain.world.messages;
      if (!l1) return false;
      const node = await this.#route.nodeAt(readUrl(url));
      const { number, hash } = l1.cursor.seen;
      const isSame = l1.url === formerly || (await node.blockHash(number)) === hash;
      if (!isSame || !(await node.hasCode(l1.contract))) return false;
      if (l1.url !== node.url) await linkL1(this.#route.chain, { ...l1, url: node.url });
      return true;
    });
  }

  /** The message in flight, if this L1 is the one that the chain is linked to. */
  async #stillInFlight(
    node: Ethereum,
    contract: string,
    key: string,
  ): Promise<InFlight | undefined> {
    const { l1 } = this.#route.chain.world.messages;
    if (!l1?.inFlight || l1.url !== node.url || l1.contract !== contract || l1.key !== key) {
      return undefined;
    }
    const { number, hash } = l1.cursor.seen;
    return (await node.blockHash(number)) === hash ? l1.inFlight : undefined;
  }

  /** Relays all waiting messages, in both directions. */
  flush(): Promise<Carried> {
    return this.exclusive(async () => {
      const received = await inDirection('from L1', () => receive(this.#route));
      const toL1 = await inDirection('to L1', () => this.#sending.send());
      return { ...received, toL1 };
    });
  }

  /** Runs work while no delivery runs. */
  exclusive<T>(action: () => Promise<T>): Promise<T> {
    return this.#deliveries.run(action);
  }

  /** Refuses new deliveries, and waits a limited time for the running one. */
  async close(): Promise<void> {
    this.#route.close();
    const late = new Promise((resolve) => setTimeout(resolve, CLOSING_MILLISECONDS).unref());
    await Promise.race([this.#deliveries.idle(), late]);
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
    const shortened = url ? shortUrl(url.href) : text;
    throw new L1Error(
      `Failed to parse RPC URL '${shortened}': it begins with http:// or https://.`,
    );
  }
  return url.href;
}
