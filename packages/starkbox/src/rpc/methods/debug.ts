// Methods of debuggers: recorded executions, read by ranges, and bundles of executions.
import type { BundleOptions } from '../../bundle/content/bundle.js';
import { DebugTraces } from '../../chain/debugging/debug-traces.js';
import type { Explainer } from '../../chain/queries/explain.js';
import type { Group } from '../protocol/handlers.js';

type DebugMethods =
  | 'devnet_openDebugTrace'
  | 'devnet_readDebugSteps'
  | 'devnet_readDebugMemory'
  | 'devnet_closeDebugTrace'
  | 'devnet_getBundle';

export function debugMethods(
  explainer: Explainer,
  bundles: () => BundleOptions,
): Group<DebugMethods> {
  const traces = new DebugTraces(explainer);
  return {
    devnet_openDebugTrace: (request, { session }) => traces.open(request, session.signal),
    devnet_readDebugSteps: async ({ trace_id, run, first, count }) => ({
      registers: await traces.steps(trace_id, run, first, count),
    }),
    devnet_readDebugMemory: async ({ trace_id, run, segment, first, count }) => ({
      cells: await traces.memory(trace_id, { run, segment }, first, count),
    }),
    devnet_closeDebugTrace({ trace_id }) {
      traces.close(trace_id);
      return {};
    },
    async devnet_getBundle(request, { session }) {
      // Loaded when first used: a node starts faster without.
      const { bundleOf } = await import('../../bundle/content/bundle.js');
      return bundleOf(bundles(), request, session.signal);
    },
  };
}
