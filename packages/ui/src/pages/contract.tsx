// Knows the page of one address: what stands there, what it answers, what it holds, and who used it.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Abi, AbiFunction } from '../abi/abi.js';
import { decodeOutputs } from '../abi/decode.js';
import { encodeInput } from '../abi/encode.js';
import { shortType } from '../abi/type-name.js';
import { useNames } from '../names.js';
import { Action, act, LastDone } from '../parts/action.js';
import { RawFelts, tokenOf, Value } from '../parts/decoded.js';
import { ErrorText, Heading, Loading, Problem } from '../parts/states.js';
import { VirtualTable } from '../parts/table.js';
import { Tabs } from '../parts/tabs.js';
import { Amount, BlockRef, ClassRef, Copy, Felt, Hostile, Link, Mark } from '../parts/values.js';
import { to, usePlace } from '../route.js';
import { ETH, grouped, STRK } from '../values/amount.js';
import { canonical, shortAddress } from '../values/felt.js';
import { selectorOf } from '../values/keccak.js';
import { useLive } from '../wire/live.js';
import type { Result } from '../wire/methods.js';
import { useClasses } from '../wire/queries.js';
import { call, RpcFailure } from '../wire/rpc.js';
import { AbiView } from './class.js';
import { TransactionList } from './transactions.js';

const CONTRACT_NOT_FOUND = 20;

export function ContractPage({ id: given }: { readonly id: string }) {
  const address = canonical(given) ?? given;
  const name = useNames().get(address);
  const beat = useLive((live) => live.beat);
  const tab = usePlace().query.get('tab') ?? 'transactions';
  const facts = useQuery({
    queryKey: ['contract', address, beat],
    placeholderData: (old) => old,
    queryFn: async () => {
      const block_id = 'pre_confirmed';
      const [classHash, nonce, strk, eth] = await Promise.allSettled([
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
      return {
        classHash: classHash.status === 'fulfilled' ? classHash.value : undefined,
        nonce: nonce.status === 'fulfilled' ? BigInt(nonce.value) : undefined,
        strk: strk.status === 'fulfilled' ? BigInt(strk.value.amount) : undefined,
        eth: eth.status === 'fulfilled' ? BigInt(eth.value.amount) : undefined,
      };
    },
  });
  const classHash = facts.data?.classHash;
  const classes = useClasses(
    useMemo(() => (classHash === undefined ? [] : [classHash]), [classHash]),
  );
  const abi = classHash === undefined ? undefined : classes.get(classHash);
  const filter = useMemo(() => ({ contract: address }), [address]);

  return (
    <>
      <Heading title={`${name ?? 'Contract'} · ${shortAddress(address)}`}>
        <Mark of={address} />
        {name === undefined ? 'Contract' : <Hostile text={name} limit={60} />}
      </Heading>
      <p className="whole">
        {address} <Copy value={address} what="address" />
      </p>
      {facts.error && !facts.data ? (
        <Problem error={facts.error} what="the contract" retry={() => void facts.refetch()} />
      ) : !facts.data ? (
        <Loading what="the contract" />
      ) : (
        <>
          <div className="meta">
            {classHash === undefined ? (
              <span className="warn">No contract stands at this address.</span>
            ) : (
              <span>
                class <ClassRef of={classHash} copy />
              </span>
            )}
            {facts.data.nonce !== undefined && <span>nonce {grouped(facts.data.nonce)}</span>}
            {facts.data.strk !== undefined && (
              <span>
                <Amount of={facts.data.strk} unit={STRK} />
              </span>
            )}
            {facts.data.eth !== undefined && (
              <span>
                <Amount of={facts.data.eth} unit={ETH} />
              </span>
            )}
          </div>
          <Label value={address} label={name} />
          <Tabs
            current={tab}
            tabs={[
              { id: 'transactions', name: 'Transactions' },
              ...(abi ? [{ id: 'read', name: 'Read' }] : []),
              { id: 'storage', name: 'Storage' },
              ...(abi ? [{ id: 'abi', name: 'ABI', count: abi.functions.size }] : []),
            ]}
          />
          {tab === 'transactions' && (
            <TransactionList
              filter={filter}
              empty={<p className="empty">No transaction has come from or called this address.</p>}
            />
          )}
          {tab === 'read' && abi && <ReadForm address={address} abi={abi} />}
          {tab === 'storage' && <Storage address={address} />}
          {tab === 'abi' && abi && <AbiView abi={abi} />}
        </>
      )}
    </>
  );
}

/** A name of one's own for a value. */
function Label({ value, label }: { readonly value: string; readonly label: string | undefined }) {
  const [draft, setDraft] = useState<string | undefined>();
  if (draft === undefined) {
    return (
      <div className="line-of">
        <button type="button" className="plain" onClick={() => setDraft(label ?? '')}>
          Label ✎
        </button>
        <LastDone />
      </div>
    );
  }
  const text = draft.trim();
  return (
    <div className="line-of">
      <label>
        label
        <input value={draft} maxLength={100} onChange={(event) => setDraft(event.target.value)} />
      </label>
      <Action
        run={async () => {
          await act(
            'Set the label',
            'devnet_setLabel',
            { value, label: text === '' ? null : text },
            () => (text === '' ? 'removed' : text),
          );
          setDraft(undefined);
        }}
      >
        {text === '' ? 'Remove the label' : 'Set the label'}
      </Action>
    </div>
  );
}

function Storage({ address }: { readonly address: string }) {
  const beat = useLive((live) => live.beat);
  const query = useInfiniteQuery({
    queryKey: ['storage', address, beat],
    placeholderData: (old) => old,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      call('devnet_getStorage', {
        contract_address: address,
        limit: 100,
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      }),
    getNextPageParam: (page: Result<'devnet_getStorage'>) => page.next,
  });
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.entries) ?? [], [query.data]);
  if (query.error && !query.data) {
    return <Problem error={query.error} what="the storage" retry={() => void query.refetch()} />;
  }
  if (query.isPending) return <Loading what="the storage" />;
  if (rows.length === 0) return <p className="empty">Every slot of it is zero.</p>;
  return (
    <VirtualTable
      label="Storage"
      rows={rows}
      idOf={(row) => row.key}
      copyOf={(row) => row.key}
      onEnd={() => {
        if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
      }}
      columns={[
        {
          head: 'Slot',
          phone: 'main',
          cell: (row) => (
            <code title={row.key} data-eq={row.key}>
              {row.key}
            </code>
          ),
        },
        {
          head: 'Value',
          width: 'w-state',
          number: true,
          cell: (row) => <StoredValue of={row.value} />,
        },
        {
          head: 'Changed in',
          width: 'w-kind',
          number: true,
          phoneHead: 'block',
          cell: (row) => <BlockRef of={row.last_update_block} />,
        },
      ]}
    />
  );
}

