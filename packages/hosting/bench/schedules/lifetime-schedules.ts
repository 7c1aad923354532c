// Schedules about the end of instances: deletions and expiry.
import { setTimeout as sleep } from 'node:timers/promises';
import { isManifest, type Stage } from './stage.js';

/** A takeover takes less, and together with the time of use it takes longer. */
const TTL_SECONDS = 12;
const USED_SECONDS = 8;
const UNUSED_SECONDS = 2;

const isDeletion = (method: string, path: string): boolean =>
  method === 'DELETE' && isManifest(path);

/** The last step of a deletion is late, and all nodes are asked meanwhile and afterwards. */
async function slowDeletion(stage: Stage): Promise<void> {
  const { owner, taker, other } = stage;
  const name = `named-${performance.now()}`;
  const id = await stage.createChanged(owner, { name });
  const gate = stage.gate(owner, 'before', isDeletion);
  const deletion = stage.delete(owner, id);
  await gate.reached;
  await stage.read(taker, id);
  const read = stage.read(owner, id);
  await sleep(200);
  gate.open();
  await Promise.all([deletion, read]);
  for (const node of [taker, owner, other]) await stage.read(node, id);
  const next = await stage.create(taker, { name });
  const { result } = await stage.read(owner, next);
  const { block_number: number } = Object(result);
  if (number === undefined || number === 0) return;
  const text = `it begins with block ${number} after another one of its name was deleted`;
  stage.violations.push({ kind: 'new instance has a past', instance: next, text });
}

/** The last step of a deletion is done when the node has lost its lease. */
async function lateDeletion(stage: Stage): Promise<void> {
  const { owner, taker, other } = stage;
  const id = await stage.createChanged(owner);
  const gate = stage.gate(owner, 'before', isDeletion);
  const deletion = stage.delete(owner, id);
  await gate.reached;
  stage.cut(owner);
  await stage.leaseEnd(owner);
  await stage.change(taker, id);
  gate.open();
  await sleep(200);
  stage.heal(owner);
  await deletion;
  await stage.read(other, id);
  await stage.read(taker, id);
}

/** An instance is used for longer than its time to live, and its node is killed; another one is not used. */
async function usedAndExpired(stage: Stage): Promise<void> {
  const { owner, taker, other } = stage;
  const unused = await stage.createChanged(owner, { ttl: UNUSED_SECONDS });
  await stage.released(owner, unused);
  const id = await stage.createChanged(owner, { ttl: TTL_SECONDS });
  await stage.reads(owner, id, USED_SECONDS * 1000);
  await owner.process.end('SIGKILL');
  await stage.leaseEnd(owner);
  // It was written longer ago than its time to live, and read within it.
  await stage.changed(taker, id);
  await stage.released(taker, id);
  await stage.read(other, id);
  await owner.start();
  if ((await stage.read(owner, unused)).result === undefined) return;
  const text = `it has a ttl of ${UNUSED_SECONDS} s, and is there after ${USED_SECONDS} s without a request`;
  stage.violations.push({ kind: 'expired instance stays', instance: unused, text });
}

export const LIFETIME_SCHEDULES = {
  'a deletion is slow': slowDeletion,
  'a deletion is late': lateDeletion,
  'an instance is used and expires': usedAndExpired,
} as const;
