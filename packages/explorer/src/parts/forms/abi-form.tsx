// Knows the form for the inputs of a function: a field for each, and one for all where no form can be made.
import {
  type Abi,
  blankDraft,
  type Draft,
  type Encoded,
  encodeDraft,
  fitDraft,
  isFormable,
  type Parameter,
  type Resolve,
} from '@starkbox/abi';
import { Field } from './field.js';

/** Stands for inputs that are too many: their felts, as they are. */
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

/** Drafts that came from an address bar or another chain. */
export function fitInputs(form: FormInputs, given: unknown): readonly Draft[] {
  const drafts = Array.isArray(given) ? given : [];
  return fieldsOf(form).map(({ type }, at) => fitDraft(type, drafts[at], form.abi));
}

export interface EncodedInputs {
  readonly parts: readonly Encoded[];
  /** Undefined as long as something is wrong. */
  readonly calldata: readonly string[] | undefined;
}

export function encodeInputs(
  form: FormInputs,
  drafts: readonly Draft[],
  resolve: Resolve,
): EncodedInputs {
  const parts = fieldsOf(form).map(({ type }, at) =>
    encodeDraft(type, drafts[at] ?? '', form.abi, resolve),
  );
  return {
    parts,
    calldata: parts.some(({ isWrong }) => isWrong)
      ? undefined
      : parts.flatMap(({ felts }) => felts),
  };
}

export function AbiForm({
  form,
  drafts,
  encoded,
  change,
  isJudged,
}: {
  readonly form: FormInputs;
  readonly drafts: readonly Draft[];
  readonly encoded: EncodedInputs;
  readonly change: (drafts: readonly Draft[]) => void;
  readonly isJudged: boolean;
}) {
  const fields = fieldsOf(form);
  return (
    <div className="abi-form">
      {fields.map(({ name, type }, at) => (
        <Field
          // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat in an ABI that somebody forged
          key={at}
          name={name}
          type={type}
          abi={form.abi}
          draft={drafts[at] ?? ''}
          encoded={encoded.parts[at] ?? { felts: [], isWrong: false }}
          isJudged={isJudged}
          change={(draft) =>
            change(fields.map((_, place) => (place === at ? draft : (drafts[place] ?? ''))))
          }
        />
      ))}
    </div>
  );
}

/** Goes to the first field that is wrong. */
export function focusFault(form: HTMLElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
