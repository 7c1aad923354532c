// Steps after a block of an imitated network: drops, reorganisations, transactions whose time has come.
import { effectiveBlockGeneration, hasMempool } from '../../../block-settings.js';
import { objectText } from '../../../json/reader.js';
import { inSlices } from '../../../scheduling/slices.js';
import { MINTER } from '../../genesis/accounts.js';
import { withoutExpired } from '../../mempool/apply-rules.js';
import { withoutSelection } from '../../mempool/mempool.js';
import { withoutSince } from '../../steps/abort-and-accept.js';
import { closeIfDue } from '../../steps/close-block.js';
import { type MempoolRules, preConfirm, UNLIMITED, withRules } from '../../steps/mempool-steps.js';
import { sendersSince, withNoncesOf, withReturned } from '../../steps/return-transactions.js';
import { latestHeader } from '../../world/find-block.js';
import { nextTime, transactionsOf, type World } from '../../world/world.js';
import type { Network } from '../network.js';
import { randomNumbers } from '../random.js';

/** The world after a block: candidates wait again, and transactions that are too old are dropped. */
export async function afterRound(
  world: World,
  network: Network,
  rules: MempoolRules,
): Promise<World> {
  const { lifetime_blocks: lifetime } = network.conditions;
  const mempool = await inSlices(withoutSelection(world.mempool));
  const ruled = await withRules({ ...world, mempool }, rules);
  if (lifetime === null) return ruled;
  const reason = `It waited for ${lifetime} blocks, the lifetime by the network conditions.`;
  return {
    ...ruled,
    mempool: await inSlices(withoutExpired(ruled.mempool, lifetime, reason)),
  };
}

/**
 * The change that follows a block: a reorganisation, if its round has one. Where transactions do not wait for a
 * builder, those that can be executed now are.
 */
export async function followedUp(
  world: World,
  network: Network,
  rules: MempoolRules,
): Promise<World> {
  const from = firstToReplace(world, drawnDepth(network));
  const next = from === undefined ? world : await reorganiseFrom(world, from, rules);
  if (hasMempool(effectiveBlockGeneration(next, rules))) return next;
  const [executed, { included }] = await preConfirm(next, UNLIMITED, rules);
  return included.length > 0 ? closeIfDue(executed, rules) : executed;
}

/** How many blocks the reorganisation after the newest round removes at most; 0 for none. */
export function drawnDepth({ conditions: { seed, reorgs }, rounds }: Network): number {
  const random = randomNumbers(seed, 'reorg', rounds);
  return random() < reorgs.probability ? 1 + Math.floor(random() * reorgs.depth) : 0;
}

/**
 * The first block that a reorganisation removes. Not the first of the chain, none that is accepted on L1, and none with
 * changes that do not return: messages from L1, minted tokens, writes to the state.
 */
function firstToReplace(world: World, depth: number): number | undefined {
  const { history, acceptedOnL1 = -1, directWrites } = world;
  const latest = latestHeader(world).number;
  const written = directWrites.at(-1)?.block ?? -1;
  const least = Math.max(history.first, acceptedOnL1, written, latest - depth) + 1;
  let from: number | undefined;
  for (let block = latest; block >= least && !hasControl(world, block); block -= 1) from = block;
  return from;
}

/** Whether a block has a transaction that the chain's controls made. */
function hasControl(world: World, block: number): boolean {
  return transactionsOf(world, block).some(({ transaction }) => {
    const { type, sender_address: sender } = objectText(transaction, 'transaction');
    return type === 'L1_HANDLER' || sender === MINTER.address;
  });
}

/** The world without its newest blocks, whose transactions wait again. */
async function reorganiseFrom(world: World, from: number, rules: MempoolRules): Promise<World> {
  const [cut] = await withoutSince(world, from, rules.fork);
  const replaced = world.history.header(from)?.timestamp ?? 0;
  // The first new block differs at least in its time from the one it replaces, and so in its hash.
  const clock = nextTime(cut) > replaced ? cut.clock : { ...cut.clock, exact: replaced + 1 };
  const settled = await withNoncesOf({ ...cut, clock }, await sendersSince(world, from));
  return withRules(await withReturned(world, settled, from), rules);
}
