// Names of Cairo types: parsing and shortening.

export type TypeName =
  | { readonly kind: 'named'; readonly name: string; readonly of: readonly string[] }
  | { readonly kind: 'tuple'; readonly of: readonly string[] }
  | { readonly kind: 'array'; readonly of: string; readonly length: number };

/** Parses one level: `core::array::Array::<(u8, u8)>` is an Array of `(u8, u8)`. */
export function readTypeName(text: string): TypeName {
  const type = text.trim().replace(/^@/, '');
  if (type.startsWith('(') && type.endsWith(')')) {
    return { kind: 'tuple', of: splitAtCommas(type.slice(1, -1)).map(withoutLabel) };
  }
  if (type.startsWith('[') && type.endsWith(']')) {
    const end = type.lastIndexOf(';');
    const length = Number(type.slice(end + 1, -1));
    if (end > 0 && Number.isSafeInteger(length)) {
      return { kind: 'array', of: type.slice(1, end).trim(), length };
    }
  }
  if (type.endsWith('*')) return { kind: 'named', name: 'pointer', of: [type.slice(0, -1)] };
  const open = type.indexOf('<');
  if (open > 0 && type.endsWith('>')) {
    return {
      kind: 'named',
      name: type.slice(0, open).replace(/::$/, ''),
      of: splitAtCommas(type.slice(open + 1, -1)),
    };
  }
  return { kind: 'named', name: type, of: [] };
}

/** Splits types or members at the commas outside of brackets. */
export function splitAtCommas(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? '';
    if ('<([{'.includes(letter)) depth++;
    else if (')]}'.includes(letter) || (letter === '>' && text[at - 1] !== '-')) depth--;
    else if (letter === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** Cairo 0 may name the parts of a tuple. */
function withoutLabel(part: string): string {
  return part.replace(/^\w+\s*:\s*(?!:)/, '');
}

/** `core::array::Array::<core::integer::u8>` → `Array<u8>` */
export function shortType(text: string): string {
  return text.replace(/\b(?:\w+::)+(?=\w)/g, '').replaceAll('::<', '<');
}
