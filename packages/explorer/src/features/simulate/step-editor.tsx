// Editor of one simulation step: sender, and contract, function and inputs of each call.
import {
  type Abi,
  type Draft,
  decodeInputs,
  draftOfDecoded,
  inputsOf,
  type Named,
  readAbi,
  shortHash,
} from '@starkbox/abi';
import { useQuery } from '@tanstack/react-query';
import { useId, useMemo } from 'react';
import { learn, useNames } from '../../format/names.js';
import { disarm } from '../../format/untrusted-text.js';
import { AbiForm, blankInputs, encodeInputs, type FormInputs } from '../../parts/forms/abi-form.js';
import { readAddress, useBook } from '../../parts/forms/address-book.js';
import { ErrorText } from '../../parts/page-states.js';
import { SenderField, useSender } from '../../parts/send/sender.js';
import { Hostile } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import { type CallDraft, MOST_CALLS, newCall, type StepDraft } from './steps.js';

const NO_ABI = readAbi([]);
/** Raw calldata, where no ABI function fits. */
const RAW = {
  inputs: [{ name: 'calldata', type: 'core::array::Array::<core::felt252>' }],
  abi: NO_ABI,
};

export function StepEditor({
  of,
  change,
  isJudged,
}: {
  readonly of: StepDraft;
  readonly change: (step: StepDraft) => void;
  readonly isJudged: boolean;
}) {
  const sender = useSender(of.as);
  return (
    <div className="stack">
      <SenderField text={of.as} sender={sender} change={(as) => change({ ...of, as })} />
      {of.calls.map((one, at) => (
        <fieldset key={one.id} className="step-call">
          <legend className="unseen">Call {at + 1}</legend>
          <CallEditor
            of={one}
            isJudged={isJudged}
            change={(next) =>
              change({ ...of, calls: of.calls.map((old) => (old.id === one.id ? next : old)) })
            }
          />
          {of.calls.length > 1 && (
            <button
              type="button"
              className="plain"
              aria-label={`Remove call ${at + 1}`}
              onClick={() => change({ ...of, calls: of.calls.filter(({ id }) => id !== one.id) })}
            >
              Remove this call
            </button>
          )}
        </fieldset>
      ))}
      <div>
        <button
          type="button"
          className="plain"
          aria-disabled={of.calls.length >= MOST_CALLS}
          onClick={() => {
            if (of.calls.length < MOST_CALLS) change({ ...of, calls: [...of.calls, newCall()] });
          }}
        >
          + Call in the same transaction
        </button>
      </div>
    </div>
  );
}

/** Drafts of decoded inputs. */
function draftsOf({ inputs, abi }: FormInputs, values: readonly Named[]): readonly Draft[] {
  return inputs.map(({ type, name }, at) => {
    const value = values.find((one) => one.name === name) ?? values[at];
    return value ? draftOfDecoded(type, value.value, abi) : '';
  });
}

/** ABI of the current class at an address. */
function useAbiAt(address: string | undefined) {
  const epoch = useLive((live) => live.epoch);
  return useQuery({
    queryKey: ['abi-at', address, epoch],
    enabled: address !== undefined,
    retry: false,
    queryFn: async (): Promise<Abi> => {
      const { abi } = await call('starknet_getClassAt', {
        block_id: 'pre_confirmed',
        contract_address: address ?? '',
      });
      const read = readAbi(abi);
      learn(read);
      return read;
    },
  });
}

function CallEditor({
  of,
  change,
  isJudged,
}: {
  readonly of: CallDraft;
  readonly change: (call: CallDraft) => void;
  readonly isJudged: boolean;
}) {
  const id = useId();
  const { id: book, resolve } = useBook();
  const { address, error } = readAddress(of.contract, resolve);
  const called = useNames().get(address ?? '');
  const abi = useAbiAt(address);
  const functions = useMemo(
    () =>
      [...(abi.data?.functions ?? [])].filter(
        ([, { kind, name }]) => kind !== 'l1_handler' && !name.startsWith('__'),
      ),
    [abi.data],
  );
  const found = abi.data?.functions.get(of.selector);
  const asked = useMemo(
    () => abi.data && found && { inputs: inputsOf(found), abi: abi.data },
    [abi.data, found],
  );
  const read = useMemo((): readonly Draft[] | undefined => {
    if (!asked || !found || !of.calldata) return undefined;
    const values = decodeInputs(found, of.calldata, asked.abi);
    return values && draftsOf(asked, values);
  }, [asked, found, of.calldata]);
  // Calldata that does not fit the function stays raw.
  const isRaw = of.drafts ? of.isRaw : of.calldata !== undefined && read === undefined;
  const form = asked && !isRaw ? asked : RAW;
  const drafts = useMemo(
    (): readonly Draft[] =>
      of.drafts ?? (form === RAW ? [of.calldata ?? []] : (read ?? blankInputs(form))),
    [of.drafts, of.calldata, form, read],
  );
  const encoded = useMemo(() => encodeInputs(form, drafts, resolve), [form, drafts, resolve]);
  const calldataOf = (next: readonly Draft[], of: typeof form): readonly string[] | undefined => {
    const { calldata } = encodeInputs(of, next, resolve);
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
      <div className="abi-field">
        <label htmlFor={id}>contract</label>
        <div className="control">
          <input
            id={id}
            value={of.contract}
            list={book === '' ? undefined : book}
            autoComplete="off"
            spellCheck={false}
            placeholder="name or 0x…"
            aria-invalid={isJudged && error !== undefined}
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
            {isJudged && error !== undefined ? (
              <span className="fail">{error}</span>
            ) : abi.error ? (
              <span className="fail">
                <ErrorText of={abi.error} />
              </span>
            ) : (
              address !== undefined && (
                <>
                  {called !== undefined && called !== of.contract.trim() && (
                    <Hostile text={called} limit={40} />
                  )}{' '}
                  = <span className="mono">{shortHash(address)}</span>
                </>
              )
            )}
          </span>
        </div>
      </div>
      {abi.data && (
        <div className="abi-field">
          <label htmlFor={`${id}-function`}>function</label>
          <div className="control">
            <select
              id={`${id}-function`}
              value={of.selector}
              aria-invalid={isJudged && of.selector === ''}
              onChange={(event) => choose(event.target.value)}
            >
              {of.selector === '' && <option value="">choose one</option>}
              {of.selector !== '' && !found && (
                <option value={of.selector}>{shortHash(of.selector)}, not in the ABI</option>
              )}
              {functions.map(([selector, { name }]) => (
                <option key={selector} value={selector}>
                  {disarm(name, 80).text}
                </option>
              ))}
            </select>
          </div>
        </div>
      )}
      {abi.data && of.selector !== '' && (
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
      )}
    </div>
  );
}
