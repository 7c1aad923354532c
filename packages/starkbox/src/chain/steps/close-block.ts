// Step that closes the pending block.
import { encodeShortString, toFelt } from '@starkbox/abi/basics';
import {
  type Closed,
  type ClosingOptions,
  poseidon,
  type Seal,
  type SlotWrite,
  type State,
  starknetKeccak,
} from '@starkbox/engine';
import { type BlockGeneration, effectiveBlockGeneration } from '../../block-settings.js';
import { HASH_BUFFER, HASH_CONTRACT } from '../../fork/block-hashes.js';
import type { Fork } from '../../fork/fork.js';
import { stringify } from '../../json/json.js';
import { during, type Probe } from '../../probe.js';
import type { StarknetVersion } from '../../starknet-versions.js';
import { type BlockRules, makeContext } from '../execution/block-context.js';
import { blockKeysOf } from '../history/block-keys.js';
import type { Header } from '../history/header.js';
import type { History } from '../history/history.js';
import { readStateDiff } from '../history/stored-texts.js';
import type { NetworkWorld } from '../network/blocks/network-block.js';
import type { NetworkConditions } from '../network/conditions.js';
import { afterBlock, nextBlockTime } from '../world/clock.js';
import { latestHeader, pendingNumber } from '../world/find-block.js';
import { type GasPrices, headerPrices, sealingPrices } from '../world/gas-prices.js';
import { withSent } from '../world/messages.js';
import { firstWorld, NOTHING_PENDING, nextTime, type World } from '../world/world.js';
import { acceptedAt } from './l1-acceptance.js';

/** What the first block of a chain is made of. */
export interface FirstBlock extends BlockRules {
  readonly genesis: { readonly state: State };
  readonly keepsHistory: boolean;
  readonly startTime: number | undefined;
  readonly prices: GasPrices;
  /** Undefined: the newest. */
  readonly starknetVersion?: StarknetVersion | undefined;
  /** Of the network that the chain imitates, if any. */
  readonly conditions?: NetworkConditions | undefined;
}

/** The world after its first block. */
export async function createWorld(first: FirstBlock): Promise<World> {
  const world = firstWorld(first.genesis.state, first);
  const state = await withOldHash(world.pendingState, world.history, first.fork);
  const time = nextBlockTime(world.clock, first.fork?.block.timestamp);
  const created = await closePending({ ...world, pendingState: state }, first, time);
  if (!created.network) return created;
  const { withStartedNetwork } = await import('../network/blocks/network-block.js');
  return withStartedNetwork({ ...created, network: created.network }, first.fork);
}

/** What the header of the pending block says apart from its content. */
export type OpenHeader = Pick<
  Header,
  'number' | 'parentHash' | 'timestamp' | 'prices' | 'sequencer' | 'starknetVersion'
>;

export function openHeader(
  world: World,
  { fork }: BlockRules,
  timestamp: number,
  isEmpty: boolean,
): OpenHeader {
  return {
    number: pendingNumber(world),
    parentHash: world.history.latest?.hash ?? fork?.block.hash ?? '0x0',
    timestamp,
    prices: headerPrices(sealingPrices(world.gas, isEmpty)),
    sequencer: world.blocks.sequencer,
    starknetVersion: world.blocks.starknetVersion,
  };
}

/** What the engine needs to close the pending block. */
export function closingOf(
  { history }: World,
  { number, parentHash }: OpenHeader,
  { fork }: BlockRules,
): ClosingOptions {
  return { parentHash, firstWrite: oldHash(number + 1, history, fork) };
}

/** The options of a chain by which its blocks are closed. */
export interface ClosingRules extends BlockRules {
  /** Unless the world has another setting. */
  readonly blockGeneration: BlockGeneration;
  /** Measures durations. */
  readonly probe?: Probe;
}

/** The world with its pending block closed, if each transaction closes one. */
export async function closeIfDue(
  world: World,
  rules: ClosingRules,
  time: number = nextTime(world),
): Promise<World> {
  const isDue = effectiveBlockGeneration(world, rules) === 'transaction';
  return isDue ? closeBlock(world, rules, time) : world;
}

/** The world after its pending block is closed at its time, and the hash of that block. */
export async function closeNow(
  world: World,
  rules: ClosingRules,
): Promise<readonly [World, string]> {
  const next = await closeBlock(world, rules, nextTime(world));
  return [next, latestHeader(next).hash];
}

/** The world after its pending block is closed at `time`. */
export function closeBlock(
  world: World,
  rules: BlockRules & Pick<ClosingRules, 'probe'>,
  time: number,
): Promise<World> {
  return during(rules.probe, { kind: 'block' }, () => closeUnmeasured(world, rules, time));
}

function closeUnmeasured(world: World, rules: BlockRules, time: number): Promise<World> {
  const { network } = world;
  return network
    ? closeUnderConditions({ ...world, network }, rules, time)
    : closePending(world, rules, time);
}

