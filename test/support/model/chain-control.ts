// Commands about blocks, time, prices, state, impersonation and snapshots, and their expected results.
import { type BLOCK_ID, ERRORS } from '@starkbox/spec';
import * as cast from './accounts-and-contracts.js';
import { agree, agreeExactly } from './agreement.js';
import type { Command, Target } from './commands.js';
import type { NodeAndModel } from './node-and-model.js';
import { differences } from './reading.js';
import {
  balanceOf,
  className,
  declaredName,
  firstWorld,
  nextTime,
  nonceName,
  slotName,
  type Values,
  type World,
  wide,
  withBalance,
  withoutBlocksFrom,
  withValues,
} from './world.js';

type Of<D extends Command['does']> = Command & { readonly does: D };

// Blocks.

/** The id of a target, and the block that it means, if there is one. */
function resolve({ blocks, acceptedOnL1 }: World, target: Target): [BLOCK_ID, number | undefined] {
  const latest = blocks.length - 1;
  switch (target) {
    case 'latest':
      return [target, latest];
    case 'pre_confirmed':
      return [target, undefined];
    case 'l1_accepted':
      return [target, acceptedOnL1];
    case 'unknown':
      return [{ block_number: blocks.length }, undefined];
    default: {
      const number = Math.max(0, latest - target.back);
      const block_hash = blocks[number]?.hash ?? '0x0';
      return [target.by === 'hash' ? { block_hash } : { block_number: number }, number];
    }
  }
}

const newestFirst = ({ blocks }: World, from: number, to: number): readonly unknown[] =>
  blocks
    .slice(to, from + 1)
    .map(({ hash }) => hash)
    .reverse();

export async function abort(stage: NodeAndModel, target: Target): Promise<void> {
  const [starting_block_id, from] = resolve(stage.world, target);
  const method = 'devnet_abortBlocks';
  const params = { starting_block_id };
  if (!stage.setup.keepsHistory) return stage.fails(method, params, -1);
  if (target === 'pre_confirmed') {
    const { aborted } = await stage.door.ask(method, params);
    agree(aborted.length, 1);
    stage.close();
    stage.world = withoutBlocksFrom(stage.world, stage.world.blocks.length - 1);
    return;
  }
  if (from === undefined || from === 0) return stage.fails(method, params, -1);
  const { aborted } = await stage.door.ask(method, params);
  agree(aborted, newestFirst(stage.world, stage.world.blocks.length - 1, from));
  stage.world = withoutBlocksFrom(stage.world, from);
}

export async function acceptOnL1(stage: NodeAndModel, target: Target): Promise<void> {
  const [starting_block_id, number] = resolve(stage.world, target);
  const { acceptedOnL1: before = -1 } = stage.world;
  const method = 'devnet_acceptOnL1';
  const params = { starting_block_id };
  if (number === undefined || number <= before) return stage.fails(method, params, -1);
  const { accepted } = await stage.door.ask(method, params);
  agree(accepted, newestFirst(stage.world, number, before + 1));
  stage.world = { ...stage.world, acceptedOnL1: number };
}

export async function createBlock(stage: NodeAndModel): Promise<void> {
  await stage.door.ask('devnet_createBlock');
  stage.close();
}

// Time and prices.

export async function setTime(stage: NodeAndModel, { by, generate }: Of<'setTime'>): Promise<void> {
  const now = stage.wall.now();
  const time = nextTime(stage.world, now) + by;
  const params = { time, generate_block: generate };
  if (time < 0) return stage.fails('devnet_setTime', params, ERRORS.INVALID_PARAMS.code);
  const answer = await stage.door.ask('devnet_setTime', params);
  const closes = generate ?? true;
  agree([answer.block_timestamp, answer.block_hash !== null], [time, closes]);
  stage.world = { ...stage.world, offset: time - now, exact: time };
  if (closes) stage.close();
}

export async function increaseTime(stage: NodeAndModel, { by }: Of<'increaseTime'>): Promise<void> {
  const answer = await stage.door.ask('devnet_increaseTime', { time: by });
  agree(answer.timestamp_increased_by, by);
  const now = stage.wall.now();
  const { exact, offset } = stage.world;
  // From where time would be; a time that waits for its block comes first.
  const from = exact === undefined ? nextTime(stage.world, now) : Math.max(0, now + offset);
  stage.world = { ...stage.world, offset: from + by - now };
  stage.close();
}

export async function setGasPrice(
  stage: NodeAndModel,
  { changes, generate }: Of<'setGasPrice'>,
): Promise<void> {
  const params = { ...changes, generate_block: generate };
  if (Object.values(changes).includes(0)) {
    return stage.fails('devnet_setGasPrice', params, ERRORS.INVALID_PARAMS.code);
  }
  const next = { ...stage.world.next, ...changes };
  agreeExactly(await stage.door.ask('devnet_setGasPrice', params), next);
  stage.world = { ...stage.world, next };
  if (generate) stage.close();
}

// State.

type StateCommand = Of<'setBalance' | 'setNonce' | 'setSlot' | 'deployCounter' | 'breakState'>;

interface Change {
  readonly state_diff: object;
  /** What the model makes of it, or the code of the error. */
  readonly outcome: Values | number;
}

