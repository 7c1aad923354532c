// Summary of a transaction in a sentence.
import { type CallTree, type Frame, selectorOf } from '@starkbox/abi';
import { readMulticall, senderOf } from '@starkbox/abi/internal';
import type { ReactNode } from 'react';
import { CallLine, type Classes } from '../../parts/transaction/call-line.js';
import { Address, ClassRef, FunctionName } from '../../parts/values.js';
import type { Receipt, Transaction as Sent, Trace } from '../../rpc/methods.js';

const DEPLOYERS = new Set([selectorOf('deployContract'), selectorOf('deploy_contract')]);

export interface SummaryProps {
  readonly transaction: Sent;
  readonly receipt: Receipt;
  readonly trace: Trace | undefined;
  readonly tree: CallTree;
  readonly classes: Classes;
}

/** The frames of the sender's calls. */
function userFrames(tree: CallTree): readonly Frame[] {
  return tree.roots.find(({ phase }) => phase === 'execute')?.children ?? [];
}

export function Sentence(props: SummaryProps): ReactNode {
  const { transaction, receipt } = props;
  const sender = senderOf(transaction);
  const end = '.';
  if (sender === undefined) return <>A contract was deployed{end}</>;
  const who = <Address of={sender} mark />;
  if (transaction.type === 'DECLARE') {
    return (
      <>
        {who} declared the class <ClassRef of={transaction.class_hash} copy />
        {end}
      </>
    );
  }
  if (transaction.type === 'DEPLOY_ACCOUNT')
    return (
      <>
        The account {who} was deployed{end}
      </>
    );
  if (transaction.type === 'L1_HANDLER') {
    return (
      <>
        A message from L1 called {who}.<FunctionName selector={transaction.entry_point_selector} />
        {end}
      </>
    );
  }
  return <Invocation of={props} who={who} end={end} hasFailed={'revert_reason' in receipt} />;
}

interface InvocationProps {
  readonly of: SummaryProps;
  readonly who: ReactNode;
  readonly end: ReactNode;
  readonly hasFailed: boolean;
}

/** What an invoke transaction did, by its calls. */
function Invocation({ of, who, end, hasFailed }: InvocationProps): ReactNode {
  const { transaction, receipt, tree, classes } = of;
  const calls =
    userFrames(tree).length > 0
      ? userFrames(tree)
      : ('calldata' in transaction && readMulticall(transaction.calldata)) || [];
  const [first] = calls;
  if (!first)
    return (
      <>
        {who} sent a transaction{end}
      </>
    );
  const deployed = 'contract_address' in receipt ? undefined : deployedBy(receipt);
  if (calls.length === 1 && DEPLOYERS.has(first.selector) && deployed !== undefined) {
    return (
      <>
        {who} deployed <Address of={deployed} mark copy />
        {end}
      </>
    );
  }
  const isSame = calls.every(
    ({ contract, selector }) => contract === first.contract && selector === first.selector,
  );
  if (isSame) {
    return (
      <>
        {who} called{' '}
        {calls.length === 1 && 'id' in first && !hasFailed ? (
          <CallLine of={first} classes={classes} />
        ) : (
          <>
            <Address of={first.contract} mark />.<FunctionName selector={first.selector} />
          </>
        )}
        {calls.length > 1 && ` ×${calls.length}`}
        {end}
      </>
    );
  }
  return (
    <>
      {who} made {calls.length} calls:{' '}
      {calls.slice(0, 4).map((userCall, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls have no identity but their place
        <span key={at}>
          {at > 0 && ', '}
          <Address of={userCall.contract} mark />.<FunctionName selector={userCall.selector} />
        </span>
      ))}
      {calls.length > 4 && ', …'}
      {end}
    </>
  );
}

const CONTRACT_DEPLOYED = selectorOf('ContractDeployed');

function deployedBy(receipt: Receipt): string | undefined {
  return receipt.events.find(({ keys }) => keys[0] === CONTRACT_DEPLOYED)?.data[0];
}

/** The fee is the last transfer, from the sender to the sequencer. */
export function feeEventOf(receipt: Receipt): Receipt['events'][number] | undefined {
  const last = receipt.events.at(-1);
  return last && last.data[0] === receipt.actual_fee.amount ? last : undefined;
}

/** Class of each contract that was called. */
export function classesByContract({ roots }: CallTree): ReadonlyMap<string, string> {
  const tokens = new Map<string, string>();
  const visit = ({ contract, classHash, children }: Frame): void => {
    if (classHash !== undefined) tokens.set(contract, classHash);
    children.forEach(visit);
  };
  roots.forEach(visit);
  return tokens;
}
