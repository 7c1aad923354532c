// Pages with the lists of contracts and of classes.
import { useMemo, useState } from 'react';
import { to } from '../../navigation/route.js';
import { Button } from '../../parts/button.js';
import { Heading } from '../../parts/page-states.js';
import { LiveTable, Modes } from '../../parts/table/live-table.js';
import type { Column } from '../../parts/table/table.js';
import { Address, BlockRef, ClassRef, Link } from '../../parts/values.js';
import { type ClassRow, type ContractRow, readClasses, readContracts } from '../../rpc/queries.js';
import { DeclarePanel } from './declare.js';

const contractId = (row: ContractRow): string => row.contract_address;
const classId = (row: ClassRow): string => row.class_hash;

export function ContractsPage() {
  const columns = useMemo(
    (): readonly Column<ContractRow>[] => [
      {
        head: 'Name',
        width: 'w-amount',
        phone: 'main',
        cell: (row) => <Address of={row.contract_address} mark />,
      },
      {
        head: 'Address',
        cell: (row) => (
          <Link
            href={to('contract', row.contract_address)}
            className="mono"
            value={row.contract_address}
          >
            {row.contract_address}
          </Link>
        ),
        phone: 'none',
      },
      {
        head: 'Class',
        width: 'w-hash',
        phoneHead: 'class',
        cell: (row) => <ClassRef of={row.class_hash} />,
      },
      {
        head: 'Deployed in',
        width: 'w-kind',
        number: true,
        phoneHead: 'block',
        cell: (row) => <BlockRef of={row.deployed_in} />,
      },
    ],
    [],
  );
  return (
    <>
      <Heading title="Contracts" actions={<Modes />} />
      <LiveTable
        label="Contracts"
        what="contracts"
        listKey={['contracts']}
        read={readContracts}
        idOf={contractId}
        columns={columns}
        hrefOf={(row) => to('contract', row.contract_address)}
        copyOf={contractId}
        empty={<p className="empty">No contracts on this chain.</p>}
      />
    </>
  );
}

export function ClassesPage() {
  const [isDeclaring, setDeclaring] = useState(false);
  const columns = useMemo(
    (): readonly Column<ClassRow>[] => [
      {
        head: 'Class',
        phone: 'main',
        cell: (row) => (
          <Link href={to('class', row.class_hash)} className="mono" value={row.class_hash}>
            {row.class_hash}
          </Link>
        ),
      },
      {
        head: 'Kind',
        width: 'w-kind',
        cell: (row) => (row.kind === 'sierra' ? 'Sierra' : 'Cairo 0'),
      },
      {
        head: 'Declared in',
        width: 'w-kind',
        number: true,
        phoneHead: 'block',
        cell: (row) => <BlockRef of={row.declared_in} />,
      },
    ],
    [],
  );
  return (
    <>
      <Heading
        title="Classes"
        actions={
          <>
            <Button aria-expanded={isDeclaring} onClick={() => setDeclaring(!isDeclaring)}>
              Declare…
            </Button>
            <Modes />
          </>
        }
      />
      {isDeclaring && <DeclarePanel />}
      <LiveTable
        label="Classes"
        what="classes"
        listKey={['classes']}
        read={readClasses}
        idOf={classId}
        columns={columns}
        hrefOf={(row) => to('class', row.class_hash)}
        copyOf={classId}
        empty={<p className="empty">No classes on this chain.</p>}
      />
    </>
  );
}
