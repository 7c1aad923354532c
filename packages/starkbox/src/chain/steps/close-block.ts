// Step that closes the pending block.
import { poseidon, type Seal, type State, starknetKeccak } from '@starkbox/engine';
import { hex, shortString } from '../../felt.js';
import type { Fork } from '../../fork/fork.js';
import { HASH_BUFFER } from '../../fork/hash-buffer.js';
import { stringify } from '../../json/json.js';
import { blockKeysOf } from '../history/block-keys.js';
import type { Header, HeaderPrices } from '../history/header.js';
import type { History } from '../history/history.js';
import { afterBlock, nextBlockTime } from '../world/clock.js';
import { pendingNumber } from '../world/find-block.js';
import { type GasPrices, headerPrices, sealingPrices } from '../world/gas-prices.js';
import { withSent } from '../world/messages.js';
import { firstWorld, NOTHING_PENDING, type World } from '../world/world.js';
import { type BlockRules, makeContext } from './block-context.js';

const HASH_CONTRACT = '0x1';

/** What the first block of a chain is made of. */
export interface FirstBlock extends BlockRules {
  readonly genesis: { readonly state: State };
  readonly keepsHistory: boolean;
  readonly startTime: number | undefined;
  readonly prices: GasPrices;
}

/** The world after its first block. */
export async function createWorld(first: FirstBlock): Promise<World> {
  const world = firstWorld(first.genesis.state, first);
  const state = await withOldHash(world.pendingState, world.history, first.fork);
  const time = nextBlockTime(world.clock, first.fork?.block.timestamp);
  return closeBlock({ ...world, pendingState: state }, first, time);
}

/** The world after its pending block is closed at `time`. */
export async function closeBlock(world: World, rules: BlockRules, time: number): Promise<World> {
  const { history, gas, clock } = world;
  const { sequencer } = world.blocks;
  const number = pendingNumber(world);
  const included = world.pending.transactions.toArray();
  const prices = headerPrices(sealingPrices(gas, included.length === 0));
  const parentHash = history.latest?.hash ?? rules.fork?.block.hash ?? '0x0';
  const seal = rules.lite
    ? liteSeal(world, time, prices, parentHash)
    : await world.pendingState.seal(
        makeContext(rules, { number, timestamp: time, prices, sequencer }),
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
    sequencer,
    transactionCount: seal.transaction_count,
    eventCount: seal.event_count,
    stateDiffLength: seal.state_diff_length,
    transactionCommitment: seal.transaction_commitment,
    eventCommitment: seal.event_commitment,
    receiptCommitment: seal.receipt_commitment,
    stateDiffCommitment: seal.state_diff_commitment,
  };
  const transactions = included.map(({ record }) => record);
  const blockKeys = blockKeysOf(transactions, world.pendingState.diffTextOf(number));
  const grown = history.append(
    { header, transactions, blockKeys },
    included.map(({ receipt }) => receipt.events),
  );
  const latest = world.pendingState.advance();
  const sent = included.flatMap(({ receipt }) =>
    receipt.execution_status === 'SUCCEEDED' ? receipt.messages_sent : [],
  );
  return Object.freeze({
    ...world,
    latestState: latest,
    pendingState: await withOldHash(latest, grown, rules.fork),
    history: grown,
    pending: NOTHING_PENDING,
    clock: afterBlock(clock),
    gas: gas.current === gas.next ? gas : { current: gas.next, next: gas.next },
    messages: withSent(world.messages, number, sent),
  });
}

/** The state at the start of a block: with the hash of the newest block that contracts can read. */
export async function withOldHash(state: State, history: History, fork?: Fork): Promise<State> {
  const old = state.version - HASH_BUFFER;
  const value = history.header(old)?.hash ?? fork?.recentHash(old);
  if (value === undefined) return state;
  const entry = { key: hex(old), value };
  return state.apply({ storage_diffs: [{ address: HASH_CONTRACT, storage_entries: [entry] }] });
}

/** A seal without commitments; its block hash is not that of the protocol. */
function liteSeal(world: World, time: number, prices: HeaderPrices, parentHash: string): Seal {
  const included = world.pending.transactions.toArray();
  const { storage_diffs, nonces, deployed_contracts, replaced_classes, ...declared } =
    world.pendingState.diffOf(pendingNumber(world));
  const slots = storage_diffs.reduce((sum, { storage_entries }) => sum + storage_entries.length, 0);
  return {
    block_hash: poseidon([
      shortString('STARKBOX_LITE_BLOCK'),
      hex(pendingNumber(world)),
      hex(time),
      parentHash,
      // Everything else in which two blocks can differ.
      starknetKeccak(
        stringify([
          prices,
          ...(world.blocks.sequencer === undefined ? [] : [world.blocks.sequencer]),
          world.pendingState.diffTextOf(pendingNumber(world)),
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
