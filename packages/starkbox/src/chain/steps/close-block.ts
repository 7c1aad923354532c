// Knows blocks: which one an id means, what contracts see of it, and how one is closed.
import { Block, poseidon, type Seal, type State, starknetKeccak } from '@starkbox/engine';
import { fail, refuse } from '../../errors.js';
import { hex, shortString } from '../../felt.js';
import type { Fork } from '../../fork/fork.js';
import { stringify } from '../../json/json.js';
import type { BLOCK_ID } from '../../spec.js';
import { SEQUENCER } from '../genesis/accounts.js';
import { ETH, STRK } from '../genesis/genesis.js';
import { landmarksOf } from '../history/block-keys.js';
import type { Header } from '../history/header.js';
import type { History } from '../history/history.js';
import type { Past } from '../world/archived-states.js';
import { afterBlock } from '../world/clock.js';
import {
  enginePrices,
  type HeaderPrices,
  headerPrices,
  sealingPrices,
} from '../world/gas-prices.js';
import { withSent } from '../world/messages.js';
import { NOTHING_PENDING, nextTime, type World } from '../world/world.js';

/** Contracts can ask for the hash of a block this much older than their own. */
const HASH_BUFFER = 10;
const HASH_CONTRACT = '0x1';

/** What the blocks of a chain have in common. */
export interface BlockRules {
  readonly chainId: string;
  /** Leave out what costs time and nobody may need: the commitments. */
  readonly lite: boolean;
  /** The chain below this one, if it is a fork. */
  readonly fork?: Fork | undefined;
}

/** The number of the block under construction. */
export function pendingNumber(world: World): number {
  return world.state.version;
}

/** The newest closed block. */
export function latestHeader(world: World): Header {
  const { latest } = world.history;
  if (!latest) throw new Error('a chain without a first block was asked for its latest');
  return latest;
}

/** The block an id means, the one under construction included; `undefined` if there is none. */
export function findBlock(world: World, id: BLOCK_ID): number | undefined {
  if (id === 'pre_confirmed') return pendingNumber(world);
  if (id === 'latest') return latestHeader(world).number;
  if (id === 'l1_accepted') {
    const { acceptedOnL1: accepted, history } = world;
    // It may be a block of the chain below a fork.
    return accepted !== undefined && accepted >= history.first ? accepted : undefined;
  }
  if ('block_hash' in id) return world.history.numberOf(id.block_hash);
  return world.history.header(id.block_number)?.number;
}

export function blockNumber(world: World, id: BLOCK_ID): number {
  return findBlock(world, id) ?? fail('BLOCK_NOT_FOUND');
}

/** The state that a block left behind. */
export function stateAt(world: World, id: BLOCK_ID): State {
  return stateOf(world, blockNumber(world, id), id);
}

export function stateOf(world: World, number: number, id: BLOCK_ID): State {
  if (number === pendingNumber(world)) return world.state;
  if (number === latestHeader(world).number) return world.latest;
  if (!world.keepsHistory) {
    refuse(
      `No state at block ${shownId(number, id)}; consider running with --state-archive-capacity full`,
    );
  }
  return isInMemory(world, number) ? world.state.at(number) : pastOf(world).stateAfter(number);
}

/** The state that a block left behind, to write the next one onto. */
export async function stateAfter(world: World, number: number): Promise<State> {
  return isInMemory(world, number) ? world.state.rewind(number) : pastOf(world).stateAfter(number);
}

const isInMemory = ({ state }: World, number: number): boolean => number + 1 >= state.firstVersion;

function pastOf({ past }: World): Past {
  if (!past) throw new Error('a chain without old states was asked for one');
  return past;
}

/** What a block changed, as JSON text; of the one under construction, so far. */
export function stateDiffText({ history, state }: World, number: number): string {
  return history.stateDiff(number) ?? state.diffTextOf(number);
}

function shownId(number: number, id: BLOCK_ID): string {
  return typeof id === 'object' && 'block_hash' in id
    ? `Hash(${id.block_hash})`
    : `Number(${number})`;
}

