// Why a transaction failed: one sentence, the source with its variables, and what to do about it.
import { type CallTree, type Frame, type Names, readFailure } from '@starkbox/abi';
import { shortAddress } from '@starkbox/abi/basics';
import { useNames } from '../../format/names.js';
import { to, useRoute } from '../../navigation/route.js';
import { type Explanation, Lines, Printed } from '../../parts/transaction/explanation.js';
import { hasPlaces, SourcePane } from '../../parts/transaction/source-pane.js';
import { Address, FunctionName, Link, UntrustedText } from '../../parts/values.js';
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
        <FailureHeadline reason={reason} explained={explained} />
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
      {tree.isUncertain && <OtherCandidates tree={tree} />}
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

export function FailureHeadline({ reason, explained }: Pick<FailureProps, 'reason' | 'explained'>) {
  return <UntrustedText text={headlineOf(reason, explained, useNames())} limit={400} />;
}

/** Why the node rejected a transaction, which is in no block then. */
export function Rejection({ explained }: { readonly explained: Explanation }) {
  const advice = explained.advice ?? explained.hint;
  return (
    <section className="why failure" aria-label="Why it failed">
      <p className="headline">
        <FailureHeadline reason="" explained={explained} />
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

/** The calldata of the calls may differ; the revert reason does not say which of them failed. */
function OtherCandidates({ tree }: { readonly tree: CallTree }) {
  const marked = tree.roots.flatMap(({ children }) => children).find(({ failed }) => failed);
  if (!marked) return null;
  return (
    <p className="soft">
      More than one call of <Address of={marked.contract} />.
      <FunctionName selector={marked.selector} /> could have failed; the last is marked.
    </p>
  );
}

/**
 * The heading of the page gives the status already. A contract whose name no other one on the page has is named without
 * its address, as elsewhere on the page.
 */
function headlineOf(reason: string, explained: Explanation | undefined, names: Names): string {
  if (!explained) return readFailure(reason).message;
  const { summary, contract, contract_name: name } = explained;
  const headline = summary.replace(/^(?:Reverted|Rejected): /, '');
  if (contract === undefined || name === undefined || names.get(contract) !== name) return headline;
  const withAddress = `${name}@${shortAddress(contract)}.`;
  return headline.startsWith(withAddress)
    ? `${name}.${headline.slice(withAddress.length)}`
    : headline;
}

/** How deep a frame on the path to the failure is. */
function failingDepth(frames: readonly Frame[], id: string | null): number | undefined {
  for (const { failed, children, depth, id: frameId } of frames) {
    if (!failed) continue;
    return frameId === id ? depth : failingDepth(children, id);
  }
  return undefined;
}
