// Why a transaction failed: one sentence, the source with its variables, and what to do about it.
import { type CallTree, type Frame, readFailure } from '@starkbox/abi';
import { to, useRoute } from '../../navigation/route.js';
import { type Explanation, Lines, Printed } from '../../parts/transaction/explanation.js';
import { hasPlaces, SourcePane } from '../../parts/transaction/source-pane.js';
import { Link, UntrustedText } from '../../parts/values.js';
import type { Transaction } from '../../rpc/methods.js';
import { Remedies } from './remedies.js';
import { VariablesPanel } from './variables-panel.js';

interface FailureProps {
  readonly hash: string;
  readonly transaction: Transaction;
  readonly tree: CallTree;
  readonly reason: string;
  /** Undefined where the node gives none. */
  readonly explained: Explanation | undefined;
}

export function Failure({ hash, transaction, tree, reason, explained }: FailureProps) {
  const chosen = useRoute().query.get('frame');
  const isPlaced = explained !== undefined && hasPlaces(explained);
  const advice = explained?.advice ?? explained?.hint;
  return (
    <section className="why failure" aria-label="Why it failed">
      <p className="headline">
        <UntrustedText text={headlineOf(reason, explained)} limit={400} />
      </p>
      {isPlaced && (
        <SourcePane
          hash={hash}
          of={explained}
          depth={failingDepth(tree.roots, chosen)}
          beside={(line) => <VariablesPanel hash={hash} of={explained} line={line} />}
        />
      )}
      <Printed of={explained?.printed ?? []} />
      {advice !== undefined && (
        <p className="hint">
          <UntrustedText text={advice} limit={1_000} />
        </p>
      )}
      <Remedies transaction={transaction} actions={explained?.actions ?? []} />
      {tree.isUncertain && (
        <p className="soft">Several identical calls may have failed; this is the last one.</p>
      )}
      <div className="line-of">
        <Link className="button" href={to('tx', hash, { tab: 'debug' })}>
          {isPlaced ? 'Debug from here' : 'Debug the failure'}
        </Link>
        <details>
          <summary>Full revert reason</summary>
          <Lines of={reason} />
        </details>
      </div>
    </section>
  );
}

/** Why the node rejected a transaction, which is in no block then. */
export function Rejection({ explained }: { readonly explained: Explanation }) {
  const advice = explained.advice ?? explained.hint;
  return (
    <section className="why failure" aria-label="Why it failed">
      <p className="headline">
        <UntrustedText text={headlineOf('', explained)} limit={400} />
      </p>
      <p>The node rejected this transaction, so it is in no block.</p>
      {advice !== undefined && (
        <p className="hint">
          <UntrustedText text={advice} limit={1_000} />
        </p>
      )}
      <Remedies transaction={undefined} actions={explained.actions ?? []} />
    </section>
  );
}

/** The heading of the page gives the status already. */
function headlineOf(reason: string, explained: Explanation | undefined): string {
  if (!explained) return readFailure(reason).message;
  return explained.summary.replace(/^(?:Reverted|Rejected): /, '');
}

/** How deep a frame on the path to the failure is. */
function failingDepth(frames: readonly Frame[], id: string | null): number | undefined {
  for (const { failed, children, depth, id: frameId } of frames) {
    if (!failed) continue;
    return frameId === id ? depth : failingDepth(children, id);
  }
  return undefined;
}
