// Form for a call without an ABI: function name or selector, and felts.
import { readAbi, selectorOf, type UserCall } from '@starkbox/abi';
import { canonicalFelt } from '@starkbox/abi/basics';
import { useId, useState } from 'react';
import { Button } from '../../parts/button.js';
import { AbiForm, focusFault } from '../../parts/forms/abi-form.js';
import { collect } from '../../parts/send/batch.js';
import { SendForm } from '../../parts/send/send-form.js';
import { useInputs } from './call-form.js';

const FORM = {
  inputs: [
    { name: 'function', type: 'core::byte_array::ByteArray' },
    { name: 'calldata', type: 'core::array::Array::<core::felt252>' },
  ],
  abi: readAbi([]),
};
const FELTS = { inputs: FORM.inputs.slice(1), abi: FORM.abi };

interface RawFormProps {
  readonly address: string;
  readonly hasAbi: boolean;
}

export function RawForm({ address, hasAbi }: RawFormProps) {
  const { drafts, setDrafts, as, setAs, isJudged, setJudged, encoded } = useInputs(
    FORM,
    'raw call',
  );
  const name = typeof drafts[0] === 'string' ? drafts[0].trim() : '';
  const selector = canonicalFelt(name) ?? (/^\w{1,200}$/.test(name) ? selectorOf(name) : undefined);
  const felts = encoded.parts[1];
  const calls = (): readonly UserCall[] | undefined => {
    setJudged(true);
    if (selector === undefined || !felts || felts.isWrong) return undefined;
    // Raw felts; the length that encodes an array is dropped.
    return [{ contract: address, selector, calldata: felts.felts.slice(1) }];
  };
  return (
    <SendForm
      label="Raw call"
      what={name === '' ? 'Raw call' : `Call ${name.slice(0, 60)}`}
      as={as}
      setAs={setAs}
      inputs={`${name} ${felts?.felts.join(' ') ?? ''}`}
      prepare={calls}
      extra={
        <Button
          onClick={(event) => {
            const [call] = calls() ?? [];
            if (call)
              collect({ ...call, name: canonicalFelt(name) === undefined ? name : undefined });
            else focusFault(event.currentTarget.form);
          }}
        >
          Add to batch
        </Button>
      }
    >
      <div className="function-head">
        <h2>Raw call</h2>
        <span className="quiet">
          {hasAbi ? 'without the ABI' : 'the class of this contract has no ABI'}
        </span>
      </div>
      <FunctionField
        name={name}
        selector={selector}
        isJudged={isJudged}
        change={(text) => setDrafts([text, drafts[1] ?? []])}
      />
      <AbiForm
        form={FELTS}
        drafts={drafts.slice(1)}
        encoded={{ parts: encoded.parts.slice(1), calldata: undefined }}
        change={([calldata = []]) => setDrafts([drafts[0] ?? '', calldata])}
        isJudged={isJudged}
      />
    </SendForm>
  );
}

interface FunctionFieldProps {
  readonly name: string;
  readonly selector: string | undefined;
  readonly isJudged: boolean;
  readonly change: (text: string) => void;
}

function FunctionField({ name, selector, isJudged, change }: FunctionFieldProps) {
  const id = useId();
  const [wasLeft, setWasLeft] = useState(false);
  const error =
    selector === undefined && (wasLeft || isJudged)
      ? 'Enter the name of a function, or its selector (0x…).'
      : undefined;
  return (
    <div className="abi-field">
      <label htmlFor={id}>function</label>
      <div className="control">
        <input
          id={id}
          className="mono"
          value={name}
          placeholder="name or 0x…"
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-says`}
          onBlur={() => setWasLeft(true)}
          onChange={(event) => change(event.target.value)}
        />
        <span id={`${id}-says`} className="says">
          {error !== undefined ? (
            <span className="fail">{error}</span>
          ) : (
            selector !== undefined && <span className="mono">= {selector}</span>
          )}
        </span>
      </div>
    </div>
  );
}
