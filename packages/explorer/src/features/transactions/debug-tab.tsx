// Debugger of a transaction on the chain, at the step or the call that the page's address names.
import type { CallTree, Frame } from '@starkbox/abi';
import type { Debugger } from '@starkbox/debugger';
import type { DEBUG_TRACE } from '@starkbox/spec';
import { useMemo } from 'react';
import { useRoute } from '../../navigation/route.js';
import { DebugView } from '../../parts/debug/debug-view.js';
import { spansOf } from '../../parts/debug/timeline-shapes.js';
import { numberIn } from '../../parts/inputs.js';

interface DebugTabProps {
  readonly hash: string;
  readonly tree: CallTree;
}

export function DebugTab({ hash, tree }: DebugTabProps) {
  const { query } = useRoute();
  const call = query.get('call');
  const event = numberIn(query.get('event'));
  const target = useMemo(() => ({ transactionHash: hash }), [hash]);
  const findStart = (program: Debugger): number | undefined =>
    call === null ? undefined : startOf(program, tree, call, event);
  return <DebugView key={hash} target={target} hash={hash} isInAddress findStart={findStart} />;
}

/** The position of a call of the tree, or of an event that it emitted. */
function startOf(
  program: Debugger,
  { roots }: CallTree,
  id: string,
  event: number | undefined,
): number | undefined {
  const { trace, marks } = program;
  const runIndex = runOf(trace, roots, id);
  if (runIndex === undefined) return undefined;
  const emitted = trace.actions.filter(({ run, keys }) => run === runIndex && keys)[event ?? -1];
  const mark = emitted && marks.find(({ action }) => action === emitted);
  return mark?.position ?? spansOf(program)[runIndex]?.first;
}

/**
 * The run of a frame. Trees of reverted transactions lack calls, so that frames are compared by contract and function,
 * and failed ones by their failure.
 */
function runOf({ runs }: DEBUG_TRACE, roots: readonly Frame[], id: string): number | undefined {
  let siblings = roots;
  let parent: number | undefined;
  for (;;) {
    const frame = siblings.find((other) => id === other.id || id.startsWith(`${other.id}.`));
    if (!frame) return undefined;
    const isEqual = ({ contract, selector }: Frame): boolean =>
      contract === frame.contract && selector === frame.selector;
    const before = siblings.filter(isEqual).indexOf(frame);
    const equalRuns = [...runs.entries()].filter(
      ([, run]) =>
        run.parent === parent &&
        BigInt(run.contract_address) === BigInt(frame.contract) &&
        BigInt(run.entry_point_selector) === BigInt(frame.selector),
    );
    const match = frame.failed ? equalRuns.findLast(([, { failed }]) => failed) : equalRuns[before];
    if (!match) return undefined;
    const [runIndex] = match;
    if (frame.id === id) return runIndex;
    parent = runIndex;
    siblings = frame.children;
  }
}
