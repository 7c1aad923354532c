// A simulated fleet: sessions arrive, load instances on the nodes of a ring, and let them hibernate.
import { createHash } from 'node:crypto';
import { Random } from '../../../bench/harness/rounds.js';
import type { Values } from './simulated-costs.js';

const HOUR = 3600;
const DAY = 24 * HOUR;
const RING = 2 ** 32;

/** Events of a second whose mean is small. */
function poisson(random: Random, mean: number): number {
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random.next(); product > limit; product *= random.next()) count += 1;
  return count;
}

/** Consistent hashing as the proxy does it. */
class Ring {
  readonly #points: Float64Array;
  readonly #nodes: Uint32Array;

  constructor(nodes: readonly number[], pointsPerNode: number) {
    const all = nodes.flatMap((node) =>
      Array.from(
        { length: pointsPerNode },
        (_, index) => [pointOf(`${node}/${index}`), node] as const,
      ),
    );
    all.sort(([first], [other]) => first - other);
    this.#points = Float64Array.from(all, ([point]) => point);
    this.#nodes = Uint32Array.from(all, ([, node]) => node);
  }

  nodeOf(point: number): number {
    let [low, high] = [0, this.#points.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#points[middle] ?? 0) < point) low = middle + 1;
      else high = middle;
    }
    return this.#nodes[low % this.#points.length] ?? 0;
  }
}

function pointOf(text: string): number {
  return createHash('md5').update(text).digest().readUInt32LE(0);
}

/** What the fleet has in its busiest seconds, and together. */
export interface Day {
  readonly meanLoaded: number;
  readonly mostLoaded: number;
  /** On the node that has most. */
  readonly mostLoadedOnNode: number;
  readonly loads: number;
  readonly sessions: number;
  /** Share of the cores of the busiest node, over the busiest minute. */
  readonly busiestCpuShare: number;
  readonly gets: number;
  readonly puts: number;
  readonly leasePuts: number;
  /** In the busiest minute. */
  readonly mostGetsPerSecond: number;
  readonly mostPutsPerSecond: number;
}

export interface Fleet {
  readonly values: Values;
  readonly ring: Ring;
  /** Points of the instances on the ring. */
  readonly points: Float64Array;
  readonly random: Random;
}

export function fleetOf(values: Values): Fleet {
  const random = new Random(1);
  const points = Float64Array.from({ length: values.instances }, () => random.next() * RING);
  const nodes = Array.from({ length: values.nodes }, (_, node) => node);
  return { values, points, ring: new Ring(nodes, values.ringPoints), random };
}

/** Load of a minute. */
class Minute {
  gets = 0;
  puts = 0;
  readonly cpuMs: Float64Array;

  constructor(nodes: number) {
    this.cpuMs = new Float64Array(nodes);
  }
}

/** Lets sessions arrive second by second. @returns also the loaded instances of each node at the busiest second */
export function simulateDay({
  values,
  ring,
  points,
  random,
}: Fleet): Day & { readonly atPeak: readonly number[] } {
  const { instances, nodes, sessionSeconds, hibernateAfterSeconds } = values;
  const seconds = values.hours * HOUR;
  const loadedSeconds = Math.round(sessionSeconds + hibernateAfterSeconds);
  const leasePutsPerSecond = nodes / (values.leaseSeconds / 3);
  /** When each instance that is loaded hibernates; 0 while it hibernates. */
  const until = new Uint32Array(instances);
  const ending: number[][] = Array.from({ length: seconds + loadedSeconds + 2 }, () => []);
  const loadedOn = new Uint32Array(nodes);
  let [loaded, sum, mostLoaded, mostLoadedOnNode, loads, sessions] = [0, 0, 0, 0, 0, 0];
  let [gets, puts, mostGets, mostPuts, busiest] = [0, 0, 0, 0, 0];
  let atPeak: readonly number[] = [];
  let minute = new Minute(nodes);
  const cpuMsPerSession =
    values.transactionsPerSession * values.transactionCpuMs +
    values.readsPerSession * values.readCpuMs;

  for (let second = 1; second <= seconds; second += 1) {
    for (const instance of ending[second] ?? []) {
      if (until[instance] !== second) continue;
      until[instance] = 0;
      const node = ring.nodeOf(points[instance] ?? 0);
      loadedOn[node] = (loadedOn[node] ?? 0) - 1;
      loaded -= 1;
      minute.puts += values.putsPerHibernation;
      add(minute.cpuMs, node, values.hibernateCpuMs);
    }
    ending[second] = [];
    const arrivals = poisson(random, sessionsPerSecond(values, second - seconds / 2));
    for (let arrival = 0; arrival < arrivals; arrival += 1) {
      const instance = random.below(instances);
      const node = ring.nodeOf(points[instance] ?? 0);
      sessions += 1;
      if (until[instance] === 0) {
        loads += 1;
        loaded += 1;
        loadedOn[node] = (loadedOn[node] ?? 0) + 1;
        minute.gets += values.getsPerLoad;
        minute.puts += values.putsPerLoad;
        add(minute.cpuMs, node, values.loadCpuMs);
      }
      until[instance] = second + loadedSeconds;
      ending[second + loadedSeconds]?.push(instance);
    }
    // Sessions under way, evenly over their time.
    for (let node = 0; node < nodes; node += 1) {
      const inSession = ((loadedOn[node] ?? 0) * sessionSeconds) / loadedSeconds;
      add(minute.cpuMs, node, (inSession * cpuMsPerSession) / sessionSeconds);
      minute.puts +=
        (inSession * values.transactionsPerSession * values.putsPerTransaction) / sessionSeconds;
      mostLoadedOnNode = Math.max(mostLoadedOnNode, loadedOn[node] ?? 0);
    }
    minute.puts += leasePutsPerSecond;
    sum += loaded;
    if (loaded > mostLoaded) {
      mostLoaded = loaded;
      atPeak = [...loadedOn];
    }
    if (second % 60 > 0) continue;
    gets += minute.gets;
    puts += minute.puts;
    mostGets = Math.max(mostGets, minute.gets / 60);
    mostPuts = Math.max(mostPuts, minute.puts / 60);
    busiest = Math.max(busiest, ...minute.cpuMs);
    minute = new Minute(nodes);
  }
  return {
    ...{ mostLoaded, mostLoadedOnNode, loads, sessions, gets, puts, atPeak },
    meanLoaded: sum / seconds,
    busiestCpuShare: busiest / (60_000 * values.coresPerNode),
    leasePuts: leasePutsPerSecond * seconds,
    mostGetsPerSecond: mostGets,
    mostPutsPerSecond: mostPuts,
  };
}

