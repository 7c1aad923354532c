// Simulation of a large fleet: what instances take of nodes and of the store, by a model of their use.
//
//   npm run bench:fleet-simulation                                  1,000,000 instances on 100 nodes, a day
//   npm run bench:fleet-simulation -- --quick                       10,000 instances on 10 nodes, two hours
//   npm run bench:fleet-simulation -- --nodes 200 --loadCpuMs 12    other values of parameters
//
// Nothing is measured here: costs are parameters, whose defaults were measured elsewhere. Prints a report, then one line
// of JSON.
import { parseArgs } from 'node:util';
import { names, PARAMETERS, type Values, valuesOf } from './simulated-costs.js';
import {
  type Day,
  fleetOf,
  simulateBurst,
  simulateDay,
  simulateFailure,
} from './simulated-fleet.js';

const MONTH_HOURS = 730;
const GIGABYTE = 1e9;
const TIMES = 10;

const parameters = Object.fromEntries(names().map((name) => [name, { type: 'string' as const }]));
const { values: options } = parseArgs({
  options: { ...parameters, quick: { type: 'boolean' as const } },
});
const values = valuesOf(options, options['quick'] === true);

const rounded = (value: number): string => String(Number(value.toPrecision(4)));

function table(title: string, rows: Readonly<Record<string, number>>): void {
  console.log(`\n${title}`);
  for (const [name, value] of Object.entries(rows)) {
    console.log(`  ${name.padEnd(36)} ${rounded(value).padStart(12)}`);
  }
}

/** Dollars in a month of such days. */
function costs(day: Day, of: Values): Record<string, number> {
  const months = MONTH_HOURS / of.hours;
  const perPut = (of.dollarsPer1000Puts / 1000) * months;
  const perGet = (of.dollarsPer1000Gets / 1000) * months;
  const commits = day.sessions * of.transactionsPerSession * of.putsPerTransaction;
  const leases = day.leasePuts * perPut;
  const loads = (day.puts - day.leasePuts - commits) * perPut + day.gets * perGet;
  const storage = ((of.instances * of.bytesPerInstance) / GIGABYTE) * of.dollarsPerGbMonth;
  const durable = commits * perPut;
  return {
    leases,
    loadsAndHibernations: loads,
    durable,
    storage,
    all: leases + loads + durable + storage,
  };
}

/** Share of each limit that is used; above 1 it is broken. */
function shares(day: Day, of: Values): Record<string, number> {
  const memory = of.nodeMiB + day.mostLoadedOnNode * of.loadedMiB;
  return {
    loadedLimitOfNode: day.mostLoadedOnNode / of.mostLoadedPerNode,
    memoryOfNode: memory / of.memoryMiBPerNode,
    coresOfNode: day.busiestCpuShare,
    storeGets: day.mostGetsPerSecond / of.storeGetsPerSecond,
    storePuts: day.mostPutsPerSecond / of.storePutsPerSecond,
  };
}

/** Ten times the instances, whose sessions are as frequent: every figure of use is ten times as large. */
function enlarged(day: Day, of: Values, nodes: number): Record<string, number> {
  const use = TIMES / nodes;
  const leases = of.nodes / (of.leaseSeconds / 3);
  return shares(
    {
      ...day,
      mostLoadedOnNode: day.mostLoadedOnNode * use,
      busiestCpuShare: day.busiestCpuShare * use,
      mostGetsPerSecond: day.mostGetsPerSecond * TIMES,
      mostPutsPerSecond: (day.mostPutsPerSecond - leases) * TIMES + leases * nodes,
    },
    of,
  );
}

console.log('Parameters');
for (const name of names()) {
  console.log(`  ${name.padEnd(24)} ${rounded(values[name]).padStart(12)}  ${PARAMETERS[name][1]}`);
}
const fleet = fleetOf(values);
const { atPeak, ...day } = simulateDay(fleet);
table('A day', {
  ...day,
  memoryMiBOfFullestNode: values.nodeMiB + day.mostLoadedOnNode * values.loadedMiB,
  meanPutsPerSecond: day.puts / (values.hours * 3600),
  meanGetsPerSecond: day.gets / (values.hours * 3600),
});
const dollars = costs({ ...day, atPeak }, values);
table('Dollars of the store in a month', dollars);
const burst = simulateBurst(fleet);
table('A burst', burst);
const failure = simulateFailure(fleet, { ...day, atPeak });
table('A node ends without notice', failure);
const now = shares({ ...day, atPeak }, values);
table('Share of each limit', now);
const sameNodes = enlarged({ ...day, atPeak }, values, 1);
table('Ten times the instances on as many nodes', sameNodes);
const moreNodes = enlarged({ ...day, atPeak }, values, TIMES);
table('Ten times the instances on ten times the nodes', moreNodes);
console.log(JSON.stringify({ values, day, dollars, burst, failure, now, sameNodes, moreNodes }));
