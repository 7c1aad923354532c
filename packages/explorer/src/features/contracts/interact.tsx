// Interact tab of a contract: list of functions, values of its views, a form for each function.
import { type Abi, type AbiFunction, type Decoded, decodeOutputs, selectorOf } from '@starkbox/abi';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { setQuery, to, useRoute } from '../../navigation/route.js';
import { AddressBook } from '../../parts/forms/address-book.js';
import { ContractValue } from '../../parts/transaction/decoded-value.js';
import { Link, UntrustedText } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import { Tray } from './batch-tray.js';
import { CallForm } from './call-form.js';
import { RawForm } from './raw-call-form.js';

/** Most views that are read automatically; the others have a button. */
const MOST_READ = 30;
const MOST_LISTED = 300;
const RAW = 'raw call';

export function Interact({ address, abi }: { readonly address: string; readonly abi: Abi }) {
  const functionName = useRoute().query.get('f') ?? undefined;
  const [search, setSearch] = useState('');
  const all = useMemo(
    () =>
      [...abi.functions.values()].filter(
        ({ kind, name }) => kind !== 'l1_handler' && !name.startsWith('__'),
      ),
    [abi],
  );
  const reads = all.filter(({ kind }) => kind === 'view');
  const writes = all.filter(({ kind }) => kind !== 'view');
  const chosen =
    functionName === RAW
      ? undefined
      : (all.find(({ name }) => name === functionName) ?? reads[0] ?? writes[0]);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => showChosen(list.current), []);
  const values = useViews(address, abi, reads);
  const text = search.trim().toLowerCase();
  const matching = (of: readonly AbiFunction[]): readonly AbiFunction[] =>
    of.filter(({ name }) => name.toLowerCase().includes(text)).slice(0, MOST_LISTED);
  return (
    <AddressBook id="address-book">
      <div className="columns">
        <div>
          <label className="unseen" htmlFor="function-search">
            Find a function
          </label>
          <input
            id="function-search"
            type="search"
            className="function-search"
            placeholder="functions"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          <div ref={list} className="function-list">
            <FunctionGroup
              name="Read"
              of={matching(reads)}
              chosen={chosen}
              values={values}
              address={address}
            />
            <FunctionGroup
              name="Write"
              of={matching(writes)}
              chosen={chosen}
              values={values}
              address={address}
            />
            <ul className="functions" aria-label="Without the ABI">
              <li>
                <button type="button" aria-pressed={!chosen} onClick={() => setQuery({ f: RAW })}>
                  Raw call
                </button>
              </li>
            </ul>
          </div>
          {abi.functions.size > 0 && (
            <p className="quiet">
              <Link href={to('contract', address, { tab: 'abi' })}>Whole ABI</Link>
            </p>
          )}
        </div>
        {chosen ? (
          <CallForm key={chosen.name} address={address} abi={abi} of={chosen} />
        ) : (
          <RawForm address={address} hasAbi={abi.functions.size > 0} />
        )}
      </div>
      <Tray />
    </AddressBook>
  );
}

/** Scrolls to the function that the page's address names. */
function showChosen(list: HTMLElement | null): void {
  const chosen = list?.querySelector('[aria-pressed="true"]');
  if (!list || !(chosen instanceof HTMLElement)) return;
  if (chosen.offsetTop + chosen.offsetHeight > list.clientHeight)
    list.scrollTop = chosen.offsetTop - list.clientHeight / 2;
}

/** Values of the views without inputs, read in one request and again after each change of the chain. */
function useViews(
  address: string,
  abi: Abi,
  reads: readonly AbiFunction[],
): ReadonlyMap<string, readonly Decoded[]> {
  const beat = useLive((live) => live.beat);
  const views = reads.filter(({ inputs }) => inputs.length === 0).slice(0, MOST_READ);
  const { data } = useQuery({
    queryKey: ['views', address, views.map(({ name }) => name), beat],
    enabled: views.length > 0,
    placeholderData: (old) => old,
    gcTime: 10_000,
    queryFn: async () =>
      new Map(
        await Promise.all(
          views.map(async ({ name }) => {
            const result = await call('starknet_call', {
              request: {
                contract_address: address,
                entry_point_selector: selectorOf(name),
                calldata: [],
              },
              block_id: 'pre_confirmed',
            }).catch(() => undefined);
            return [name, result] as const;
          }),
        ),
      ),
  });
  return useMemo(() => {
    const decoded = new Map<string, readonly Decoded[]>();
    for (const view of views) {
      const result = data?.get(view.name);
      const values = result && decodeOutputs(view, result, abi);
      if (values) decoded.set(view.name, values);
    }
    return decoded;
  }, [data, abi, views]);
}

interface FunctionGroupProps {
  readonly name: string;
  readonly of: readonly AbiFunction[];
  readonly chosen: AbiFunction | undefined;
  readonly values: ReadonlyMap<string, readonly Decoded[]>;
  readonly address: string;
}

function FunctionGroup({ name, of, chosen, values, address }: FunctionGroupProps) {
  if (of.length === 0) return null;
  return (
    <>
      <h2 className="group-name">{name}</h2>
      <ul className="functions" aria-label={`${name} functions`}>
        {of.map((abiFunction) => (
          <li key={abiFunction.name}>
            <button
              type="button"
              aria-pressed={abiFunction === chosen}
              onClick={() => setQuery({ f: abiFunction.name })}
            >
              <UntrustedText text={abiFunction.name} limit={60} />
            </button>
            {values.has(abiFunction.name) && (
              <span className="reading">
                {values.get(abiFunction.name)?.map((value, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: outputs have no names
                  <ContractValue key={at} of={value} contract={address} depth={2} />
                ))}
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
