// Messages between L1 and L2: outgoing, delivered, consumable and incoming.
import { messageToL1Hash } from '@starkbox/engine';
import { List, PersistentMap } from '../../immutable.js';
import {
  count,
  felt,
  felts,
  hexNumber,
  integer,
  list,
  object,
  optional,
  pair,
  string,
} from '../../json/reader.js';

export interface MessageToL1 {
  readonly from_address: string;
  readonly to_address: string;
  readonly payload: readonly string[];
}

export interface Outgoing {
  /** Ascending; the id of an aborted or reverted message is never reused. */
  readonly id: number;
  /** The block that sent it. */
  readonly block: number;
  readonly message: MessageToL1;
}

export interface Messages {
  /** Sent by closed blocks and not yet delivered to L1, oldest first. */
  readonly outgoing: List<Outgoing>;
  /** The id of the next message to L1. */
  readonly nextId: number;
  /** Id ranges of messages on L1; a revert to a snapshot must not send them again. */
  readonly delivered: readonly (readonly [first: number, last: number])[];
  /** Number of sent and unconsumed messages by message hash. */
  readonly consumable: PersistentMap<string, number>;
  /** The L2 transactions of each L1 transaction, in order. */
  readonly incoming: PersistentMap<string, List<string>>;
  /** The connected L1. */
  readonly l1: L1Link | undefined;
}

/** Immutable state of the relay, which must be durable for exactly-once delivery. */
export interface L1Link {
  readonly url: string;
  /** Address of the messaging contract. */
  readonly contract: string;
  /** Private key for transactions to L1. */
  readonly key: string;
  /** Messages before this position are ignored. */
  readonly start: L1Position;
  /** Read position on L1: all messages before it are on L2. */
  readonly cursor: L1Cursor;
  /** A message that can already be on L1. */
  readonly inFlight: InFlight | undefined;
}

/** Position of a log on L1. */
export interface L1Position {
  readonly block: number;
  readonly log: number;
}

export interface L1Cursor extends L1Position {
  /** The newest block at the last read; a different hash later means that L1 was reverted. */
  readonly seen: { readonly number: number; readonly hash: string };
}

/** The signed L1 transaction of a message: its nonce makes repeated sending safe. */
export interface InFlight {
  readonly id: number;
  readonly nonce: number;
  readonly hash: string;
  readonly signed: string;
}

export const NO_MESSAGES: Messages = {
  outgoing: List(),
  nextId: 0,
  delivered: [],
  consumable: PersistentMap(),
  incoming: PersistentMap(),
  l1: undefined,
};

/** Adds the messages of a closed block. */
export function withSent(
  messages: Messages,
  block: number,
  added: readonly MessageToL1[],
): Messages {
  if (added.length === 0) return messages;
  const { nextId } = messages;
  return {
    ...messages,
    outgoing: messages.outgoing.concat(
      added.map((message, index) => ({ id: nextId + index, block, message })),
    ),
    nextId: nextId + added.length,
    consumable: messages.consumable.withMutations((counts) => {
      for (const message of added) counts.update(messageToL1Hash(message), 0, (n) => n + 1);
    }),
  };
}

/** Removes the undelivered messages of the blocks from `block` on. */
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

export function isOutgoing({ outgoing }: Messages, id: number): boolean {
  return outgoing.first()?.id === id || outgoing.some((entry) => entry.id === id);
}

function without(outgoing: List<Outgoing>, id: number): List<Outgoing> {
  // Messages are delivered in order, so it is usually the first.
  return outgoing.first()?.id === id
    ? outgoing.shift()
    : outgoing.filter((entry) => entry.id !== id);
}

/** Ends the delivery of a message, with success or without. */
export function withLanded(messages: Messages, { id, hash }: InFlight, arrived: boolean): Messages {
  const { l1, outgoing, delivered } = messages;
  // After a load of another chain, the id belongs to another message.
  if (l1?.inFlight?.hash !== hash) return messages;
  const landed = { ...messages, l1: { ...l1, inFlight: undefined } };
  if (!arrived) return landed;
  return {
    ...landed,
    outgoing: without(outgoing, id),
    delivered: withDelivered(delivered, id),
  };
}

function isDelivered(delivered: Messages['delivered'], id: number): boolean {
  return delivered.some(([first, last]) => first <= id && id <= last);
}

/** Delivery is in order, so a new range begins only after reverted ids. */
function withDelivered(delivered: Messages['delivered'], id: number): Messages['delivered'] {
  const [first, last] = delivered.at(-1) ?? [id, id];
  return last + 1 === id ? [...delivered.slice(0, -1), [first, id]] : [...delivered, [id, id]];
}

/** The messages of a restored snapshot; L1 is not reverted, so its part stays current. */
export function returnedTo(snapshotMessages: Messages, now: Messages): Messages {
  const { l1, outgoing } = snapshotMessages;
  const { nextId, delivered } = now;
  const isSame = l1 !== undefined && l1.contract === now.l1?.contract && l1.url === now.l1.url;
  const hasMoved = isSame && l1.inFlight !== now.l1?.inFlight;
  if (nextId === snapshotMessages.nextId && delivered === snapshotMessages.delivered && !hasMoved)
    return snapshotMessages;
  return {
    ...snapshotMessages,
    nextId,
    delivered,
    outgoing: outgoing.filterNot(({ id }) => isDelivered(delivered, id)),
    l1: hasMoved ? { ...l1, inFlight: now.l1?.inFlight } : l1,
  };
}

/** The messages of a restarted chain. */
export function restartMessages(
  { nextId, l1 }: Messages,
  relink: (link: L1Link) => L1Link | undefined,
): Messages {
  return { ...NO_MESSAGES, nextId, l1: l1 && relink(l1) };
}

