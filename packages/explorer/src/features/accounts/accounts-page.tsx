// Page of the predeployed accounts: balances, keys, minting, impersonation.
import { shortAddress } from '@starkbox/abi';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ETH, grouped, STRK } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { Action, act, LastDone } from '../../parts/action.js';
import { Mint } from '../../parts/mint-form.js';
import { Heading, Loading, Problem } from '../../parts/page-states.js';
import { Address, Amount, ClassRef, Copy, Link } from '../../parts/values.js';
import { call, isMissing } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import { readPrivateKey, useAccounts, useConfig, useStatus } from '../../rpc/queries.js';

/** A private key is hidden again after this time. */
const SHOWN_MILLISECONDS = 60_000;

export function Accounts() {
  const accounts = useAccounts();
  const config = useConfig();
  const status = useStatus();
  const beat = useLive((live) => live.beat);
  const [minting, setMinting] = useState<string | undefined>();
  const [revealed, setRevealed] = useState<{ address: string; key: string } | undefined>();
  const addresses = accounts.data?.map(({ address }) => address) ?? [];
  const holdings = useQuery({
    queryKey: ['holdings', addresses, beat],
    enabled: addresses.length > 0,
    placeholderData: (old) => old,
    queryFn: async () => {
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
  });
  useEffect(() => {
    if (!revealed) return;
    const timer = setTimeout(() => setRevealed(undefined), SHOWN_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [revealed]);

  const impersonated = new Set(status.data?.impersonated_accounts);
  return (
    <>
      <Heading title="Accounts" count={accounts.data && grouped(accounts.data.length)} />
      <LastDone />
      {isMissing(accounts.error) ? (
        <p className="empty">This node does not list predeployed accounts (restricted).</p>
      ) : accounts.error ? (
        <Problem
          error={accounts.error}
          what="the predeployed accounts"
          retry={() => void accounts.refetch()}
        />
      ) : !accounts.data ? (
        <Loading what="the accounts" />
      ) : (
        <table className="table tall" aria-label="Predeployed accounts">
          <thead>
            <tr>
              <th scope="col" className="w-name">
                Name
              </th>
              <th scope="col">Address</th>
              <th scope="col" className="w-amount number">
                STRK
              </th>
              <th scope="col" className="w-amount number">
                ETH
              </th>
              <th scope="col" className="w-small number">
                Nonce
              </th>
              <th scope="col" className="w-hash">
                Class
              </th>
              <th scope="col" className="w-actions">
                <span className="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {accounts.data.map(({ address }, at) => {
              const held = holdings.data?.get(address);
              const isOn = impersonated.has(address);
              return (
                <tr key={address} data-row={at}>
                  <td className="main">
                    <Address of={address} mark />
                    {isOn && <span className="warn"> impersonated</span>}
                  </td>
                  <td className="wide">
                    <Link
                      href={to('contract', address)}
                      className="mono"
                      title={address}
                      value={address}
                    >
                      {shortAddress(address)}
                    </Link>
                    <Copy value={address} what={`address of account ${at}`} />
                  </td>
                  <td className="number" data-balance="strk" data-head="STRK">
                    {held && <Amount of={held.strk} unit={STRK} column />}
                  </td>
                  <td className="number" data-balance="eth" data-head="ETH">
                    {held && <Amount of={held.eth} unit={ETH} column />}
                  </td>
                  <td className="number wide">{held && grouped(held.nonce)}</td>
                  <td className="wide">
                    {config.data && <ClassRef of={config.data.account_contract_class_hash} />}
                  </td>
                  <td className="actions-cell">
                    <button
                      type="button"
                      className="plain"
                      aria-expanded={minting === address}
                      aria-label={`Mint to account ${at}`}
                      onClick={() => setMinting(minting === address ? undefined : address)}
                    >
                      Mint
                    </button>
                    <button
                      type="button"
                      className="plain"
                      aria-label={`${revealed?.address === address ? 'Hide' : 'Show'} private key of account ${at}`}
                      onClick={() => {
                        if (revealed?.address === address) setRevealed(undefined);
                        else {
                          void readPrivateKey(address).then((key) =>
                            setRevealed(key === undefined ? undefined : { address, key }),
                          );
                        }
                      }}
                    >
                      Key
                    </button>
                    <Action
                      kind="plain"
                      isOn={isOn}
                      label={`Impersonate account ${at}`}
                      run={() =>
                        act(
                          isOn ? 'Stop impersonating' : 'Impersonate',
                          isOn ? 'devnet_stopImpersonateAccount' : 'devnet_impersonateAccount',
                          { account_address: address },
                          () => `account ${at}`,
                        )
                      }
                    >
                      {isOn ? 'Impersonated' : 'Impersonate'}
                    </Action>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {minting !== undefined && (
        <Mint key={minting} address={minting} name={`account ${addresses.indexOf(minting)}`} />
      )}
      {revealed && (
        <section className="panel detail" aria-label="Private key">
          <dl className="facts">
            <dt>private key of account {addresses.indexOf(revealed.address)}</dt>
            <dd>
              <code>{revealed.key}</code> <Copy value={revealed.key} what="private key" />
              <button type="button" className="plain" onClick={() => setRevealed(undefined)}>
                Hide
              </button>
            </dd>
          </dl>
        </section>
      )}
    </>
  );
}
