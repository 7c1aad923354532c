// Knows the messages between L1 and L2 that a chain holds: those on their way out, and what came in.
import { messageToL1Hash } from '@starkbox/engine';
import { List, PersistentMap } from './persistent.js';

export interface MessageToL1 {
  readonly from_address: string;
  readonly to_address: string;
  readonly payload: readonly string[];
}

export interface Messages {
  /** Sent by closed blocks and not yet delivered to L1, oldest first. */
  readonly outgoing: List<{ readonly block: number; readonly message: MessageToL1 }>;
  /** How often each message was sent and not yet consumed, by message hash. */
  readonly consumable: PersistentMap<string, number>;
  /** The L2 transactions that each L1 transaction caused, in order. */
  readonly incoming: PersistentMap<string, List<string>>;
}

export const NO_MESSAGES: Messages = {
  outgoing: List(),
  consumable: PersistentMap(),
  incoming: PersistentMap(),
};

/** What a closed block sent. */
export function withSent(
  messages: Messages,
  block: number,
  sent: readonly MessageToL1[],
): Messages {
  if (sent.length === 0) return messages;
  return {
    ...messages,
    outgoing: messages.outgoing.concat(sent.map((message) => ({ block, message }))),
    consumable: messages.consumable.withMutations((counts) => {
      for (const message of sent) counts.update(messageToL1Hash(message), 0, (n) => n + 1);
    }),
  };
}

/** Without what the blocks from `block` on sent and nobody has taken yet. */
export function withoutBlocksFrom(messages: Messages, block: number): Messages {
  const gone = messages.outgoing.filter((entry) => entry.block >= block);
  if (gone.isEmpty()) return messages;
  return {
    ...messages,
    outgoing: messages.outgoing.filter((entry) => entry.block < block),
    consumable: messages.consumable.withMutations((counts) => {
      for (const { message } of gone) take(counts, messageToL1Hash(message));
    }),
  };
}

/** After one message was consumed on L1; `undefined` if there is none to consume. */
export function withConsumed(messages: Messages, hash: string): Messages | undefined {
  if (!messages.consumable.has(hash)) return undefined;
  return { ...messages, consumable: take(messages.consumable, hash) };
}

function take(counts: PersistentMap<string, number>, hash: string): PersistentMap<string, number> {
  const left = counts.get(hash, 0) - 1;
  return left > 0 ? counts.set(hash, left) : counts.delete(hash);
}

export function withIncoming(messages: Messages, l1Hash: string, l2Hash: string): Messages {
  const known = messages.incoming.get(l1Hash) ?? List<string>();
  return { ...messages, incoming: messages.incoming.set(l1Hash, known.push(l2Hash)) };
}

export function withoutIncoming(messages: Messages, l2Hashes: ReadonlySet<string>): Messages {
  if (messages.incoming.isEmpty() || l2Hashes.size === 0) return messages;
  const incoming = messages.incoming
    .map((hashes) => hashes.filter((hash) => !l2Hashes.has(hash)))
    .filter((hashes) => !hashes.isEmpty());
  return { ...messages, incoming };
}
