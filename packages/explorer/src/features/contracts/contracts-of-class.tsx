// Contracts of one class, among the newest contracts.
import { useQuery } from '@tanstack/react-query';
import { grouped } from '../../format/amount.js';
import { Loading, Problem } from '../../parts/page-states.js';
import { type Column, ShortTable } from '../../parts/table/table.js';
import { Address, BlockRef } from '../../parts/values.js';
import { useLive } from '../../rpc/live-state.js';
import { type ContractRow, readContracts } from '../../rpc/queries.js';

/** Pages of the contract list that are searched, because no index maps classes to contracts. */
const MOST_PAGES = 10;
const MOST_SHOWN = 200;

const COLUMNS: readonly Column<ContractRow>[] = [
  {
    head: 'Name',
    width: 'w-amount',
    phone: 'main',
    cell: ({ contract_address }) => <Address of={contract_address} mark />,
  },
  {
    head: 'Address',
    phone: 'none',
    cellClass: 'mono',
    cell: ({ contract_address }) => contract_address,
  },
  {
    head: 'Deployed in',
    width: 'w-kind',
    number: true,
    phoneHead: 'block',
    cell: ({ deployed_in }) => <BlockRef of={deployed_in} />,
  },
];

export function ContractsOf({ classHash }: { readonly classHash: string }) {
  const epoch = useLive((live) => live.epoch);
  const { data, error, refetch } = useQuery({
    queryKey: ['contracts-of', classHash, epoch],
    staleTime: 0,
    queryFn: async () => {
      const rows: ContractRow[] = [];
      let cursor: string | undefined;
      let isWhole = false;
      let looked = 0;
      for (let page = 0; page < MOST_PAGES && !isWhole; page++) {
        const answer = await readContracts(cursor);
        looked += answer.rows.length;
        rows.push(...answer.rows.filter(({ class_hash }) => class_hash === classHash));
        cursor = answer.next;
        isWhole = cursor === undefined;
      }
      return { rows: rows.slice(0, MOST_SHOWN), isWhole, looked };
    },
  });
  if (error && !data) return <Problem error={error} what="the contracts" retry={refetch} />;
  if (!data) return <Loading what="the contracts" />;
  return (
    <>
      {data.rows.length === 0 ? (
        <p className="empty">No contract of this class was found.</p>
      ) : (
        <ShortTable
          label="Contracts of this class"
          rows={data.rows}
          columns={COLUMNS}
          idOf={({ contract_address }) => contract_address}
        />
      )}
      {!data.isWhole && (
        <p className="quiet">
          Only the newest {grouped(data.looked)} contracts of the chain were searched.
        </p>
      )}
    </>
  );
}
