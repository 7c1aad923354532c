// Field that filters a list by a part of the name or address.
import { Icon } from '../../parts/icons.js';

interface FilterFieldProps {
  readonly text: string;
  readonly change: (text: string) => void;
  readonly placeholder?: string;
}

export function FilterField(props: FilterFieldProps) {
  const { text, change, placeholder = 'Filter by name or address' } = props;
  return (
    <label className="filter-field">
      <span className="unseen">{placeholder}</span>
      <Icon name="search" />
      <input
        type="search"
        value={text}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => change(target.value)}
      />
    </label>
  );
}
