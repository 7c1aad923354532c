// Calls tab of a contract: every call that other transactions made to it at any depth, from their traces.
import { type Abi, decodeInputs } from '@starkbox/abi';
import { useCallback, useMemo, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { ChipChoice } from '../../parts/chips.js';
import { Integer } from '../../parts/number.js';
import { Empty } from '../../parts/page-states.js';
import { LiveTable, useNamedIn } from '../../parts/table/live-table.js';
import { type Column, numberColumn } from '../../parts/table/table.js';
import { Members, RawFelts } from '../../parts/transaction/decoded-value.js';
import {
  Address,
  BlockRef,
  FunctionName,
  Link,
  Status,
  TxRef,
  UntrustedText,
} from '../../parts/values.js';
import { useClasses } from '../../rpc/queries.js';
import { useToken } from '../../rpc/tokens.js';
import { type CallerKind, type CallRow, readCalls } from './read-calls.js';

const CALLERS: readonly (readonly [CallerKind, text: string])[] = [
  ['all', 'All calls'],
  ['contract', 'From contracts'],
  ['account', 'From accounts'],
];

const idOf = (row: CallRow): string => row.id;
const classOf = ({ frame }: CallRow): string | undefined => frame.classHash;
const hrefOf = ({ transaction, frame }: CallRow): string =>
  to('tx', transaction.transaction_hash, { frame: frame.id });

interface CallsProps {
  readonly address: string;
  /** For calls whose class is not in the trace. */
  readonly abi: Abi | undefined;
}

export function Calls({ address, abi }: CallsProps) {
  const [callers, setCallers] = useState<CallerKind>('all');
  const [hashes, onRows] = useNamedIn(classOf);
  const read = useCallback(
    (cursor: string | undefined, isTip = false) => readCalls(address, callers, cursor, isTip),
    [address, callers],
  );
  const classes = useClasses(hashes);
  const columns = useMemo(() => callColumns(classes, abi), [classes, abi]);
  return (
    <>
      <div className="tab-bar">
        <ChipChoice label="Callers" options={CALLERS} value={callers} change={setCallers} />
      </div>
      <LiveTable
        label="Calls"
        what="the calls"
        listKey={['calls', address, callers]}
        read={read}
        idOf={idOf}
        columns={columns}
        hrefOf={hrefOf}
        copyOf={({ transaction }) => transaction.transaction_hash}
        onRows={onRows}
        empty={
          <Empty
            icon="transactions"
            title={
              callers === 'contract'
                ? 'No other contract called this one.'
                : 'No transaction of another sender called this contract.'
            }
            action={
              <Link className="button" href={to('contract', address, { tab: 'interact' })}>
                Call a function
              </Link>
            }
          />
        }
      />
    </>
  );
}

function callColumns(
  classes: ReadonlyMap<string, Abi>,
  ownAbi: Abi | undefined,
): readonly Column<CallRow>[] {
  return [
    {
      head: 'Block',
      width: 'w-block',
      phoneHead: '#',
      cell: ({ transaction }) => <BlockRef of={transaction.block_number} />,
    },
    {
      head: 'Status',
      isHeadUnseen: true,
      width: 'w-status',
      phone: 'lead',
      cell: ({ transaction }) => <Status of={transaction.execution_status} />,
    },
    {
      head: 'Caller',
      width: 'w-name',
      phoneHead: 'by',
      cell: ({ frame }) =>
        frame.caller !== undefined && frame.caller !== '0x0' ? (
          <Address of={frame.caller} mark />
        ) : (
          <span className="quiet">L1</span>
        ),
    },
    {
      head: 'Call',
      phone: 'main',
      cell: (row) => (
        <DecodedCall of={row} abi={classes.get(row.frame.classHash ?? '') ?? ownAbi} />
      ),
    },
    numberColumn('Depth', 'w-small', ({ frame }) => grouped(frame.depth)),
    numberColumn(
      'L2 gas',
      'w-gas',
      ({ frame }) => frame.l2Gas !== undefined && <Integer of={frame.l2Gas} />,
    ),
    {
      head: 'Transaction',
      width: 'w-hash',
      cell: ({ transaction }) => <TxRef of={transaction.transaction_hash} />,
    },
  ];
}

interface DecodedCallProps {
  readonly of: CallRow;
  readonly abi: Abi | undefined;
}

/** `transfer(recipient: account 2, amount: 1.5 STRK)` */
function DecodedCall({ of: { frame, unlisted }, abi }: DecodedCallProps) {
  const { calldata } = frame;
  const token = useToken(frame.contract);
  const abiFunction =
    frame.kind === 'CONSTRUCTOR' ? abi?.constructor_ : abi?.functions.get(frame.selector);
  const values = useMemo(
    () => (abi && abiFunction && calldata ? decodeInputs(abiFunction, calldata, abi) : undefined),
    [abi, abiFunction, calldata],
  );
  return (
    <>
      {abiFunction ? (
        <UntrustedText text={abiFunction.name} limit={60} />
      ) : (
        <FunctionName selector={frame.selector} />
      )}
      (
      {values ? (
        <Members of={values} token={token} labels />
      ) : calldata ? (
        <RawFelts of={calldata} />
      ) : (
        '…'
      )}
      ){unlisted > 0 && <span className="soft"> + {grouped(unlisted)} more</span>}
    </>
  );
}
