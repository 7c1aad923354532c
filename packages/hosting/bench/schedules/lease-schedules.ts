// Schedules against the checks of leases: each would show a stale answer if one of them were missing.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../test/support/store-proxy.js';
import { LEASE_SECONDS } from '../fleet.js';
import { batchExchange } from '../recorder.js';
import { LONG_CALL, OpenBatch } from './open-batch.js';
import { isLease, isManifest, type Stage } from './stage.js';

const RENEWAL_MILLISECONDS = (LEASE_SECONDS * 1000) / 3;
/** Milliseconds after a second of the wall clock. */
const LATE_IN_A_SECOND = 600;

const isManifestWrite = (method: string, path: string): boolean =>
  method === 'PUT' && isManifest(path);

/** The owner does not reach the store, and another node takes over. */
async function cutOff(stage: Stage): Promise<void> {
  const { owner, taker } = stage;
  const id = await stage.createChanged(owner);
  await stage.using(owner, id, async () => {
    stage.cut(owner);
    await stage.leaseEnd(owner);
    await stage.changed(taker, id);
    await stage.reads(owner, id, 500);
  });
}

/** The owner stands still while another node takes over. @returns the instance */
async function takenOver(stage: Stage): Promise<string> {
  const { owner, taker } = stage;
  const id = await stage.createChanged(owner);
  owner.process.signal('SIGSTOP');
  await stage.leaseEnd(owner);
  await stage.changed(taker, id);
  return id;
}

/** The owner stands still while another node takes over, and is asked when it goes on. */
async function standsStill(stage: Stage): Promise<void> {
  const { owner } = stage;
  const id = await takenOver(stage);
  stage.heal(owner);
  await stage.reads(owner, id, 2_000);
}

/** The same, and it is asked when it has tried to renew its lease. */
async function standsStillAndWaits(stage: Stage): Promise<void> {
  const { owner } = stage;
  const id = await takenOver(stage);
  const renewed = Promise.race([stage.leaseWritten(owner, true), sleep(3_000)]);
  stage.heal(owner);
  await renewed;
  await sleep(500);
  await stage.reads(owner, id, 500);
}

/** A renewal is done without an answer, and the owner reads late that it was. */
async function renewalIsFoundLate(stage: Stage): Promise<void> {
  const { owner, taker } = stage;
  const id = await stage.createChanged(owner);
  let renewed: number | undefined;
  let isReadable = true;
  const faultOf = (method: string, path: string): Fault | undefined => {
    if (!isLease(path)) return renewed === undefined ? undefined : 'lose-request';
    if (renewed === undefined) {
      if (method !== 'PUT') return undefined;
      renewed = performance.now();
      return 'lose-answer';
    }
    // Its own lease has ended by then, and no other node may break it yet.
    const age = performance.now() - renewed;
    const isLate = age > LEASE_SECONDS * 1000 + 50;
    return isReadable && isLate && method === 'GET' ? undefined : 'lose-request';
  };
  await stage.using(owner, id, async () => {
    const written = stage.leaseWritten(owner);
    owner.proxy.fault = faultOf;
    await written;
    await stage.leaseEnd(owner);
    isReadable = false;
    await stage.changed(taker, id);
    await stage.reads(owner, id, 500);
  });
}

/** By the clock of the store, as another node reads it, a lease is older than it is. */
async function storeIsAhead(stage: Stage): Promise<void> {
  const { owner, taker } = stage;
  const id = await stage.createChanged(owner);
  await renewLateInASecond(stage);
  stage.cut(owner);
  await stage.using(owner, id, async () => {
    // Stores tell times in whole seconds.
    await sleep((LEASE_SECONDS - 1) * 1000 - LATE_IN_A_SECOND + 50);
    await stage.change(taker, id);
  });
}

