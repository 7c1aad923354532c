// State difference between two blocks: the last value of every change in between.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { grouped } from '../../format/amount.js';
import { escapeText } from '../../format/untrusted-text.js';
import { setQuery } from '../../navigation/route.js';
import { Button } from '../../parts/button.js';
import { Select } from '../../parts/inputs.js';
import { Loading, Problem } from '../../parts/page-states.js';
import { mergeDiffs } from '../../parts/transaction/merged-diff.js';
import { StateChanges } from '../../parts/transaction/state-changes.js';
import { call } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import type { Snapshot } from '../../rpc/snapshots.js';

/** Most state updates that are read for one comparison. */
export const MAX_APART = 500;

interface Point {
  readonly value: string;
  readonly words: string;
}

interface CompareProps {
  readonly a: number;
  readonly b: number;
  readonly snapshots: readonly Snapshot[];
  readonly head: number;
}

export function Compare({ a, b, snapshots, head }: CompareProps) {
  const points: Point[] = [
    { value: '0', words: 'genesis' },
    ...snapshots.map(({ snapshot_id, name, block_number }) => ({
      value: String(block_number),
      words: `${snapshot_id} ${name === undefined ? '' : escapeText(name, 30).text} (block ${block_number})`,
    })),
    { value: String(head), words: `head (block ${head})` },
  ];
  const first = Math.min(a, b);
  const last = Math.max(a, b);
  const epoch = useLive((live) => live.epoch);
  const isTooFar = last - first > MAX_APART;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['between', epoch, first, last],
    enabled: !isTooFar && first < last && last <= head,
    queryFn: async () => {
      const numbers = Array.from({ length: last - first }, (_, at) => first + 1 + at);
      const updates = await Promise.all(
        numbers.map((block_number) =>
          call('starknet_getStateUpdate', { block_id: { block_number } }),
        ),
      );
      return mergeDiffs(updates.map(({ state_diff }) => state_diff));
    },
  });
  return (
    <section className="panel compare" aria-label="Compare">
      <h2>Differences</h2>
      <div className="line-of">
        <PointChoice
          name="from"
          points={points}
          value={a}
          set={(value) => setQuery({ a: value })}
        />
        <PointChoice name="to" points={points} value={b} set={(value) => setQuery({ b: value })} />
        <Button onClick={() => setQuery({ a: undefined, b: undefined })}>Close</Button>
      </div>
      {first === last && <p className="empty">Both are the same block.</p>}
      {last > head && (
        <p className="empty">
          There is no block {grouped(last)} yet; the head is {grouped(head)}.
        </p>
      )}
      {isTooFar && last <= head && (
        <p className="empty">
          These points are {grouped(last - first)} blocks apart. The page compares at most{' '}
          {grouped(MAX_APART)} blocks: choose closer points.
        </p>
      )}
      {isFetching && <Loading what={`${grouped(last - first)} state updates`} />}
      {error && <Problem error={error} what="the state updates" retry={refetch} />}
      {data && !isTooFar && first < last && (
        <StateChanges diff={data} before={first} after={last} />
      )}
    </section>
  );
}

interface PointChoiceProps {
  readonly name: string;
  readonly points: readonly Point[];
  readonly value: number;
  readonly set: (value: string) => void;
}

function PointChoice({ name, points, value, set }: PointChoiceProps) {
  const [draft, setDraft] = useState('');
  const isNamed = points.some((point) => point.value === String(value));
  const isNumber = /^\d{1,15}$/.test(draft.trim());
  return (
    <span className="line-of">
      <Select label={name} value={String(value)} change={set}>
        {!isNamed && <option value={String(value)}>block {value}</option>}
        {points.map((point) => (
          <option key={point.words} value={point.value}>
            {point.words}
          </option>
        ))}
      </Select>
      <input
        className="short"
        inputMode="numeric"
        aria-label={`${name} block`}
        placeholder="other block"
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !isNumber) return;
          set(draft.trim());
          setDraft('');
        }}
      />
    </span>
  );
}
