// Filter chips: one that is on or off, and one that opens a small panel to choose its value.
import { type ReactNode, useId, useRef } from 'react';
import { Icon } from './icons.js';
import { usePanel } from './panel.js';

interface ChipProps {
  readonly isOn: boolean;
  readonly change: (isOn: boolean) => void;
  readonly children: ReactNode;
  readonly title?: string;
}

export function Chip({ isOn, change, children, title }: ChipProps) {
  return (
    <button
      type="button"
      className="chip"
      aria-pressed={isOn}
      title={title}
      onClick={() => change(!isOn)}
    >
      {children}
    </button>
  );
}

interface ChipMenuProps {
  /** What is filtered, such as “Kind”. */
  readonly label: string;
  /** The chosen value as text; undefined while nothing is chosen. */
  readonly value?: string | undefined;
  /** Takes the choice back; without it the chip has no button for that. */
  readonly clear?: (() => void) | undefined;
  /** Content of the panel: fields or buttons. The function closes the panel. */
  readonly children: ReactNode | ((close: () => void) => ReactNode);
}

/** Closes on Escape, and when the focus or a click goes elsewhere. */
export function ChipMenu({ label, value, clear, children }: ChipMenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const { isOpen, open, close, frame, panel, handlers } = usePanel(button);
  const isChosen = value !== undefined && value !== '';
  return (
    <div className="chip-menu" ref={frame} {...handlers}>
      <button
        ref={button}
        type="button"
        className={isChosen ? 'chip is-chosen' : 'chip'}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => (isOpen ? close() : open())}
      >
        {label}
        {isChosen && <span className="chip-value">{value}</span>}
        <Icon name="down" />
      </button>
      {isChosen && clear && (
        <button
          type="button"
          className="chip-clear"
          aria-label={`Clear ${label}`}
          title={`Clear ${label}`}
          onClick={() => {
            clear();
            close();
            button.current?.focus();
          }}
        >
          <Icon name="cross" />
        </button>
      )}
      {isOpen && (
        <fieldset id={id} className="menu-panel chip-panel" ref={panel}>
          <legend className="unseen">{label}</legend>
          {typeof children === 'function' ? children(close) : children}
        </fieldset>
      )}
    </div>
  );
}

interface ChipChoiceProps<T extends string> {
  /** For screen readers. */
  readonly label: string;
  readonly options: readonly (readonly [value: T, text: ReactNode])[];
  readonly value: T;
  readonly change: (value: T) => void;
}

/** Chips of which one is on. */
export function ChipChoice<T extends string>(props: ChipChoiceProps<T>) {
  const { label, options, value, change } = props;
  return (
    <fieldset className="chips">
      <legend className="unseen">{label}</legend>
      {options.map(([option, text]) => (
        <Chip key={option} isOn={option === value} change={() => change(option)}>
          {text}
        </Chip>
      ))}
    </fieldset>
  );
}
