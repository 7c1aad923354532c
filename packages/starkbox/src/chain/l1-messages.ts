// Messages from L1 and to L1, each recorded to be carried only once.
import { messageToL1Hash, type Rejection } from '@starkbox/engine';
import { reasonOf, refuse } from '../errors.js';
import type { Chain } from './chain.js';
import type { PreparedTransaction } from './execution/prepare-transaction.js';
import { executeTransaction, readAhead } from './steps/include-transaction.js';
import { type L1Message, l1Handler } from './steps/l1-handler.js';
import { type Cause, callCause } from './world/cause.js';
import {
  type InFlight,
  isOutgoing,
  type L1Cursor,
  type L1Link,
  type MessageToL1,
  withConsumed,
  withIncoming,
  withLanded,
} from './world/messages.js';
import { isKnown } from './world/world.js';

/** The outcome of a message that was read on L1. */
export type TakenFromL1 =
  | { readonly outcome: 'taken'; readonly link: L1Link; readonly hash: string }
  | { readonly outcome: 'known' | 'stale' }
  | { readonly outcome: 'refused'; readonly reason: string };

/** Executes a message as if it came from L1; a failing handler is included as reverted. */
export async function sendToL2(
  chain: Chain,
  message: L1Message,
  cause?: Cause,
): Promise<PreparedTransaction['transaction']> {
  const prepared = l1Handler(message, chain.options.chainId);
  const { l1_transaction_hash } = prepared.values;
  const { hash } = prepared.transaction;
  if (chain.options.fork) await readAhead(chain.world, prepared, chain.options, chain.executions);
  await chain.write(cause, async (world) => {
    const messages =
      l1_transaction_hash === null
        ? world.messages
        : withIncoming(world.messages, l1_transaction_hash, hash);
    const next = await executeTransaction({ ...world, messages }, prepared, chain.options);
    return [next, undefined];
  });
  return prepared.transaction;
}

/** Consumes a message to L1; its hash. */
export function consumeMessage(chain: Chain, message: MessageToL1, cause?: Cause): Promise<string> {
  const hash = messageToL1Hash(message);
  return chain.write(cause, async (world) => {
    const messages =
      withConsumed(world.messages, hash) ??
      refuse(
        `Message to L1 with hash ${hash} is not present (never received OR already consumed).`,
      );
    return [{ ...world, messages }, hash];
  });
}

/** Sets the L1 that messages are exchanged with. */
export function linkL1(chain: Chain, l1: L1Link, cause?: Cause): Promise<void> {
  return chain.write(cause, async (world) => [
    { ...world, messages: { ...world.messages, l1 } },
    undefined,
  ]);
}

/** Moves the cursor on L1; the new link, or undefined if `link` is no longer the current one. */
export function moveCursor(
  chain: Chain,
  link: L1Link,
  cursor: L1Cursor,
): Promise<L1Link | undefined> {
  return chain.write<L1Link | undefined>(undefined, async (world) => {
    if (world.messages.l1 !== link) return [world, undefined];
    const moved = { ...link, cursor };
    return [{ ...world, messages: { ...world.messages, l1: moved } }, moved];
  });
}

/**
 * Executes a message from L1 and moves the cursor past it, in one step. A known or refused
 * message changes nothing, nor does any message if `link` is no longer the current one.
 */
export async function takeFromL1(
  chain: Chain,
  link: L1Link,
  cursor: L1Cursor,
  message: L1Message,
): Promise<TakenFromL1> {
  let prepared: ReturnType<typeof l1Handler>;
  try {
    prepared = l1Handler(message, chain.options.chainId);
  } catch (error) {
    return { outcome: 'refused', reason: reasonOf(error) };
  }
  const { hash } = prepared.transaction;
  const { l1_transaction_hash: l1Hash } = prepared.values;
  return chain.write<TakenFromL1>(sendingOf(message), async (world) => {
    if (world.messages.l1 !== link) return [world, { outcome: 'stale' }];
    if (isKnown(world, hash)) return [world, { outcome: 'known' }];
    const moved = { ...link, cursor };
    const messages = { ...world.messages, l1: moved };
    const received = l1Hash === null ? messages : withIncoming(messages, l1Hash, hash);
    try {
      const next = await executeTransaction(
        { ...world, messages: received },
        prepared,
        chain.options,
        refuseMessage,
      );
      return [next, { outcome: 'taken', link: moved, hash }];
    } catch (error) {
      if (!(error instanceof MessageRefused)) throw error;
      return [world, { outcome: 'refused', reason: error.message }];
    }
  });
}

/** Records that a message is about to be sent to L1; false if it must not be sent any more. */
export function markInFlight(chain: Chain, link: L1Link, inFlight: InFlight): Promise<boolean> {
  return chain.write(undefined, async (world) => {
    const { l1 } = world.messages;
    if (l1 !== link || !isOutgoing(world.messages, inFlight.id)) return [world, false];
    return [{ ...world, messages: { ...world.messages, l1: { ...l1, inFlight } } }, true];
  });
}

/** Records whether the L1 transaction in flight delivered its message. */
export function markLanded(chain: Chain, inFlight: InFlight, arrived: boolean): Promise<void> {
  return chain.write(undefined, async (world) => {
    const messages = withLanded(world.messages, inFlight, arrived);
    return [messages === world.messages ? world : { ...world, messages }, undefined];
  });
}

/** The call that sends the same message, so that a journal is repeated without an L1. */
function sendingOf(message: L1Message): Cause {
  return callCause('devnet_postmanSendMessageToL2', message);
}

/** A message from L1 that cannot be included, not even as reverted; it is skipped. */
class MessageRefused extends Error {}

function refuseMessage({ message }: Rejection): never {
  throw new MessageRefused(message);
}
