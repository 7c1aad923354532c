// Page with the list of contracts: names, kinds, and filters by name, address and kind.
import { type Abi, selectorOf } from '@starkbox/abi';
import { shortAddress } from '@starkbox/abi/basics';
import { useMemo } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { NAME_ORDER } from '../../format/names.js';
import { setQuery, to, useRoute } from '../../navigation/route.js';
import { ChipChoice } from '../../parts/chips.js';
import { Amount } from '../../parts/number.js';
import { Empty, Heading, Unread } from '../../parts/page-states.js';
import { LiveTable, Modes, useNamedIn } from '../../parts/table/live-table.js';
import { type Column, numberColumn, VirtualTable } from '../../parts/table/table.js';
import { Address, BlockRef, ClassRef, Copy, Link } from '../../parts/values.js';
import {
  type ContractIndex,
  type IndexedContract,
  useContractIndex,
} from '../../rpc/contract-index.js';
import { preloadNames } from '../../rpc/names.js';
import { type ContractRow, readContracts, useClasses } from '../../rpc/queries.js';
import { useToken } from '../../rpc/tokens.js';
import { FilterField } from './filter-field.js';
import { useTokenFacts } from './token/read-token.js';

type Kind = 'all' | 'token';

const KINDS: readonly (readonly [Kind, text: string])[] = [
  ['all', 'All contracts'],
  ['token', 'Tokens'],
];
const EXECUTE = selectorOf('__execute__');
const MAX_NAMED_CLASSES = 50;

const idOf = (row: ContractRow): string => row.contract_address;
const classOf = (row: ContractRow): string => row.class_hash;
const hrefOf = (row: ContractRow): string => to('contract', row.contract_address);

async function readNamedContracts(cursor: string | undefined) {
  const page = await readContracts(cursor);
  await preloadNames(page.rows.map(idOf));
  return page;
}

export function ContractsPage() {
  const { query } = useRoute();
  const text = query.get('q') ?? '';
  const kind: Kind = query.get('kind') === 'token' ? 'token' : 'all';
  const isFiltered = text.trim() !== '' || kind !== 'all';
  return (
    <>
      <Heading title="Contracts" actions={!isFiltered && <Modes />} />
      <div className="tab-bar">
        <FilterField text={text} change={(q) => setQuery({ q: q === '' ? undefined : q })} />
        <ChipChoice
          label="Kind"
          options={KINDS}
          value={kind}
          change={(chosen) => setQuery({ kind: chosen === 'all' ? undefined : chosen })}
        />
      </div>
      {isFiltered ? <FilteredContracts text={text} kind={kind} /> : <AllContracts />}
    </>
  );
}

function AllContracts() {
  const [hashes, onRows] = useNamedIn(classOf);
  const classes = useClasses(hashes);
  const columns = useMemo(() => contractColumns(classes), [classes]);
  return (
    <LiveTable
      label="Contracts"
      what="contracts"
      listKey={['contracts']}
      read={readNamedContracts}
      idOf={idOf}
      columns={columns}
      hrefOf={hrefOf}
      copyOf={idOf}
      onRows={onRows}
      empty={
        <Empty icon="contracts" title="No contracts on this chain.">
          Declare a class on the <Link href={to('classes')}>Classes page</Link>, then deploy it.
        </Empty>
      }
    />
  );
}

interface FilteredContractsProps {
  readonly text: string;
  readonly kind: Kind;
}

function FilteredContracts({ text, kind }: FilteredContractsProps) {
  const index = useContractIndex();
  const matches = useMemo(
    () => (index.data ? matching(index.data, text, kind) : []),
    [index.data, text, kind],
  );
  const classes = useClasses(
    useMemo(
      () => [...new Set(matches.map(({ class_hash }) => class_hash))].slice(0, MAX_NAMED_CLASSES),
      [matches],
    ),
  );
  const columns = useMemo(
    () => (kind === 'token' ? TOKEN_COLUMNS : contractColumns(classes)),
    [kind, classes],
  );
  if (!index.data) return <Unread query={index} what="the contracts" />;
  const { contracts, isWhole } = index.data;
  return (
    <>
      {matches.length > 0 && (
        <VirtualTable
          label={kind === 'token' ? 'Tokens' : 'Contracts'}
          rows={matches}
          columns={columns}
          idOf={idOf}
          hrefOf={kind === 'token' ? (row) => to('token', row.contract_address) : hrefOf}
          copyOf={idOf}
        />
      )}
      <p className="quiet note">
        {counted(matches.length, kind === 'token' ? 'token' : 'contract')} of{' '}
        {isWhole ? 'all' : 'the newest'} {grouped(contracts.length)} contracts
        {kind === 'token' && matches.length === 0 && text.trim() === ''
          ? '. A token has the functions decimals and balance_of.'
          : '.'}
      </p>
    </>
  );
}

