// Schedules against the checks of ownership: each would lose a change or show a stale answer if one were missing.
import { setTimeout as sleep } from 'node:timers/promises';
import { Gate } from '../../test/support/gate.js';
import type { Fault } from '../../test/support/store-proxy.js';
import { batchExchange } from '../recorder.js';
import { LONG_CALL, OpenBatch } from './open-batch.js';
import { isManifest, type Stage } from './stage.js';

/** An instance without a request for so long is released. */
const QUIET_MILLISECONDS = 600;
/** A request that loads an instance takes less. */
const LONGEST_LOAD_MILLISECONDS = 2_000;
/** Together more than the buffers of a connection hold. */
const LONG_CALLS = 60;

const isManifestWrite = (method: string, path: string): boolean =>
  method === 'PUT' && isManifest(path);
const idIn = (path: string): string => path.split('/').at(-1) ?? '';

/** Another node is asked for a change while the owner is read. */
async function changedByTaker(stage: Stage, id: string): Promise<void> {
  const { owner, taker } = stage;
  await stage.using(owner, id, async () => {
    await stage.change(taker, id);
    await sleep(200);
  });
}

/** Another node is asked for an instance that is in use. */
async function ownerIsAlive(stage: Stage): Promise<void> {
  const id = await stage.createChanged(stage.owner);
  await changedByTaker(stage, id);
}

/** Two nodes load one instance, and the write of the first one is late. */
async function twoLoad(stage: Stage): Promise<void> {
  const { owner, taker, other } = stage;
  const id = await stage.create(other);
  const gate = stage.gate(owner, 'before', isManifestWrite);
  const change = stage.change(owner, id);
  await gate.reached;
  await stage.changed(taker, id);
  gate.open();
  await change;
}

/** A change of the owner reaches the store when another node has taken over and hibernated the instance. */
async function lateWrite(stage: Stage): Promise<void> {
  const { owner, taker } = stage;
  const id = await stage.createChanged(owner);
  const gate = stage.gate(owner, 'before', isManifestWrite);
  const change = stage.change(owner, id);
  await gate.reached;
  stage.cut(owner);
  await stage.leaseEnd(owner);
  await stage.changed(taker, id);
  await stage.released(taker, id);
  gate.open();
  // Its renewals fail, so that it answers for no instance meanwhile.
  await change;
}

/** The answer to a creation is lost, and the instance is used before it is repeated. */
async function createdTwice(stage: Stage): Promise<void> {
  const { owner, taker, recorder } = stage;
  const gate = new Gate();
  let id = '';
  owner.proxy.fault = (method, path): Fault | undefined => {
    if (!isManifestWrite(method, path)) return undefined;
    if (id !== '') return { before: gate.arrive() };
    id = idIn(path);
    return 'lose-answer';
  };
  const creation = stage.create(owner);
  await gate.reached;
  recorder.created(id);
  await stage.changed(taker, id);
  await stage.released(taker, id);
  gate.open();
  stage.heal(owner);
  await creation;
}

/** A write is lost, and is repeated when another node has written. */
async function repeatedAfterTakeover(stage: Stage): Promise<void> {
  const { owner, taker } = stage;
  const id = await stage.createChanged(owner);
  stage.cut(owner);
  const change = stage.change(owner, id);
  await stage.leaseEnd(owner);
  await stage.changed(taker, id);
  const renewed = Promise.race([stage.leaseWritten(owner, true), sleep(3_000)]);
  stage.heal(owner);
  await change;
  await renewed;
}

/** Makes a node the owner of an instance that it could not load. */
async function ownedAsleep(stage: Stage, id: string): Promise<void> {
  const { owner } = stage;
  stage.sequence(owner, isManifestWrite, [() => 'lose-answer', () => ({ status: 403 })]);
  await stage.read(owner, id);
}

/** A node gives up an instance that it does not have in memory, and the write is late. */
async function givenUpLate(stage: Stage): Promise<void> {
  const { owner, taker, other } = stage;
  const id = await stage.create(other);
  await ownedAsleep(stage, id);
  const gate = stage.gate(owner, 'before', isManifestWrite);
  const released = stage.release(owner, id);
  await gate.reached;
  stage.cut(owner);
  await stage.leaseEnd(owner);
  await stage.changed(taker, id);
  await stage.released(taker, id);
  gate.open();
  await released;
}

