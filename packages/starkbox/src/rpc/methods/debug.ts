// Methods of debuggers: recorded executions, read by ranges, and bundles of executions.
import type { BundleOptions } from '../../bundles/content/bundle.js';
import type { Chain } from '../../chain/chain.js';
import type { DebugTraces } from '../../chain/debugging/debug-traces.js';
import type { Explainer } from '../../chain/queries/explain.js';
import type { HandlerGroup } from '../protocol/handlers.js';

export function debugMethods(
  chain: Chain,
  explainer: Explainer,
  bundles: () => BundleOptions,
): HandlerGroup {
  // Loaded when first used: a node starts faster without.
  let loading: Promise<DebugTraces> | undefined;
  const traces = (): Promise<DebugTraces> => {
    loading ??= import('../../chain/debugging/debug-traces.js').then(
      ({ DebugTraces }) => new DebugTraces(chain, explainer),
    );
    return loading;
  };
  return {
    devnet_openDebugTrace: async (request, { session }) =>
      (await traces()).open(request, session.signal),
    devnet_readDebugSteps: async ({ trace_id, run, first, count }) => ({
      registers: (await traces()).steps(trace_id, run, first, count),
    }),
    devnet_readDebugMemory: async ({ trace_id, run, segment, first, count }) => ({
      cells: (await traces()).memory(trace_id, { run, segment }, first, count),
    }),
    async devnet_closeDebugTrace({ trace_id }) {
      (await traces()).close(trace_id);
      return {};
    },
    devnet_getDebugClass: async ({ class_hash, block_id = 'pre_confirmed' }) =>
      (await traces()).debugClass(class_hash, block_id),
    async devnet_getDebugSource({ class_hash, file }) {
      const source = await (await traces()).sourceText(class_hash, file);
      return source ? { text: source.text, ...(source.isNewer ? { changed: true } : {}) } : {};
    },
    async devnet_getBundle(request, { session }) {
      // Loaded when first used: a node starts faster without.
      const { bundleOf } = await import('../../bundles/content/bundle.js');
      return bundleOf(bundles(), request, session.signal);
    },
  };
}
