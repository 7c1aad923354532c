// Table of values on two sides, such as before and after, grouped by contract.
import { type ReactNode, useMemo, useState } from 'react';
import { counted } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { Button } from '../button.js';
import { TableHead } from '../table/table.js';
import { Address, Link, Mark } from '../values.js';
import type { ChangedValue } from './changed-values.js';
import { SlotChange, SlotName, SlotValue } from './slot-name.js';

/** A row that is no value of the storage, such as a nonce or a class. */
export interface OtherChange {
  readonly id: string;
  /** Undefined for a declared class. */
  readonly contract: string | undefined;
  readonly title: string;
  readonly was: ReactNode;
  readonly is: ReactNode;
  readonly change?: ReactNode;
}

/** Values that are shown at first: a page with very many is slow. */
const MAX_SHOWN = 60;
/** Here the protocol stores the hashes of old blocks, each at the number of its block. */
const BLOCK_HASHES = '0x1';

interface ValueTableProps {
  readonly label: string;
  readonly values: readonly ChangedValue[];
  readonly others: readonly OtherChange[];
  /** Heads of the columns. */
  readonly sides: readonly [was: string, is: string];
  readonly difference: string;
}

interface Group {
  readonly contract: string | undefined;
  readonly values: ChangedValue[];
  readonly others: OtherChange[];
  /** Of all its values, those that are not shown as well. */
  readonly count?: number;
}

export function ValueTable({ label, values, others, sides, difference }: ValueTableProps) {
  const [isWhole, setWhole] = useState(false);
  const all = useMemo(() => groupsOf(values, others), [values, others]);
  const groups = useMemo(() => (isWhole ? all : firstOf(all, MAX_SHOWN)), [all, isWhole]);
  const numbers = [...sides, difference].map((head) => ({ head, number: true }));
  const heads = [{ head: 'Variable' }, ...numbers];
  const count = values.length + others.length;
  return (
    <>
      <table className="table value-table" aria-label={label}>
        <TableHead columns={heads} />
        {groups.map((group) => (
          <GroupRows key={group.contract ?? ''} of={group} sides={sides} difference={difference} />
        ))}
      </table>
      {count > MAX_SHOWN && !isWhole && (
        <p>
          <Button onClick={() => setWhole(true)}>Show all {counted(count, 'value')}</Button>
        </p>
      )}
    </>
  );
}

const sizeOf = ({ values, others, count }: Group): number => count ?? values.length + others.length;

/** The groups with as many of their values as are shown. */
function firstOf(groups: readonly Group[], most: number): readonly Group[] {
  let left = most;
  return groups.flatMap((group) => {
    if (left === 0) return [];
    const others = group.others.slice(0, left);
    left -= others.length;
    const values = group.values.slice(0, left);
    left -= values.length;
    return [{ ...group, others, values, count: sizeOf(group) }];
  });
}

function groupsOf(values: readonly ChangedValue[], others: readonly OtherChange[]): Group[] {
  const groups = new Map<string | undefined, Group>();
  const groupAt = (contract: string | undefined): Group => {
    const group = groups.get(contract) ?? { contract, values: [], others: [] };
    groups.set(contract, group);
    return group;
  };
  for (const change of others) groupAt(change.contract).others.push(change);
  for (const value of values) groupAt(value.contract).values.push(value);
  // Contracts with values first: they are what the transaction was for.
  return [...groups.values()].sort((a, b) => weight(a) - weight(b));
}

const weight = ({ contract, values }: Group): number =>
  contract === BLOCK_HASHES ? 3 : contract === undefined ? 2 : values.length === 0 ? 1 : 0;

interface GroupRowsProps {
  readonly of: Group;
  readonly sides: readonly [was: string, is: string];
  readonly difference: string;
}

function GroupRows({ of, sides, difference }: GroupRowsProps) {
  const { contract, values, others } = of;
  return (
    <tbody>
      <tr className="group">
        <th scope="rowgroup" colSpan={4}>
          <GroupTitle of={contract} /> <span className="quiet">{counted(sizeOf(of), 'value')}</span>
        </th>
      </tr>
      {others.map(({ id, title, was, is, change }) => (
        <Row
          key={id}
          variable={title}
          cells={[was, is, change]}
          sides={sides}
          difference={difference}
        />
      ))}
      {values.map((value) => (
        <StorageRow key={value.id} of={value} sides={sides} difference={difference} />
      ))}
    </tbody>
  );
}

function GroupTitle({ of }: { readonly of: string | undefined }) {
  if (of === undefined) return 'Classes';
  if (of !== BLOCK_HASHES) return <Address of={of} mark />;
  return (
    <Link href={to('contract', of)} className="named" title={of} value={of}>
      <Mark of={of} />
      block hashes
    </Link>
  );
}

interface StorageRowProps {
  readonly of: ChangedValue;
  readonly sides: readonly [was: string, is: string];
  readonly difference: string;
}

function StorageRow({ of, sides, difference }: StorageRowProps) {
  const { contract, key, name, was, is } = of;
  const cell = (value: ChangedValue['was']): ReactNode =>
    value === undefined ? (
      <span className="quiet">–</span>
    ) : (
      <SlotValue contract={contract} name={name} of={value} fold />
    );
  return (
    <Row
      variable={<SlotName slot={key} name={name} />}
      cells={[
        cell(was),
        cell(is),
        was && is && <SlotChange contract={contract} name={name} from={was} to={is} />,
      ]}
      sides={sides}
      difference={difference}
    />
  );
}

interface RowProps {
  readonly variable: ReactNode;
  readonly cells: readonly [was: ReactNode, is: ReactNode, change: ReactNode];
  readonly sides: readonly [was: string, is: string];
  readonly difference: string;
}

function Row({ variable, cells: [was, is, change], sides, difference }: RowProps) {
  return (
    <tr data-row="">
      <td className="main">{variable}</td>
      <td className="number" data-head={sides[0]}>
        {was}
      </td>
      <td className="number" data-head={sides[1]}>
        {is}
      </td>
      <td className="number" data-head={difference}>
        {change}
      </td>
    </tr>
  );
}
