// Parts of a large JSON value, a few at a time.

/** A member of an object or list. */
export interface JsonPart {
  readonly name: string;
  /** Of text, a number, true, false or null. */
  readonly leaf?: unknown;
  /** Of an object or a list: how many members it has. */
  readonly size?: number;
  readonly isList?: boolean;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

/** Members of the value at a path. */
export function partsAt(
  root: unknown,
  path: readonly string[],
  from: number,
  count: number,
): readonly JsonPart[] {
  const value = path.reduce(memberOf, root);
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value)
    ? Array.from({ length: Math.min(count, value.length - from) }, (_, at) => String(from + at))
    : Object.keys(value).slice(from, from + count);
  return names.map((name) => {
    const member = memberOf(value, name);
    if (typeof member !== 'object' || member === null) return { name, leaf: member };
    const isList = Array.isArray(member);
    return { name, isList, size: isList ? member.length : Object.keys(member).length };
  });
}
