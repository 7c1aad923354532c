// Steps that take messages from L1 or hand them to L1, each recorded to run only once.
import { messageToL1Hash, type Rejection } from '@starkbox/engine';
import { reasonOf, refuse } from '../../errors.js';
import type { Cause } from '../world/cause.js';
import {
  type InFlight,
  isOutgoing,
  type L1Cursor,
  type L1Link,
  type MessageToL1,
  withConsumed,
  withIncoming,
  withLanded,
} from '../world/messages.js';
import { isKnown, type World } from '../world/world.js';
import { type L1Message, l1Handler } from './l1-handler.js';
import type { PreparedTransaction } from './prepare-transaction.js';

/** What became of a message that was read on L1. */
export type TakenFromL1 =
  | { readonly outcome: 'taken'; readonly link: L1Link; readonly hash: string }
  | { readonly outcome: 'known' | 'stale' }
  | { readonly outcome: 'refused'; readonly reason: string };

/** What a crossing needs of its chain. */
interface Shore {
  readonly chainId: () => string;
  readonly write: <T>(
    cause: Cause | undefined,
    step: (world: World) => Promise<readonly [World, T]>,
  ) => Promise<T>;
  /** Nothing to wait for where nothing is below: whoever comes first is to be first in the queue. */
  readonly readAhead: (prepared: PreparedTransaction) => Promise<void> | undefined;
  readonly execute: (
    world: World,
    prepared: PreparedTransaction,
    refuse?: (rejection: Rejection) => never,
  ) => Promise<readonly [World, undefined]>;
}

export class L1Steps {
  readonly #chain: Shore;

  constructor(chain: Shore) {
    this.#chain = chain;
  }

  /** Executes a message as if it came from L1; a handler that fails is kept as reverted. */
  async send(message: L1Message, cause?: Cause): Promise<PreparedTransaction['transaction']> {
    const prepared = l1Handler(message, this.#chain.chainId());
    const { l1_transaction_hash } = prepared.values;
    const { hash } = prepared.transaction;
    const reading = this.#chain.readAhead(prepared);
    if (reading) await reading;
    await this.#chain.write(cause, (world) => {
      const messages =
        l1_transaction_hash === null
          ? world.messages
          : withIncoming(world.messages, l1_transaction_hash, hash);
      return this.#chain.execute({ ...world, messages }, prepared);
    });
    return prepared.transaction;
  }

  /** Takes a message as its receiver on L1 would; its hash. */
  consume(message: MessageToL1, cause?: Cause): Promise<string> {
    const hash = messageToL1Hash(message);
    return this.#chain.write(cause, async (world) => {
      const messages =
        withConsumed(world.messages, hash) ??
        refuse(
          `Message to L1 with hash ${hash} is not present (never received OR already consumed).`,
        );
      return [{ ...world, messages }, hash];
    });
  }

  /** From now on messages are exchanged with this L1. */
  link(l1: L1Link, cause?: Cause): Promise<void> {
    return this.#chain.write(cause, async (world) => [
      { ...world, messages: { ...world.messages, l1 } },
      undefined,
    ]);
  }

  /** Goes on to another place on L1; the link then, unless it is no longer the one read by. */
  moveCursor(link: L1Link, cursor: L1Cursor): Promise<L1Link | undefined> {
    return this.#chain.write<L1Link | undefined>(undefined, async (world) => {
      if (world.messages.l1 !== link) return [world, undefined];
      const moved = { ...link, cursor };
      return [{ ...world, messages: { ...world.messages, l1: moved } }, moved];
    });
  }

  /**
   * Executes a message that stands before a place on L1 and goes on to there, in one step. A message
   * that the chain has or refuses changes nothing; nor does any if the link is not the one read by.
   */
  async take(link: L1Link, cursor: L1Cursor, message: L1Message): Promise<TakenFromL1> {
    let prepared: ReturnType<typeof l1Handler>;
    try {
      prepared = l1Handler(message, this.#chain.chainId());
    } catch (error) {
      return { outcome: 'refused', reason: reasonOf(error) };
    }
    const { hash } = prepared.transaction;
    const { l1_transaction_hash: l1Hash } = prepared.values;
    return this.#chain.write<TakenFromL1>(sendingOf(message), async (world) => {
      if (world.messages.l1 !== link) return [world, { outcome: 'stale' }];
      if (isKnown(world, hash)) return [world, { outcome: 'known' }];
      const moved = { ...link, cursor };
      const messages = { ...world.messages, l1: moved };
      const heard = l1Hash === null ? messages : withIncoming(messages, l1Hash, hash);
      try {
        const [next] = await this.#chain.execute(
          { ...world, messages: heard },
          prepared,
          refuseMessage,
        );
        return [next, { outcome: 'taken', link: moved, hash }];
      } catch (error) {
        if (!(error instanceof MessageRefused)) throw error;
        return [world, { outcome: 'refused', reason: error.message }];
      }
    });
  }

  /** Writes down that a message is about to leave for L1; false if it may not any more. */
  markInFlight(link: L1Link, inFlight: InFlight): Promise<boolean> {
    return this.#chain.write(undefined, async (world) => {
      const { l1 } = world.messages;
      if (l1 !== link || !isOutgoing(world.messages, inFlight.id)) return [world, false];
      return [{ ...world, messages: { ...world.messages, l1: { ...l1, inFlight } } }, true];
    });
  }

  /** Writes down that L1 has got a message, or never will by this transaction. */
  markLanded(inFlight: InFlight, arrived: boolean): Promise<void> {
    return this.#chain.write(undefined, async (world) => {
      const messages = withLanded(world.messages, inFlight, arrived);
      return [messages === world.messages ? world : { ...world, messages }, undefined];
    });
  }
}

/** The call that sends the same message: a journal needs no L1 to repeat it. */
function sendingOf(message: L1Message): Cause {
  return { jsonrpc: '2.0', method: 'devnet_postmanSendMessageToL2', params: message, id: 0 };
}

/** A message from L1 that cannot even fail: nobody can be told, so it is passed over. */
class MessageRefused extends Error {}

function refuseMessage({ message }: Rejection): never {
  throw new MessageRefused(message);
}
