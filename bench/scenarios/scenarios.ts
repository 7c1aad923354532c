// All scenarios by their names. They are loaded when they run: some start programs or load other libraries.
import type { Scenario } from '../harness/scenario.js';

const load = (module: Promise<{ readonly scenario: Scenario }>): Promise<Scenario> =>
  module.then(({ scenario }) => scenario);

export const SCENARIOS: Readonly<Record<string, () => Promise<Scenario>>> = {
  attacks: () => load(import('./attacks.js')),
  'block-memory': () => load(import('./block-memory.js')),
  compare: () => load(import('../compare/compare.js')),
  'data-dir': () => load(import('./data-dir.js')),
  debugger: () => load(import('./debugger.js')),
  engine: () => load(import('./engine.js')),
  executor: () => load(import('./executor.js')),
  'fleet-faults': () => load(import('../../packages/hosting/bench/faults.js')),
  'fleet-proxy': () => load(import('../../packages/hosting/bench/proxy.js')),
  'fleet-simulation': () => load(import('../../packages/hosting/bench/simulate.js')),
  fork: () => load(import('./fork.js')),
  growth: () => load(import('../growth/growth.js')),
  hosting: () => load(import('../../packages/hosting/bench/hibernation.js')),
  image: () => load(import('./image.js')),
  instances: () => load(import('./instances.js')),
  lines: () => load(import('./lines.js')),
  overload: () => load(import('./overload.js')),
  'planted-bugs': () => load(import('./planted-bugs.js')),
  properties: () => load(import('./properties.js')),
  rehearsal: () => load(import('./rehearsal.js')),
  regressions: () => load(import('../regressions/regressions.js')),
  soak: () => load(import('../soak/soak.js')),
  startup: () => load(import('./startup.js')),
  subscriptions: () => load(import('./subscriptions.js')),
  'test-suites': () => load(import('./test-suites.js')),
  transfer: () => load(import('./transfer.js')),
  wasm: () => load(import('./wasm.js')),
};
