// Table of the node's chains, in pages.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { chainPath, instanceId } from '../../format/chain-path.js';
import { spanText } from '../../format/time.js';
import { Action, act } from '../../parts/action.js';
import type { Question } from '../../parts/confirm.js';
import { Loading, Problem } from '../../parts/page-states.js';
import { UntrustedText } from '../../parts/values.js';
import { call, request } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import { queries } from '../../rpc/queries.js';
import { runTask } from '../../state/tasks.js';
import {
  type InstanceRow,
  MAIN,
  MAIN_PATH,
  plainName,
  ROOT,
  readAgain,
  shortId,
} from './chains.js';

const ROWS = 50;
const REFRESH_MILLISECONDS = 2_000;

/**
 * A page of instances, the first of which has the main chain on top.
 * @param isPolled for a dialog that is open for a short time; a page reads again only after a notification
 */
export function useInstances(isPolled: boolean) {
  const beat = useLive((live) => live.beat);
  const count = useLive((live) => live.instances);
  useEffect(() => {
    if (beat + count > 0) runTask(queries.invalidateQueries({ queryKey: ['instances', 'list'] }));
  }, [beat, count]);
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const list = useQuery({
    queryKey: ['instances', 'list', cursor],
    queryFn: () =>
      call('devnet_listInstances', { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) }),
    placeholderData: (old) => old,
    staleTime: 0,
    refetchInterval: isPolled && REFRESH_MILLISECONDS,
    refetchOnWindowFocus: true,
  });
  const next = list.data?.next;
  return {
    error: list.error,
    isPending: list.isPending,
    rows: list.data?.instances ?? [],
    total: list.data?.total ?? 0,
    isPolled,
    isFirst: cursor === undefined,
    older: cursor === undefined ? undefined : () => setCursors(cursors.slice(0, -1)),
    newer: next === undefined ? undefined : () => setCursors([...cursors, next]),
  };
}

interface ChainTableProps {
  readonly list: ReturnType<typeof useInstances>;
  /** The address of a chain that its name links to. */
  readonly hrefOf: (path: string) => string;
  readonly ask: (question: Question) => void;
  /** Called when the shown chain was deleted. */
  readonly onGone: () => void;
  /** Further content of the last cell; with it, there are columns for origin and age. */
  readonly actions?: (id: string) => ReactNode;
}

export function ChainTable(props: ChainTableProps) {
  const { list, hrefOf, ask, onGone, actions } = props;
  if (list.isPending) return <Loading what="the instances" />;
  return (
    <>
      {list.error && <Problem error={list.error} what="the instances" />}
      <div className={actions ? undefined : 'chain-list'}>
        <table className="table tall" aria-label="Chains">
          <thead>
            <tr>
              <th scope="col">Chain</th>
              {actions && (
                <th scope="col" className="w-name">
                  Branched from
                </th>
              )}
              <th scope="col" className="w-block number">
                Block
              </th>
              <th scope="col" className="w-count number">
                Txs
              </th>
              {actions && (
                <th scope="col" className="w-block">
                  Age
                </th>
              )}
              <th scope="col" className="w-kind">
                Idle
              </th>
              <th scope="col" className={actions ? 'w-actions' : 'w-block'}>
                Do
              </th>
            </tr>
          </thead>
          <tbody>
            {list.isFirst && <MainRow hrefOf={hrefOf} actions={actions} isPolled={list.isPolled} />}
            {list.rows.map((row) => (
              <Row
                key={row.instance_id}
                row={row}
                rows={list.rows}
                hrefOf={hrefOf}
                actions={actions}
                remove={() => ask(deletion(row, onGone))}
              />
            ))}
          </tbody>
        </table>
      </div>
      {(list.older ?? list.newer) && (
        <div className="line-of">
          <button
            type="button"
            className="button"
            aria-disabled={!list.older}
            onClick={() => list.older?.()}
          >
            Previous
          </button>
          <button
            type="button"
            className="button"
            aria-disabled={!list.newer}
            onClick={() => list.newer?.()}
          >
            Next
          </button>
          <span className="quiet">
            {ROWS} of {grouped(list.total)} instances at a time, oldest first
          </span>
        </div>
      )}
    </>
  );
}