/** Lets the owner renew its lease late in a second of the wall clock, so that it soon looks a second older. */
async function renewLateInASecond(stage: Stage): Promise<void> {
  const { owner } = stage;
  await stage.leaseWritten(owner);
  owner.process.signal('SIGSTOP');
  // Its next renewal is due by then.
  await sleep(RENEWAL_MILLISECONDS);
  await sleep((1_000 + LATE_IN_A_SECOND - (Date.now() % 1_000)) % 1_000);
  const renewed = stage.leaseWritten(owner);
  owner.process.signal('SIGCONT');
  await renewed;
}

/** A node finds that a lease has ended, and breaks it when its holder has just renewed it. */
async function breakMeetsRenewal(stage: Stage): Promise<void> {
  const { owner, taker } = stage;
  const id = await stage.createChanged(owner);
  const written = new Set<string>();
  const { onAnswered } = taker.proxy;
  taker.proxy.onAnswered = (answered) => {
    if (answered.method === 'PUT' && isLease(answered.path)) written.add(answered.path);
    onAnswered(answered);
  };
  owner.process.signal('SIGSTOP');
  await stage.leaseEnd(owner);
  // The taker has renewed its own lease meanwhile.
  const gate = stage.gate(
    taker,
    'before',
    (method, path) => method === 'PUT' && isLease(path) && !written.has(path),
  );
  const change = stage.change(taker, id);
  await gate.reached;
  const renewed = stage.leaseWritten(owner);
  owner.process.signal('SIGCONT');
  await renewed;
  stage.cut(owner);
  await stage.using(owner, id, async () => {
    gate.open();
    await change;
    await sleep(300);
  });
  taker.proxy.onAnswered = onAnswered;
}

/** The lease ends while an instance is being loaded, and the node has another one when it is loaded. */
async function loadedAfterLoss(stage: Stage): Promise<void> {
  const { owner, taker, other } = stage;
  const id = await stage.create(other);
  const gate = stage.gate(owner, 'after', isManifestWrite);
  const first = stage.read(owner, id);
  await gate.reached;
  stage.cut(owner);
  await stage.leaseEnd(owner);
  await stage.changed(taker, id);
  const renewed = stage.leaseWritten(owner, true);
  stage.heal(owner);
  await renewed;
  await sleep(100);
  gate.open();
  await first;
  await stage.reads(owner, id, 500);
}

/** A batch waits for the store in its first call, and another node takes over before its second. */
async function batchGoesOn(stage: Stage, isStreamed: boolean): Promise<void> {
  const { owner, taker, recorder } = stage;
  const id = await stage.createChanged(owner);
  const mark = recorder.newMark();
  const gate = stage.gate(owner, 'after', isManifestWrite);
  const batch = new OpenBatch(`${owner.url}/instances/${id}/rpc`, [
    { method: 'devnet_mint', params: { address: mark, amount: 1 } },
    { method: 'starknet_blockNumber', params: {} },
    ...(isStreamed ? [LONG_CALL] : []),
  ]);
  const began = performance.now();
  await gate.reached;
  stage.cut(owner);
  await stage.leaseEnd(owner);
  await stage.changed(taker, id);
  // Calls of a batch are made in order: the second begins now.
  const continued = performance.now();
  gate.open();
  await batch.ended;
  recorder.change(id, mark, batchExchange(began, owner.name), batch.transactionOf(0));
  recorder.latest(id, batchExchange(continued, owner.name), batch.numberOf(1));
}

export const LEASE_SCHEDULES = {
  'the owner is cut off': cutOff,
  'the owner stands still': standsStill,
  'the owner stands still, and is read later': standsStillAndWaits,
  'a renewal is found late': renewalIsFoundLate,
  'the store is ahead': storeIsAhead,
  'a break meets a renewal': breakMeetsRenewal,
  'an instance is loaded after a loss': loadedAfterLoss,
  'a batch goes on after the lease': (stage: Stage) => batchGoesOn(stage, false),
  'a streamed batch goes on after the lease': (stage: Stage) => batchGoesOn(stage, true),
} as const;
