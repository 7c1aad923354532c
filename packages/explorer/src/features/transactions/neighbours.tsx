// Links to the previous and the next transaction of the same sender.
import { senderOf } from '@starkbox/abi/internal';
import { useQuery } from '@tanstack/react-query';
import { useNames } from '../../format/names.js';
import { to } from '../../navigation/route.js';
import { Icon } from '../../parts/icons.js';
import { Link } from '../../parts/values.js';
import { useLive } from '../../rpc/live-state.js';
import type { Receipt, Transaction } from '../../rpc/methods.js';
import { readAdjacentOfSender } from '../../rpc/sender-transactions.js';

interface NeighboursProps {
  readonly transaction: Transaction;
  readonly receipt: Receipt;
}

export function Neighbours({ transaction, receipt }: NeighboursProps) {
  const sender = senderOf(transaction);
  const name = useNames().get(sender ?? '') ?? 'this account';
  if (transaction.type === 'L1_HANDLER' || !('nonce' in transaction) || sender === undefined)
    return null;
  const sent = { sender, nonce: transaction.nonce, block: receipt.block_number };
  return (
    <nav className="neighbours" aria-label={`Transactions of ${name}`}>
      <Neighbour of={sent} step={-1} label={`Previous transaction of ${name}`} />
      <Neighbour of={sent} step={1} label={`Next transaction of ${name}`} />
    </nav>
  );
}

interface NeighbourProps {
  readonly of: { readonly sender: string; readonly nonce: string; readonly block: number };
  readonly step: -1 | 1;
  readonly label: string;
}

/** A disabled arrow takes the same room as a link. */
function Neighbour({ of: sent, step, label }: NeighbourProps) {
  // A later transaction may follow with each block.
  const revision = useLive((live) => live.revision);
  const { data } = useQuery({
    queryKey: ['adjacent of sender', sent.sender, sent.nonce, step, step > 0 ? revision : 0],
    placeholderData: (old: string | null | undefined) => old,
    retry: false,
    queryFn: async () => (await readAdjacentOfSender(sent, step)) ?? null,
  });
  const icon = <Icon name={step < 0 ? 'left' : 'right'} />;
  if (data === undefined || data === null) {
    return (
      <span className="plain" role="img" aria-label={`No ${label.toLowerCase()}`} aria-disabled>
        {icon}
      </span>
    );
  }
  return (
    <Link
      className="plain"
      href={to('tx', data)}
      label={label}
      title={`${label} (${step < 0 ? '[' : ']'})`}
    >
      {icon}
    </Link>
  );
}