interface RowProps {
  readonly hrefOf: (path: string) => string;
  readonly actions: ((id: string) => ReactNode) | undefined;
}

function MainRow({ hrefOf, actions, isPolled }: RowProps & { readonly isPolled: boolean }) {
  const { data } = useQuery({
    queryKey: ['instances', 'list', 'main'],
    queryFn: async () => {
      const [block, status] = await Promise.all([
        request('starknet_blockNumber', {}, MAIN_PATH),
        request('devnet_getStatus', {}, MAIN_PATH),
      ]);
      return { block, transactions: status.transaction_count };
    },
    staleTime: 0,
    refetchInterval: isPolled && REFRESH_MILLISECONDS,
  });
  const isHere = instanceId() === undefined;
  return (
    <tr data-row="" aria-selected={isHere}>
      <td className="main">
        <a href={hrefOf(MAIN_PATH)} aria-current={isHere ? 'page' : undefined}>
          {MAIN}
        </a>{' '}
        {actions && isHere && <span className="quiet">shown here</span>}
      </td>
      {actions && <td />}
      <td className="number" data-head="block">
        {data ? grouped(data.block) : '–'}
      </td>
      <td className="number" data-head="txs">
        {data ? grouped(data.transactions) : '–'}
      </td>
      {actions && <td />}
      <td />
      <td className="actions-cell">{actions?.(ROOT)}</td>
    </tr>
  );
}

interface InstanceProps extends RowProps {
  readonly row: InstanceRow;
  readonly rows: readonly InstanceRow[];
  readonly remove: () => void;
}

function Row({ row, rows, hrefOf, actions, remove }: InstanceProps) {
  const { instance_id: id, name, idle, ttl, from, age } = row;
  const isHere = id === instanceId();
  return (
    <tr data-row="" aria-selected={isHere}>
      <td className="main">
        <a href={hrefOf(chainPath(id))} aria-current={isHere ? 'page' : undefined}>
          {name === undefined ? <code>{id}</code> : <UntrustedText text={name} limit={100} />}
        </a>{' '}
        {name !== undefined && <code className="quiet">{shortId(id)}</code>}
        {actions && isHere && <span className="quiet"> shown here</span>}
      </td>
      {actions && (
        <td data-head="from">
          {from === undefined ? <span className="quiet">own genesis</span> : plainName(from, rows)}
        </td>
      )}
      <td className="number" data-head="block">
        {grouped(row.block_number)}
      </td>
      <td className="number" data-head="txs">
        {grouped(row.transaction_count)}
      </td>
      {actions && <td data-head="age">{spanText(age)}</td>}
      <td data-head="idle">
        {spanText(idle)}
        {ttl !== null && ` of ${spanText(ttl)}`}
      </td>
      <td className="actions-cell">
        {actions?.(id)}
        <Action kind="plain" label={`Delete ${plainName(id, [row])}`} run={async () => remove()}>
          Delete…
        </Action>
      </td>
    </tr>
  );
}

function deletion(row: InstanceRow, onGone: () => void): Question {
  const { instance_id: id, block_number: block, transaction_count: count } = row;
  const name = plainName(id, [row]);
  return {
    title: `Delete ${name}?`,
    loss: `Its chain up to block ${grouped(block)} with ${grouped(count)} transactions is lost, and its connections are closed. Other chains stay as they are.`,
    verb: 'Delete',
    canKeep: false,
    run: async () => {
      const params = { instance_id: id };
      const deleted = await act(`Delete ${name}`, 'devnet_deleteInstance', params, () => 'done');
      if (deleted === undefined) return;
      if (id === instanceId()) onGone();
      else await readAgain();
    },
  };
}
