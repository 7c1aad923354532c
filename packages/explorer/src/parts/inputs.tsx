// Forms, and inputs with their labels: text, block number, block tag, checkbox, choice.
import type { ComponentProps, ReactNode } from 'react';
import { PlainButton } from './button.js';

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & { readonly submit: () => void };

export function Form({ submit, ...form }: FormProps) {
  return (
    <form
      {...form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    />
  );
}

interface LabelledProps {
  readonly label: ReactNode;
  /** Takes the text of the input, or the value of the selected option. */
  readonly change: (text: string) => void;
}

/** The style sheet capitalizes names. */
const labelName = (label: ReactNode): ReactNode =>
  typeof label === 'string' ? <span className="label-name">{label}</span> : label;

type InputProps = Omit<ComponentProps<'input'>, 'onChange'> & LabelledProps;

export function TextInput({ label, change, ...input }: InputProps) {
  return (
    <label>
      {labelName(label)}
      <input {...input} onChange={({ target }) => change(target.value)} />
    </label>
  );
}

/** For a block number or another short number, which {@link numberIn} reads. */
export function NumberInput(props: LabelledProps & { readonly value: string }) {
  return <TextInput className="short" inputMode="numeric" {...props} />;
}

export function numberIn(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

interface CheckboxProps {
  readonly checked: boolean;
  readonly change: (isOn: boolean) => void;
  readonly children: ReactNode;
  readonly className?: string;
}

export function Checkbox({ checked, change, children, className }: CheckboxProps) {
  return (
    <label className={className}>
      <input type="checkbox" checked={checked} onChange={({ target }) => change(target.checked)} />
      {children}
    </label>
  );
}

type SelectProps = Omit<ComponentProps<'select'>, 'onChange'> & LabelledProps;

/** @param props.children the options */
export function Select({ label, change, ...select }: SelectProps) {
  return (
    <label>
      {labelName(label)}
      <select {...select} onChange={({ target }) => change(target.value)} />
    </label>
  );
}

interface ChoiceProps<T extends string> {
  /** For screen readers. */
  readonly label: string;
  readonly options: readonly (readonly [value: T, text: string, hint?: string])[];
  /** Undefined: none is pressed. */
  readonly value: T | undefined;
  readonly change: (value: T) => void;
  readonly className?: string;
}

/** Buttons of which one is pressed. */
export function Choice<T extends string>(props: ChoiceProps<T>) {
  const { label, options, value, change, className = 'modes' } = props;
  return (
    <fieldset className={className}>
      <legend className="unseen">{label}</legend>
      {options.map(([option, text, hint]) => (
        <PlainButton
          key={option}
          aria-pressed={option === value}
          title={hint}
          onClick={() => change(option)}
        >
          {text}
        </PlainButton>
      ))}
    </fieldset>
  );
}

export type BlockTag = 'pre_confirmed' | 'latest';

interface BlockTagFieldProps {
  readonly at: BlockTag;
  readonly change: (at: BlockTag) => void;
}

export function BlockTagField({ at, change }: BlockTagFieldProps) {
  return (
    <Select
      label="at block"
      value={at}
      change={(tag) => change(tag === 'latest' ? 'latest' : 'pre_confirmed')}
    >
      <option value="pre_confirmed">pre-confirmed</option>
      <option value="latest">latest</option>
    </Select>
  );
}
