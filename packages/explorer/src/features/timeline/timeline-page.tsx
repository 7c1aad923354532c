// Page with the timeline of the chain, its snapshots, and reverting.
import { useCallback, useMemo, useState } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { setQuery, useRoute } from '../../navigation/route.js';
import { LastDone } from '../../parts/action.js';
import { Button, PlainButton } from '../../parts/button.js';
import { Icon, type IconName } from '../../parts/icons.js';
import { numberIn, Select } from '../../parts/inputs.js';
import { Heading, Loading, Problem } from '../../parts/page-states.js';
import { TakeSnapshot } from '../../parts/snapshot-form.js';
import { useLive } from '../../rpc/live-state.js';
import { queries } from '../../rpc/queries.js';
import { type Snapshot, useSnapshots } from '../../rpc/snapshots.js';
import { type UndoneRange, useUndone } from '../../rpc/undone-blocks.js';
import { MANY, useBlocksIn } from './blocks.js';
import { Chart } from './chart.js';
import { Compare } from './compare.js';
import { RevertSheet, UndoBar } from './revert.js';
import { pan, type Window, zoom } from './scale.js';
import { SnapshotTable } from './snapshot-table.js';

export function TimelinePage() {
  const { query } = useRoute();
  const head = useLive((live) => live.head?.number);
  const snapshots = useSnapshots();
  const [reverting, setReverting] = useState<Snapshot | undefined>();
  const a = numberIn(query.get('a'));
  const b = numberIn(query.get('b'));
  const rows = snapshots.data ?? [];
  return (
    <>
      <Heading
        title="Timeline"
        count={rows.length > 0 && counted(rows.length, 'snapshot')}
        actions={
          <Button
            onClick={() =>
              setQuery({ a: String(rows[0]?.block_number ?? 0), b: String(head ?? 0) })
            }
          >
            Compare
          </Button>
        }
      />
      <UndoBar />
      {head === undefined ? (
        <Loading what="the head of the chain" />
      ) : (
        <Line head={head} snapshots={rows} />
      )}
      {head !== undefined && (
        <div className="line-of line-form">
          <TakeSnapshot />
        </div>
      )}
      <LastDone />
      {snapshots.error && rows.length === 0 ? (
        <Problem error={snapshots.error} what="the snapshots" retry={snapshots.refetch} />
      ) : (
        <SnapshotTable
          rows={rows}
          head={head ?? 0}
          ask={setReverting}
          isLoading={snapshots.isPending}
        />
      )}
      {a !== undefined && b !== undefined && head !== undefined && (
        <Compare a={a} b={b} snapshots={rows} head={head} />
      )}
      {reverting && (
        <RevertSheet
          snapshot={reverting}
          later={rows.filter(
            ({ snapshot_id }) => BigInt(snapshot_id) > BigInt(reverting.snapshot_id),
          )}
          close={() => setReverting(undefined)}
        />
      )}
    </>
  );
}

interface LineProps {
  readonly head: number;
  readonly snapshots: readonly Snapshot[];
}

function Line({ head, snapshots }: LineProps) {
  const { query } = useRoute();
  const undone = useUndone();
  const { window, whole, onWindow } = useWindow(head, undone);
  const { blocks, bars, isLoading, error } = useBlocksIn(window, head);
  const isMany = window.last - window.first + 1 >= MANY;
  const axis = query.get('axis') === 'time' && !isMany ? 'time' : 'blocks';
  if (error && blocks.length === 0 && bars.length === 0) {
    return (
      <Problem
        error={error}
        what="the blocks"
        retry={() => queries.invalidateQueries({ queryKey: ['line'] })}
      />
    );
  }
  return (
    <>
      <div className="filters">
        <AxisField axis={axis} isMany={isMany} />
        <ZoomButton
          name="Zoom in"
          icon="zoomIn"
          run={() => onWindow(zoom(window, whole, 0.5, 0.5))}
        />
        <ZoomButton
          name="Zoom out"
          icon="zoomOut"
          run={() => onWindow(zoom(window, whole, 2, 0.5))}
        />
        <ZoomButton name="Earlier" icon="left" run={() => onWindow(pan(window, whole, -0.5))} />
        <ZoomButton name="Later" icon="right" run={() => onWindow(pan(window, whole, 0.5))} />
        <PlainButton onClick={() => onWindow(whole)}>All</PlainButton>
        {isLoading && <span className="quiet">reading…</span>}
        <p className="legend line-legend">
          <Swatch className="line-bars" /> succeeded <Swatch className="line-failed" /> failed
          {isMany && bars.length > 0 && (
            <span className="quiet">
              transactions per block, by the last{' '}
              {grouped(Math.max(...bars.map(({ looked }) => looked)))} of every{' '}
              {grouped((bars[0]?.last ?? 0) - (bars[0]?.first ?? 0) + 1)} blocks
            </span>
          )}
        </p>
      </div>
      <Chart
        blocks={blocks}
        bars={bars}
        snapshots={snapshots}
        undone={undone}
        head={head}
        window={window}
        whole={whole}
        axis={axis}
        onWindow={onWindow}
      />
    </>
  );
}

/** The part of the chain that is shown, kept in the address. */
function useWindow(head: number, undone: readonly UndoneRange[]) {
  const { query } = useRoute();
  const whole: Window = useMemo(() => {
    const furthest = Math.max(head, ...undone.map(({ last }) => last));
    return { first: 0, last: Math.max(1, furthest) };
  }, [head, undone]);
  const from = numberIn(query.get('from'));
  const to = numberIn(query.get('to'));
  const window = useMemo(
    () =>
      from !== undefined && to !== undefined && from < to && from <= head
        ? { first: from, last: to }
        : whole,
    [from, to, head, whole],
  );
  const onWindow = useCallback(
    (next: Window) => {
      const isWhole = next.first <= whole.first && next.last >= whole.last;
      setQuery({
        from: isWhole ? undefined : String(next.first),
        to: isWhole ? undefined : String(next.last),
      });
    },
    [whole],
  );
  return { window, whole, onWindow };
}

interface AxisFieldProps {
  readonly axis: 'blocks' | 'time';
  /** Whether the blocks are too many to be placed by their time. */
  readonly isMany: boolean;
}

function AxisField({ axis, isMany }: AxisFieldProps) {
  return (
    <Select
      label="axis:"
      value={axis}
      disabled={isMany}
      title={isMany ? 'Zoom in to see blocks by their time.' : undefined}
      change={(text) => setQuery({ axis: text === 'time' ? 'time' : undefined })}
    >
      <option value="blocks">blocks</option>
      <option value="time">chain time</option>
    </Select>
  );
}

interface ZoomButtonProps {
  readonly name: string;
  readonly icon: IconName;
  readonly run: () => void;
}

function ZoomButton({ name, icon, run }: ZoomButtonProps) {
  return (
    <PlainButton aria-label={name} title={name} onClick={run}>
      <Icon name={icon} />
    </PlainButton>
  );
}

function Swatch({ className }: { readonly className: string }) {
  return (
    <svg className="swatch" viewBox="0 0 10 10" aria-hidden="true">
      <rect className={className} width="10" height="10" rx="2" />
    </svg>
  );
}
