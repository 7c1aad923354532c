// Facts of a transaction as a grid: label above value.
import { grouped, unitOf } from '../../format/amount.js';
import { momentText } from '../../format/time.js';
import { to } from '../../navigation/route.js';
import { FactOf, Facts } from '../../parts/facts.js';
import { Amount, Integer } from '../../parts/number.js';
import { BlockRef, Copy, Link } from '../../parts/values.js';
import type { Receipt, Transaction } from '../../rpc/methods.js';
import { useHeader } from '../../rpc/queries.js';

interface TransactionFactsProps {
  readonly hash: string;
  readonly transaction: Transaction;
  readonly receipt: Receipt;
  /** Whether it is still on the chain. */
  readonly isCurrent: boolean;
}

export function TransactionFacts({ hash, transaction, receipt, isCurrent }: TransactionFactsProps) {
  const { l2_gas, l1_gas, l1_data_gas } = receipt.execution_resources;
  return (
    <Facts isCard>
      <Placement hash={hash} receipt={receipt} isCurrent={isCurrent} />
      <FactOf name="Fee">
        <Amount
          of={BigInt(receipt.actual_fee.amount)}
          unit={unitOf(receipt.actual_fee.unit)}
          whole
        />
      </FactOf>
      <FactOf name="L2 gas">
        <Integer of={l2_gas} />
      </FactOf>
      {l1_gas > 0 && (
        <FactOf name="L1 gas">
          <Integer of={l1_gas} />
        </FactOf>
      )}
      <FactOf name="L1 data gas">
        <Integer of={l1_data_gas} />
      </FactOf>
      <FactOf name="Type">{typeText(transaction)}</FactOf>
      {'nonce' in transaction && <FactOf name="Nonce">{grouped(BigInt(transaction.nonce))}</FactOf>}
      {'tip' in transaction && BigInt(transaction.tip) > 0n && (
        <FactOf name="Tip">{grouped(BigInt(transaction.tip))} fri per L2 gas</FactOf>
      )}
      <FactOf name="Status">
        <Path finality={receipt.finality_status} />
      </FactOf>
      <FactOf name="Hash" isWide>
        <span className="whole">
          {hash} <Copy value={hash} what="transaction hash" />
        </span>
      </FactOf>
    </Facts>
  );
}

/** The header comes later; its cells are there before. */
function Placement({ hash, receipt, isCurrent }: Omit<TransactionFactsProps, 'transaction'>) {
  const header = useHeader(isCurrent ? receipt : undefined).data;
  const index = header?.transactions.indexOf(hash) ?? -1;
  return (
    <>
      <FactOf name="Block">
        {receipt.finality_status === 'PRE_CONFIRMED' ? (
          <Link href={to('block', 'pre_confirmed')}>pre-confirmed</Link>
        ) : (
          <span className="apart">
            <BlockRef of={receipt.block_number} />
          </span>
        )}
        {index >= 0 && <span className="soft"> index {index}</span>}
      </FactOf>
      <FactOf name="Time">{header ? momentText(header.timestamp) : '\u00a0'}</FactOf>
    </>
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
    <span className="status">
      <ol className="path" aria-label="Status">
        {STEPS.map((step, at) => (
          <li
            key={step}
            className={at <= reached ? 'done' : undefined}
            title={step}
            aria-current={at === reached ? 'step' : undefined}
          >
            <span className="unseen">{step}</span>
          </li>
        ))}
      </ol>
      <span aria-hidden="true">{STEPS[reached]}</span>
    </span>
  );
}
