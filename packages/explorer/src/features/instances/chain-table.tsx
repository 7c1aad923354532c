// Table of the node's chains, in pages.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { chainPath, instanceId } from '../../format/chain-path.js';
import { spanText } from '../../format/time.js';
import { Action, act } from '../../parts/action.js';
import type { Question } from '../../parts/confirm.js';
import { Loading, Problem } from '../../parts/page-states.js';
import { type Column, numberColumn, PageButtons, ShortTable } from '../../parts/table/table.js';
import { UntrustedText } from '../../parts/values.js';
import { call, request } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import { queries } from '../../rpc/queries.js';
import { runTask } from '../../state/tasks.js';
import '../../styles/instances.css';
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
  const revision = useLive((live) => live.revision);
  const count = useLive((live) => live.instances);
  useEffect(() => {
    if (revision + count > 0)
      runTask(queries.invalidateQueries({ queryKey: ['instances', 'list'] }));
  }, [revision, count]);
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
  return {
    error: list.error,
    retry: list.refetch,
    isPending: list.isPending,
    rows: list.data?.instances ?? [],
    /** Undefined until it is read. */
    total: list.data?.total,
    isPolled,
    isFirst: cursor === undefined,
    cursors,
    setCursors,
    next: list.data?.next,
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

/** A row; without an instance it is the main chain. */
interface ChainRow {
  readonly instance?: InstanceRow;
  readonly block: number | undefined;
  readonly transactions: number | undefined;
}

const isShown = ({ instance }: ChainRow): boolean => instance?.instance_id === instanceId();

export function ChainTable(props: ChainTableProps) {
  const { list, hrefOf, ask, onGone, actions } = props;
  const main = useMainChain(list);
  if (list.isPending) return <Loading what="the instances" />;
  const rows: readonly ChainRow[] = [
    ...(list.isFirst ? [main] : []),
    ...list.rows.map((instance) => ({
      instance,
      block: instance.block_number,
      transactions: instance.transaction_count,
    })),
  ];
  const columns = chainColumns({
    rows: list.rows,
    hrefOf,
    actions,
    remove: (instance) => ask(deletion(instance, onGone)),
  });
  return (
    <>
      {list.error && <Problem error={list.error} what="the instances" retry={list.retry} />}
      <div className={actions ? undefined : 'chain-list'}>
        <ShortTable
          className="tall"
          label="Chains"
          rows={rows}
          columns={columns}
          idOf={({ instance }) => instance?.instance_id ?? MAIN}
          isSelected={isShown}
        />
      </div>
      <PageButtons cursors={list.cursors} next={list.next} change={list.setCursors}>
        {ROWS} of {grouped(list.total ?? 0)} instances per page, oldest first
      </PageButtons>
    </>
  );
}

function useMainChain({ isFirst, isPolled }: ChainTableProps['list']): ChainRow {
  const { data } = useQuery({
    queryKey: ['instances', 'list', 'main'],
    enabled: isFirst,
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
  return { block: data?.block, transactions: data?.transactions };
}

interface ChainColumns extends Pick<ChainTableProps, 'hrefOf'> {
  readonly actions: ChainTableProps['actions'] | undefined;
  readonly rows: readonly InstanceRow[];
  readonly remove: (instance: InstanceRow) => void;
}

interface ChainColumn extends Column<ChainRow> {
  readonly isLong?: boolean;
  /** Whether it is empty for the main chain. */
  readonly isOfInstances?: boolean;
}

function chainColumns(of: ChainColumns): readonly Column<ChainRow>[] {
  const { rows, hrefOf, actions, remove } = of;
  const columns: readonly ChainColumn[] = [
    {
      head: 'Chain',
      phone: 'main',
      least: actions ? 18 : 12,
      cell: (row) => <ChainName of={row} hrefOf={hrefOf} isMarked={actions !== undefined} />,
    },
    {
      head: 'Branched from',
      isLong: true,
      isOfInstances: true,
      width: 'w-name',
      rank: 2,
      phoneHead: 'from',
      cell: ({ instance }) => instance && <Origin of={instance} rows={rows} />,
    },
    numberColumn(
      'Block',
      'w-block',
      ({ block }) => (block === undefined ? '–' : grouped(block)),
      'block',
    ),
    numberColumn(
      'Txs',
      'w-count',
      ({ transactions }) => (transactions === undefined ? '–' : grouped(transactions)),
      'txs',
    ),
    {
      head: 'Age',
      isLong: true,
      isOfInstances: true,
      width: 'w-block',
      rank: 3,
      phoneHead: 'age',
      cell: ({ instance }) => instance && spanText(instance.age),
    },
    {
      head: 'Idle',
      isOfInstances: true,
      width: 'w-kind',
      rank: 2,
      phoneHead: 'idle',
      cell: ({ instance }) =>
        instance &&
        `${spanText(instance.idle)}${instance.ttl === null ? '' : ` of ${spanText(instance.ttl)}`}`,
    },
    {
      head: 'Actions',
      isOfInstances: true,
      width: actions ? 'w-actions' : 'w-block',
      rank: 0,
      cellClass: 'actions-cell',
      cell: ({ instance }) => (
        <>
          {actions?.(instance?.instance_id ?? ROOT)}
          {instance && <DeleteButton of={instance} remove={remove} />}
        </>
      ),
    },
  ];
  const fitting = columns.filter(({ isLong = false }) => actions !== undefined || !isLong);
  if (rows.length > 0) return fitting;
  return fitting.filter(({ isOfInstances = false }) => !isOfInstances);
}

interface ChainNameProps extends Pick<ChainTableProps, 'hrefOf'> {
  readonly of: ChainRow;
  /** Whether the shown chain is marked in words. */
  readonly isMarked: boolean;
}

function ChainName({ of: row, hrefOf, isMarked }: ChainNameProps) {
  const { instance } = row;
  const isHere = isShown(row);
  return (
    <>
      <a
        href={hrefOf(instance ? chainPath(instance.instance_id) : MAIN_PATH)}
        aria-current={isHere ? 'page' : undefined}
      >
        {!instance && MAIN}
        {instance &&
          (instance.name === undefined ? (
            <code>{instance.instance_id}</code>
          ) : (
            <UntrustedText text={instance.name} limit={100} />
          ))}
      </a>{' '}
      {instance?.name !== undefined && (
        <code className="quiet">{shortId(instance.instance_id)}</code>
      )}
      {isMarked && isHere && <span className="quiet"> shown here</span>}
    </>
  );
}

function Origin({ of: { from }, rows }: { of: InstanceRow; rows: readonly InstanceRow[] }) {
  return from === undefined ? <span className="quiet">own genesis</span> : plainName(from, rows);
}

interface DeleteButtonProps {
  readonly of: InstanceRow;
  readonly remove: (instance: InstanceRow) => void;
}

function DeleteButton({ of: instance, remove }: DeleteButtonProps) {
  return (
    <Action
      kind="plain"
      label={`Delete ${plainName(instance.instance_id, [instance])}`}
      run={async () => remove(instance)}
    >
      Delete…
    </Action>
  );
}

function deletion(row: InstanceRow, onGone: () => void): Question {
  const { instance_id: id, block_number: block, transaction_count: count } = row;
  const name = plainName(id, [row]);
  return {
    title: `Delete ${name}?`,
    loss: `You lose its chain up to block ${grouped(block)} with ${grouped(count)} transactions, and its connections close. Other chains stay unchanged.`,
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