function add(to: Float64Array, index: number, amount: number): void {
  to[index] = (to[index] ?? 0) + amount;
}

/** @param fromPeak seconds after the busiest second of the day, which is in the middle of the simulated time */
function sessionsPerSecond(values: Values, fromPeak: number): number {
  const { instances, activePercentPerHour, peakFactor } = values;
  const mean = (instances * activePercentPerHour) / 100 / HOUR;
  return mean * (1 + (peakFactor - 1) * Math.cos((2 * Math.PI * fromPeak) / DAY));
}

/** Many instances of one class are opened in one second. */
export function simulateBurst({ values, ring, points, random }: Fleet) {
  const counts = new Uint32Array(values.nodes);
  for (let index = 0; index < values.burstInstances; index += 1) {
    const node = ring.nodeOf(points[random.below(values.instances)] ?? 0);
    counts[node] = (counts[node] ?? 0) + 1;
  }
  const most = Math.max(...counts);
  return {
    mostOnNode: most,
    // One thread of a node loads instances; transactions use all cores.
    secondsToLoad: (most * values.loadCpuMs) / 1000,
    secondsToFirstTransaction:
      (most * (values.loadCpuMs + values.transactionCpuMs / values.coresPerNode)) / 1000,
    storeRequests: values.burstInstances * (values.getsPerLoad + values.putsPerLoad),
  };
}

/** The node with most instances ends without notice, at the busiest second. */
export function simulateFailure({ values, ring, points }: Fleet, atPeak: readonly number[]) {
  const loaded = Math.max(...atPeak);
  const failed = atPeak.indexOf(loaded);
  const survivors = Array.from({ length: values.nodes }, (_, node) => node).filter(
    (node) => node !== failed,
  );
  const smaller = new Ring(survivors, values.ringPoints);
  const received = new Uint32Array(values.nodes);
  let [moved, movedOthers] = [0, 0];
  for (const point of points) {
    const node = smaller.nodeOf(point);
    if (ring.nodeOf(point) === node) continue;
    if (ring.nodeOf(point) === failed) moved += 1;
    else movedOthers += 1;
    received[node] = (received[node] ?? 0) + 1;
  }
  const share = Math.max(...received) / Math.max(1, moved);
  const secondsToLoad = (Math.ceil(loaded * share) * values.loadCpuMs) / 1000;
  // The last renewal was up to a third of the lease ago.
  const leaseEnd = values.leaseSeconds + values.leaseMarginSeconds;
  return {
    ...{ moved, movedOthers, loaded },
    mostReceivedShare: share,
    secondsUntilHibernatingReachable: values.checkSeconds,
    leastSecondsUntilLoadedReachable: Math.max(
      values.checkSeconds,
      leaseEnd - values.leaseSeconds / 3,
    ),
    secondsUntilAllReachable: Math.max(values.checkSeconds, leaseEnd) + secondsToLoad,
    // Each also reads the lease of the lost node; a node keeps what it read for a second.
    storeRequests: loaded * (values.getsPerLoad + values.putsPerLoad) + 2 * survivors.length,
  };
}
