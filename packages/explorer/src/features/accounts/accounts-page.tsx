// Page of accounts: balances, keys, minting, impersonation of the predeployed ones, and all others.
import { useEffect, useMemo, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { Action, act, LastDone } from '../../parts/action.js';
import { PlainButton } from '../../parts/button.js';
import { Icon } from '../../parts/icons.js';
import { Mint } from '../../parts/mint-form.js';
import { Heading, Loading, Problem } from '../../parts/page-states.js';
import { ShortTable } from '../../parts/table/table.js';
import { Address, ClassRef, Copy, Fact } from '../../parts/values.js';
import { useBalances } from '../../rpc/balances.js';
import { call, isMissing } from '../../rpc/client.js';
import {
  readPrivateKey,
  useAccounts,
  useConfig,
  useCurrent,
  useStatus,
} from '../../rpc/queries.js';
import { runTask } from '../../state/tasks.js';
import { type Holding, holdingColumns, OtherAccounts, UnreadTokens } from './other-accounts.js';

/** A private key is hidden again after this time. */
const SHOWN_MILLISECONDS = 60_000;

interface Revealed {
  readonly address: string;
  readonly key: string;
}

export function AccountsPage() {
  const accounts = useAccounts();
  const [minting, setMinting] = useState<string | undefined>();
  const [revealed, setRevealed] = useRevealedKey();
  const addresses = useMemo(
    () => accounts.data?.map(({ address }) => address) ?? [],
    [accounts.data],
  );
  const holdings = useHoldings(addresses);
  return (
    <>
      <Heading title="Accounts" count={accounts.data && grouped(accounts.data.length)} />
      <LastDone />
      {isMissing(accounts.error) ? (
        <p className="empty">
          This node does not serve <code>devnet_getPredeployedAccounts</code>, so this page cannot
          list its predeployed accounts. Start it with another <code>--restrictive-mode</code>.
          Accounts with an imported key can still send.
        </p>
      ) : accounts.error ? (
        <Problem error={accounts.error} what="the predeployed accounts" retry={accounts.refetch} />
      ) : !accounts.data ? (
        <Loading what="the accounts" />
      ) : holdings.error && !holdings.data ? (
        <Problem error={holdings.error} what="the balances" retry={holdings.refetch} />
      ) : (
        <AccountTable
          addresses={addresses}
          holdings={holdings.data}
          minting={minting}
          setMinting={setMinting}
          revealed={revealed}
          setRevealed={setRevealed}
        />
      )}
      {minting !== undefined && (
        <Mint key={minting} address={minting} name={`account ${addresses.indexOf(minting)}`} />
      )}
      {revealed && (
        <PrivateKey
          of={revealed.key}
          at={addresses.indexOf(revealed.address)}
          hide={() => setRevealed(undefined)}
        />
      )}
      {(accounts.data ?? accounts.error) && <OtherAccounts predeployed={addresses} />}
    </>
  );
}

/** The key that is shown; it is hidden again after a minute. */
function useRevealedKey(): readonly [
  Revealed | undefined,
  (revealed: Revealed | undefined) => void,
] {
  const [revealed, setRevealed] = useState<Revealed | undefined>();
  useEffect(() => {
    if (!revealed) return;
    const timer = setTimeout(() => setRevealed(undefined), SHOWN_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [revealed]);
  return [revealed, setRevealed];
}

/** Balances and nonces by address. */
function useHoldings(addresses: readonly string[]) {
  return useCurrent(
    ['holdings', addresses],
    async (): Promise<ReadonlyMap<string, Holding>> => {
      const [all, ...nonces] = await Promise.all([
        call('devnet_getPredeployedAccounts', { with_balance: true }),
        ...addresses.map((contract_address) =>
          call('starknet_getNonce', { block_id: 'pre_confirmed', contract_address }),
        ),
      ]);
      return new Map(
        all.map(({ address, balance }, at) => [
          address,
          {
            eth: BigInt(balance?.eth.amount ?? 0),
            strk: BigInt(balance?.strk.amount ?? 0),
            nonce: BigInt(nonces[at] ?? 0),
          },
        ]),
      );
    },
    { isWanted: addresses.length > 0 },
  );
}

interface AccountTableProps {
  readonly addresses: readonly string[];
  readonly holdings: ReadonlyMap<string, Holding> | undefined;
  readonly minting: string | undefined;
  readonly setMinting: (address: string | undefined) => void;
  readonly revealed: Revealed | undefined;
  readonly setRevealed: (revealed: Revealed | undefined) => void;
}

function AccountTable(props: AccountTableProps) {
  const { addresses, holdings, minting, setMinting, revealed, setRevealed } = props;
  const classHash = useConfig().data?.account_contract_class_hash;
  const impersonated = new Set(useStatus().data?.impersonated_accounts);
  const balances = useBalances(addresses);
  return (
    <>
      <ShortTable
        className="tall accounts"
        label="Predeployed accounts"
        rows={addresses}
        idOf={(address) => address}
        columns={[
          {
            head: 'Name',
            width: 'w-name',
            phone: 'main',
            cell: (address) => (
              <>
                <Address of={address} mark />
                {impersonated.has(address) && <span className="warn"> impersonated</span>}
              </>
            ),
          },
          ...holdingColumns(holdings, balances, (index) => `address of account ${index}`),
          {
            head: 'Class',
            width: 'w-name',
            phone: 'none',
            cell: () => classHash !== undefined && <ClassRef of={classHash} />,
          },
          {
            head: 'Actions',
            isHeadUnseen: true,
            rank: 0,
            width: 'w-icons',
            cellClass: 'actions-cell',
            cell: (address, at) => (
              <>
                <PlainButton
                  aria-expanded={minting === address}
                  aria-label={`Mint to account ${at}`}
                  title="Mint"
                  onClick={() => setMinting(minting === address ? undefined : address)}
                >
                  <Icon name="mint" />
                </PlainButton>
                <KeyButton
                  address={address}
                  at={at}
                  isShown={revealed?.address === address}
                  setRevealed={setRevealed}
                />
                <ImpersonateButton address={address} at={at} isOn={impersonated.has(address)} />
              </>
            ),
          },
        ]}
      />
      <UnreadTokens of={balances} />
    </>
  );
}

interface KeyButtonProps {
  readonly address: string;
  readonly at: number;
  readonly isShown: boolean;
  readonly setRevealed: (revealed: Revealed | undefined) => void;
}

function KeyButton({ address, at, isShown, setRevealed }: KeyButtonProps) {
  return (
    <PlainButton
      aria-pressed={isShown}
      aria-label={`${isShown ? 'Hide' : 'Show'} private key of account ${at}`}
      title={isShown ? 'Hide the private key' : 'Show the private key'}
      onClick={() => {
        if (isShown) setRevealed(undefined);
        else {
          runTask(
            readPrivateKey(address).then((key) =>
              setRevealed(key === undefined ? undefined : { address, key }),
            ),
          );
        }
      }}
    >
      <Icon name="key" />
    </PlainButton>
  );
}

interface ImpersonateButtonProps {
  readonly address: string;
  readonly at: number;
  readonly isOn: boolean;
}

function ImpersonateButton({ address, at, isOn }: ImpersonateButtonProps) {
  return (
    <Action
      kind="plain"
      isOn={isOn}
      label={`Impersonate account ${at}`}
      hint={isOn ? 'Stop impersonating' : 'Impersonate'}
      run={() =>
        act(
          isOn ? 'Stop impersonating' : 'Impersonate',
          isOn ? 'devnet_stopImpersonateAccount' : 'devnet_impersonateAccount',
          { account_address: address },
          () => `account ${at}`,
        )
      }
    >
      <Icon name="impersonate" />
    </Action>
  );
}

interface PrivateKeyProps {
  readonly of: string;
  readonly at: number;
  readonly hide: () => void;
}

function PrivateKey({ of, at, hide }: PrivateKeyProps) {
  return (
    <section className="panel detail" aria-label="Private key">
      <dl className="facts">
        <Fact name={<>private key of account {at}</>}>
          <code>{of}</code> <Copy value={of} what="private key" />
          <PlainButton onClick={hide}>Hide</PlainButton>
        </Fact>
      </dl>
    </section>
  );
}
