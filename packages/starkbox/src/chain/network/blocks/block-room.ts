// Room of transactions in the pending block, where blocks have a capacity.
import {
  type AppliedWithin,
  BlockWeights,
  type CapacityFigures,
  type Full,
  type Rejected,
  type State,
} from '@starkbox/engine';
import { type BlockGeneration, effectiveBlockGeneration } from '../../../block-settings.js';
import { refuse } from '../../../errors.js';
import type { Probe } from '../../../probe.js';
import { withExecutionErrors } from '../../execution/execution-errors.js';
import { executeInBlock, type WriterExecution } from '../../execution/executions.js';
import { MINTER } from '../../genesis/accounts.js';
import type { MempoolOrder } from '../../mempool/rules.js';
import type { World } from '../../world/world.js';
import { gasOf } from '../background-load.js';
import { capacityOf, NO_LIMIT, remainingCapacity } from '../capacity.js';
import { backgroundLoadOf } from './network-block.js';

interface RoomRules {
  readonly blockGeneration: BlockGeneration;
  readonly probe?: Probe;
  readonly mempoolOrder?: MempoolOrder | undefined;
}

/** A transaction that competes for room by its tip. */
interface Contender extends WriterExecution {
  readonly tip: string | bigint;
}

/** Executes a transaction if the pending block has room for it. */
export async function executeInRoom(
  world: World,
  state: State,
  contender: Contender,
  rules: RoomRules,
): Promise<AppliedWithin | Rejected | Full> {
  const { weights = BlockWeights.empty() } = world.network ?? {};
  const run = (capacity: CapacityFigures, begun: BlockWeights) =>
    withExecutionErrors(
      executeInBlock(state, contender, { weights: begun, capacity }, rules.probe),
    );
  const whole = wholeCapacity(world);
  const capacity = capacityFor(world, whole, contender, rules);
  const execution = await run(capacity, weights);
  if (execution.outcome !== 'full' || !execution.isTooLarge || capacity === whole) return execution;
  // Others were counted: a second execution finds out whether an empty block has room.
  const again = await run(whole, BlockWeights.empty());
  return again.outcome === 'full' ? again : { ...execution, isTooLarge: false };
}

function wholeCapacity({ network, blocks }: World): CapacityFigures {
  return capacityOf(network?.conditions.capacity, blocks.starknetVersion);
}

/**
 * What the block may have with a transaction. Messages from L1 and the transactions of the node itself are never too
 * many. Where each transaction has its own block, others leave room for it.
 */
function capacityFor(
  world: World,
  whole: CapacityFigures,
  { transaction, tip }: Contender,
  rules: RoomRules,
): CapacityFigures {
  const { hash, address, type } = transaction;
  if (type === 'L1_HANDLER' || address === MINTER.address) return NO_LIMIT;
  if (effectiveBlockGeneration(world, rules) === 'transaction') return whole;
  const { network } = world;
  if (!network?.conditions.congestion) return whole;
  const order = network.conditions.order ?? rules.mempoolOrder?.kind;
  const load = backgroundLoadOf({ ...world, network });
  if (order === 'tip') {
    return remainingCapacity(
      whole,
      gasOf(load.filter((background) => BigInt(background.tip) >= BigInt(tip))),
    );
  }
  const isFirst = Array.isArray(order) && order.includes(hash);
  return isFirst ? whole : remainingCapacity(whole, gasOf(load));
}

/** Reports a transaction that the pending block has no room for. */
export function refuseFull(world: World, full: Full): never {
  return refuse(
    full.isTooLarge
      ? tooLarge(world, full)
      : `The block is full: it has no room for ${full.exceeded.join(', ')} of the transaction. Close it, and send the transaction again`,
  );
}

/** Why no block has room for a transaction. */
export function tooLarge(world: World, { exceeded }: Full): string {
  const capacity = wholeCapacity(world);
  const limits = exceeded.map((name) => `${name} (at most ${capacity[name]})`).join(', ');
  return `The transaction exceeds the capacity of an empty block: ${limits}. Split it into smaller transactions, or raise the limit with devnet_setNetworkConditions`;
}
