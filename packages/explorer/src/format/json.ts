// JSON with exact integers, where those beyond the safe range are `bigint`; and a reader of texts.

const LONG_INTEGER = /^-?\d{16,}$/;
/** Matches texts that may contain a large integer; parsing without a reviver is ten times as fast. */
const MAY_HOLD_ONE = /[:,[]\s*-?\d{16}/;

/** Newer engines pass the source of a number to the reviver; older ones lose digits of large integers. */
interface Source {
  readonly source?: string;
}

export function parseJson(text: string): unknown {
  if (!MAY_HOLD_ONE.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key: string, value: unknown, context?: Source) => {
    const source = context?.source;
    return typeof value === 'number' && source !== undefined && LONG_INTEGER.test(source)
      ? Number.isSafeInteger(value)
        ? value
        : BigInt(source)
      : value;
  });
}

/** `bigint` becomes a bare integer. */
export function writeJson(value: unknown, indent?: number): string {
  const marks = new Map<string, string>();
  const text = JSON.stringify(
    value,
    (_key, part: unknown) => {
      if (typeof part !== 'bigint') return part;
      const mark = `\u0000${marks.size}\u0000`;
      marks.set(JSON.stringify(mark), part.toString());
      return mark;
    },
    indent,
  );
  let written = text ?? 'null';
  for (const [mark, digits] of marks) written = written.replace(mark, digits);
  return written;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
