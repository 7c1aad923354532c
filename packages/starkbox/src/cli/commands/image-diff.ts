// Difference of two images: blocks, state, settings and queues.

import { fromU256, nextSlot, toFelt } from '@starkbox/abi/basics';
import type { State } from '@starkbox/engine';
import { declaredIn } from '../../chain/execution/apply-state-diff.js';
import { Executions } from '../../chain/execution/executions.js';
import { seededAccounts } from '../../chain/genesis/accounts.js';
import { readReceipt } from '../../chain/history/stored-texts.js';
import type { NamedChain } from '../../chain/queries/contract-names.js';
import { commonBlock } from '../../chain/world/diff.js';
import { stateDiff } from '../../chain/world/find-block.js';
import type { World } from '../../chain/world/world.js';
import type { DebugInfos } from '../../debug-info/debug-infos.js';
import type { Loaded } from '../../dump/image/read.js';
import { HASH_CONTRACT } from '../../fork/block-hashes.js';
import { NEWEST_VERSION } from '../../starknet-versions.js';
import { type ChosenNames, Names, type SlotName } from './slot-names.js';

/** A value that differs. */
export interface Changed {
  readonly before: string;
  readonly after: string;
}

export interface BlockFacts {
  readonly number: number;
  readonly hash: string;
  readonly timestamp: number;
  readonly transactions: number;
}

export interface SlotChange extends Changed {
  readonly key: string;
  readonly variable?: string;
  /** Both halves together: decimal numbers. */
  readonly wide?: true;
  /** The Cairo type, where it is known. */
  readonly type?: string;
  /** Both values by that type. */
  readonly text?: Changed;
}

export interface ContractChange {
  readonly address: string;
  readonly name?: string;
  readonly class_hash?: Changed;
  readonly nonce?: Changed;
  readonly storage: readonly SlotChange[];
}

export interface Difference {
  readonly chain_id?: Changed;
  readonly blocks: {
    /** The newest block that both have; `null` if there is none. */
    readonly common: number | null;
    /** How many there are beyond it, and the first of them. */
    readonly before: { readonly count: number; readonly first: readonly BlockFacts[] };
    readonly after: { readonly count: number; readonly first: readonly BlockFacts[] };
  };
  readonly classes: { readonly removed: readonly string[]; readonly added: readonly string[] };
  readonly contracts: readonly ContractChange[];
  /** By class hash. */
  readonly class_names: Readonly<Record<string, string>>;
  /** Clock, prices, impersonation, L1 and what waits, by name. */
  readonly settings: Readonly<Record<string, Changed>>;
}

/** Blocks of only one image that are listed one by one. */
const BLOCKS_LISTED = 10;
const NOTHING = '0x0';

/** Where the names of a difference come from, apart from the images. */
export interface NameSources {
  readonly chosen: ChosenNames;
  /** Debug information of artifacts of these classes. */
  readonly infosOf: (classHashes: ReadonlySet<string>) => Promise<DebugInfos>;
}

export async function differenceOf(
  before: Loaded,
  after: Loaded,
  sources: NameSources,
): Promise<Difference> {
  const [old, now] = [before.world, after.world];
  const common = lastCommonBlock(old, now);
  const { contracts, removed, added, classNames } = await stateDifference(
    namedChain(before),
    namedChain(after),
    common,
    sources,
  );
  const ids = { before: before.header.chain_id, after: after.header.chain_id };
  return {
    ...(ids.before === ids.after ? {} : { chain_id: ids }),
    blocks: {
      common: common ?? null,
      before: blocksBeyond(old, common),
      after: blocksBeyond(now, common),
    },
    classes: { removed, added },
    contracts,
    class_names: classNames,
    settings: settingsDifference(old, now),
  };
}

function lastCommonBlock(old: World, now: World): number | undefined {
  if (old.history.first !== now.history.first) return undefined;
  const common = commonBlock(old, now);
  return common < old.history.first ? undefined : common;
}

