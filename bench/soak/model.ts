// Model of a chain under load: the effects of its transactions, block by block.

/** A transfer, or a count, which reverts if it is by 0. */
export type Action =
  | { readonly kind: 'transfer'; readonly to: string; readonly amount: bigint }
  | { readonly kind: 'count'; readonly by: number };

export interface ModelTransaction {
  readonly hash: string;
  /** The index of its account; undefined for a mint. */
  readonly sender: number | undefined;
  readonly action: Action;
}

export interface Values {
  readonly nonces: readonly number[];
  readonly received: ReadonlyMap<string, bigint>;
  readonly count: number;
}

export interface ModelBlock {
  readonly number: number;
  readonly hash: string;
  readonly transactions: readonly ModelTransaction[];
  /** After it. */
  readonly values: Values;
}

/** A chain at one moment. */
export interface ChainModel {
  /** The newest blocks, in order; never empty. */
  readonly blocks: readonly ModelBlock[];
  readonly pending: readonly ModelTransaction[];
  readonly mempool: readonly ModelTransaction[];
  /** After the pending block. */
  readonly values: Values;
}

/** Blocks in the model: no command goes further back. */
const RECENT = 64;

export function headOf({ blocks }: ChainModel): ModelBlock {
  const head = blocks.at(-1);
  if (!head) throw new Error('a chain has a block');
  return head;
}

export const isReverted = ({ action }: { readonly action: Action }): boolean =>
  action.kind === 'count' && action.by === 0;

function after(values: Values, { sender, action }: ModelTransaction): Values {
  const { nonces, received, count } = values;
  const next = nonces.map((nonce, index) => (index === sender ? nonce + 1 : nonce));
  if (action.kind === 'count') return { nonces: next, received, count: count + action.by };
  const more = new Map(received);
  more.set(action.to, (received.get(action.to) ?? 0n) + action.amount);
  return { nonces: next, received: more, count };
}

export const withPending = (
  chain: ChainModel,
  transactions: readonly ModelTransaction[],
): ChainModel => ({
  ...chain,
  pending: [...chain.pending, ...transactions],
  values: transactions.reduce(after, chain.values),
});

/** The first transactions of the pending block become a block. */
export function withBlock(chain: ChainModel, hash: string, count: number): ChainModel {
  const head = headOf(chain);
  const transactions = chain.pending.slice(0, count);
  const values = transactions.reduce(after, head.values);
  const block: ModelBlock = { number: head.number + 1, hash, transactions, values };
  return {
    ...chain,
    blocks: [...chain.blocks, block].slice(-RECENT),
    pending: chain.pending.slice(count),
  };
}

/** Without blocks from an index of `blocks` on, and without the pending one. */
export function withoutBlocks(chain: ChainModel, from: number): ChainModel {
  const blocks = chain.blocks.slice(0, from);
  return { ...chain, blocks, pending: [], values: headOf({ ...chain, blocks }).values };
}

/** The nonce of the next transaction of an account. */
export function nextNonce({ values, mempool }: ChainModel, account: number): number {
  const queued = mempool.filter(({ sender }) => sender === account).length;
  return (values.nonces[account] ?? 0) + queued;
}
