// Page of one contract: transactions, calls, events, interaction, storage, class history.
import { type Abi, readAbi, selectorOf } from '@starkbox/abi';
import { canonicalFelt, shortAddress } from '@starkbox/abi/basics';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { ETH, grouped, STRK } from '../../format/amount.js';
import { learnNames, useContractName } from '../../format/names.js';
import { to, useRoute } from '../../navigation/route.js';
import { LastDone } from '../../parts/action.js';
import { FactOf, Facts } from '../../parts/facts.js';
import { Label } from '../../parts/label-form.js';
import { Amount } from '../../parts/number.js';
import { Empty, Heading, Loading, Unread } from '../../parts/page-states.js';
import { Tabs } from '../../parts/tabs.js';
import { TransactionList } from '../../parts/transaction/transaction-list.js';
import { Address, ClassRef, Copy, Link, Mark, UntrustedText } from '../../parts/values.js';
import { useBalances } from '../../rpc/balances.js';
import { call, RpcFailure } from '../../rpc/client.js';
import { useContractIndex } from '../../rpc/contract-index.js';
import {
  queries,
  readTransactionRows,
  type TransactionRow,
  useClasses,
  useCurrent,
} from '../../rpc/queries.js';
import { Calls } from './calls.js';
import { History } from './class-history.js';
import { AbiView } from './class-page.js';
import { ContractEvents } from './events.js';
import { Interact } from './interact.js';
import { Storage } from './storage.js';
import { isToken } from './token/read-token.js';
import { TokenTab } from './token/token-page.js';

const CONTRACT_NOT_FOUND = 20;

export function ContractPage({ id }: { readonly id: string }) {
  const address = canonicalFelt(id);
  if (address !== undefined) return <Contract address={address} />;
  return (
    <>
      <Heading title="Contract" />
      <p className="empty">
        <UntrustedText text={id} limit={80} quoted /> is not an address: 0x and up to 64 hexadecimal
        digits. The search finds contracts by name.
      </p>
    </>
  );
}

function Contract({ address }: { readonly address: string }) {
  const name = useContractName(address);
  const tabInAddress = useRoute().query.get('tab') ?? undefined;
  const facts = useFacts(address);
  // Asked for with the facts, because the balances of the contract need it.
  useContractIndex();
  const classHash = facts.data?.classHash;
  const start = useStart(address, facts.data && classHash !== undefined);
  const tab = tabInAddress === 'read' ? 'interact' : (tabInAddress ?? start);
  const classes = useClasses(
    useMemo(() => (classHash === undefined ? [] : [classHash]), [classHash]),
  );
  const abi = classHash === undefined ? undefined : classes.get(classHash);
  const isRead = facts.error !== null || (facts.data && (abi !== undefined || !facts.data.hasAbi));
  return (
    <>
      <Heading
        title={`${name ?? 'Contract'} · ${shortAddress(address)}`}
        actions={
          <>
            {abi && isToken(abi) && tab !== 'token' && (
              <Link className="button" href={to('token', address)}>
                Token page
              </Link>
            )}
            <Label value={address} label={name} />
          </>
        }
      >
        <Mark of={address} />
        {name === undefined ? 'Contract' : <UntrustedText text={name} limit={60} />}
      </Heading>
      <p className="whole">
        {address} <Copy value={address} what="address" />
      </p>
      {facts.data ? (
        <ContractFigures address={address} of={facts.data} />
      ) : (
        <Unread query={facts} what="the contract" />
      )}
      {tab !== 'interact' && <LastDone />}
      {/* Read at the same time as the facts above, whose height is not yet known. */}
      <div className={isRead ? undefined : 'is-hidden'}>
        <Tabs
          current={tab ?? ''}
          isFirstDefault={start !== 'interact'}
          tabs={[
            { id: 'transactions', name: 'Transactions' },
            { id: 'calls', name: 'Calls' },
            { id: 'events', name: 'Events' },
            ...(abi && isToken(abi) ? [{ id: 'token', name: 'Token' }] : []),
            { id: 'interact', name: 'Interact' },
            { id: 'storage', name: 'Storage' },
            { id: 'abi', name: 'ABI', count: abi?.functions.size },
            { id: 'history', name: 'History' },
          ]}
        />
        <ContractTab
          address={address}
          tab={tab ?? ''}
          abi={abi}
          classHash={classHash}
          isRead={facts.data !== undefined}
          hasError={facts.error !== null}
        />
      </div>
    </>
  );
}

const DEPLOYERS = new Set([selectorOf('deployContract'), selectorOf('deploy_contract')]);

/** A call of a deployer alone. */
const isDeployment = ({ call, call_count }: TransactionRow): boolean =>
  call !== undefined && DEPLOYERS.has(call.selector) && call_count === 1;

/** The first tab: a contract that was only deployed opens on its functions. Undefined until that is known. */
function useStart(
  address: string,
  isDeployed: boolean | undefined,
): 'transactions' | 'interact' | undefined {
  const { data, error } = useQuery({
    queryKey: ['contract start', address],
    gcTime: 0,
    queryFn: async () => {
      const { rows } = await readTransactionRows({ contract: address }, undefined, true);
      return rows.filter((row) => row.call?.contract_address === address || !isDeployment(row))
        .length;
    },
  });
  if (error) return 'transactions';
  if (data === undefined || (data === 0 && isDeployed === undefined)) return undefined;
  return data === 0 && isDeployed ? 'interact' : 'transactions';
}

