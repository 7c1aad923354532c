// Interact tab of a contract: list of functions, values of its views, a form for each function.
import { type Abi, type AbiFunction, type Decoded, decodeOutputs, selectorOf } from '@starkbox/abi';
import { useEffect, useMemo, useRef, useState } from 'react';
import { setQuery, to, useRoute } from '../../navigation/route.js';
import { PlainButton } from '../../parts/button.js';
import { AddressBook } from '../../parts/forms/address-book.js';
import { ContractValue } from '../../parts/transaction/decoded-value.js';
import { Link, UntrustedText } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import { useCurrent } from '../../rpc/queries.js';
import { Tray } from './batch-tray.js';
import { CallForm } from './call-form.js';
import { FilterField } from './filter-field.js';
import { RawForm } from './raw-call-form.js';

/** Most views that are read automatically; the others have a button. */
const MAX_READ = 30;
const MAX_LISTED = 300;
const RAW = 'raw call';

export function Interact({ address, abi }: { readonly address: string; readonly abi: Abi }) {
  const functionName = useRoute().query.get('f') ?? undefined;
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
  const values = useViews(address, abi, reads);
  return (
    <AddressBook id="address-book">
      <div className="columns">
        <FunctionChoice
          reads={reads}
          writes={writes}
          chosen={chosen}
          values={values}
          address={address}
          hasAbi={abi.functions.size > 0}
        />
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

interface FunctionChoiceProps {
  readonly reads: readonly AbiFunction[];
  readonly writes: readonly AbiFunction[];
  /** Undefined for the raw call. */
  readonly chosen: AbiFunction | undefined;
  readonly values: ReadonlyMap<string, readonly Decoded[]>;
  readonly address: string;
  readonly hasAbi: boolean;
}

/** List of the functions. On a phone it is folded once the address names one, so that the form is in view. */
function FunctionChoice(props: FunctionChoiceProps) {
  const { reads, writes, chosen, values, address, hasAbi } = props;
  const functionName = useRoute().query.get('f') ?? undefined;
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const isFolded = functionName !== undefined && !isOpen;
  const fold = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isFolded) showChosen(list.current);
    // The button is visible on a phone only; elsewhere it cannot take the focus.
    else if (list.current?.contains(document.activeElement)) fold.current?.focus();
  }, [isFolded]);
  useEffect(() => showChosen(list.current), []);
  const choose = (name: string): void => {
    setOpen(false);
    setQuery({ f: name });
  };
  const text = search.trim().toLowerCase();
  const matching = (of: readonly AbiFunction[]): readonly AbiFunction[] =>
    of.filter(({ name }) => name.toLowerCase().includes(text)).slice(0, MAX_LISTED);
  const group = { chosen, values, address, choose };
  return (
    <div className={isFolded ? 'function-choice is-folded' : 'function-choice'}>
      {functionName !== undefined && (
        <PlainButton
          ref={fold}
          className="plain group-head function-fold"
          aria-expanded={!isFolded}
          onClick={() => setOpen(isFolded)}
        >
          <span>
            Function: <UntrustedText text={chosen?.name ?? RAW} limit={60} />
          </span>
        </PlainButton>
      )}
      <FilterField text={search} change={setSearch} placeholder="Find a function" />
      <div ref={list} className="function-list">
        <FunctionGroup name="Read" of={matching(reads)} {...group} />
        <FunctionGroup name="Write" of={matching(writes)} {...group} />
        <ul className="functions" aria-label="Without the ABI">
          <li>
            <button type="button" aria-pressed={!chosen} onClick={() => choose(RAW)}>
              Raw call
            </button>
          </li>
        </ul>
      </div>
      {hasAbi && (
        <p className="quiet">
          <Link href={to('contract', address, { tab: 'abi' })}>Whole ABI</Link>
        </p>
      )}
    </div>
  );
}

/** Scrolls to the chosen function, with a whole one as the first in view. */
function showChosen(list: HTMLElement | null): void {
  const chosen = list?.querySelector('[aria-pressed="true"]');
  if (!list || !(chosen instanceof HTMLElement)) return;
  const top = chosen.offsetTop - list.scrollTop;
  if (top >= 0 && top + chosen.offsetHeight <= list.clientHeight) return;
  const least = chosen.offsetTop - list.clientHeight / 2;
  const first = [...list.querySelectorAll('li')].find(({ offsetTop }) => offsetTop >= least);
  list.scrollTop = first?.offsetTop ?? chosen.offsetTop;
}

/** Values of the views without inputs, read in one request and again after each change of the chain. */
function useViews(
  address: string,
  abi: Abi,
  reads: readonly AbiFunction[],
): ReadonlyMap<string, readonly Decoded[]> {
  const views = reads.filter(({ inputs }) => inputs.length === 0).slice(0, MAX_READ);
  const { data } = useCurrent(
    ['views', address, views.map(({ name }) => name)],
    async () =>
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
    { isWanted: views.length > 0 },
  );
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
  readonly choose: (name: string) => void;
}

function FunctionGroup({ name, of, chosen, values, address, choose }: FunctionGroupProps) {
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
              onClick={() => choose(abiFunction.name)}
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
