// Page of gas over many transactions: per function, and compared with a saved baseline.
import type { Grouping } from '@starkbox/abi/internal';
import { useMemo, useState } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { useNames } from '../../format/names.js';
import { timeText } from '../../format/time.js';
import { escapeText } from '../../format/untrusted-text.js';
import { setQuery, useRoute } from '../../navigation/route.js';
import { Button } from '../../parts/button.js';
import { GasView, useMeasure } from '../../parts/gas/view.js';
import { Form, NumberInput, numberIn, Select } from '../../parts/inputs.js';
import { Empty, Heading, Loading, Problem } from '../../parts/page-states.js';
import { useLive } from '../../rpc/live-state.js';
import { useClasses } from '../../rpc/queries.js';
import { useSnapshots } from '../../rpc/snapshots.js';
import { type Baseline, forgetBaseline, readBaseline, saveBaseline } from './baseline.js';
import { MAX_TRACES, type Range, type Reading, useReport } from './report.js';

const MAX_CLASSES = 100;

export function GasPage() {
  const { query } = useRoute();
  const head = useLive((live) => live.head?.number);
  const reading = useReport({ from: numberIn(query.get('from')), to: numberIn(query.get('to')) });
  const { range } = reading;
  const sums = useSums(reading);
  const [baseline, setBaseline] = useState(readBaseline);
  const names = useNames();
  const save = (): void => {
    const { functions, measure, grouping } = sums;
    const { transactions } = reading.report;
    setBaseline(saveBaseline(functions, { measure, grouping, transactions }, names));
  };
  const forget = (): void => {
    forgetBaseline();
    setBaseline(undefined);
  };
  // New blocks are read on request only.
  const newer =
    head !== undefined && range && query.get('to') === null ? Math.max(0, head - range.to) : 0;
  return (
    <>
      <Heading
        title="Gas"
        count={range && `blocks ${grouped(range.from)} to ${grouped(range.to)}`}
        actions={
          <>
            {newer > 0 && (
              <Button onClick={reading.again}>{counted(newer, 'newer block')}: read again</Button>
            )}
            <Button
              aria-disabled={!sums.root}
              title={sums.root ? undefined : 'No traces are read yet.'}
              onClick={() => sums.root && save()}
            >
              Save as baseline
            </Button>
          </>
        }
      />
      {range && <RangeForm key={`${range.from} ${range.to}`} range={range} />}
      <Progress reading={reading} cancel={reading.cancel} />
      {reading.error !== undefined && (
        <Problem error={reading.error} what="the traces" retry={reading.again} />
      )}
      <Result reading={reading} sums={sums} baseline={baseline} forget={forget} />
    </>
  );
}

function RangeForm({ range }: { readonly range: Range }) {
  const [from, setFrom] = useState(String(range.from));
  const [to, setTo] = useState(String(range.to));
  const snapshots = useSnapshots().data ?? [];
  const isValid =
    numberIn(from) !== undefined && numberIn(to) !== undefined && Number(from) <= Number(to);
  return (
    <Form
      className="line-of"
      aria-label="Range"
      submit={() => {
        if (isValid) setQuery({ from, to, focus: undefined });
      }}
    >
      <NumberInput label="from block" value={from} change={setFrom} />
      <NumberInput label="to block" value={to} change={setTo} />
      <Button
        type="submit"
        aria-disabled={!isValid}
        title={isValid ? undefined : 'The first block must not be after the last.'}
      >
        Read
      </Button>
      {snapshots.length > 0 && (
        <Select
          label="or since"
          value=""
          change={(text) => setQuery({ from: text, to: undefined, focus: undefined })}
        >
          <option value="">a snapshot…</option>
          {snapshots.map(({ snapshot_id, name, block_number }) => (
            <option key={snapshot_id} value={String(block_number + 1)}>
              {snapshot_id} {name === undefined ? '' : escapeText(name, 40).text} (block{' '}
              {block_number})
            </option>
          ))}
        </Select>
      )}
    </Form>
  );
}

