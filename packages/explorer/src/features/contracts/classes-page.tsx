// Page with the list of classes: names, their contracts, and a form that declares one.
import { canonicalFelt, shortHash } from '@starkbox/abi/basics';
import { useMemo, useState } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { classNames } from '../../format/names.js';
import { setQuery, to, useRoute } from '../../navigation/route.js';
import { Button } from '../../parts/button.js';
import { Empty, Heading, Unread } from '../../parts/page-states.js';
import { LiveTable, Modes } from '../../parts/table/live-table.js';
import { type Column, numberColumn, VirtualTable } from '../../parts/table/table.js';
import { BlockRef, ClassRef, Copy, Link } from '../../parts/values.js';
import { useContractIndex } from '../../rpc/contract-index.js';
import { type ClassRow, readClasses, useCurrent } from '../../rpc/queries.js';
import { DeclarePanel } from './declare.js';
import { FilterField } from './filter-field.js';

/** Pages of the list that a filter searches. */
const MAX_PAGES = 20;

const idOf = (row: ClassRow): string => row.class_hash;
const hrefOf = (row: ClassRow): string => to('class', row.class_hash);

async function readNamedClasses(cursor: string | undefined) {
  const page = await readClasses(cursor);
  await classNames.load(page.rows.map(idOf).filter((hash) => !classNames.get(hash)));
  return page;
}

export function ClassesPage() {
  const { query } = useRoute();
  // A failed transaction leads here with the class that it needs.
  const missing = canonicalFelt(query.get('declare') ?? '');
  const [isDeclaring, setDeclaring] = useState(missing !== undefined);
  const text = query.get('q') ?? '';
  const counts = useContractCounts();
  const columns = useMemo(() => classColumns(counts), [counts]);
  const isFiltered = text.trim() !== '';
  return (
    <>
      <Heading
        title="Classes"
        actions={
          <>
            <Button aria-expanded={isDeclaring} onClick={() => setDeclaring(!isDeclaring)}>
              Declare…
            </Button>
            {!isFiltered && <Modes />}
          </>
        }
      />
      {isDeclaring && <DeclarePanel missing={missing} />}
      <div className="tab-bar">
        <FilterField
          text={text}
          placeholder="Filter by name or class hash"
          change={(q) => setQuery({ q: q === '' ? undefined : q })}
        />
      </div>
      {isFiltered ? (
        <FilteredClasses text={text} columns={columns} />
      ) : (
        <LiveTable
          label="Classes"
          what="classes"
          listKey={['classes']}
          read={readNamedClasses}
          idOf={idOf}
          columns={columns}
          hrefOf={hrefOf}
          copyOf={idOf}
          empty={
            <Empty icon="classes" title="No classes on this chain.">
              Declare a compiled class with the button above.
            </Empty>
          }
        />
      )}
    </>
  );
}

interface FilteredClassesProps {
  readonly text: string;
  readonly columns: readonly Column<ClassRow>[];
}

function FilteredClasses({ text, columns }: FilteredClassesProps) {
  const query = useCurrent(['named classes'], async () => {
    const rows: ClassRow[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await readNamedClasses(cursor);
      rows.push(...answer.rows);
      cursor = answer.next;
      if (cursor === undefined) break;
    }
    return { rows, isWhole: cursor === undefined };
  });
  const matches = useMemo(() => {
    const part = text.trim().toLowerCase();
    return (query.data?.rows ?? []).filter(
      ({ class_hash, label }) =>
        class_hash.includes(part.replace(/^0x0+/, '0x')) ||
        (label ?? classNames.get(class_hash)?.name ?? '').toLowerCase().includes(part),
    );
  }, [query.data, text]);
  if (!query.data) return <Unread query={query} what="the classes" />;
  return (
    <>
      {matches.length > 0 && (
        <VirtualTable
          label="Classes"
          rows={matches}
          columns={columns}
          idOf={idOf}
          hrefOf={hrefOf}
          copyOf={idOf}
        />
      )}
      <p className="quiet note">
        {counted(matches.length, 'class', 'classes')} of {query.data.isWhole ? 'all' : 'the newest'}{' '}
        {grouped(query.data.rows.length)} classes.
      </p>
    </>
  );
}

interface ContractCounts {
  readonly byClass: ReadonlyMap<string, number>;
  /** Whether older contracts were not counted. */
  readonly isPart: boolean;
}

/** Contracts by class, among the newest ones. */
function useContractCounts(): ContractCounts | undefined {
  const { data } = useContractIndex();
  return useMemo(() => {
    if (!data) return undefined;
    const byClass = new Map<string, number>();
    for (const { class_hash } of data.contracts) {
      byClass.set(class_hash, (byClass.get(class_hash) ?? 0) + 1);
    }
    return { byClass, isPart: !data.isWhole };
  }, [data]);
}

function classColumns(counts: ContractCounts | undefined): readonly Column<ClassRow>[] {
  return [
    {
      head: 'Name',
      phone: 'main',
      cell: (row) => <ClassRef of={row.class_hash} />,
    },
    {
      head: 'Contracts',
      width: 'w-count',
      number: true,
      phoneHead: 'contracts',
      cell: (row) =>
        counts && (
          <ContractCount
            of={row.class_hash}
            count={counts.byClass.get(row.class_hash) ?? 0}
            isPart={counts.isPart}
          />
        ),
    },
    {
      head: 'Compiled from',
      width: 'w-kind',
      cell: (row) => (row.kind === 'sierra' ? 'Sierra' : 'Cairo 0'),
    },
    {
      head: 'Class hash',
      width: 'w-amount',
      phone: 'none',
      cell: ({ class_hash: hash }) => (
        <>
          <Link href={to('class', hash)} className="mono" title={hash} value={hash}>
            {shortHash(hash)}
          </Link>
          <Copy value={hash} what="class hash" />
        </>
      ),
    },
    numberColumn('Declared in', 'w-kind', (row) => <BlockRef of={row.declared_in} />, 'block'),
  ];
}

interface ContractCountProps {
  readonly of: string;
  readonly count: number;
  readonly isPart: boolean;
}

function ContractCount({ of, count, isPart }: ContractCountProps) {
  if (count === 0) return <span className="quiet">{isPart ? '' : '0'}</span>;
  return (
    <Link
      href={to('class', of, { tab: 'contracts' })}
      {...(isPart ? { title: 'Among the newest 1,000 contracts' } : {})}
    >
      {grouped(count)}
      {isPart && '+'}
    </Link>
  );
}
