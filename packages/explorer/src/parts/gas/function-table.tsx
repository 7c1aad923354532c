// Table of gas per function.
import type { FunctionCost, Grouping } from '@starkbox/abi/internal';
import { useMemo, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { functionName, useNames } from '../../format/names.js';
import { type Column, VirtualTable } from '../table/table.js';
import { Address, ClassRef, FunctionName } from '../values.js';
import { percent } from './graph.js';
import { lastingKeys } from './names.js';

type SortBy = 'name' | 'calls' | 'self' | 'inclusive' | 'least' | 'median' | 'most' | 'change';

interface Sort {
  readonly by: SortBy;
  readonly isUp: boolean;
}

type ChangeOf = (row: FunctionCost) => number | undefined;

interface FunctionTableProps {
  readonly rows: readonly FunctionCost[];
  readonly total: number;
  readonly outside: number | undefined;
  readonly outsideName: string;
  readonly grouping: Grouping;
  readonly isSummed: boolean;
  readonly before: ReadonlyMap<string, number> | undefined;
}

const idOf = ({ key }: FunctionCost): string => key;

export function FunctionTable(props: FunctionTableProps) {
  const { rows, total, outside, outsideName, grouping, isSummed, before } = props;
  const names = useNames();
  const [sort, setSort] = useState<Sort>({ by: 'inclusive', isUp: false });
  const changeOf = useMemo(
    (): ChangeOf => (row) => {
      const [was] = lastingKeys(row.called, names, grouping).flatMap(
        (key) => before?.get(key) ?? [],
      );
      return was === undefined ? undefined : row.median - was;
    },
    [before, names, grouping],
  );
  const sorted = useMemo(() => sortRows(rows, sort, changeOf), [rows, sort, changeOf]);
  const hasBefore = before !== undefined;
  const columns = useMemo(
    () =>
      functionColumns({
        sort,
        setSort,
        grouping,
        isSummed,
        changeOf: hasBefore ? changeOf : undefined,
      }),
    [sort, grouping, isSummed, hasBefore, changeOf],
  );

  return (
    <>
      {rows.length === 0 ? (
        <p className="empty">No call matches.</p>
      ) : (
        <VirtualTable label="Gas by function" rows={sorted} columns={columns} idOf={idOf} />
      )}
      {outside !== undefined && (
        <p className="quiet">
          {outsideName}: {grouped(outside)}, {percent(outside, total)}. All “self” and this together
          are {grouped(total)}.
        </p>
      )}
    </>
  );
}

function sortRows(rows: readonly FunctionCost[], sort: Sort, changeOf: ChangeOf): FunctionCost[] {
  const rankOf = (row: FunctionCost): number | string => {
    if (sort.by === 'name') return functionName(row.called.selector) ?? row.called.selector;
    if (sort.by === 'change') return Math.abs(changeOf(row) ?? -1);
    return row[sort.by];
  };
  const way = sort.isUp ? 1 : -1;
  return [...rows].sort((first, second) => {
    const [a, b] = [rankOf(first), rankOf(second)];
    return a === b ? 0 : a < b ? -way : way;
  });
}

interface Columns {
  readonly sort: Sort;
  readonly setSort: (sort: Sort) => void;
  readonly grouping: Grouping;
  readonly isSummed: boolean;
  /** Undefined where there is nothing to compare with. */
  readonly changeOf: ChangeOf | undefined;
}

function functionColumns(of: Columns): readonly Column<FunctionCost>[] {
  const { sort, setSort, grouping, isSummed, changeOf } = of;
  const head = (by: SortBy): Pick<Column<FunctionCost>, 'sorted' | 'onHead'> => ({
    ...(sort.by === by ? { sorted: sort.isUp ? 'ascending' : 'descending' } : {}),
    onHead: () => setSort({ by, isUp: sort.by === by ? !sort.isUp : by === 'name' }),
  });
  const number = (
    by: Exclude<SortBy, 'name' | 'change'>,
    title: string,
    phone?: 'none',
  ): Column<FunctionCost> => ({
    head: title,
    width: by === 'calls' ? 'w-count' : 'w-gas',
    number: true,
    phoneHead: title,
    ...(phone ? { phone } : {}),
    ...head(by),
    cell: (row) => grouped(row[by]),
  });
  const all: Column<FunctionCost>[] = [
    {
      head: 'Function',
      phone: 'main',
      ...head('name'),
      cell: ({ called }) => <CalledFunction of={called} grouping={grouping} />,
    },
    number('calls', 'Calls'),
    number('self', 'Self', 'none'),
    number('inclusive', 'Inclusive'),
  ];
  if (isSummed) {
    all.push(
      number('least', 'Least', 'none'),
      number('median', 'Median'),
      number('most', 'Most', 'none'),
    );
  }
  if (changeOf) {
    all.push({
      head: 'Change',
      width: 'w-gas',
      number: true,
      ...head('change'),
      cell: (row) => <Difference of={changeOf(row)} from={row.median} />,
    });
  }
  return all;
}

interface CalledFunctionProps {
  readonly of: FunctionCost['called'];
  readonly grouping: Grouping;
}

function CalledFunction({ of: called, grouping }: CalledFunctionProps) {
  return (
    <>
      {grouping === 'class' ? (
        <ClassRef of={called.classHash} />
      ) : (
        <Address of={called.contract} mark />
      )}
      .<FunctionName selector={called.selector} />
      {called.kind === 'DELEGATE' && (
        <span className="soft">
          {' '}
          library <ClassRef of={called.classHash} />
        </span>
      )}
    </>
  );
}

/** Change of the median. */
function Difference({ of, from }: { readonly of: number | undefined; readonly from: number }) {
  if (of === undefined) return <span className="quiet">new</span>;
  if (of === 0) return <span className="quiet">same</span>;
  const was = from - of;
  const share = was === 0 ? '' : ` ${of > 0 ? '+' : '−'}${percent(Math.abs(of), was)}`;
  return (
    <span className={of > 0 ? 'fail' : 'ok'}>
      {of > 0 ? `+${grouped(of)}` : grouped(of)}
      {share}
    </span>
  );
}
