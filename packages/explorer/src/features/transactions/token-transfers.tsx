// Token transfers of a transaction, without the fee.
import { type CallTree, decodeEvent, selectorOf } from '@starkbox/abi';
import { useMemo } from 'react';
import { grouped } from '../../format/amount.js';
import { Amount } from '../../parts/number.js';
import type { Classes } from '../../parts/transaction/call-line.js';
import { Address } from '../../parts/values.js';
import type { Receipt } from '../../rpc/methods.js';
import { useTokens } from '../../rpc/tokens.js';
import { classesByContract, feeEventOf } from './summary.js';

/** Only tokens have it. */
const DECIMALS = selectorOf('decimals');
const SHOWN = 8;
const MAX_TOKENS = 20;

interface Move {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly isFee: boolean;
}

interface TokenTransfersProps {
  readonly receipt: Receipt;
  readonly tree: CallTree;
  readonly classes: Classes;
}

export function TokenTransfers({ receipt, tree, classes }: TokenTransfersProps) {
  const fee = feeEventOf(receipt);
  const classOf = useMemo(() => classesByContract(tree), [tree]);
  const moves = useMemo(
    () =>
      receipt.events.flatMap((event): Move[] => {
        const abi = classes.get(classOf.get(event.from_address) ?? '');
        const decoded = abi && decodeEvent(event.keys, event.data, abi);
        if (decoded?.name !== 'Transfer') return [];
        const [from, to, value] = decoded.members.map((member) => member.value);
        if (from?.kind !== 'address' || to?.kind !== 'address' || value?.kind !== 'number')
          return [];
        return [
          {
            token: event.from_address,
            from: from.felt,
            to: to.felt,
            value: value.value,
            isFee: event === fee,
          },
        ];
      }),
    [receipt, classes, classOf, fee],
  );
  const candidates = [...new Set(moves.map(({ token }) => token))].slice(0, MAX_TOKENS);
  const units = useTokens(candidates);
  // A line is there before its unit was read, so that nothing moves.
  const tokens = new Set(
    candidates.filter(
      (address) =>
        units.has(address) || classes.get(classOf.get(address) ?? '')?.functions.has(DECIMALS),
    ),
  );
  const priced = moves.filter(({ token }) => tokens.has(token));
  const transfers = priced.filter(({ isFee }) => !isFee);
  const paid = priced.filter(({ isFee }) => isFee);
  if (transfers.length === 0) return null;
  const line = ({ token, from, to, value, isFee }: Move, at: number) => {
    const unit = units.get(token);
    return (
      <li key={at}>
        <span>{from === '0x0' ? 'minted' : <Address of={from} />}</span>
        <span>→ {to === '0x0' ? 'burnt' : <Address of={to} />}</span>
        <span>
          {unit && <Amount of={value} unit={unit} whole />}
          {isFee && ' fee'}
        </span>
      </li>
    );
  };
  return (
    <>
      <ul className="entries movements" aria-label="Token transfers">
        {transfers.slice(0, SHOWN).map(line)}
        {transfers.length > SHOWN && (
          <li className="quiet">and {grouped(transfers.length - SHOWN)} more</li>
        )}
      </ul>
      {paid.length > 0 && (
        <ul className="entries movements quiet" aria-label="Fee">
          {paid.map(line)}
        </ul>
      )}
    </>
  );
}