async function closeUnderConditions(
  world: NetworkWorld,
  rules: BlockRules,
  time: number,
): Promise<World> {
  const { withRound, withSetPrices } = await import('../network/blocks/network-block.js');
  const { withLoad } = await import('../network/blocks/load-transactions.js');
  const priced = withSetPrices(world);
  const context = makeContext(rules, openHeader(priced, rules, time, false));
  const [loaded, backgroundGas] = await withLoad(priced, context, rules);
  return withRound(loaded, await closePending(loaded, rules, time), backgroundGas);
}

async function closePending(world: World, rules: BlockRules, time: number): Promise<World> {
  const included = world.pending.transactions.toArray();
  const header = openHeader(world, rules, time, included.length === 0);
  const closing = closingOf(world, header, rules);
  const closed = rules.lite
    ? liteClosed(world, header, closing)
    : await world.pendingState.close(
        makeContext(rules, header),
        included.map(({ signature, receipt }) => ({ signature, receipt })),
        closing,
      );
  return withClosed(world, header, closed, rules);
}

/** The world after its pending block. */
export function withClosed(
  world: World,
  open: OpenHeader,
  { seal, diff, latest, next }: Closed,
  rules: Pick<BlockRules, 'l1Acceptance'>,
): World {
  const { gas, acceptedOnL1, blocks } = world;
  const included = world.pending.transactions.toArray();
  const header: Header = {
    ...open,
    hash: seal.block_hash,
    transactionCount: seal.transaction_count,
    eventCount: seal.event_count,
    stateDiffLength: seal.state_diff_length,
    transactionCommitment: seal.transaction_commitment,
    eventCommitment: seal.event_commitment,
    receiptCommitment: seal.receipt_commitment,
    stateDiffCommitment: seal.state_diff_commitment,
  };
  const transactions = included.map(({ record }) => record);
  const history = world.history.append(
    {
      header,
      transactions,
      blockKeys: blockKeysOf(transactions, diff),
      // A state without history forgets what its blocks changed.
      stateDiff: world.keepsHistory ? undefined : diff,
    },
    included.map(({ receipt }) => receipt.events),
  );
  const messages = included.flatMap(({ receipt }) =>
    receipt.execution_status === 'SUCCEEDED' ? receipt.messages_sent : [],
  );
  return Object.freeze({
    ...world,
    latestState: latest,
    pendingState: next,
    history,
    pending: NOTHING_PENDING,
    clock: afterBlock(world.clock),
    gas: gas.current === gas.next ? gas : { current: gas.next, next: gas.next },
    messages: withSent(world.messages, open.number, messages),
    acceptedOnL1: acceptedAt({ history, acceptedOnL1, blocks }, rules, open.timestamp),
  });
}

/** The hash of the newest block that contracts can read from the block `number` on. */
export function oldHash(number: number, history: History, fork?: Fork): SlotWrite | undefined {
  const old = number - HASH_BUFFER;
  const value = history.hash(old) ?? fork?.recentHash(old);
  return value === undefined ? undefined : { address: HASH_CONTRACT, key: toFelt(old), value };
}

/** The state at the start of a block: with the hash of the newest block that contracts can read. */
export async function withOldHash(state: State, history: History, fork?: Fork): Promise<State> {
  const write = oldHash(state.version, history, fork);
  if (!write) return state;
  const { address, key, value } = write;
  return state.apply({ storage_diffs: [{ address, storage_entries: [{ key, value }] }] });
}

/** A block without commitments; its hash is not that of the protocol. */
function liteClosed(world: World, header: OpenHeader, { firstWrite }: ClosingOptions): Closed {
  const { pendingState: state } = world;
  const diff = state.diffTextOf(header.number);
  const latest = state.advance();
  const next = firstWrite ? state.advance(firstWrite) : latest;
  return { seal: liteSeal(world, header, diff), diff, latest, next };
}

function liteSeal(world: World, { number, ...header }: OpenHeader, diff: string): Seal {
  const included = world.pending.transactions.toArray();
  const { storage_diffs, nonces, deployed_contracts, replaced_classes, ...declared } =
    readStateDiff(diff);
  const slots = storage_diffs.reduce((sum, { storage_entries }) => sum + storage_entries.length, 0);
  return {
    block_hash: poseidon([
      encodeShortString('STARKBOX_LITE_BLOCK'),
      toFelt(number),
      toFelt(header.timestamp),
      header.parentHash,
      // Everything else in which two blocks can differ.
      starknetKeccak(
        stringify([
          header.prices,
          ...(header.sequencer === undefined ? [] : [header.sequencer]),
          ...(header.starknetVersion === undefined ? [] : [header.starknetVersion]),
          diff,
          ...included.map(({ record }) => record.receipt),
        ]),
      ),
    ]),
    transaction_commitment: '0x0',
    event_commitment: '0x0',
    receipt_commitment: '0x0',
    state_diff_commitment: '0x0',
    transaction_count: included.length,
    event_count: included.reduce((sum, { receipt }) => sum + receipt.events.length, 0),
    state_diff_length:
      slots +
      nonces.length +
      deployed_contracts.length +
      replaced_classes.length +
      declared.declared_classes.length +
      declared.deprecated_declared_classes.length +
      (declared.migrated_compiled_classes?.length ?? 0),
  };
}