/** A node gives up an instance that it does not have in memory, and a request would load it meanwhile. */
async function givenUpAndLoaded(stage: Stage): Promise<void> {
  const { owner, other } = stage;
  const id = await stage.create(other);
  await ownedAsleep(stage, id);
  const gate = stage.gate(owner, 'before', (method, path) => method === 'GET' && isManifest(path));
  const released = stage.release(owner, id);
  await gate.reached;
  const read = stage.read(owner, id);
  await Promise.race([read, sleep(LONGEST_LOAD_MILLISECONDS)]);
  gate.open();
  await Promise.all([released, read]);
  await changedByTaker(stage, id);
}

/** A node is asked to release an instance that another one has. */
async function releasedByAnother(stage: Stage): Promise<void> {
  const { owner, taker, other } = stage;
  const id = await stage.createChanged(owner);
  await stage.using(owner, id, async () => {
    await stage.release(taker, id);
    await stage.change(other, id);
    await sleep(200);
  });
}

/** A node is asked to release an instance that it is loading. */
async function releasedWhileLoading(stage: Stage): Promise<void> {
  const { owner, other } = stage;
  const id = await stage.create(other);
  const gate = stage.gate(owner, 'after', isManifestWrite);
  const read = stage.read(owner, id);
  await gate.reached;
  await stage.release(owner, id);
  gate.open();
  await read;
  await changedByTaker(stage, id);
}

/** A node is asked to release an instance while it answers a batch, whose client reads slowly. */
async function releasedInUse(stage: Stage): Promise<void> {
  const { owner, taker } = stage;
  const id = await stage.createChanged(owner);
  const long = Array.from({ length: LONG_CALLS }, () => LONG_CALL);
  const calls = [...long, { method: 'starknet_blockNumber', params: {} }];
  const batch = new OpenBatch(`${owner.url}/instances/${id}/rpc`, calls, { isPaused: true });
  await batch.begun;
  await sleep(QUIET_MILLISECONDS);
  const isReleased = await stage.release(owner, id);
  if (isReleased) await stage.changed(taker, id);
  // The node waits for the client, so that it makes the last call after this.
  const resumed = performance.now();
  batch.resume();
  await batch.ended;
  stage.recorder.latest(id, batchExchange(resumed, owner.name), batch.numberOf(LONG_CALLS));
}

/** The answer to the last write of a hibernation is late, and another node has the instance already. */
async function readWhileHibernating(stage: Stage): Promise<void> {
  const { owner, taker } = stage;
  const id = await stage.createChanged(owner);
  await sleep(QUIET_MILLISECONDS);
  const gate = stage.gate(owner, 'after', isManifestWrite);
  const released = stage.release(owner, id);
  await gate.reached;
  await stage.changed(taker, id);
  const read = stage.read(owner, id);
  await sleep(300);
  gate.open();
  await Promise.all([released, read]);
}

/** The outcome of a write is unknown, and the instance is used on. */
async function unknownOutcome(stage: Stage): Promise<void> {
  const { owner } = stage;
  const id = await stage.createChanged(owner);
  stage.sequence(owner, isManifestWrite, [() => 'lose-answer', () => ({ status: 403 })]);
  await stage.change(owner, id);
  const until = performance.now() + 4_000;
  while (performance.now() < until) {
    if (await stage.change(owner, id)) return;
    await sleep(50);
  }
  const text = 'the node that has it in memory refuses every change after one of unknown outcome';
  stage.violations.push({ kind: 'no change accepted', instance: id, text });
}

export const MANIFEST_SCHEDULES = {
  'the owner is alive': ownerIsAlive,
  'two nodes load an instance': twoLoad,
  'a write is late': lateWrite,
  'a creation is repeated': createdTwice,
  'a write is repeated after a takeover': repeatedAfterTakeover,
  'an instance is given up and loaded': givenUpAndLoaded,
  'an instance is given up late': givenUpLate,
  'another node is asked to release': releasedByAnother,
  'a release meets a load': releasedWhileLoading,
  'a release meets a batch': releasedInUse,
  'a read meets a hibernation': readWhileHibernating,
  'the outcome of a write is unknown': unknownOutcome,
} as const;
