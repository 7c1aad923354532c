// Faults of a fleet: each begins, lasts for a while, and ends.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../bench/harness/rounds.js';
import type { Fault as StoreFault } from '../test/support/store-proxy.js';
import { type Fleet, type FleetNode, LEASE_SECONDS } from './fleet.js';

/** Milliseconds after which another node may have taken over. */
const PAST_LEASE = (LEASE_SECONDS + 1) * 1000;

interface FaultTarget {
  readonly fleet: Fleet;
  readonly node: FleetNode;
  readonly random: Random;
  /** The instances that clients use. */
  readonly instances: readonly string[];
}

/** As long as a store is full until an operator notices it. */
const FULL_MILLISECONDS = 8_000;
/** Requests for releases in one fault. */
const RELEASES = 20;
/** An error of the store's clock that leases allow. */
const CLOCK_AHEAD_SECONDS = 2;

/** Resolves when the fault is over. */
type Run = (target: FaultTarget) => Promise<void>;

/** Faults of requests to the store, each of them with a probability. */
const store =
  (
    probability: number,
    faultOf: (method: string, path: string, random: Random) => StoreFault | undefined,
    [shortest, longest]: readonly [number, number] = [1_000, 2 * PAST_LEASE],
  ): Run =>
  async ({ node: { proxy }, random }) => {
    proxy.fault = (method, path) =>
      random.next() < probability ? faultOf(method, path, random) : undefined;
    await sleep(random.between(shortest, longest));
    proxy.fault = () => undefined;
  };

const isConditional = (method: string, path: string): boolean =>
  method === 'PUT' && !path.includes('/layers/');

export const FAULTS: Readonly<Record<string, Run>> = {
  'a node is killed': async ({ node, random }) => {
    await node.process.end('SIGKILL');
    await sleep(random.between(0, 2 * PAST_LEASE));
    await node.start();
  },
  'a node stands still past its lease': async ({ node, random }) => {
    node.process.signal('SIGSTOP');
    await sleep(random.between(PAST_LEASE, 2 * PAST_LEASE));
    node.process.signal('SIGCONT');
  },
  'a node stands still shortly': async ({ node, random }) => {
    node.process.signal('SIGSTOP');
    await sleep(random.between(200, 3_000));
    node.process.signal('SIGCONT');
  },
  'a node leaves in order': async ({ fleet, node, random }) => {
    await fleet.setInRing(node, false);
    // Its requests under way may take long while others are faulty.
    await Promise.race([node.process.end('SIGTERM'), sleep(3 * PAST_LEASE)]);
    await node.process.end('SIGKILL');
    await sleep(random.between(0, PAST_LEASE));
    await node.start();
    await fleet.setInRing(node, true);
  },
  'a node leaves the ring': async ({ fleet, node, random }) => {
    await fleet.setInRing(node, false);
    await sleep(random.between(500, PAST_LEASE));
    await fleet.setInRing(node, true);
  },
  'HAProxy restarts': ({ fleet, random }) => fleet.restartRouter(random.between(0, 1_500)),
  'the store answers 503': store(0.7, () => ({ status: 503 })),
  'the store is slow': store(0.7, (_method, _path, random) => ({
    delay: random.between(100, 3_000),
  })),
  'answers of conditional writes are lost': store(0.7, (method, path) =>
    isConditional(method, path) ? 'lose-answer' : undefined,
  ),
  'answers of the store do not come': store(0.3, () => 'hold-answer'),
  'requests to the store are lost': store(0.7, () => 'lose-request'),
  'the store is out of reach': async ({ node: { proxy }, random }) => {
    proxy.fault = () => 'lose-request';
    // Long enough for others to take over and change what this node has in memory.
    await sleep(random.between(PAST_LEASE, 4 * PAST_LEASE));
    proxy.fault = () => undefined;
  },
  'the store is full': store(1, (method) => (method === 'PUT' ? { status: 507 } : undefined), [
    200,
    FULL_MILLISECONDS,
  ]),
  'the store refuses writes': store(
    1,
    (method) => (method === 'PUT' ? { status: 403 } : undefined),
    [200, FULL_MILLISECONDS],
  ),
  'the clock of the store is ahead': async ({ node: { proxy }, random }) => {
    proxy.clockAhead = CLOCK_AHEAD_SECONDS;
    await sleep(random.between(PAST_LEASE, 2 * PAST_LEASE));
    proxy.clockAhead = 0;
  },
  'a node is asked to release what is used': async ({ node, random, instances }) => {
    for (let round = 0; round < RELEASES; round += 1) {
      await fetch(`${node.url}/instances/${random.pick(instances)}/release`, {
        method: 'POST',
        signal: AbortSignal.timeout(PAST_LEASE),
      })
        .then((response) => response.body?.cancel())
        // Another node may have stopped it.
        .catch(() => undefined);
      await sleep(random.between(0, 100));
    }
  },
  'writes are done late': store(0.6, (method, _path, random) =>
    method === 'PUT' ? { late: random.between(200, 2 * PAST_LEASE) } : undefined,
  ),
};
