// Comparison of two chains: heads, blocks since they parted, values that differ.
import { shortHash } from '@starkbox/abi';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { setQuery, toChain } from '../../navigation/route.js';
import { Button, PlainButton } from '../../parts/button.js';
import { Select } from '../../parts/inputs.js';
import { Loading, Problem } from '../../parts/page-states.js';
import { type Column, VirtualTable } from '../../parts/table/table.js';
import { SlotName } from '../../parts/transaction/slot-name.js';
import { type SlotNames, slotId, useSlotNames } from '../../parts/transaction/slot-names.js';
import { Address, Fact, Felt } from '../../parts/values.js';
import { runTask } from '../../state/tasks.js';
import { type InstanceRow, MAIN, pathOf, plainName, ROOT, shortId } from './chains.js';
import { compareChains, type DifferingValue, MOST_BLOCKS, type Side } from './difference.js';

interface CompareProps {
  readonly a: string;
  readonly b: string;
  readonly rows: readonly InstanceRow[];
}

export function CompareChains({ a, b, rows }: CompareProps) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['instances', 'difference', a, b],
    enabled: a !== b,
    refetchOnMount: 'always',
    queryFn: () => compareChains([pathOf(a), pathOf(b)]),
  });
  const names: readonly [string, string] = [plainName(a, rows), plainName(b, rows)];
  return (
    <section className="panel compare-chains" aria-label="Compare chains">
      <h2>Compare</h2>
      <div className="line-of">
        <Choice name="chain" param="a" value={a} rows={rows} />
        <Choice name="with" param="b" value={b} rows={rows} />
        <Button onClick={() => runTask(refetch())}>Read again</Button>
        <PlainButton onClick={() => setQuery({ a: undefined, b: undefined })}>Close</PlainButton>
      </div>
      {a === b && <p className="empty">Both are the same chain. Choose another one.</p>}
      {isFetching && !data && <Loading what="both chains" />}
      {error && <Problem error={error} what="both chains" retry={refetch} />}
      {data && a !== b && (
        <>
          <p className="sentence">{parting(data.common, data.sides)}</p>
          <dl className="facts">
            {data.sides.map((side, at) => (
              <SideFacts
                key={at === 0 ? a : b}
                name={names[at === 0 ? 0 : 1]}
                path={pathOf(at === 0 ? a : b)}
                side={side}
              />
            ))}
          </dl>
          {data.values === undefined ? (
            <p className="empty">
              A chain has more than {grouped(MOST_BLOCKS)} blocks since the branch. The page reads
              state updates one by one, so it does not compare values.
            </p>
          ) : (
            <Values of={data.values} names={names} isCut={data.isCut} />
          )}
          <p className="quiet">The comparison ignores blocks under construction.</p>
        </>
      )}
    </section>
  );
}

function parting(common: number | undefined, sides: readonly [Side, Side]): string {
  if (common === undefined) return 'They have no block in common.';
  const isSame = sides.every(({ head }) => head === common);
  return isSame
    ? `They are the same up to block ${grouped(common)}, the head of both.`
    : `They are the same up to block ${grouped(common)}.`;
}

interface ChoiceProps {
  readonly name: string;
  readonly param: 'a' | 'b';
  readonly value: string;
  readonly rows: readonly InstanceRow[];
}

function Choice({ name, param, value, rows }: ChoiceProps) {
  const isListed = value === ROOT || rows.some((row) => row.instance_id === value);
  return (
    <Select label={name} value={value} change={(text) => setQuery({ [param]: text })}>
      <option value={ROOT}>{MAIN}</option>
      {!isListed && <option value={value}>{shortId(value)}</option>}
      {rows.map(({ instance_id: id }) => (
        <option key={id} value={id}>
          {plainName(id, rows)}
        </option>
      ))}
    </Select>
  );
}

interface SideFactsProps {
  readonly name: string;
  readonly path: string;
  readonly side: Side;
}

function SideFacts({ name, path, side: { head, blocks } }: SideFactsProps) {
  const count = blocks.reduce((sum, block) => sum + block.transaction_count, 0);
  const failed = blocks.reduce((sum, block) => sum + block.failed_count, 0);
  const first = blocks.at(-1)?.block_number;
  return (
    <Fact name={name} className="meta">
      <span>
        head <a href={toChain(path, 'block', String(head))}>{grouped(head)}</a>
      </span>
      {first === undefined ? (
        <span>no block since the branch</span>
      ) : (
        <>
          <span>
            {counted(blocks.length, 'block')} since the branch, from{' '}
            <a href={toChain(path, 'block', String(first))}>{grouped(first)}</a>
          </span>
          <span>
            {counted(count, 'transaction')}
            {failed > 0 && <span className="fail"> · {grouped(failed)} ✕</span>}
          </span>
        </>
      )}
    </Fact>
  );
}

interface ValuesProps {
  readonly of: readonly DifferingValue[];
  readonly names: readonly [string, string];
  readonly isCut: boolean;
}

function Values({ of, names, isCut }: ValuesProps) {
  const slots = useMemo(() => of.filter((difference) => difference.what === 'slot'), [of]);
  const slotNames = useSlotNames(slots);
  const columns = useMemo(() => columnsOf(names, slotNames), [names, slotNames]);
  if (of.length === 0) return <p className="empty">Their state is the same.</p>;
  const contracts = new Set(
    of.flatMap((difference) => ('contract' in difference ? difference.contract : [])),
  );
  return (
    <>
      <p>
        {grouped(of.length)}
        {isCut && '+'} {of.length === 1 ? 'value differs' : 'values differ'}, in{' '}
        {counted(contracts.size, 'contract')}.
      </p>
      <VirtualTable
        label="Values that differ"
        rows={of}
        columns={columns}
        idOf={({ id }) => id}
        isTallOnPhones
      />
    </>
  );
}

function columnsOf(
  names: readonly [string, string],
  slotNames: SlotNames,
): readonly Column<DifferingValue>[] {
  const [leftName, rightName] =
    names[0] === names[1] ? [`${names[0]} (1)`, `${names[1]} (2)`] : names;
  return [
    {
      head: 'Contract',
      width: 'w-name',
      cell: (row) => 'contract' in row && <Address of={row.contract} mark />,
    },
    { head: 'Variable', phone: 'main', cell: (row) => <Variable of={row} names={slotNames} /> },
    {
      head: leftName,
      width: 'w-value',
      number: true,
      phoneHead: leftName,
      cell: ({ what, values: [value] }) => <Value what={what} of={value} />,
    },
    {
      head: rightName,
      width: 'w-value',
      number: true,
      phoneHead: rightName,
      cell: ({ what, values: [, value] }) => <Value what={what} of={value} />,
    },
  ];
}

function Variable({ of, names }: { readonly of: DifferingValue; readonly names: SlotNames }) {
  if (of.what === 'slot') return <SlotName slot={of.key} name={names.get(slotId(of))} />;
  return <>{{ nonce: 'nonce', class: 'class', declared: 'class declared' }[of.what]}</>;
}

/** Small values are shown as decimal numbers. */
const COUNTABLE = 1n << 96n;

interface ValueProps {
  readonly what: DifferingValue['what'];
  readonly of: string | undefined;
}

function Value({ what, of }: ValueProps) {
  if (of === undefined) return <span className="quiet">none</span>;
  if (what === 'class' || what === 'declared') return <code title={of}>{shortHash(of)}</code>;
  const value = BigInt(of);
  return value < COUNTABLE ? <span title={of}>{grouped(value)}</span> : <Felt of={of} />;
}
