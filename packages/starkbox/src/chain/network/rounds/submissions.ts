// Step of a submission under network conditions: it arrives, arrives later, or is lost.
import { effectiveBlockGeneration, hasMempool } from '../../../block-settings.js';
import type { Submission } from '../../execution/prepare-transaction.js';
import { withDropped } from '../../mempool/mempool.js';
import { executeIfRoom } from '../../steps/include-transaction.js';
import { admit, type MempoolRules, poolTransactionOf } from '../../steps/mempool-steps.js';
import type { World } from '../../world/world.js';
import type { Submissions } from '../conditions.js';
import type { Network } from '../network.js';
import { randomNumbers } from '../random.js';

/** What becomes of a submission: lost, or delayed by a number of blocks. */
export type Fate = 'lost' | number;

/** @param index how many submissions came before it */
export function fateOf(seed: number, faults: Submissions, index: number): Fate {
  const { lost, delayed, delay_blocks } = faults;
  const random = randomNumbers(seed, 'submission', index);
  const share = random();
  if (share < lost) return 'lost';
  if (share >= lost + delayed) return 0;
  const [least, most] = delay_blocks;
  return least + Math.floor(random() * (most - least + 1));
}

/** The world after a submission; throws what a gateway would answer, whatever becomes of it then. */
export async function submittedUnder(
  network: Network,
  world: World,
  prepared: Submission,
  rules: MempoolRules,
): Promise<World> {
  const { conditions, submissions } = network;
  const next = await arrivedAtOnce(world, prepared, rules);
  const fate = fateOf(conditions.seed, conditions.submissions, submissions);
  return withSubmission(await addSubmission(world, next, fate, prepared, rules));
}

async function addSubmission(
  before: World,
  next: World,
  fate: Fate,
  prepared: Submission,
  rules: MempoolRules,
): Promise<World> {
  if (fate === 0) return next;
  if (fate !== 'lost') return admit(before, prepared, rules, fate);
  const reason = 'Lost on its way, by the network conditions. Send it again.';
  const mempool = withDropped(before.mempool, poolTransactionOf(prepared), reason);
  return { ...before, mempool };
}

/** Executes a transaction, or admits it to the mempool if transactions of its sender wait there, or the block is full. */
async function arrivedAtOnce(
  world: World,
  prepared: Submission,
  rules: MempoolRules,
): Promise<World> {
  const isPooled =
    hasMempool(effectiveBlockGeneration(world, rules)) ||
    world.mempool.senders.has(prepared.transaction.address);
  if (isPooled) return admit(world, prepared, rules);
  const inclusion = await executeIfRoom(world, prepared, rules);
  return 'next' in inclusion ? inclusion.next : admit(world, prepared, rules);
}

function withSubmission({ network, ...world }: World): World {
  return network
    ? { ...world, network: { ...network, submissions: network.submissions + 1 } }
    : world;
}