/** What contracts see when they run in a block: in the one under construction, or as if in an old one. */
export function contextOf(world: World, rules: BlockRules, number: number): Block {
  const header = world.history.header(number);
  return header
    ? makeContext(rules, number, header.timestamp, header.prices)
    : pendingContext(world, rules, nextTime(world));
}

export function pendingContext(world: World, rules: BlockRules, time: number): Block {
  return makeContext(rules, pendingNumber(world), time, headerPrices(world.gas.current));
}

function makeContext(
  { chainId }: BlockRules,
  number: number,
  timestamp: number,
  prices: HeaderPrices,
): Block {
  return new Block({
    number,
    timestamp,
    sequencer_address: SEQUENCER,
    chain_id: chainId,
    fee_tokens: { strk: STRK, eth: ETH },
    gas_prices: enginePrices(prices),
  });
}

/** The world after its block under construction was closed at `time`. */
export async function closeBlock(world: World, rules: BlockRules, time: number): Promise<World> {
  const { history, gas, clock } = world;
  const number = pendingNumber(world);
  const included = world.pending.transactions.toArray();
  const prices = headerPrices(sealingPrices(gas, included.length === 0));
  const parentHash = history.latest?.hash ?? rules.fork?.block.hash ?? '0x0';
  const seal = rules.lite
    ? liteSeal(world, time, prices, parentHash)
    : await world.state.seal(
        makeContext(rules, number, time, prices),
        number,
        included.map(({ signature, receipt }) => ({ signature, receipt })),
        parentHash,
      );
  const header: Header = {
    number,
    hash: seal.block_hash,
    parentHash,
    timestamp: time,
    prices,
    transactionCount: seal.transaction_count,
    eventCount: seal.event_count,
    stateDiffLength: seal.state_diff_length,
    transactionCommitment: seal.transaction_commitment,
    eventCommitment: seal.event_commitment,
    receiptCommitment: seal.receipt_commitment,
    stateDiffCommitment: seal.state_diff_commitment,
  };
  const transactions = included.map(({ record }) => record);
  const landmarks = landmarksOf(transactions, world.state.diffTextOf(number));
  const grown = history.append(
    { header, transactions, landmarks },
    included.map(({ receipt }) => receipt.events),
  );
  const latest = world.state.advance();
  const sent = included.flatMap(({ receipt }) =>
    receipt.execution_status === 'SUCCEEDED' ? receipt.messages_sent : [],
  );
  return Object.freeze({
    ...world,
    latest,
    state: await withOldHash(latest, grown, rules.fork),
    history: grown,
    pending: NOTHING_PENDING,
    clock: afterBlock(clock),
    gas: gas.current === gas.next ? gas : { current: gas.next, next: gas.next },
    messages: withSent(world.messages, number, sent),
  });
}

/** A block begins by writing down the hash of one that is old enough to be asked for. */
export async function withOldHash(state: State, history: History, fork?: Fork): Promise<State> {
  const old = state.version - HASH_BUFFER;
  const value = history.header(old)?.hash ?? fork?.recentHash(old);
  if (value === undefined) return state;
  const entry = { key: hex(old), value };
  return state.apply({ storage_diffs: [{ address: HASH_CONTRACT, storage_entries: [entry] }] });
}

/** The parts of a seal that cost nothing, and a hash of what makes the block the one it is. */
function liteSeal(world: World, time: number, prices: HeaderPrices, parentHash: string): Seal {
  const included = world.pending.transactions.toArray();
  const { storage_diffs, nonces, deployed_contracts, replaced_classes, ...declared } =
    world.state.diffOf(pendingNumber(world));
  const slots = storage_diffs.reduce((sum, { storage_entries }) => sum + storage_entries.length, 0);
  return {
    block_hash: poseidon([
      shortString('STARKBOX_LITE_BLOCK'),
      hex(pendingNumber(world)),
      hex(time),
      parentHash,
      // Whatever else tells two blocks apart.
      starknetKeccak(
        stringify([
          prices,
          world.state.diffTextOf(pendingNumber(world)),
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
      declared.deprecated_declared_classes.length,
  };
}
