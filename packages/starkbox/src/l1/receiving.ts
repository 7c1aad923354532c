// Relay of messages from L1 to L2.
import { moveCursor, takeFromL1 } from '../chain/l1-messages.js';
import type { L1Cursor, L1Link, L1Position } from '../chain/world/messages.js';
import type { Ethereum, Fetched, SeenBlock } from './ethereum/client.js';
import { L1Error } from './ethereum/l1-error.js';
import { messagePages } from './ethereum/message-pages.js';
import type { Route } from './route.js';

export interface Received {
  readonly toL2: readonly Fetched['message'][];
  /** The transactions that handled them. */
  readonly transactions: readonly string[];
  readonly url: string;
}

type OnTaken = (message: Fetched['message'], hash: string) => void;

/** The cursor is stored only after this many L1 blocks without messages, to save steps. */
const UNWRITTEN_BLOCKS = 500;

/** Number of messages per query for cancellations. */
const TOGETHER = 16;

/** How often reading restarts because the chain was reverted meanwhile. */
const ATTEMPTS = 10;

/** Executes every message of L1 that is not yet on the chain. */
export async function receive(route: Route): Promise<Received> {
  const toL2: Fetched['message'][] = [];
  const transactions: string[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const isDone = await readOn(route, (message, hash) => {
      toL2.push(message);
      transactions.push(hash);
    });
    if (isDone) return { toL2, transactions, url: route.link().url };
  }
  throw new L1Error('the chain was reverted repeatedly while L1 was read');
}

/** Reads L1 up to its head; false if the chain was reverted meanwhile. */
async function readOn(route: Route, onTaken: OnTaken): Promise<boolean> {
  let link: L1Link | undefined = route.link();
  const { contract, cursor, start, url } = link;
  const node = await route.nodeAt(url);
  const [head, hasCode, lastBlock] = await Promise.all([
    node.head(),
    node.hasCode(contract),
    node.blockHash(cursor.seen.number),
  ]);
  if (!hasCode) {
    throw new L1Error(
      `the L1 at ${url} has no messaging contract ${contract}: it is now another chain. Connect with devnet_postmanLoad.`,
    );
  }
  // A reverted L1 may have new messages in blocks already read; known messages are skipped.
  const isReverted = lastBlock !== cursor.seen.hash;
  const from: L1Position = isReverted ? start : cursor;
  for await (const page of messagePages(node, contract, from.block, head.number)) {
    const unread = page.filter((message) => !isBefore(message, from));
    if (unread.length === 0) continue;
    await route.options.settle(url);
    link = await takeAll(route, node, { link, head, unread }, onTaken);
    if (!link) return false;
  }
  if (isReverted || head.number - link.cursor.block > UNWRITTEN_BLOCKS) {
    await route.options.settle(url);
    route.assertOpen();
    await moveCursor(route.chain, link, { block: head.number + 1, log: 0, seen: head });
  }
  return true;
}

interface Unread {
  readonly link: L1Link;
  readonly head: SeenBlock;
  readonly unread: readonly Fetched[];
}

/** Executes messages in order. @returns the new link; undefined if the chain was reverted */
async function takeAll(
  route: Route,
  node: Ethereum,
  { link: first, head, unread }: Unread,
  onTaken: OnTaken,
): Promise<L1Link | undefined> {
  let link = first;
  for (let start = 0; start < unread.length; start += TOGETHER) {
    const batch = unread.slice(start, start + TOGETHER);
    const cancelled = await Promise.all(
      batch.map(({ message }) => node.isCancelled(link.contract, message)),
    );
    for (const [index, { block, log, message }] of batch.entries()) {
      const next = { block, log: log + 1, seen: head };
      route.assertOpen();
      const moved = cancelled[index]
        ? await moveCursor(route.chain, link, next)
        : await take(route, link, next, message, onTaken);
      if (!moved) return undefined;
      link = moved;
    }
  }
  return link;
}

/** Executes or skips a message. @returns the new link; undefined if the chain was reverted */
async function take(
  { chain, options }: Route,
  link: L1Link,
  next: L1Cursor,
  message: Fetched['message'],
  onTaken: OnTaken,
): Promise<L1Link | undefined> {
  const { log } = options;
  const receipt = await takeFromL1(chain, link, next, message);
  switch (receipt.outcome) {
    case 'taken':
      onTaken(message, receipt.hash);
      return receipt.link;
    case 'stale':
      return undefined;
    case 'refused':
      log.warn(
        { l1TransactionHash: message.l1_transaction_hash, nonce: message.nonce },
        `skipping a message from L1 that cannot be executed: ${receipt.reason}`,
      );
  }
  return moveCursor(chain, link, next);
}

function isBefore(first: L1Position, other: L1Position): boolean {
  return first.block === other.block ? first.log < other.log : first.block < other.block;
}
