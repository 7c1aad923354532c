// Facts of a transaction as a grid: label above value.
import type { ReactNode } from 'react';
import { grouped, unitOf } from '../../format/amount.js';
import { momentText } from '../../format/time.js';
import { to } from '../../navigation/route.js';
import { Amount, Integer } from '../../parts/number.js';
import { BlockRef, Copy, Link } from '../../parts/values.js';
import type { Receipt, Transaction } from '../../rpc/methods.js';
import { useHeader } from '../../rpc/queries.js';

interface FactsProps {
  readonly hash: string;
  readonly transaction: Transaction;
  readonly receipt: Receipt;
  /** Whether it is still on the chain. */
  readonly isCurrent: boolean;
}

export function Facts({ hash, transaction, receipt, isCurrent }: FactsProps) {
  const { l2_gas, l1_gas, l1_data_gas } = receipt.execution_resources;
  return (
    <dl className="fact-grid" aria-label="Facts">
      <Placement hash={hash} receipt={receipt} isCurrent={isCurrent} />
      <Cell name="Fee">
        <Amount of={BigInt(receipt.actual_fee.amount)} unit={unitOf(receipt.actual_fee.unit)} />
      </Cell>
      <Cell name="L2 gas">
        <Integer of={l2_gas} />
      </Cell>
      {l1_gas > 0 && (
        <Cell name="L1 gas">
          <Integer of={l1_gas} />
        </Cell>
      )}
      <Cell name="L1 data gas">
        <Integer of={l1_data_gas} />
      </Cell>
      <Cell name="Type">{typeText(transaction)}</Cell>
      {'nonce' in transaction && <Cell name="Nonce">{grouped(BigInt(transaction.nonce))}</Cell>}
      {'tip' in transaction && BigInt(transaction.tip) > 0n && (
        <Cell name="Tip">{grouped(BigInt(transaction.tip))} fri per L2 gas</Cell>
      )}
      <Cell name="Status">
        <Path finality={receipt.finality_status} />
      </Cell>
      <Cell name="Hash" isWide>
        <span className="whole">
          {hash} <Copy value={hash} what="transaction hash" />
        </span>
      </Cell>
    </dl>
  );
}

/** The header comes later; its cells are there before. */
function Placement({ hash, receipt, isCurrent }: Omit<FactsProps, 'transaction'>) {
  const header = useHeader(isCurrent ? receipt : undefined).data;
  const index = header?.transactions.indexOf(hash) ?? -1;
  return (
    <>
      <Cell name="Block">
        {receipt.finality_status === 'PRE_CONFIRMED' ? (
          <Link href={to('block', 'pre_confirmed')}>pre-confirmed</Link>
        ) : (
          <span className="apart">
            <BlockRef of={receipt.block_number} />
          </span>
        )}
        {index >= 0 && <span className="soft"> index {index}</span>}
      </Cell>
      <Cell name="Time">{header ? momentText(header.timestamp) : '\u00a0'}</Cell>
    </>
  );
}

interface CellProps {
  readonly name: string;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}

function Cell({ name, children, isWide = false }: CellProps) {
  return (
    <div className={isWide ? 'wide-fact' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function typeText(transaction: Transaction): string {
  const words = transaction.type.toLowerCase().replaceAll('_', ' ');
  const name = words.charAt(0).toUpperCase() + words.slice(1);
  return 'version' in transaction
    ? `${name} v${Number(BigInt(transaction.version) & 0xffn)}`
    : name;
}

const STEPS = ['Received', 'Pre-confirmed', 'Accepted on L2', 'Accepted on L1'];

/** Progress from received to accepted on L1. */
function Path({ finality }: { readonly finality: string }) {
  const reached = finality === 'PRE_CONFIRMED' ? 1 : finality === 'ACCEPTED_ON_L1' ? 3 : 2;
  return (
    <ol className="path" aria-label="Status">
      {STEPS.map((step, at) => (
        <li
          key={step}
          className={at <= reached ? 'done' : undefined}
          title={step}
          aria-current={at === reached ? 'step' : undefined}
        >
          <span className={at === reached ? undefined : 'unseen'}>{step}</span>
        </li>
      ))}
    </ol>
  );
}
