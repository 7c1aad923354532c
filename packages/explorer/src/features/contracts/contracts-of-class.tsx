// Contracts of one class, among the newest contracts.
import { useMemo } from 'react';
import { grouped } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { Empty, Unread } from '../../parts/page-states.js';
import { type Column, numberColumn, VirtualTable } from '../../parts/table/table.js';
import { Address, BlockRef, Link } from '../../parts/values.js';
import { useContractIndex } from '../../rpc/contract-index.js';
import type { ContractRow } from '../../rpc/queries.js';

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
  numberColumn(
    'Deployed in',
    'w-kind',
    ({ deployed_in }) => <BlockRef of={deployed_in} />,
    'block',
  ),
];

export function ContractsOf({ classHash }: { readonly classHash: string }) {
  const index = useContractIndex();
  const rows = useMemo(
    () => index.data?.contracts.filter(({ class_hash }) => class_hash === classHash) ?? [],
    [index.data, classHash],
  );
  if (!index.data) return <Unread query={index} what="the contracts" />;
  const { contracts, isWhole } = index.data;
  return (
    <>
      {rows.length === 0 ? (
        <Empty
          icon="contracts"
          title="No contract of this class was found."
          action={
            <Link className="button" href={to('class', classHash, { tab: 'deploy' })}>
              Deploy one
            </Link>
          }
        />
      ) : (
        <VirtualTable
          label="Contracts of this class"
          rows={rows}
          columns={COLUMNS}
          idOf={({ contract_address }) => contract_address}
          hrefOf={({ contract_address }) => to('contract', contract_address)}
        />
      )}
      {!isWhole && (
        <p className="quiet note">
          Only the newest {grouped(contracts.length)} contracts of the chain were searched.
        </p>
      )}
    </>
  );
}
