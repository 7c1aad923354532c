// Simulation of a large fleet: what instances take of nodes and of the store, by a model of their use.
//
// Nothing is measured here: costs are parameters, whose defaults were measured elsewhere.
import { defineScenario } from '../../../bench/harness/scenario.js';
import { PARAMETERS, SIZES, type Values } from './simulated-costs.js';
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

const rounded = (value: number): string => String(Number(value.toPrecision(4)));

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

function printTable(title: string, rows: Readonly<Record<string, number>>): void {
  console.log(`\n${title}`);
  for (const [name, value] of Object.entries(rows)) {
    console.log(`  ${name.padEnd(36)} ${rounded(value).padStart(12)}`);
  }
}

export const scenario = defineScenario({
  measures: 'what instances take of a large fleet, simulated; --NAME VALUE changes a parameter',
  sizes: SIZES,
  async measure({ sizes: values }) {
    console.log('Parameters');
    const sources: Readonly<Record<string, readonly [value: number, source: string]>> = PARAMETERS;
    for (const [name, value] of Object.entries<number>(values)) {
      console.log(`  ${name.padEnd(24)} ${rounded(value).padStart(12)}  ${sources[name]?.[1]}`);
    }
    const fleet = fleetOf(values);
    const { atPeak, ...day } = simulateDay(fleet);
    const report = {
      'A day': {
        ...day,
        memoryMiBOfFullestNode: values.nodeMiB + day.mostLoadedOnNode * values.loadedMiB,
        meanPutsPerSecond: day.puts / (values.hours * 3600),
        meanGetsPerSecond: day.gets / (values.hours * 3600),
      },
      'Dollars of the store in a month': costs(day, values),
      'A burst': simulateBurst(fleet),
      'A node ends without notice': simulateFailure(fleet, atPeak),
      'Share of each limit': shares(day, values),
      'Ten times the instances on as many nodes': enlarged(day, values, 1),
      'Ten times the instances on ten times the nodes': enlarged(day, values, TIMES),
    };
    for (const [title, rows] of Object.entries(report)) printTable(title, rows);
    return report;
  },
});
