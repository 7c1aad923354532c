// Model of a soaked chain: what its transactions did, block by block.

/** A transaction of ours: a transfer, or a count, which reverts where it is by 0. */
export interface Sent {
  readonly hash: string;
  /** The index of its account; undefined for a mint. */
  readonly sender: number | undefined;
  readonly does:
    | { readonly kind: 'transfer'; readonly to: string; readonly amount: bigint }
    | { readonly kind: 'count'; readonly by: number };
}

export interface Values {
  readonly nonces: readonly number[];
  readonly received: ReadonlyMap<string, bigint>;
  readonly count: number;
}

export interface Block {
  readonly number: number;
  readonly hash: string;
  readonly sent: readonly Sent[];
  /** After it. */
  readonly values: Values;
}

/** A chain at one moment. */
export interface World {
  /** The newest blocks, in order; never empty. */
  readonly blocks: readonly Block[];
  readonly pending: readonly Sent[];
  /** In the mempool. */
  readonly waiting: readonly Sent[];
  /** After the pending block. */
  readonly values: Values;
}

/** Blocks that the model keeps: no command goes further back. */
const RECENT = 64;

export function headOf({ blocks }: World): Block {
  const head = blocks.at(-1);
  if (!head) throw new Error('a chain has a block');
  return head;
}

export const isReverted = ({ does }: Sent): boolean => does.kind === 'count' && does.by === 0;

function after(values: Values, { sender, does }: Sent): Values {
  const { nonces, received, count } = values;
  const next = nonces.map((nonce, index) => (index === sender ? nonce + 1 : nonce));
  if (does.kind === 'count') return { nonces: next, received, count: count + does.by };
  const more = new Map(received);
  more.set(does.to, (received.get(does.to) ?? 0n) + does.amount);
  return { nonces: next, received: more, count };
}

export const withPending = (world: World, sent: readonly Sent[]): World => ({
  ...world,
  pending: [...world.pending, ...sent],
  values: sent.reduce(after, world.values),
});

/** The first transactions of the pending block become a block. */
export function withBlock(world: World, hash: string, transactions: number): World {
  const head = headOf(world);
  const sent = world.pending.slice(0, transactions);
  const values = sent.reduce(after, head.values);
  const block: Block = { number: head.number + 1, hash, sent, values };
  return {
    ...world,
    blocks: [...world.blocks, block].slice(-RECENT),
    pending: world.pending.slice(transactions),
  };
}

/** Without blocks from an index of `blocks` on, and without the pending one. */
export function withoutBlocks(world: World, from: number): World {
  const blocks = world.blocks.slice(0, from);
  return { ...world, blocks, pending: [], values: headOf({ ...world, blocks }).values };
}

/** The nonce of the next transaction of an account. */
export function nextNonce({ values, waiting }: World, account: number): number {
  const own = waiting.filter(({ sender }) => sender === account).length;
  return (values.nonces[account] ?? 0) + own;
}