/** A world without its link to L1. */
export function unlinkL1<W extends { readonly messages: Messages }>(world: W): W {
  const { messages } = world;
  if (!messages.l1) return world;
  return Object.freeze({ ...world, messages: { ...messages, l1: undefined } });
}

/** A link that continues at the cursor: a restart does not revert L1. */
export function readOn(link: L1Link): L1Link {
  const { block, log } = link.cursor;
  return { ...link, start: { block, log } };
}

/** Removes a message that was consumed on L1; `undefined` if there is none. */
export function withConsumed(messages: Messages, hash: string): Messages | undefined {
  if (!messages.consumable.has(hash)) return undefined;
  return { ...messages, consumable: take(messages.consumable, hash) };
}

function take(counts: PersistentMap<string, number>, hash: string): PersistentMap<string, number> {
  const remaining = counts.get(hash, 0) - 1;
  return remaining > 0 ? counts.set(hash, remaining) : counts.delete(hash);
}

export function withIncoming(messages: Messages, l1Hash: string, l2Hash: string): Messages {
  const hashes = messages.incoming.get(l1Hash) ?? List<string>();
  return { ...messages, incoming: messages.incoming.set(l1Hash, hashes.push(l2Hash)) };
}

export function withoutIncoming(messages: Messages, l2Hashes: ReadonlySet<string>): Messages {
  if (messages.incoming.isEmpty() || l2Hashes.size === 0) return messages;
  const incoming = messages.incoming
    .map((hashes) => hashes.filter((hash) => !l2Hashes.has(hash)))
    .filter((hashes) => !hashes.isEmpty());
  return { ...messages, incoming };
}

/** Plain data for JSON. */
export function messagesToJson(messages: Messages): MessagesJson {
  const { outgoing, nextId, delivered, consumable, incoming, l1 } = messages;
  return {
    outgoing: outgoing.toArray(),
    nextId,
    delivered,
    consumable: [...consumable],
    incoming: [...incoming].map(([l1Hash, hashes]) => [l1Hash, hashes.toArray()]),
    l1: l1 ? { ...l1, inFlight: l1.inFlight ?? null } : null,
  };
}

/** Reads the result of `messagesToJson`; throws a `TypeError` for other values. */
export function messagesFromJson(value: unknown): Messages {
  const members = object(value, 'messages');
  const nextId = count(members['nextId'], 'messages.nextId');
  const outgoing = list(members['outgoing'], 'messages.outgoing', readOutgoing);
  if (outgoing.some(({ id }, index) => id >= (outgoing[index + 1]?.id ?? nextId))) {
    throw new TypeError('messages.outgoing: expected ascending ids below nextId');
  }
  return {
    outgoing: List(outgoing),
    nextId,
    delivered: list(members['delivered'], 'messages.delivered', (delivery, at) =>
      pair(delivery, at, count, count),
    ),
    consumable: PersistentMap(
      list(members['consumable'], 'messages.consumable', (counted, at) =>
        pair(counted, at, hexNumber, count),
      ),
    ),
    incoming: PersistentMap(
      list(members['incoming'], 'messages.incoming', (received, at) =>
        pair(received, at, hexNumber, (hashes, path) => List(list(hashes, path, felt))),
      ),
    ),
    l1: optional(members['l1'], 'messages.l1', readLink),
  };
}

function readOutgoing(value: unknown, where: string): Outgoing {
  const { id, block, message } = object(value, where);
  return {
    id: count(id, `${where}.id`),
    block: count(block, `${where}.block`),
    message: readMessage(message, `${where}.message`),
  };
}

/** Reads a message to L1; throws a `TypeError` for other values. */
export function readMessage(value: unknown, where: string): MessageToL1 {
  const { from_address, to_address, payload } = object(value, where);
  return {
    from_address: felt(from_address, `${where}.from_address`),
    to_address: felt(to_address, `${where}.to_address`),
    payload: felts(payload, `${where}.payload`),
  };
}

function readLink(value: unknown, where: string): L1Link {
  const { url, contract, key, start, cursor, inFlight } = object(value, where);
  const { seen, ...position } = object(cursor, `${where}.cursor`);
  const { number, hash } = object(seen, `${where}.cursor.seen`);
  return {
    url: string(url, `${where}.url`),
    contract: hexNumber(contract, `${where}.contract`),
    key: string(key, `${where}.key`),
    start: readPosition(start, `${where}.start`),
    cursor: {
      ...readPosition(position, `${where}.cursor`),
      seen: {
        number: integer(number, `${where}.cursor.seen.number`),
        hash: string(hash, `${where}.cursor.seen.hash`),
      },
    },
    inFlight: optional(inFlight, `${where}.inFlight`, readInFlight),
  };
}

function readPosition(value: unknown, where: string): L1Position {
  const { block, log } = object(value, where);
  return { block: integer(block, `${where}.block`), log: integer(log, `${where}.log`) };
}

function readInFlight(value: unknown, where: string): InFlight {
  const { id, nonce, hash, signed } = object(value, where);
  return {
    id: count(id, `${where}.id`),
    nonce: count(nonce, `${where}.nonce`),
    hash: string(hash, `${where}.hash`),
    signed: string(signed, `${where}.signed`),
  };
}

export interface MessagesJson {
  readonly outgoing: readonly Outgoing[];
  readonly nextId: number;
  readonly delivered: Messages['delivered'];
  readonly consumable: readonly (readonly [string, number])[];
  readonly incoming: readonly (readonly [string, readonly string[]])[];
  readonly l1: (Omit<L1Link, 'inFlight'> & { readonly inFlight: InFlight | null }) | null;
}
