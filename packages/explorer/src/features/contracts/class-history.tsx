// History of a contract's classes, by block.
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { grouped } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { Empty, Loading, Problem } from '../../parts/page-states.js';
import { type Column, ShortTable } from '../../parts/table/table.js';
import { BlockRef, ClassRef, Link } from '../../parts/values.js';
import { call, RpcFailure } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';

export interface ClassChange {
  readonly block: number;
  /** Undefined before the contract was deployed. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

type ClassAt = (block: number) => Promise<string | undefined>;

/** Blocks per request. */
const FAN = 16;

/**
 * Searches for class changes by bisection: only ranges whose ends differ are divided again, so the number of
 * requests grows with the logarithm of the chain.
 */
export async function classChanges(
  classAt: ClassAt,
  low: { readonly block: number; readonly classHash: string | undefined },
  high: { readonly block: number; readonly classHash: string | undefined },
): Promise<readonly ClassChange[]> {
  const search = async (
    from: number,
    before: string | undefined,
    until: number,
    after: string | undefined,
  ): Promise<readonly ClassChange[]> => {
    if (until - from <= 1) {
      return before === after ? [] : [{ block: until, from: before, to: after }];
    }
    const step = Math.max(1, Math.ceil((until - from) / FAN));
    const places: number[] = [];
    for (let at = from + step; at < until; at += step) places.push(at);
    const hashes = await Promise.all(places.map(classAt));
    const ends = [
      { at: from, value: before },
      ...places.map((at, index) => ({ at, value: hashes[index] })),
      { at: until, value: after },
    ];
    const parts = ends.slice(1).map((end, index) => {
      const start = ends[index] ?? end;
      return start.value === end.value ? [] : search(start.at, start.value, end.at, end.value);
    });
    return (await Promise.all(parts)).flat();
  };
  return search(low.block, low.classHash, high.block, high.classHash);
}

const CONTRACT_NOT_FOUND = 20;

async function classAt(address: string, block_number: number): Promise<string | undefined> {
  try {
    return await call('starknet_getClassHashAt', {
      block_id: { block_number },
      contract_address: address,
    });
  } catch (failure) {
    if (failure instanceof RpcFailure && failure.code === CONTRACT_NOT_FOUND) return undefined;
    throw failure;
  }
}

/** Results up to a block, so that a new block costs one request. */
interface SearchedRange {
  readonly epoch: number;
  readonly low: number;
  readonly high: { readonly block: number; readonly classHash: string | undefined };
  readonly changes: readonly ClassChange[];
}

async function extend(
  address: string,
  searched: SearchedRange | undefined,
  head: number,
  epoch: number,
) {
  const at = (block: number): Promise<string | undefined> => classAt(address, block);
  const classHash = at(head);
  if (searched?.epoch === epoch && searched.high.block <= head) {
    const high = { block: head, classHash: await classHash };
    return {
      ...searched,
      high,
      changes: [...searched.changes, ...(await classChanges(at, searched.high, high))],
    };
  }
  const [{ fork_config }, last] = await Promise.all([call('devnet_getConfig'), classHash]);
  const low = fork_config.block_number ?? 0;
  const first = await at(low);
  const start = first === undefined ? [] : [{ block: low, from: undefined, to: first }];
  const high = { block: head, classHash: last };
  const rest = await classChanges(at, { block: low, classHash: first }, high);
  return { epoch, low, high, changes: [...start, ...rest] };
}

function changeText({ block, from, to }: ClassChange, low: number): string {
  if (from === undefined) return block === low && low > 0 ? 'deployed before the fork' : 'deployed';
  return to === undefined ? 'gone' : 'class replaced';
}

/** @param low the first block that was searched */
function changeColumns(low: number): readonly Column<ClassChange>[] {
  return [
    {
      head: 'Block',
      width: 'w-block',
      phoneHead: 'block',
      cell: ({ block }) => <BlockRef of={block}>{grouped(block)}</BlockRef>,
    },
    {
      head: 'Change',
      width: 'w-moment',
      phone: 'main',
      cell: (change) => changeText(change, low),
    },
    {
      head: 'Class',
      cell: ({ from, to }) => (
        <>
          {from !== undefined && (
            <>
              <ClassRef of={from} /> →{' '}
            </>
          )}
          {to !== undefined && <ClassRef of={to} />}
        </>
      ),
    },
  ];
}

export function History({ address }: { readonly address: string }) {
  const head = useLive((live) => live.head?.number);
  const epoch = useLive((live) => live.epoch);
  const searched = useRef<SearchedRange | undefined>(undefined);
  const { data, error, refetch } = useQuery({
    queryKey: ['history', address, head, epoch],
    enabled: head !== undefined,
    placeholderData: (old) => old,
    queryFn: async () => {
      searched.current = await extend(address, searched.current, head ?? 0, epoch);
      return searched.current;
    },
  });
  if (error && !data) return <Problem error={error} what="the history" retry={refetch} />;
  if (!data) return <Loading what="the history" />;
  if (data.changes.length === 0)
    return (
      <Empty icon="recent" title="No closed block contains this contract yet.">
        Create a block on the <Link href={to('control')}>Control page</Link>.
      </Empty>
    );
  return (
    <>
      <ShortTable
        label="Class changes"
        rows={[...data.changes].reverse()}
        columns={changeColumns(data.low)}
        idOf={({ block }) => block}
      />
      {data.changes.length > 1 && (
        <p className="quiet">Changes undone between two sampled blocks may be missing.</p>
      )}
    </>
  );
}
