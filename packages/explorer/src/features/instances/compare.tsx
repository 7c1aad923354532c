// Comparison of two chains: heads, blocks since they parted, values that differ.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { setQuery, toChain } from '../../navigation/route.js';
import { Button, PlainButton } from '../../parts/button.js';
import { Select } from '../../parts/inputs.js';
import { Integer } from '../../parts/number.js';
import { Loading, Problem } from '../../parts/page-states.js';
import {
  type ChangedValue,
  changedValues,
  type Felts,
  type JoinedValue,
  joinedValues,
  missingSlots,
} from '../../parts/transaction/changed-values.js';
import { slotId, useSlotNames } from '../../parts/transaction/slot-names.js';
import { type OtherChange, ValueTable } from '../../parts/transaction/value-table.js';
import { ClassRef, Fact } from '../../parts/values.js';
import { runTask } from '../../state/tasks.js';
import { type InstanceRow, MAIN, pathOf, plainName, ROOT, shortId } from './chains.js';
import {
  compareChains,
  type DifferingValue,
  MAX_BLOCKS,
  type Side,
  unchanged,
} from './difference.js';

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
      <div className="fields">
        <Choice name="Chain" param="a" value={a} rows={rows} />
        <Choice name="Compare with" param="b" value={b} rows={rows} />
        <Button aria-disabled={isFetching} onClick={() => runTask(refetch())}>
          {isFetching ? 'Comparing…' : 'Compare again'}
        </Button>
        <PlainButton onClick={() => setQuery({ a: undefined, b: undefined })}>Close</PlainButton>
      </div>
      {a === b && <p className="empty">Both are the same chain. Choose another chain.</p>}
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
              A chain has more than {grouped(MAX_BLOCKS)} blocks since the branch. The page reads
              state updates one by one, so it does not compare values.
            </p>
          ) : (
            <Values
              of={data.values}
              names={names}
              paths={[pathOf(a), pathOf(b)]}
              isCut={data.isCut}
            />
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
            {failed > 0 && <span className="fail">, {grouped(failed)} failed</span>}
          </span>
        </>
      )}
    </Fact>
  );
}

interface ValuesProps {
  readonly of: readonly DifferingValue[];
  readonly names: readonly [string, string];
  /** Paths of the chains. */
  readonly paths: readonly [string, string];
  readonly isCut: boolean;
}

function Values({ of, names, paths, isCut }: ValuesProps) {
  const slots = useMemo(() => of.filter((difference) => difference.what === 'slot'), [of]);
  const values = useStoredValues(slots, paths);
  const others = useMemo(() => of.flatMap(otherChange), [of]);
  if (of.length === 0) return <p className="empty">Their state is the same.</p>;
  const contracts = new Set(
    of.flatMap((difference) => ('contract' in difference ? difference.contract : [])),
  );
  const count = values.length + others.length;
  const sides: readonly [string, string] =
    names[0] === names[1] ? [`${names[0]} (1)`, `${names[1]} (2)`] : names;
  return (
    <>
      <p>
        {grouped(count)}
        {isCut && '+'} {count === 1 ? 'value differs' : 'values differ'}, in{' '}
        {counted(contracts.size, 'contract')}.
      </p>
      <ValueTable
        label="Values that differ"
        values={values}
        others={others}
        sides={sides}
        difference="Difference"
      />
    </>
  );
}

type DifferingSlot = Extract<DifferingValue, { what: 'slot' }>;

/** The values whose slots differ, with their equal slots read from both chains. */
function useStoredValues(
  slots: readonly DifferingSlot[],
  paths: readonly [string, string],
): readonly ChangedValue[] {
  const slotNames = useSlotNames(slots);
  const joined = useMemo(() => joinedValues(slots, slotNames), [slots, slotNames]);
  const differing = useMemo(() => [feltsOn(slots, 0), feltsOn(slots, 1)] as const, [slots]);
  const { data } = useQuery({
    queryKey: ['instances', 'values', ...paths, slots, joined.map(({ value }) => value.key)],
    enabled: joined.some(({ name }) => name?.value_key !== undefined),
    queryFn: () =>
      Promise.all([
        readSide(paths[0], joined, differing[0]),
        readSide(paths[1], joined, differing[1]),
      ]),
  });
  return useMemo(() => {
    const [was, is] = data ?? differing;
    return changedValues(joined, was, is);
  }, [joined, data, differing]);
}

const feltsOn = (slots: readonly DifferingSlot[], side: 0 | 1): Felts =>
  new Map(slots.map((slot) => [slotId(slot), slot.values[side] ?? '0x0']));

/** A length is read before the slots behind it. */
const ROUNDS = 3;
const MAX_READ = 1_000;

async function readSide(
  path: string,
  joined: readonly JoinedValue[],
  differing: Felts,
): Promise<Felts> {
  const felts = new Map(differing);
  for (let round = 0; round < ROUNDS && felts.size < MAX_READ; round += 1) {
    const missing = missingSlots(joined, felts).slice(0, MAX_READ);
    if (missing.length === 0) break;
    const values = await Promise.all(
      missing.map((slot) => unchanged(path, { what: 'slot', ...slot })),
    );
    for (const [at, slot] of missing.entries()) felts.set(slotId(slot), values[at] ?? '0x0');
  }
  return felts;
}

const TITLES = { nonce: 'nonce', class: 'class', declared: 'class declared' };

function otherChange(difference: DifferingValue): readonly OtherChange[] {
  if (difference.what === 'slot') return [];
  const { what, id, values } = difference;
  return [
    {
      id,
      contract: 'contract' in difference ? difference.contract : undefined,
      title: TITLES[what],
      was: <OtherValue what={what} of={values[0]} />,
      is: <OtherValue what={what} of={values[1]} />,
    },
  ];
}

interface OtherValueProps {
  readonly what: 'nonce' | 'class' | 'declared';
  readonly of: string | undefined;
}

function OtherValue({ what, of }: OtherValueProps) {
  if (of === undefined) return <span className="quiet">none</span>;
  return what === 'nonce' ? <Integer of={BigInt(of)} /> : <ClassRef of={of} />;
}