export async function applyStateDiff(stage: NodeAndModel, command: StateCommand): Promise<void> {
  const { values, injected } = stage.world;
  const { state_diff, outcome } = changeOf(values, command);
  const method = 'devnet_applyStateDiff';
  if (typeof outcome === 'number') return stage.fails(method, { state_diff }, outcome);
  agree(await stage.door.ask(method, { state_diff }), { classes: [] });
  const owned = (at: Values): bigint =>
    cast.holders.reduce((sum, { address }) => sum + balanceOf(at, address), 0n);
  stage.world = {
    ...stage.world,
    values: outcome,
    injected: injected + owned(outcome) - owned(values),
  };
}

function changeOf(values: Values, command: StateCommand): Change {
  const storage = (address: string, ...entries: readonly (readonly [string, string])[]) => ({
    address,
    storage_entries: entries.map(([key, value]) => ({ key, value })),
  });
  switch (command.does) {
    case 'setBalance': {
      const { address } = cast.holder(command.of);
      const slots = wide(cast.STRK, cast.balanceSlot(address), command.amount).map(
        ([name, value]) => [name.split(' ')[2] ?? '', cast.hex(value)] as const,
      );
      return {
        state_diff: { storage_diffs: [storage(cast.STRK, ...slots)] },
        outcome: withBalance(values, address, command.amount),
      };
    }
    case 'setNonce': {
      const { address } = cast.sender(command.of);
      const nonce = cast.hex(command.nonce);
      return {
        state_diff: { nonces: [{ contract_address: address, nonce }] },
        outcome: withValues(values, [[nonceName(address), nonce]]),
      };
    }
    case 'setSlot': {
      const { address } = cast.sender(command.of);
      const [key, value] = [cast.hex(command.key), cast.hex(command.value)];
      return {
        state_diff: { storage_diffs: [storage(address, [key, value])] },
        outcome: withValues(values, [[slotName(address, key), value]]),
      };
    }
    case 'deployCounter': {
      const address = cast.SPARES[command.at] ?? '';
      const { hash } = cast.counterClass.compiledClass;
      const isKnown = values.has(declaredName(hash));
      const isTaken = values.has(className(address));
      return {
        state_diff: { deployed_contracts: [{ address, class_hash: hash }] },
        outcome: !isKnown
          ? 28
          : isTaken
            ? -32602
            : withValues(values, [[className(address), hash]]),
      };
    }
    case 'breakState':
      return broken(command.how);
  }
}

function broken(how: Of<'breakState'>['how']): Change {
  const entry = { key: '0x1', value: '0x7' };
  const [account = cast.late] = cast.accounts;
  const right = { address: account.address, storage_entries: [entry] };
  const nowhere = { address: '0xdead', storage_entries: [entry] };
  switch (how) {
    case 'no contract':
      return { state_diff: { storage_diffs: [nowhere] }, outcome: ERRORS.CONTRACT_NOT_FOUND.code };
    case 'no class':
      return {
        state_diff: { deployed_contracts: [{ address: '0xdead', class_hash: '0x1' }] },
        outcome: 28,
      };
    case 'twice':
      return { state_diff: { storage_diffs: [right, right] }, outcome: -32602 };
    case 'half':
      return {
        state_diff: { storage_diffs: [right, nowhere] },
        outcome: ERRORS.CONTRACT_NOT_FOUND.code,
      };
  }
}

// Impersonation.

export async function impersonate(
  stage: NodeAndModel,
  { does, who }: Of<'impersonate' | 'stopImpersonate'>,
): Promise<void> {
  const { address } = cast.sender(who);
  const impersonated = new Set(stage.world.impersonated);
  await stage.door.ask(`devnet_${does}Account`, { account_address: address });
  if (does === 'impersonate') impersonated.add(address);
  else impersonated.delete(address);
  stage.world = { ...stage.world, impersonated };
}

export async function impersonateAll(stage: NodeAndModel, auto: boolean): Promise<void> {
  await stage.door.ask(auto ? 'devnet_autoImpersonate' : 'devnet_stopAutoImpersonate');
  stage.world = { ...stage.world, auto };
}

// The whole chain.

export async function snapshot(stage: NodeAndModel): Promise<void> {
  const { world } = stage;
  const reading = await stage.reading();
  stage.lastSnapshot += 1n;
  const id = cast.hex(stage.lastSnapshot);
  agree(await stage.door.ask('devnet_snapshot'), id);
  stage.snapshots.set(id, { world, reading });
  stage.issued.push(id);
}

export async function revert(stage: NodeAndModel, which: number): Promise<void> {
  const id = stage.issued.at(-1 - which) ?? '0x0';
  const snapshot = stage.snapshots.get(id);
  agree(await stage.door.ask('devnet_revert', { snapshot_id: id }), snapshot !== undefined);
  if (!snapshot) return;
  for (const snapshotId of [...stage.snapshots.keys()]) {
    if (BigInt(snapshotId) >= BigInt(id)) stage.snapshots.delete(snapshotId);
  }
  stage.world = snapshot.world;
  if (!snapshot.reading) return;
  const now = await stage.door.read(snapshot.reading.keys());
  agreeExactly(differences(snapshot.reading, now), [], 'what the revert did not restore');
}

export async function restart(stage: NodeAndModel): Promise<void> {
  agreeExactly(await stage.door.ask('devnet_restart'), {});
  stage.hasRestarted = true;
  stage.snapshots.clear();
  stage.world = firstWorld(stage.wall.now(), stage.setup.startTime);
}
