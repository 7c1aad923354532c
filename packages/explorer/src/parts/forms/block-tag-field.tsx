// Choice between the pre-confirmed and the latest state.

export type At = 'pre_confirmed' | 'latest';

export function AtField({ at, change }: { readonly at: At; readonly change: (at: At) => void }) {
  return (
    <label>
      at
      <select
        value={at}
        onChange={({ target }) => change(target.value === 'latest' ? 'latest' : 'pre_confirmed')}
      >
        <option value="pre_confirmed">pre-confirmed</option>
        <option value="latest">latest</option>
      </select>
    </label>
  );
}
