// Editor of one call of a step: its contract, its function and its inputs.
import { type Abi, decodeInputs, type NamedValue, type Names, readAbi } from '@starkbox/abi';
import { shortHash } from '@starkbox/abi/basics';
import { type Draft, draftOfDecoded, inputsOf, type Resolve } from '@starkbox/abi/internal';
import { useQuery } from '@tanstack/react-query';
import { useId, useMemo } from 'react';
import type { Unit } from '../../format/amount.js';
import { useNamesOf, useOwnNames } from '../../format/names.js';
import { escapeText } from '../../format/untrusted-text.js';
import { AbiForm, blankInputs, encodeInputs, type FormInputs } from '../../parts/forms/abi-form.js';
import { readAddress, useBook } from '../../parts/forms/address-book.js';
import { AmountUnit } from '../../parts/forms/amount-unit.js';
import { ErrorText } from '../../parts/page-states.js';
import { UntrustedText } from '../../parts/values.js';
import { useLive } from '../../rpc/live-state.js';
import { readAbiAt } from '../../rpc/queries.js';
import { useToken } from '../../rpc/tokens.js';
import type { CallDraft } from './steps.js';

const NO_ABI = readAbi([]);
/** Raw calldata, where no ABI function fits. */
const RAW = {
  inputs: [{ name: 'calldata', type: 'core::array::Array::<core::felt252>' }],
  abi: NO_ABI,
};

/** Drafts of decoded inputs; an address by its name, if the form resolves it. */
function draftsOf(
  { inputs, abi }: FormInputs,
  values: readonly NamedValue[],
  names: Names,
): readonly Draft[] {
  return inputs.map(({ type, name }, at) => {
    const value = (values.find((candidate) => candidate.name === name) ?? values[at])?.value;
    if (value === undefined) return '';
    const addressName = value.kind === 'address' ? names.get(value.felt) : undefined;
    return addressName ?? draftOfDecoded(type, value, abi);
  });
}

/** ABI of the current class at an address. */
function useAbiAt(address: string | undefined) {
  const epoch = useLive((live) => live.epoch);
  return useQuery({
    queryKey: ['abi-at', address, epoch],
    enabled: address !== undefined,
    retry: false,
    queryFn: () => readAbiAt(address ?? ''),
  });
}

interface CallEditorProps {
  readonly of: CallDraft;
  readonly change: (call: CallDraft) => void;
  readonly isJudged: boolean;
}

export function CallEditor({ of, change, isJudged }: CallEditorProps) {
  const { resolve } = useBook();
  const { address, error } = readAddress(of.contract, resolve);
  const abi = useAbiAt(address);
  const unit = useToken(address ?? '');
  const { form, drafts, encoded } = useCallForm(of, abi.data, { resolve, unit });
  const calldataOf = (next: readonly Draft[], of: FormInputs): readonly string[] | undefined => {
    const { calldata } = encodeInputs(of, next, resolve, unit);
    // Raw felts; the length that encodes an array is dropped.
    return of === RAW ? calldata?.slice(1) : calldata;
  };
  const choose = (selector: string): void => {
    const next = abi.data?.functions.get(selector);
    const chosen = next && abi.data ? { inputs: inputsOf(next), abi: abi.data } : RAW;
    const fresh = blankInputs(chosen);
    change({
      ...of,
      selector,
      drafts: fresh,
      isRaw: chosen === RAW,
      calldata: calldataOf(fresh, chosen),
    });
  };
  return (
    <div className="abi-form">
      <ContractField
        of={of}
        change={change}
        address={address}
        error={isJudged ? error : undefined}
        abiError={abi.error}
      />
      {abi.data && (
        <FunctionField abi={abi.data} selector={of.selector} choose={choose} isJudged={isJudged} />
      )}
      {abi.data && of.selector !== '' && (
        <AmountUnit value={unit}>
          <AbiForm
            form={form}
            drafts={drafts}
            encoded={encoded}
            isJudged={isJudged}
            change={(next) =>
              change({
                ...of,
                drafts: next,
                isRaw: form === RAW,
                calldata: calldataOf(next, form),
              })
            }
          />
        </AmountUnit>
      )}
    </div>
  );
}

