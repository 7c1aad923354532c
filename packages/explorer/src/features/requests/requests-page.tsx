// Page of the recorded requests of all clients.
import { useCallback, useMemo, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { chainUrl } from '../../format/chain-path.js';
import { timeText } from '../../format/time.js';
import { setQuery, useRoute } from '../../navigation/route.js';
import { Action, act, LastDone } from '../../parts/action.js';
import { PlainButton } from '../../parts/button.js';
import { Chip } from '../../parts/chips.js';
import { Icon } from '../../parts/icons.js';
import { Checkbox, Select, TextInput } from '../../parts/inputs.js';
import { Empty, Heading, Loading, Problem } from '../../parts/page-states.js';
import { Modes, NewBar, useFollow } from '../../parts/table/live-table.js';
import { type Column, VirtualTable } from '../../parts/table/table.js';
import { OutcomeSign, TxRef, UntrustedText } from '../../parts/values.js';
import { Detail } from './detail.js';
import {
  clientOf,
  idOfLine,
  type Line,
  linesOf,
  passes,
  type RequestFilter,
  type RequestRow,
  SLOW_MILLISECONDS,
} from './group.js';
import { type Requests, useRequests } from './rows.js';
import '../../styles/cards.css';

export function RequestsPage() {
  const { isPaused, showsAtOnce, onPoint } = useFollow();
  const filter = useFilter();
  const requests = useRequests({ showsAtOnce, withExplorer: filter.own });
  const [open, setOpen] = useState<string | undefined>();
  const [openBatches, setOpenBatches] = useState<ReadonlySet<number>>(new Set());
  const { rows, state } = requests;
  const passing = useMemo(() => rows.filter((row) => passes(row, filter)), [rows, filter]);
  const lines = useMemo(() => linesOf(passing, openBatches), [passing, openBatches]);
  const waiting = requests.waiting.filter((row) => passes(row, filter)).length;
  const opened = lines.find((line) => idOfLine(line) === open);
  const toggle = useCallback((batch: number) => {
    setOpenBatches((old) => {
      const next = new Set(old);
      if (!next.delete(batch)) next.add(batch);
      return next;
    });
  }, []);
  const columns = useMemo(() => columnsOf(toggle), [toggle]);
  const openLine = (line: Line): void => {
    if (line.kind === 'call') setOpen(idOfLine(line) === open ? undefined : idOfLine(line));
    else toggle(line.rows[0]?.batch ?? 0);
  };

  return (
    <>
      <Heading
        title="Requests"
        count={state && <State of={state} />}
        actions={state?.recording && <Modes />}
      />
      {requests.error !== undefined && rows.length === 0 && (
        <Problem error={requests.error} what="the recorded calls" retry={requests.reset} />
      )}
      {!state && requests.error === undefined && <Loading what="the recorded calls" />}
      {state && !state.recording && <Off requests={requests} />}
      {state && (state.recording || rows.length > 0) && (
        <>
          <Filters filter={filter} requests={requests} />
          {waiting > 0 && !isPaused && <NewBar reveal={requests.reveal}>{grouped(waiting)}</NewBar>}
          {lines.length === 0 ? (
            <Nothing isFiltered={passing.length < rows.length} />
          ) : (
            <VirtualTable
              label="Requests"
              rows={lines}
              columns={columns}
              idOf={idOfLine}
              onOpen={openLine}
              copyOf={({ rows: [row] }) => row?.method ?? ''}
              classOf={(line) => classOf(line, open)}
              onEnd={requests.readOlder}
              onPoint={(isPointing) => {
                onPoint(isPointing);
                // Rows held back while the pointer was over the list.
                if (showsAtOnce()) requests.reveal();
              }}
            />
          )}
          {opened && <Detail key={open} rows={opened.rows} close={() => setOpen(undefined)} />}
        </>
      )}
      <LastDone />
    </>
  );
}

function classOf(line: Line, open: string | undefined): string {
  const isInner = line.kind === 'call' && line.isInner;
  return [idOfLine(line) === open && 'is-open', isInner && 'is-inner'].filter(Boolean).join(' ');
}

function useFilter(): RequestFilter {
  const { query } = useRoute();
  const text = query.toString();
  return useMemo(() => {
    const params = new URLSearchParams(text);
    return {
      method: params.get('method') ?? '',
      errors: params.get('errors') === '1',
      client: params.get('client') ?? '',
      slow: params.get('slow') === '1',
      own: params.get('own') === '1',
    };
  }, [text]);
}

function State({ of }: { readonly of: NonNullable<Requests['state']> }) {
  if (!of.recording) return <>not recording</>;
  return (
    <span className="recording">
      <span className="recording-dot" aria-hidden="true" />
      recording{of.bodies ? '' : ' without parameters and responses'}
    </span>
  );
}

function Off({ requests }: { readonly requests: Requests }) {
  const [bodies, setBodies] = useState(true);
  return (
    <div className="empty off">
      <p>
        Recording is off. Turn it on to list every call to this node with its client, response and
        duration.
      </p>
      <p className="line-of">
        <Action kind="primary" run={() => record(requests, true, bodies)}>
          Record requests
        </Action>
        <Checkbox className="line-of" checked={bodies} change={setBodies}>
          with parameters and responses
        </Checkbox>
      </p>
      <p>
        Recording uses at most 16 MB of memory. The node keeps the last 2,000 calls, up to 64 kB of
        each message, until it stops. It redacts private keys and tokens first.
      </p>
    </div>
  );
}

interface FiltersProps {
  readonly filter: RequestFilter;
  readonly requests: Requests;
}

function Filters({ filter, requests }: FiltersProps) {
  const { rows, state } = requests;
  const clients = useMemo(() => [...new Set(rows.map(clientOf))].sort(), [rows]);
  const flag = (name: 'errors' | 'slow' | 'own', words: string) => (
    <Chip isOn={filter[name]} change={(isOn) => setQuery({ [name]: isOn ? '1' : undefined })}>
      {words}
    </Chip>
  );
  return (
    <div className="filters">
      <TextInput
        label={<span className="unseen">Method</span>}
        type="search"
        placeholder="Method"
        value={filter.method}
        size={20}
        change={(text) => setQuery({ method: text || undefined })}
      />
      <Select
        label={<span className="unseen">Client</span>}
        value={filter.client}
        change={(text) => setQuery({ client: text || undefined })}
      >
        <option value="">Any client</option>
        {filter.client !== '' && !clients.includes(filter.client) && (
          <option value={filter.client}>{filter.client}</option>
        )}
        {clients.map((client) => (
          <option key={client} value={client}>
            {client}
          </option>
        ))}
      </Select>
      {flag('errors', 'Errors')}
      {flag('slow', `Over ${SLOW_MILLISECONDS} ms`)}
      {flag('own', 'Explorer’s calls')}
      <span className="line-of push">
        {rows.length > 0 && (
          <Action run={() => record(requests, state?.recording ?? false, state?.bodies, true)}>
            Clear
          </Action>
        )}
        {state?.recording && (
          <Action run={() => record(requests, false, state.bodies)}>Stop recording</Action>
        )}
      </span>
    </div>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <Empty
      icon="requests"
      title={isFiltered ? 'No recorded call matches the filter.' : 'No calls yet.'}
    >
      {isFiltered ? (
        'Remove a filter above.'
      ) : (
        <>
          Send a call to <code>{chainUrl('')}</code> and it appears here, apart from the explorer’s
          own calls.
        </>
      )}
    </Empty>
  );
}

async function record(
  requests: Requests,
  enabled: boolean,
  bodies: boolean = true,
  clear: boolean = false,
): Promise<void> {
  const what = clear ? 'Clear the recording' : enabled ? 'Record requests' : 'Stop recording';
  await act(what, 'devnet_recordRequests', { enabled, bodies, clear }, () => 'done');
  requests.reset();
}

const shownTime = (time: number): string =>
  `${timeText(Math.floor(time / 1000))}.${String(time % 1000).padStart(3, '0')}`;

function columnsOf(toggle: (batch: number) => void): readonly Column<Line>[] {
  return [
    {
      head: 'Time',
      width: 'w-time',
      rank: 0,
      cell: ({ rows: [row] }) => row && <span className="mono">{shownTime(row.time)}</span>,
    },
    {
      head: 'ms',
      width: 'w-small',
      rank: 0,
      number: true,
      phoneHead: 'ms',
      cell: ({ rows }) => Math.max(...rows.map(({ duration_ms }) => duration_ms)).toFixed(1),
    },
    {
      head: 'Client',
      width: 'w-client',
      cell: ({ rows: [row] }) => row && clientOf(row),
    },
    {
      head: 'Method',
      phone: 'main',
      least: 16,
      cellClass: 'method-cell',
      cell: (line) => <Method of={line} toggle={toggle} />,
    },
    {
      head: 'Status',
      isHeadUnseen: true,
      width: 'w-status',
      phone: 'lead',
      cell: ({ rows }) => {
        const isOk = rows.every(({ outcome }) => outcome === 'ok');
        return <OutcomeSign isOk={isOk} word={isOk ? 'succeeded' : 'failed'} />;
      },
    },
    { head: 'Outcome', phone: 'none', cell: (line) => <Outcome of={line} /> },
  ];
}

function Method({ of, toggle }: { readonly of: Line; readonly toggle: (batch: number) => void }) {
  const [first] = of.rows;
  if (!first) return null;
  if (of.kind === 'call') {
    return (
      <>
        <UntrustedText text={first.method} limit={60} />
        {of.rows.length > 1 && <span className="soft"> ×{of.rows.length}</span>}
        {first.tag !== undefined && <span className="quiet"> {first.tag}</span>}
      </>
    );
  }
  const names = [...new Set(of.rows.toReversed().map(({ method }) => method))];
  return (
    <>
      <PlainButton aria-expanded={of.isOpen} onClick={() => toggle(first.batch ?? 0)}>
        <Icon name={of.isOpen ? 'down' : 'right'} /> batch of {of.rows.length}
      </PlainButton>{' '}
      <span className="soft">
        <UntrustedText text={names.join(', ')} limit={80} />
      </span>
    </>
  );
}

const SENT = /"transaction_hash":"(0x[\da-f]{1,64})"/;

function Outcome({ of: { kind, rows } }: { readonly of: Line }) {
  const [row] = rows;
  if (!row) return null;
  if (kind === 'batch') {
    const failed = rows.filter(({ outcome }) => outcome === 'error').length;
    return failed === 0 ? null : <span className="fail">{failed} failed</span>;
  }
  return row.outcome === 'error' ? <Refusal of={row} /> : <Answer of={row} />;
}

function Refusal({ of: { code, message } }: { readonly of: RequestRow }) {
  return (
    <span className="fail">
      {code} <UntrustedText text={message ?? ''} limit={160} />
    </span>
  );
}

function Answer({ of: { method, result_preview: preview } }: { readonly of: RequestRow }) {
  if (preview === undefined) return null;
  const hash = /_add|SendMessage/.test(method) ? SENT.exec(preview)?.[1] : undefined;
  if (hash !== undefined) return <TxRef of={hash} />;
  return (
    <span className="soft mono">
      <UntrustedText text={preview} limit={80} />
    </span>
  );
}