function blocksBeyond({ history }: World, common: number | undefined) {
  const from = common === undefined ? history.first : common + 1;
  const first: BlockFacts[] = [];
  for (let number = from; number < Math.min(history.next, from + BLOCKS_LISTED); number += 1) {
    const header = history.header(number);
    if (!header) continue;
    const { hash, timestamp, transactionCount: transactions } = header;
    first.push({ number, hash, timestamp, transactions });
  }
  return { count: history.next - from, first };
}

// The state.

/** Accounts of other classes have no names here: their addresses need classes of an optional package. */
function namedChain({ header: { chain_id, genesis }, world }: Loaded): NamedChain {
  const accounts = genesis ? seededAccounts(genesis.seed, genesis.accounts) : [];
  return {
    world,
    options: { chainId: chain_id, lite: true, genesis: { accounts } },
    executions: new Executions({}),
  };
}

async function stateDifference(
  oldChain: NamedChain,
  nowChain: NamedChain,
  common: number | undefined,
  { chosen, infosOf }: NameSources,
) {
  const [old, now] = [oldChain.world, nowChain.world];
  const [forward, backward] = [
    await old.pendingState.diffTo(now.pendingState),
    await now.pendingState.diffTo(old.pendingState),
  ];
  const moved = [...forward.deployed_contracts, ...findRenamed(forward.replaced_classes)];
  const stored = new Map(
    forward.storage_diffs.map(({ address, storage_entries }) => [address, storage_entries]),
  );
  const addresses = new Set([
    ...moved.map(({ address }) => address),
    ...forward.nonces.map(({ contract_address }) => contract_address),
    ...stored.keys(),
  ]);
  const mentionedFelts = findMentioned([old, now], common);
  const names = new Names(
    chosen,
    [nowChain, oldChain],
    await infosOf(await classesOf([now, old], addresses)),
    new Set([...addresses, ...mentionedFelts]),
  );
  const contracts: ContractChange[] = [];
  for (const address of [...addresses].sort(byNumber)) {
    const [class_hash, nonce] = [
      await compareValues(old.pendingState, now.pendingState, (state) =>
        state.classHashAt(address),
      ),
      await compareValues(old.pendingState, now.pendingState, (state) => state.nonceAt(address)),
    ];
    const slots = (stored.get(address) ?? []).map(({ key }) => key);
    const slotNames = await names.slots([now, old], address, slots);
    const storage = await slotChanges(
      old.pendingState,
      now.pendingState,
      address,
      slots,
      slotNames,
    );
    if (!class_hash && !nonce && storage.length === 0) continue;
    const name = address === HASH_CONTRACT ? 'block hashes' : await names.contract(address);
    contracts.push({
      address,
      ...(name === undefined ? {} : { name }),
      ...(class_hash ? { class_hash } : {}),
      ...(nonce ? { nonce } : {}),
      storage,
    });
  }
  const [added, removed] = [declaredIn(forward), declaredIn(backward)];
  const replaced = contracts.flatMap(({ class_hash: hash }) =>
    hash ? [hash.before, hash.after] : [],
  );
  const classNames: Record<string, string> = {};
  for (const hash of new Set([...added, ...removed, ...replaced])) {
    const name = await names.classOf(hash);
    if (name !== undefined) classNames[hash] = name;
  }
  return { contracts, added, removed, classNames };
}

async function classesOf(
  worlds: readonly World[],
  addresses: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>();
  for (const { pendingState } of worlds) {
    for (const address of addresses) hashes.add(await pendingState.classHashAt(address));
  }
  return hashes;
}

const findRenamed = (
  replaced: readonly { readonly contract_address: string; readonly class_hash: string }[],
) =>
  replaced.map(({ contract_address, class_hash }) => ({ address: contract_address, class_hash }));

