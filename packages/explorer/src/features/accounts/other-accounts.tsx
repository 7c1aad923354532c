// Accounts beyond the predeployed: deployed on this chain, labelled, or with an imported key.
import { selectorOf } from '@starkbox/abi';
import { canonicalFelt, shortAddress } from '@starkbox/abi/basics';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useMemo, useState } from 'react';
import { counted, ETH, grouped, STRK, type Unit } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { PlainButton } from '../../parts/button.js';
import { Amount } from '../../parts/number.js';
import { Problem } from '../../parts/page-states.js';
import { forgetKey, useImported } from '../../parts/send/keys.js';
import { type Column, ShortTable } from '../../parts/table/table.js';
import { Address, Copy, Link } from '../../parts/values.js';
import { type Balances, useBalances } from '../../rpc/balances.js';
import { call } from '../../rpc/client.js';
import { readTransactions, useCurrent, useLabels } from '../../rpc/queries.js';
import { ImportKey } from './import-key.js';

const MAX_COUNT = 50;
const EXECUTE = selectorOf('__execute__');

/** Of labelled addresses, those whose class is one of an account. */
async function accountsAmong(addresses: readonly string[]): Promise<readonly string[]> {
  const areAccounts = await Promise.all(
    addresses.map(async (contract_address) => {
      try {
        const block_id = 'pre_confirmed';
        const { entry_points_by_type: points } = await call('starknet_getClassAt', {
          block_id,
          contract_address,
        });
        return points.EXTERNAL?.some(({ selector }) => selector === EXECUTE) ?? false;
      } catch {
        // No contract is there.
        return false;
      }
    }),
  );
  return addresses.filter((_, at) => areAccounts[at]);
}

interface OtherAddresses {
  readonly addresses: readonly string[];
  /** Why deployed accounts could not be read. */
  readonly error: Error | null;
  readonly isRead: boolean;
  refetch(): unknown;
}

function useOthers(predeployed: readonly string[]): OtherAddresses {
  const labels = useLabels();
  const imported = useImported();
  const labelled = useMemo(
    () =>
      (labels.data ?? [])
        .flatMap(({ value }) => canonicalFelt(value) ?? [])
        .filter((address) => !predeployed.includes(address))
        .slice(0, MAX_COUNT),
    [labels.data, predeployed],
  );
  const deployed = useCurrent(
    ['now', 'deployed-accounts'],
    async (): Promise<readonly string[]> =>
      (await readTransactions({ type: 'DEPLOY_ACCOUNT' }, undefined, true)).rows.flatMap(
        ({ sender_address: address, execution_status: status }) =>
          address !== undefined && status === 'SUCCEEDED' ? [address] : [],
      ),
  );
  const labelledAccounts = useQuery({
    queryKey: ['labelled-accounts', labelled],
    enabled: labelled.length > 0,
    queryFn: () => accountsAmong(labelled),
  });
  const addresses = useMemo(() => {
    const all = [...imported, ...(labelledAccounts.data ?? []), ...(deployed.data ?? [])];
    return [...new Set(all)]
      .filter((address) => !predeployed.includes(address))
      .slice(0, MAX_COUNT);
  }, [imported, labelledAccounts.data, deployed.data, predeployed]);
  const { data, error, refetch } = deployed;
  return { addresses, error: data ? null : error, isRead: data !== undefined, refetch };
}

/** What an account has. */
export interface Holding {
  readonly strk: bigint;
  readonly eth: bigint;
  readonly nonce: bigint;
}

function useHoldings(addresses: readonly string[]) {
  return useCurrent(
    ['now', 'other-holdings', addresses],
    async (): Promise<ReadonlyMap<string, Holding>> => {
      const read = async (address: string) => {
        const [strk, eth, nonce] = await Promise.all([
          call('devnet_getAccountBalance', { address, unit: 'FRI' }),
          call('devnet_getAccountBalance', { address, unit: 'WEI' }),
          call('starknet_getNonce', {
            block_id: 'pre_confirmed',
            contract_address: address,
          }).catch(() => '0x0'),
        ]);
        return [
          address,
          { strk: BigInt(strk.amount), eth: BigInt(eth.amount), nonce: BigInt(nonce) },
        ] as const;
      };
      return new Map(await Promise.all(addresses.map(read)));
    },
    { isWanted: addresses.length > 0 },
  );
}

export function OtherAccounts({ predeployed }: { readonly predeployed: readonly string[] }) {
  const others = useOthers(predeployed);
  const { addresses } = others;
  const holdings = useHoldings(addresses);
  const [importing, setImporting] = useState<string | undefined>();
  const error = others.error ?? (holdings.data ? null : holdings.error);
  const retry = (): unknown => (others.error ? others.refetch() : holdings.refetch());
  return (
    <section className="stack other-accounts" aria-label="Other accounts">
      <h2>Other accounts</h2>
      {error ? (
        <Problem error={error} what="the other accounts" retry={retry} />
      ) : addresses.length > 0 ? (
        <OtherTable addresses={addresses} holdings={holdings.data} importKey={setImporting} />
      ) : (
        others.isRead && (
          <p className="quiet">
            No other account was deployed by a transaction or has a label. To use an existing
            account, import its key below.
          </p>
        )
      )}
      <ImportKey key={importing ?? ''} start={importing ?? ''} />
    </section>
  );
}

