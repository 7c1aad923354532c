// Page of a token: supply, holders, transfers. A token's contract shows the same in a tab.
import type { Abi } from '@starkbox/abi';
import { canonicalFelt, shortAddress } from '@starkbox/abi/basics';
import { useMemo } from 'react';
import { to } from '../../../navigation/route.js';
import { FactOf, Facts } from '../../../parts/facts.js';
import { Amount } from '../../../parts/number.js';
import { Heading, Unread } from '../../../parts/page-states.js';
import { Modes } from '../../../parts/table/live-table.js';
import { Copy, Link, Mark, UntrustedText } from '../../../parts/values.js';
import { useAbis } from '../../../rpc/queries.js';
import { Holders } from './holders.js';
import { type TokenFacts, useTokenFacts } from './read-token.js';
import { Transfers } from './transfers.js';

export function TokenPage({ id }: { readonly id: string }) {
  const address = canonicalFelt(id);
  if (address !== undefined) return <Token address={address} />;
  return (
    <>
      <Heading title="Token" />
      <p className="empty">
        <UntrustedText text={id} limit={80} quoted /> is not an address: 0x and up to 64 hexadecimal
        digits.
      </p>
    </>
  );
}

function Token({ address }: { readonly address: string }) {
  const facts = useTokenFacts(address);
  const abi = useAbis(useMemo(() => [address], [address])).get(address);
  const symbol = facts.data?.unit.symbol;
  return (
    <>
      <Heading
        title={`${symbol ?? 'Token'} · ${shortAddress(address)}`}
        actions={
          <>
            <Link className="button" href={to('contract', address, { tab: 'interact' })}>
              Contract
            </Link>
            <Modes />
          </>
        }
      >
        <Mark of={address} />
        <UntrustedText text={facts.data?.name ?? symbol ?? 'Token'} limit={60} />
      </Heading>
      <p className="whole">
        {address} <Copy value={address} what="address" />
      </p>
      {facts.data === undefined ? (
        <Unread query={facts} what="the token" />
      ) : facts.data === null ? (
        <p className="empty">
          The contract at this address is not a token: it has no <code>decimals</code> function.{' '}
          <Link className="underlined" href={to('contract', address)}>
            Open the contract
          </Link>
        </p>
      ) : (
        <TokenBody address={address} abi={abi} facts={facts.data} />
      )}
    </>
  );
}

/** The Token tab of a contract. */
export function TokenTab({ address, abi }: { readonly address: string; readonly abi: Abi }) {
  const facts = useTokenFacts(address);
  if (!facts.data) {
    return facts.data === null ? (
      <p className="empty">The token does not report its decimals.</p>
    ) : (
      <Unread query={facts} what="the token" />
    );
  }
  return <TokenBody address={address} abi={abi} facts={facts.data} withName />;
}

interface TokenBodyProps {
  readonly address: string;
  readonly abi: Abi | undefined;
  readonly facts: TokenFacts;
  /** Where the heading is not the name of the token. */
  readonly withName?: boolean;
}

function TokenBody({ address, abi, facts, withName = false }: TokenBodyProps) {
  const { name, unit, supply } = facts;
  return (
    <>
      <Facts>
        {withName && (
          <FactOf name="Name">
            {name === undefined ? (
              <span className="quiet">none</span>
            ) : (
              <UntrustedText text={name} limit={60} />
            )}
          </FactOf>
        )}
        <FactOf name="Symbol">
          <UntrustedText text={unit.symbol} limit={20} />
        </FactOf>
        <FactOf name="Decimals">{unit.decimals}</FactOf>
        <FactOf name="Total supply" isWide>
          {supply === undefined ? (
            <span className="quiet">not reported</span>
          ) : (
            <Amount of={supply} unit={unit} />
          )}
        </FactOf>
      </Facts>
      <div className="token-columns">
        <section aria-label="Holders">
          <h2>Holders</h2>
          <Holders address={address} unit={unit} supply={supply} />
        </section>
        <section aria-label="Transfers">
          <h2>Transfers</h2>
          <Transfers address={address} abi={abi} unit={unit} />
        </section>
      </div>
    </>
  );
}
