// Fields of a number into which a struct is packed, read from the function that packs it.

/** The head of the function that packs. */
const PACK =
  /\bfn\s{1,40}pack\s{0,40}\(\s{0,40}(\w{1,200})\s{0,40}:[^)]{0,300}\)\s{0,40}->\s{0,40}[\w:]{1,200}\s{0,40}\{/;
/** In letters; a felt has room for few fields. */
const MAX_SUM_LENGTH = 10_000;

/** A part of a packed number. */
export interface PackedField {
  readonly name: string;
  /** The lowest bit. */
  readonly shift: number;
  /** Absent for the highest field, which takes what is left. */
  readonly bits?: number;
}

/**
 * The fields of the form `a + b * SHIFT + …` with powers of two; undefined for every other form.
 *
 * @param body of an implementation of `StorePacking`
 */
export function packedFields(
  body: string,
  constants: ReadonlyMap<string, bigint>,
): readonly PackedField[] | undefined {
  const head = PACK.exec(body);
  if (!head) return undefined;
  const value = head[1] ?? '';
  const from = head.index + head[0].length;
  const code = insideBraces(body, from);
  const sum = code.length > MAX_SUM_LENGTH ? undefined : sumOf(code, value);
  if (sum === undefined) return undefined;
  const places = terms(sum).map((term) => placeOf(term, constants));
  const fields = places.flatMap((field) => field ?? []);
  if (fields.length !== places.length || fields.length === 0) return undefined;
  const ordered = fields.toSorted((a, b) => a.shift - b.shift);
  const isTwice = ordered.some(({ shift }, at) => shift === ordered[at + 1]?.shift);
  if (isTwice) return undefined;
  return ordered.map(({ name, shift }, at) => {
    const next = ordered[at + 1]?.shift;
    return { name, shift, ...(next === undefined ? {} : { bits: next - shift }) };
  });
}

function insideBraces(text: string, from: number): string {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    else if (text[at] === '}') depth -= 1;
    if (depth === 0) return text.slice(from, at);
  }
  return '';
}

/** The expression, in which a member stands as `$name`. */
function sumOf(code: string, value: string): string | undefined {
  const apart = new RegExp(`^\\s*let\\s+[\\w:]+\\s*\\{([^}]*)\\}\\s*=\\s*${value}\\s*;`).exec(code);
  let sum = apart ? code.slice(apart[0].length) : code;
  const names = apart?.[1]?.split(',').map((name) => name.trim()) ?? [];
  for (const name of names.filter((text) => /^\w+$/.test(text))) {
    sum = sum.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), `$$${name}`);
  }
  sum = sum
    .replaceAll(new RegExp(`\\b${value}\\.(\\w+)\\b(?!\\s*\\()`, 'g'), '$$$1')
    .replaceAll(/\bif\s+(\$\w+)\s*\{\s*1\w*\s*\}\s*else\s*\{\s*0\w*\s*\}/g, '$1')
    .replaceAll(/\.into\(\)|\s+/g, '');
  return /[;{}]/.test(sum) ? undefined : sum;
}

/** The parts of a sum, also of one in parentheses. */
function terms(sum: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < sum.length; at += 1) {
    if (sum[at] === '(') depth += 1;
    else if (sum[at] === ')') depth -= 1;
    else if (sum[at] === '+' && depth === 0) {
      parts.push(sum.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(sum.slice(start));
  return parts.flatMap((part) => {
    const inside = /^\((.*)\)$/.exec(part)?.[1];
    return inside === undefined || part === sum ? [part] : terms(inside);
  });
}

/** `$daily`, `$single*SHIFT` or `SHIFT*$single`. */
function placeOf(
  term: string,
  constants: ReadonlyMap<string, bigint>,
): { readonly name: string; readonly shift: number } | undefined {
  const factors = term.replaceAll(/[()]/g, '').split('*');
  const names = factors.filter((factor) => /^\$\w+$/.test(factor));
  const [name] = names;
  if (name === undefined || names.length !== 1 || factors.length > 2) return undefined;
  const by = factors.find((factor) => factor !== name);
  const factor = by === undefined ? 1n : numberOf(by, constants);
  const shift = factor === undefined ? undefined : exponentOf(factor);
  return shift === undefined ? undefined : { name: name.slice(1), shift };
}

function numberOf(text: string, constants: ReadonlyMap<string, bigint>): bigint | undefined {
  const digits = /^(0x[0-9a-fA-F_]+|\d[\d_]*?)(?:_?[ui]\d+|_felt252)?$/.exec(text)?.[1];
  if (digits !== undefined) return BigInt(digits.replaceAll('_', ''));
  return constants.get(text.split('::').at(-1) ?? text);
}

/** Of a power of two. */
function exponentOf(value: bigint): number | undefined {
  const digits = value.toString(2);
  return /^10*$/.test(digits) ? digits.length - 1 : undefined;
}
