// Form for the inputs of a function.
import type { Abi, Parameter } from '@starkbox/abi';
import {
  blankDraft,
  type Draft,
  type Encoded,
  encodeDraft,
  fitDraft,
  isFormable,
  type Resolve,
} from '@starkbox/abi/internal';
import type { Unit } from '../../format/amount.js';
import { withoutUnit } from './amount-unit.js';
import { Field } from './field.js';

/** One input of raw felts, used when there are too many inputs for a form. */
const RAW: readonly Parameter[] = [{ name: 'calldata', type: '(not in the form)' }];

export interface FormInputs {
  readonly inputs: readonly Parameter[];
  readonly abi: Abi;
}

function fieldsOf({ inputs, abi }: FormInputs): readonly Parameter[] {
  return isFormable(inputs, abi) ? inputs : RAW;
}

export function blankInputs(form: FormInputs): readonly Draft[] {
  return fieldsOf(form).map(({ type }) => blankDraft(type, form.abi));
}

/** Drafts from an untrusted source, fitted to the inputs. */
export function fitInputs(form: FormInputs, stored: unknown): readonly Draft[] {
  const drafts = Array.isArray(stored) ? stored : [];
  return fieldsOf(form).map(({ type }, at) => fitDraft(type, drafts[at], form.abi));
}

export interface EncodedInputs {
  readonly parts: readonly Encoded[];
  /** Undefined while an input is invalid. */
  readonly calldata: readonly string[] | undefined;
}

/** @param unit the token whose function is called; amounts may name it */
export function encodeInputs(
  form: FormInputs,
  drafts: readonly Draft[],
  resolve: Resolve,
  unit?: Unit,
): EncodedInputs {
  const parts = fieldsOf(form).map(({ type }, at) =>
    encodeDraft(type, withoutUnit(drafts[at] ?? '', unit), form.abi, resolve),
  );
  return {
    parts,
    calldata: parts.some(({ isWrong }) => isWrong)
      ? undefined
      : parts.flatMap(({ felts }) => felts),
  };
}

interface AbiFormProps {
  readonly form: FormInputs;
  readonly drafts: readonly Draft[];
  readonly encoded: EncodedInputs;
  readonly change: (drafts: readonly Draft[]) => void;
  readonly isJudged: boolean;
}

export function AbiForm({ form, drafts, encoded, change, isJudged }: AbiFormProps) {
  const fields = fieldsOf(form);
  return (
    <div className="abi-form">
      {fields.map(({ name, type }, at) => (
        <Field
          // biome-ignore lint/suspicious/noArrayIndexKey: a forged ABI may repeat names
          key={at}
          name={name}
          type={type}
          abi={form.abi}
          draft={drafts[at] ?? ''}
          encoded={encoded.parts[at] ?? { felts: [], isWrong: false }}
          isJudged={isJudged}
          change={(draft) =>
            change(fields.map((_, index) => (index === at ? draft : (drafts[index] ?? ''))))
          }
        />
      ))}
    </div>
  );
}

/** Focuses the first invalid field. */
export function focusFault(form: HTMLElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