function byNumber(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

async function compareValues(
  old: State,
  now: State,
  read: (state: State) => Promise<string>,
): Promise<Changed | undefined> {
  const [before, after] = [await read(old), await read(now)];
  return before === after ? undefined : { before, after };
}

async function slotChanges(
  old: State,
  now: State,
  address: string,
  keys: readonly string[],
  names: ReadonlyMap<string, SlotName>,
): Promise<readonly SlotChange[]> {
  const changes: SlotChange[] = [];
  const wideVariables = new Set<string>();
  for (const key of keys) {
    const name = names.get(key);
    if (name?.half) {
      if (wideVariables.has(name.variable)) continue;
      wideVariables.add(name.variable);
      const low = name.half === 'low' ? key : toFelt(BigInt(key) - 1n);
      const wide = async (state: State): Promise<string> =>
        fromU256(
          await state.storageAt(address, low),
          await state.storageAt(address, nextSlot(low)),
        ).toString();
      const change = await compareValues(old, now, wide);
      if (change) changes.push({ key: low, variable: name.variable, wide: true, ...change });
      continue;
    }
    const change = await compareValues(old, now, (state) => state.storageAt(address, key));
    if (change) changes.push({ key, ...namedBy(name, change), ...change });
  }
  // Those with a name first, in the order of names.
  return changes.sort((a, b) =>
    (a.variable ?? `~${a.key}`).localeCompare(b.variable ?? `~${b.key}`, 'en'),
  );
}

/** What a name adds to a change. */
function namedBy(name: SlotName | undefined, { before, after }: Changed): Partial<SlotChange> {
  if (!name) return {};
  const { variable, type, valueText } = name;
  return {
    variable,
    ...(type === undefined ? {} : { type }),
    ...(valueText ? { text: { before: valueText(before), after: valueText(after) } } : {}),
  };
}

/** So that a long chain does not make everything that was ever mentioned a key of a balance. */
const MAX_MENTIONED = 20_000;

/** Addresses of contracts, and what events speak of in blocks that only one of the worlds has. */
function findMentioned(worlds: readonly World[], common: number | undefined): ReadonlySet<string> {
  const felts = new Set<string>();
  const collect = ({ events }: Pick<ReturnType<typeof readReceipt>, 'events'>): void => {
    for (const { keys, data } of events) {
      for (const felt of [...keys.slice(1), ...data].slice(0, 3)) felts.add(felt);
    }
  };
  for (const world of worlds) {
    const { history, pending } = world;
    for (let number = history.first; number <= history.next; number += 1) {
      for (const { address } of stateDiff(world, number).deployed_contracts) felts.add(address);
    }
    for (const { receipt } of pending.transactions) collect(receipt);
    for (let number = history.next - 1; number > (common ?? -1); number -= 1) {
      if (felts.size > MAX_MENTIONED) break;
      for (const text of history.receipts(number)) collect(readReceipt(text));
    }
  }
  felts.delete(NOTHING);
  return felts;
}

// All else.

function settingsDifference(old: World, now: World): Readonly<Record<string, Changed>> {
  const [before, after] = [settings(old), settings(now)];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const unequal = [...names].filter((name) => before[name] !== after[name]);
  return Object.fromEntries(
    unequal.map((name) => [name, { before: before[name] ?? 'none', after: after[name] ?? 'none' }]),
  );
}

function settings(world: World): Readonly<Record<string, string>> {
  const { clock, gas, blocks, impersonation, messages, pending, acceptedOnL1 } = world;
  const prices = Object.entries(gas.next).map(([name, price]) => [name, String(price)]);
  return {
    ...Object.fromEntries(prices),
    'time offset': `${clock.offset} s`,
    ...(clock.exact === undefined ? {} : { 'time of the next block': String(clock.exact) }),
    'time step': clock.step === undefined ? 'none' : `${clock.step} s`,
    'block generation': String(blocks.generation ?? 'as started'),
    'acceptance on L1': String(blocks.l1Acceptance ?? 'as started'),
    sequencer: blocks.sequencer ?? 'the usual one',
    'Starknet version': blocks.starknetVersion ?? NEWEST_VERSION,
    'impersonated accounts': [...impersonation.accounts].sort().join(' ') || 'none',
    'impersonation of all': String(impersonation.auto),
    'newest block accepted on L1': String(acceptedOnL1 ?? 'none'),
    'messages on their way to L1': String(messages.outgoing.size),
    'messages that L1 can consume': String(
      [...messages.consumable.values()].reduce((sum, count) => sum + count, 0),
    ),
    'transactions in the block under construction': String(pending.transactions.size),
    'old states': world.keepsHistory ? 'of every block' : 'not kept',
  };
}