function useFacts(address: string) {
  // The class is read in the same request as the other facts.
  const hasClass = useRef(false);
  return useCurrent(['contract', address], async () => {
    const block_id = 'pre_confirmed';
    const [contractClass, classHash, nonce, strk, eth] = await Promise.allSettled([
      hasClass.current
        ? undefined
        : call('starknet_getClassAt', { block_id, contract_address: address }),
      call('starknet_getClassHashAt', { block_id, contract_address: address }),
      call('starknet_getNonce', { block_id, contract_address: address }),
      call('devnet_getAccountBalance', { address, unit: 'FRI', block_id }),
      call('devnet_getAccountBalance', { address, unit: 'WEI', block_id }),
    ]);
    const isMissing =
      classHash.status === 'rejected' &&
      classHash.reason instanceof RpcFailure &&
      classHash.reason.code === CONTRACT_NOT_FOUND;
    if (classHash.status === 'rejected' && !isMissing) throw classHash.reason;
    if (
      contractClass.status === 'fulfilled' &&
      contractClass.value &&
      classHash.status === 'fulfilled'
    ) {
      const abi = learnNames(readAbi(contractClass.value.abi));
      queries.setQueryData(['class', classHash.value], abi);
      hasClass.current = true;
    }
    return {
      /** Whether the class was read with the facts. */
      hasAbi: contractClass.status === 'fulfilled' && contractClass.value !== undefined,
      classHash: classHash.status === 'fulfilled' ? classHash.value : undefined,
      nonce: nonce.status === 'fulfilled' ? BigInt(nonce.value) : undefined,
      strk: strk.status === 'fulfilled' ? BigInt(strk.value.amount) : undefined,
      eth: eth.status === 'fulfilled' ? BigInt(eth.value.amount) : undefined,
    };
  });
}

interface ContractTabProps {
  readonly address: string;
  readonly tab: string;
  readonly abi: Abi | undefined;
  readonly classHash: string | undefined;
  /** Whether the facts of the contract have been read. */
  readonly isRead: boolean;
  readonly hasError: boolean;
}

function ContractTab({ address, tab, abi, classHash, isRead, hasError }: ContractTabProps) {
  const filter = useMemo(() => ({ contract: address }), [address]);
  return (
    <>
      {tab === 'transactions' && (
        <TransactionList
          filter={filter}
          empty={
            <Empty
              icon="transactions"
              title="No transaction was sent by this address or calls it."
              action={
                <Link className="button" href={to('contract', address, { tab: 'interact' })}>
                  Call a function
                </Link>
              }
            />
          }
        />
      )}
      {tab === 'calls' && <Calls address={address} abi={abi} />}
      {tab === 'events' && <ContractEvents address={address} abi={abi} />}
      {tab === 'token' && abi && <TokenTab address={address} abi={abi} />}
      {tab === 'interact' &&
        (abi ? (
          <Interact key={classHash} address={address} abi={abi} />
        ) : isRead && classHash === undefined ? (
          <p className="empty">
            There is nothing to call: no contract is deployed at this address.
          </p>
        ) : (
          !hasError && <Loading what="the class" />
        ))}
      {tab === 'storage' && <Storage address={address} />}
      {tab === 'abi' &&
        (abi ? (
          <AbiView abi={abi} />
        ) : (
          isRead &&
          classHash === undefined && (
            <p className="empty">There is no ABI: no contract is deployed at this address.</p>
          )
        ))}
      {tab === 'history' && <History address={address} />}
    </>
  );
}

interface ContractFacts {
  readonly classHash: string | undefined;
  readonly nonce: bigint | undefined;
  readonly strk: bigint | undefined;
  readonly eth: bigint | undefined;
}

interface ContractFiguresProps {
  readonly address: string;
  readonly of: ContractFacts;
}

function ContractFigures({ address, of }: ContractFiguresProps) {
  const balances = useBalances(useMemo(() => [address], [address]));
  const held = balances?.byAccount.get(address) ?? [];
  const unreadCount = balances ? balances.tokenCount - balances.readCount : 0;
  return (
    <>
      <Facts>
        <FactOf name="Class">
          {of.classHash === undefined ? (
            <span className="warn">No contract is deployed at this address.</span>
          ) : (
            <ClassRef of={of.classHash} copy />
          )}
        </FactOf>
        {of.nonce !== undefined && <FactOf name="Nonce">{grouped(of.nonce)}</FactOf>}
        {of.strk !== undefined && (
          <FactOf name="STRK">
            <Amount of={of.strk} unit={STRK} />
          </FactOf>
        )}
        {of.eth !== undefined && (
          <FactOf name="ETH">
            <Amount of={of.eth} unit={ETH} />
          </FactOf>
        )}
        {held.map(({ token, unit, amount }) => (
          <FactOf key={token} name={<Address of={token} />}>
            <Link href={to('token', token)}>
              <Amount of={amount} unit={unit} />
            </Link>
          </FactOf>
        ))}
      </Facts>
      {unreadCount > 0 && (
        <p className="quiet note">
          Balances of the newest {grouped(balances?.readCount ?? 0)} tokens; {grouped(unreadCount)}{' '}
          older tokens were not read.
        </p>
      )}
    </>
  );
}
