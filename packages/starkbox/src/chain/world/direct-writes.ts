// States after writes that no transaction made. Transactions of the same block run again from them.
import type { State } from '@starkbox/engine';
import type { DirectWrite, World } from './world.js';

/** Writes that are kept; the oldest go first. */
const MAX_WRITES = 64;

/** The world with another pending state, which no transaction made. */
export function withDirectWrite<W extends World>(world: W, state: State): W {
  const [block, index] = [state.version, world.pending.transactions.size];
  const earlier = world.directWrites.filter(
    (write) => write.block !== block || write.index !== index,
  );
  const directWrites = [...earlier, { block, index, state }].slice(-MAX_WRITES);
  return { ...world, pendingState: state, directWrites };
}

/** The last write to a block before one of its transactions. */
export function directWriteBefore(
  { directWrites }: World,
  block: number,
  index: number,
): DirectWrite | undefined {
  return directWrites.findLast((write) => write.block === block && write.index <= index);
}