interface Inputs {
  readonly resolve: Resolve;
  readonly unit: Unit | undefined;
}

/** The form for the inputs: that of the function, or raw felts. */
function useCallForm(of: CallDraft, abi: Abi | undefined, { resolve, unit }: Inputs) {
  const names = useOwnNames();
  const abiFunction = abi?.functions.get(of.selector);
  const functionForm = useMemo(
    () => abi && abiFunction && { inputs: inputsOf(abiFunction), abi },
    [abi, abiFunction],
  );
  const read = useMemo((): readonly Draft[] | undefined => {
    if (!functionForm || !abiFunction || !of.calldata) return undefined;
    const values = decodeInputs(abiFunction, of.calldata, functionForm.abi);
    return values && draftsOf(functionForm, values, names);
  }, [functionForm, abiFunction, of.calldata, names]);
  // Calldata that does not fit the function stays raw.
  const isRaw = of.drafts ? of.isRaw : of.calldata !== undefined && read === undefined;
  const form: FormInputs = functionForm && !isRaw ? functionForm : RAW;
  const drafts = useMemo(
    (): readonly Draft[] =>
      of.drafts ?? (form === RAW ? [of.calldata ?? []] : (read ?? blankInputs(form))),
    [of.drafts, of.calldata, form, read],
  );
  const encoded = useMemo(
    () => encodeInputs(form, drafts, resolve, unit),
    [form, drafts, resolve, unit],
  );
  return { form, drafts, encoded };
}

interface ContractFieldProps {
  readonly of: CallDraft;
  readonly change: (call: CallDraft) => void;
  readonly address: string | undefined;
  readonly error: string | undefined;
  /** Why the ABI could not be read. */
  readonly abiError: Error | null;
}

function ContractField({ of, change, address, error, abiError }: ContractFieldProps) {
  const id = useId();
  const { id: book } = useBook();
  const addresses = useMemo(() => (address === undefined ? [] : [address]), [address]);
  const called = useNamesOf(addresses).get(address ?? '');
  return (
    <div className="abi-field">
      <label htmlFor={id} className="label-name">
        contract
      </label>
      <div className="control">
        <input
          id={id}
          value={of.contract}
          list={book === '' ? undefined : book}
          autoComplete="off"
          spellCheck={false}
          placeholder="name or 0x…"
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-says`}
          onChange={(event) =>
            change({
              ...of,
              contract: event.target.value,
              selector: '',
              drafts: undefined,
              calldata: undefined,
            })
          }
        />
        <span id={`${id}-says`} className="says">
          {error !== undefined ? (
            <span className="fail">{error}</span>
          ) : abiError ? (
            <span className="fail">
              <ErrorText of={abiError} />
            </span>
          ) : (
            address !== undefined && (
              <>
                {called !== undefined && called !== of.contract.trim() && (
                  <UntrustedText text={called} limit={40} />
                )}{' '}
                = <span className="mono">{shortHash(address)}</span>
              </>
            )
          )}
        </span>
      </div>
    </div>
  );
}

interface FunctionFieldProps {
  readonly abi: Abi;
  readonly selector: string;
  readonly choose: (selector: string) => void;
  readonly isJudged: boolean;
}

function FunctionField({ abi, selector: chosen, choose, isJudged }: FunctionFieldProps) {
  const id = useId();
  const functions = useMemo(
    () =>
      [...abi.functions].filter(
        ([, { kind, name }]) => kind !== 'l1_handler' && !name.startsWith('__'),
      ),
    [abi],
  );
  return (
    <div className="abi-field">
      <label htmlFor={id} className="label-name">
        function
      </label>
      <div className="control">
        <select
          id={id}
          value={chosen}
          aria-invalid={isJudged && chosen === ''}
          onChange={(event) => choose(event.target.value)}
        >
          {chosen === '' && <option value="">choose one</option>}
          {chosen !== '' && !abi.functions.has(chosen) && (
            <option value={chosen}>{shortHash(chosen)}, not in the ABI</option>
          )}
          {functions.map(([selector, { name }]) => (
            <option key={selector} value={selector}>
              {escapeText(name, 80).text}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}
