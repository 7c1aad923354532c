// Options of a setting, each with what it does; one is chosen.
import { type ReactNode, useId } from 'react';

export interface Option<T extends string> {
  readonly value: T;
  readonly name: string;
  readonly about: string;
  /** Inputs that belong to the option, shown while it is chosen. */
  readonly inputs?: ReactNode;
}

interface OptionListProps<T extends string> {
  readonly label: string;
  readonly options: readonly Option<T>[];
  /** Undefined: none is chosen. */
  readonly value: T | undefined;
  readonly change: (value: T) => void;
}

export function OptionList<T extends string>(props: OptionListProps<T>) {
  const { label, options, value, change } = props;
  const group = useId();
  return (
    <fieldset className="options">
      <legend>{label}</legend>
      {options.map((option) => (
        <div key={option.value} className="option">
          <label>
            <input
              type="radio"
              name={group}
              checked={option.value === value}
              aria-describedby={`${group}-${option.value}`}
              onChange={() => change(option.value)}
            />
            {option.name}
          </label>
          <span id={`${group}-${option.value}`} className="quiet">
            {option.about}
          </span>
          {option.value === value && option.inputs}
        </div>
      ))}
    </fieldset>
  );
}