function Progress({ reading, cancel }: { readonly reading: Reading; readonly cancel: () => void }) {
  const { report, planned, isDone, isCancelled, isCut } = reading;
  if (!isDone && planned > 0) {
    return (
      <div className="progress">
        <progress value={report.transactions} max={planned} aria-label="Traces read" />
        {grouped(report.transactions)} of {grouped(planned)} transactions
        <Button onClick={cancel}>Cancel</Button>
      </div>
    );
  }
  if (!isDone) return <Loading what="the list of blocks" />;
  if (reading.error !== undefined && report.transactions === 0) return null;
  return (
    <p className="progress" role="status">
      {counted(report.transactions, 'transaction')} read.
      {isCancelled && planned > 0 && ` Cancelled; the range has ${grouped(planned)}.`}
      {isCut &&
        ` These are the newest, back to block ${grouped(report.lowest)}: the page reads at most ${grouped(MAX_TRACES)}.`}
      {report.untraced > 0 && ` ${counted(report.untraced, 'block')} could not be traced.`}
    </p>
  );
}

/** The gas of the traces read so far. */
function useSums({ report, version }: Reading) {
  const measure = useMeasure();
  const grouping: Grouping = useRoute().query.get('group') === 'class' ? 'class' : 'contract';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the report is mutated, and its version changes
  const { root, functions, classes } = useMemo(() => {
    const { tree, functions } = report.of(measure, grouping);
    const rows = functions.rows();
    return {
      root: tree.tree(),
      functions: rows,
      classes: [...new Set(rows.map(({ called }) => called.classHash))].slice(0, MAX_CLASSES),
    };
  }, [report, version, measure, grouping]);
  const classCount = useClasses(classes).size;
  return { root, functions, measure, grouping, classCount };
}

interface ResultProps {
  readonly reading: Reading;
  readonly sums: ReturnType<typeof useSums>;
  readonly baseline: Baseline | undefined;
  readonly forget: () => void;
}

function Result({ reading, sums, baseline, forget }: ResultProps) {
  const { report, isDone } = reading;
  const { root, functions, measure, grouping, classCount } = sums;
  if (!root) {
    return isDone && reading.error === undefined && report.untraced === 0 ? (
      <Empty
        icon="gas"
        title="These blocks have no transactions."
        {...(reading.range?.from === 0
          ? { children: 'Send a transaction, then read the blocks again.' }
          : {
              action: (
                <Button onClick={() => setQuery({ from: '0', to: undefined, focus: undefined })}>
                  Read from block 0
                </Button>
              ),
            })}
      />
    ) : null;
  }
  const isComparable = baseline?.measure === measure && baseline.grouping === grouping;
  return (
    <>
      {baseline && (
        <div className="line-of">
          <BaselineLine of={baseline} isComparable={isComparable} forget={forget} />
        </div>
      )}
      <GasView
        root={root}
        functions={functions}
        measure={measure}
        grouping={grouping}
        classCount={classCount}
        whole="all transactions"
        outside="outside the call frames"
        isSummed
        tools={<GroupingField grouping={grouping} />}
        before={isComparable ? baseline.medians : undefined}
      />
    </>
  );
}

function GroupingField({ grouping }: { readonly grouping: Grouping }) {
  return (
    <Select
      label="sum by"
      value={grouping}
      change={(text) =>
        setQuery({
          group: text === 'class' ? 'class' : undefined,
          focus: undefined,
        })
      }
    >
      <option value="contract">contract</option>
      <option value="class">class</option>
    </Select>
  );
}

interface BaselineLineProps {
  readonly of: Baseline;
  readonly isComparable: boolean;
  readonly forget: () => void;
}

function BaselineLine({ of, isComparable, forget }: BaselineLineProps) {
  return (
    <>
      <span className="soft">
        baseline of {timeText(Math.floor(of.savedAt / 1000))} UTC, {grouped(of.transactions)}{' '}
        transactions
        {isComparable
          ? ': the table shows how medians changed'
          : ', for another measure or grouping: not compared'}
      </span>
      <Button onClick={forget}>Discard</Button>
    </>
  );
}