interface OtherTableProps {
  readonly addresses: readonly string[];
  readonly holdings: ReadonlyMap<string, Holding> | undefined;
  readonly importKey: (address: string) => void;
}

function OtherTable({ addresses, holdings, importKey }: OtherTableProps) {
  const imported = useImported();
  const balances = useBalances(addresses);
  return (
    <>
      <ShortTable
        className="tall"
        label="Other accounts"
        rows={addresses}
        columns={[
          {
            head: 'Name',
            width: 'w-name',
            phone: 'main',
            cell: (address) => <Address of={address} mark />,
          },
          ...holdingColumns(holdings, balances, () => 'address'),
          {
            head: 'Key',
            width: 'w-actions',
            rank: 0,
            cellClass: 'actions-cell',
            cell: (address) => (
              <KeyActions
                address={address}
                isImported={imported.includes(address)}
                importKey={() => importKey(address)}
              />
            ),
          },
        ]}
        idOf={(address) => address}
      />
      <UnreadTokens of={balances} />
    </>
  );
}

/** Columns of address, balances and nonce. */
export function holdingColumns(
  holdings: ReadonlyMap<string, Holding> | undefined,
  balances: Balances | undefined,
  copiedName: (index: number) => string,
): readonly Column<string>[] {
  const balance = (unit: Unit, token: 'strk' | 'eth'): Column<string> => ({
    head: unit.symbol,
    width: 'w-amount',
    number: true,
    phoneHead: unit.symbol,
    cell: (address) => {
      const holding = holdings?.get(address);
      return (
        <span data-balance={token}>
          {holding && <Amount of={holding[token]} unit={unit} column />}
        </span>
      );
    },
  });
  const hasOtherTokens = [...(balances?.byAccount.values() ?? [])].some(({ length }) => length > 0);
  return [
    {
      head: 'Address',
      width: 'w-name',
      phone: 'none',
      cell: (address, index) => (
        <>
          <Link href={to('contract', address)} className="mono" title={address} value={address}>
            {shortAddress(address)}
          </Link>
          <Copy value={address} what={copiedName(index)} />
        </>
      ),
    },
    balance(STRK, 'strk'),
    balance(ETH, 'eth'),
    {
      head: 'Other tokens',
      phoneHead: 'other tokens',
      least: 7,
      rank: hasOtherTokens ? 0 : 3,
      cell: (address) => balances && <OtherTokens of={address} balances={balances} />,
    },
    {
      head: 'Nonce',
      width: 'w-small',
      number: true,
      phone: 'none',
      cell: (address) => {
        const nonce = holdings?.get(address)?.nonce;
        return nonce !== undefined && grouped(nonce);
      },
    },
  ];
}

const TOKENS_IN_LINE = 2;

interface OtherTokensProps {
  readonly of: string;
  readonly balances: Balances;
}

/** What an account holds beside STRK and ETH. */
function OtherTokens({ of, balances }: OtherTokensProps) {
  const held = balances.byAccount.get(of) ?? [];
  return (
    <>
      {held.slice(0, TOKENS_IN_LINE).map(({ token, unit, amount }, at) => (
        <Fragment key={token}>
          {at > 0 && ', '}
          <Link href={to('token', token)}>
            <Amount of={amount} unit={unit} />
          </Link>
        </Fragment>
      ))}
      {held.length > TOKENS_IN_LINE && (
        <Link href={to('contract', of)}> and {grouped(held.length - TOKENS_IN_LINE)} more</Link>
      )}
    </>
  );
}

/** Which tokens a list did not read. */
export function UnreadTokens({ of }: { readonly of: Balances | undefined }) {
  if (!of || of.readCount === of.tokenCount) return null;
  return (
    <p className="quiet note">
      Other tokens: the newest {grouped(of.readCount)} of {counted(of.tokenCount, 'token')}. Open an
      account to see more.
    </p>
  );
}

interface KeyActionsProps {
  readonly address: string;
  readonly isImported: boolean;
  readonly importKey: () => void;
}

function KeyActions({ address, isImported, importKey }: KeyActionsProps) {
  if (!isImported) {
    return (
      <PlainButton aria-label={`Import the key of ${address}`} onClick={importKey}>
        Import…
      </PlainButton>
    );
  }
  return (
    <>
      in this tab{' '}
      <PlainButton aria-label={`Forget the key of ${address}`} onClick={() => forgetKey(address)}>
        Forget
      </PlainButton>
    </>
  );
}