function StoredValue({ of }: { readonly of: string }) {
  return of.length <= 18 ? <span title={of}>{grouped(BigInt(of))}</span> : <Felt of={of} />;
}

function ReadForm({ address, abi }: { readonly address: string; readonly abi: Abi }) {
  const views = useMemo(
    () =>
      [...abi.functions.values()].filter(
        ({ kind, name }) => kind === 'view' && !name.startsWith('__'),
      ),
    [abi],
  );
  const [chosen, setChosen] = useState<AbiFunction | undefined>(views[0]);
  if (views.length === 0) return <p className="empty">It has no function that only reads.</p>;
  return (
    <div className="columns">
      <ul className="functions" aria-label="Functions that read">
        {views.map((one) => (
          <li key={one.name}>
            <button type="button" aria-pressed={one === chosen} onClick={() => setChosen(one)}>
              <Hostile text={one.name} limit={60} />
            </button>
          </li>
        ))}
      </ul>
      {chosen && <CallForm key={chosen.name} address={address} abi={abi} of={chosen} />}
    </div>
  );
}

function CallForm({
  address,
  abi,
  of,
}: {
  readonly address: string;
  readonly abi: Abi;
  readonly of: AbiFunction;
}) {
  const [texts, setTexts] = useState<readonly string[]>(of.inputs.map(() => ''));
  const [outcome, setOutcome] = useState<
    { readonly result?: readonly string[]; readonly error?: unknown } | undefined
  >();
  const [errors, setErrors] = useState<readonly (string | undefined)[]>([]);
  const run = async (): Promise<void> => {
    const encoded = of.inputs.map(({ type }, at) => encodeInput(type, texts[at] ?? '', abi));
    setErrors(encoded.map((one) => (typeof one === 'string' ? one : undefined)));
    const calldata: string[] = [];
    for (const one of encoded) {
      if (typeof one === 'string') return;
      calldata.push(...one);
    }
    try {
      const result = await call('starknet_call', {
        request: { contract_address: address, entry_point_selector: selectorOf(of.name), calldata },
        block_id: 'pre_confirmed',
      });
      setOutcome({ result });
    } catch (error) {
      setOutcome({ error });
    }
  };
  const values = outcome?.result && decodeOutputs(of, outcome.result, abi);
  return (
    <form
      className="stack"
      aria-label={`Call ${of.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <h2>
        <Hostile text={of.name} limit={80} />
      </h2>
      {of.inputs.map(({ name, type }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat
        <label key={at} className="field">
          <span>
            <Hostile text={name} limit={60} /> <span className="quiet">{shortType(type)}</span>
          </span>
          <input
            className="mono"
            value={texts[at] ?? ''}
            aria-invalid={errors[at] !== undefined}
            onChange={(event) =>
              setTexts(texts.map((text, place) => (place === at ? event.target.value : text)))
            }
          />
          {errors[at] !== undefined && <span className="fail">{errors[at]}</span>}
        </label>
      ))}
      <div>
        <button type="submit" className="button primary">
          Call {of.name}
        </button>
      </div>
      {outcome && (
        <section aria-label="Result" role="status">
          {outcome.error !== undefined ? (
            <p className="fail">
              ✕ <ErrorText of={outcome.error} />
            </p>
          ) : values ? (
            <p>
              {values.length === 0 && 'It returned nothing.'}
              {values.map((value, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: outputs have no names
                <span key={at} className="result">
                  <Value of={value} token={tokenOf(address)} />{' '}
                </span>
              ))}
            </p>
          ) : (
            <p>
              <RawFelts of={outcome.result ?? []} />
            </p>
          )}
        </section>
      )}
      <p className="quiet">
        Read at the pre-confirmed block by <code>starknet_call</code>.{' '}
        <Link href={to('contract', address, { tab: 'abi' })}>Whole ABI</Link>
      </p>
    </form>
  );
}
