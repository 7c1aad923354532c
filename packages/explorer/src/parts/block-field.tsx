// Field for a block number, and its parser.

export function BlockField({
  label,
  value,
  change,
}: {
  readonly label: string;
  readonly value: string;
  readonly change: (text: string) => void;
}) {
  return (
    <label>
      {label}
      <input
        className="short"
        inputMode="numeric"
        value={value}
        onChange={({ target }) => change(target.value)}
      />
    </label>
  );
}

export function numberIn(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
