// Methods of debuggers: recorded executions, read by ranges.
import { DebugTraces } from '../../chain/debugging/debug-traces.js';
import type { Explainer } from '../../chain/queries/explain.js';
import type { Group } from '../protocol/handlers.js';

type DebugMethods =
  | 'devnet_openDebugTrace'
  | 'devnet_readDebugSteps'
  | 'devnet_readDebugMemory'
  | 'devnet_closeDebugTrace'
  | 'devnet_getDebugClass'
  | 'devnet_getDebugSource';

export function debugMethods(explainer: Explainer): Group<DebugMethods> {
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
    devnet_getDebugClass: ({ class_hash, block_id = 'pre_confirmed' }) =>
      explainer.debugClass(class_hash, block_id),
    async devnet_getDebugSource({ class_hash, file }) {
      const source = await explainer.debugSource(class_hash, file);
      return source ? { text: source.text, ...(source.isNewer ? { changed: true } : {}) } : {};
    },
  };
}
