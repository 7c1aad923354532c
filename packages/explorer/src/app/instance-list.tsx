// Dialog of the node's chains: a list, a form that branches, a confirmation that deletes.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { grouped } from '../format/amount.js';
import { chainPath, instanceId } from '../format/chain-path.js';
import { spanText } from '../format/time.js';
import { disarm } from '../format/untrusted-text.js';
import { Action, act, DoneHere } from '../parts/action.js';
import { Confirm, type Question } from '../parts/confirm.js';
import { Sheet } from '../parts/dialog.js';
import { Loading, Problem } from '../parts/page-states.js';
import { UntrustedText } from '../parts/values.js';
import { call, request } from '../rpc/client.js';
import type { Result } from '../rpc/methods.js';
import { MAIN, MAIN_PATH, readAgain, samePage, shortId } from './instances.js';

type Row = Result<'devnet_listInstances'>['instances'][number];

const ROWS = 50;
const REFRESH_MILLISECONDS = 2_000;

/** Dialog that lists, opens, creates and deletes chains. */
export function InstanceList({ close }: { readonly close: () => void }) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [question, setQuestion] = useState<Question | undefined>();
  const heading = useRef<HTMLHeadingElement>(null);
  const cursor = cursors.at(-1);
  const list = useQuery({
    queryKey: ['instances', 'list', cursor],
    queryFn: () =>
      call('devnet_listInstances', { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) }),
    placeholderData: (old) => old,
    staleTime: 0,
    refetchInterval: REFRESH_MILLISECONDS,
  });
  useEffect(() => {
    // The button that opened the confirmation went with its row.
    if (!question && document.activeElement === document.body) heading.current?.focus();
  }, [question]);
  const { instances = [], total = 0, next } = list.data ?? {};
  return (
    <>
      <Sheet label="Chains of this node" close={close} className="sheet wide">
        <div className="chains">
          <h2 ref={heading} tabIndex={-1}>
            Chains of this node
          </h2>
          {list.error && <Problem error={list.error} what="the instances" />}
          {list.isPending ? (
            <Loading what="the instances" />
          ) : (
            <ChainTable
              rows={instances}
              hasMain={cursor === undefined}
              remove={(row) => setQuestion(deletion(row))}
            />
          )}
          {(next !== undefined || cursor !== undefined) && (
            <div className="line-of">
              <button
                type="button"
                className="button"
                aria-disabled={cursor === undefined}
                onClick={() => setCursors(cursors.slice(0, -1))}
              >
                Previous
              </button>
              <button
                type="button"
                className="button"
                aria-disabled={next === undefined}
                onClick={() => next !== undefined && setCursors([...cursors, next])}
              >
                Next
              </button>
              <span className="quiet">
                {ROWS} of {grouped(total)} instances at a time, oldest first
              </span>
            </div>
          )}
          <CreateBranch />
          <DoneHere />
          <div>
            <button type="button" className="button" onClick={close}>
              Close
            </button>
          </div>
        </div>
      </Sheet>
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </>
  );
}

interface ChainTableProps {
  readonly rows: readonly Row[];
  readonly hasMain: boolean;
  readonly remove: (row: Row) => void;
}

function ChainTable({ rows, hasMain, remove }: ChainTableProps) {
  return (
    <div className="chain-list">
      <table className="table tall" aria-label="Chains">
        <thead>
          <tr>
            <th scope="col">Chain</th>
            <th scope="col" className="w-block number">
              Block
            </th>
            <th scope="col" className="w-count number">
              Txs
            </th>
            <th scope="col" className="w-kind">
              Idle
            </th>
            <th scope="col" className="w-block">
              Do
            </th>
          </tr>
        </thead>
        <tbody>
          {hasMain && <MainRow />}
          {rows.map((row) => (
            <InstanceRow key={row.instance_id} row={row} remove={remove} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function MainRow() {
  const { data } = useQuery({
    queryKey: ['instances', 'main'],
    queryFn: async () => {
      const [block, status] = await Promise.all([
        request('starknet_blockNumber', {}, MAIN_PATH),
        request('devnet_getStatus', {}, MAIN_PATH),
      ]);
      return { block, transactions: status.transaction_count };
    },
    staleTime: 0,
    refetchInterval: REFRESH_MILLISECONDS,
  });
  const isHere = instanceId() === undefined;
  return (
    <tr data-row="" aria-selected={isHere}>
      <td className="main">
        <a href={samePage(MAIN_PATH)} aria-current={isHere ? 'page' : undefined}>
          {MAIN}
        </a>
      </td>
      <td className="number" data-head="block">
        {data ? grouped(data.block) : '–'}
      </td>
      <td className="number" data-head="txs">
        {data ? grouped(data.transactions) : '–'}
      </td>
      <td />
      <td className="actions-cell" />
    </tr>
  );
}

function InstanceRow({ row, remove }: { readonly row: Row; readonly remove: (row: Row) => void }) {
  const { instance_id: id, name, idle, ttl } = row;
  const isHere = id === instanceId();
  return (
    <tr data-row="" aria-selected={isHere}>
      <td className="main">
        <a href={samePage(chainPath(id))} aria-current={isHere ? 'page' : undefined}>
          {name === undefined ? <code>{id}</code> : <UntrustedText text={name} limit={100} />}
        </a>{' '}
        {name !== undefined && <code className="quiet">{shortId(id)}</code>}
      </td>
      <td className="number" data-head="block">
        {grouped(row.block_number)}
      </td>
      <td className="number" data-head="txs">
        {grouped(row.transaction_count)}
      </td>
      <td data-head="idle">
        {spanText(idle)}
        {ttl !== null && ` of ${spanText(ttl)}`}
      </td>
      <td className="actions-cell">
        <Action kind="plain" label={`Delete ${plainName(row)}`} run={async () => remove(row)}>
          Delete…
        </Action>
      </td>
    </tr>
  );
}

function plainName({ instance_id: id, name }: Row): string {
  return name === undefined ? id : disarm(name, 40).text;
}

function deletion(row: Row): Question {
  const { instance_id: id, block_number: block, transaction_count: count } = row;
  const title = `Delete ${plainName(row)}?`;
  return {
    title,
    loss: `Its chain up to block ${grouped(block)} with ${grouped(count)} transactions is lost, and its connections are closed. Other chains stay as they are.`,
    verb: 'Delete',
    canKeep: false,
    run: async () => {
      const what = `Delete ${plainName(row)}`;
      const done = await act(what, 'devnet_deleteInstance', { instance_id: id }, () => 'done');
      if (done === undefined) return;
      if (id === instanceId()) location.assign(samePage(MAIN_PATH));
      else await readAgain();
    },
  };
}

function CreateBranch() {
  const [name, setName] = useState('');
  const given = name.trim();
  const create = async (): Promise<void> => {
    const done = await act(
      'Create a branch',
      'devnet_createInstance',
      given === '' ? {} : { name: given },
      ({ instance_id: id }) => (
        <a href={samePage(chainPath(id))}>open {given === '' ? shortId(id) : given}</a>
      ),
    );
    if (done === undefined) return;
    setName('');
    await readAgain();
  };
  return (
    <form
      className="line-of"
      aria-label="New branch"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <label>
        name
        <input value={name} maxLength={100} onChange={({ target }) => setName(target.value)} />
      </label>
      <Action kind="primary" run={create}>
        Branch {instanceId() === undefined ? 'the main chain' : 'this instance'}
      </Action>
    </form>
  );
}