/** Contracts whose name or address contains the text; those of one block by name, where none is missing. */
function matching(
  { contracts, isWhole }: ContractIndex,
  text: string,
  kind: Kind,
): readonly IndexedContract[] {
  const part = text.trim().toLowerCase();
  const matches = contracts.filter(
    ({ name, contract_address, unit }) =>
      (kind === 'all' || unit !== undefined) &&
      (name.toLowerCase().includes(part) ||
        contract_address.includes(part.replace(/^0x0+/, '0x')) ||
        (unit?.symbol.toLowerCase().includes(part) ?? false)),
  );
  if (!isWhole) return matches;
  return matches.sort(
    (a, b) => b.deployed_in - a.deployed_in || NAME_ORDER.compare(a.name, b.name),
  );
}

const NAME_COLUMN: Column<ContractRow> = {
  head: 'Name',
  phone: 'main',
  cell: (row) => <Address of={row.contract_address} mark />,
};

const ADDRESS_COLUMN: Column<ContractRow> = {
  head: 'Address',
  width: 'w-amount',
  phone: 'none',
  cell: ({ contract_address: address }) => (
    <>
      <Link href={to('contract', address)} className="mono" title={address} value={address}>
        {shortAddress(address)}
      </Link>
      <Copy value={address} what="address" />
    </>
  ),
};

const BLOCK_COLUMN: Column<ContractRow> = {
  head: 'Deployed in',
  width: 'w-kind',
  number: true,
  phoneHead: 'block',
  cell: (row) => <BlockRef of={row.deployed_in} />,
};

const TOKEN_COLUMNS: readonly Column<IndexedContract>[] = [
  {
    head: 'Name',
    width: 'w-state',
    rank: 0,
    phone: 'main',
    cell: ({ contract_address }) => <Address of={contract_address} mark />,
  },
  {
    head: 'Symbol',
    width: 'w-kind',
    cell: ({ contract_address, unit }) => (
      <Link href={to('token', contract_address)}>{unit?.symbol}</Link>
    ),
  },
  numberColumn('Decimals', 'w-count', ({ unit }) => unit?.decimals, 'decimals'),
  {
    head: 'Total supply',
    number: true,
    cellClass: 'wraps',
    phoneHead: 'supply',
    cell: ({ contract_address }) => <Supply of={contract_address} />,
  },
  ADDRESS_COLUMN,
  BLOCK_COLUMN,
];

/** Read for the rows in view. */
function Supply({ of }: { readonly of: string }) {
  const { data } = useTokenFacts(of);
  return data?.supply === undefined ? null : <Amount of={data.supply} unit={data.unit} column />;
}

function contractColumns(classes: ReadonlyMap<string, Abi>): readonly Column<ContractRow>[] {
  return [
    NAME_COLUMN,
    {
      head: 'Kind',
      width: 'w-kind',
      cell: (row) => <ContractKind of={row.contract_address} abi={classes.get(row.class_hash)} />,
    },
    {
      head: 'Class',
      width: 'w-state',
      phoneHead: 'class',
      cell: (row) => <ClassRef of={row.class_hash} />,
    },
    ADDRESS_COLUMN,
    BLOCK_COLUMN,
  ];
}

interface ContractKindProps {
  readonly of: string;
  readonly abi: Abi | undefined;
}

function ContractKind({ of, abi }: ContractKindProps) {
  const unit = useToken(of);
  if (unit) return <Link href={to('token', of)}>Token {unit.symbol}</Link>;
  return abi?.functions.has(EXECUTE) ? 'Account' : <span className="quiet">Contract</span>;
}
