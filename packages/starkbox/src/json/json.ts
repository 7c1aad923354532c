// JSON codec that keeps integers beyond 2^53 exact and splices in finished text.

/** Serialized JSON, such as a report of the engine, which is written verbatim. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The parsed value; within {@link stringify}, throws to signal that splicing is needed. */
  toJSON(): unknown {
    if (plainly) throw NOT_PLAIN;
    return JSON.parse(this.text);
  }
}

/** `T` as handlers return it: any part may be text, and any optional one undefined. */
export type Wire<T> =
  | JsonText
  | (T extends readonly unknown[]
      ? { readonly [K in keyof T]: Wire<T[K]> }
      : T extends object
        ? {
            readonly [K in keyof T]: object extends Pick<T, K>
              ? Wire<T[K]> | undefined
              : Wire<T[K]>;
          }
        : T);

/** A text exceeds the limit of values. */
export class TooManyValues extends Error {
  readonly limit: number;

  constructor(limit: number) {
    super(`More than ${limit} JSON values`);
    this.limit = limit;
  }
}

/** Far deeper than any request or report, and safe for recursive code. */
export const MAX_DEPTH = 1000;

/** More digits than any quantity of the protocol; longer numbers are left to `JSON.parse`. */
const MAX_DIGITS = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSING_BRACE = 0x7d;
const CLOSING_BRACKET = 0x5d;

/**
 * As `JSON.parse`, but an integer beyond 2^53 comes as an exact bigint, also one like `1e21`.
 *
 * @param maxValues names of members included
 * @throws SyntaxError also for what is nested too deep: by default, more than a thousand levels
 * @throws TooManyValues
 */
export function parse(
  text: string,
  maxDepth: number = MAX_DEPTH,
  maxValues: number = Number.POSITIVE_INFINITY,
): unknown {
  if (!survey(text, maxDepth, maxValues)) return JSON.parse(text);
  JSON.parse(text); // Validates the syntax.
  return new ExactReader(text).value();
}

/** Whether `JSON.parse` may lose precision. Throws if the text exceeds a limit. */
function survey(text: string, maxDepth: number, maxValues: number): boolean {
  let long = false;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (beginsValue(code)) {
      values += 1;
      if (values > maxValues) throw new TooManyValues(maxValues);
    }
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) return long;
    } else if (isDigit(code)) {
      const start = at;
      let exponent = false;
      for (; at + 1 < text.length; at += 1) {
        const next = text.charCodeAt(at + 1);
        if ((next | 0x20) === 0x65) exponent = true;
        else if (!isDigit(next) && next !== 0x2e && next !== 0x2b && next !== 0x2d) break;
      }
      if (exponent || at - start >= 15) long = true;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > maxDepth) throw new SyntaxError(`Nested more than ${maxDepth} levels deep`);
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      depth -= 1;
    }
  }
  return long;
}

/** Whether a value or a name begins; of a number, its first digit. */
export function beginsValue(code: number): boolean {
  return (
    code === QUOTE ||
    isDigit(code) ||
    code === 0x7b ||
    code === 0x5b ||
    // true, false, null
    code === 0x74 ||
    code === 0x66 ||
    code === 0x6e
  );
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** The end of the string that opens at `open`; -1 if it is unterminated. */
export function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}

/** Parser of text that `JSON.parse` has validated. */
class ExactReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    switch (this.#next()) {
      case QUOTE:
        return this.#string();
      case 0x7b:
        return this.#object();
      case 0x5b:
        return this.#array();
      default:
        return this.#scalar();
    }
  }

  /** The code of the next character that is not white space. */
  #next(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.#at += 1;
    }
  }

  /** Consumes a comma or the closing character; true for the latter. */
  #ends(closing: number): boolean {
    const code = this.#next();
    this.#at += 1;
    return code === closing;
  }

  #string(): string {
    const open = this.#at;
    const close = endOfString(this.#text, open);
    this.#at = close + 1;
    const raw = this.#text.slice(open + 1, close);
    return raw.includes('\\') ? String(JSON.parse(this.#text.slice(open, close + 1))) : raw;
  }

  #object(): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    this.#at += 1;
    if (this.#next() === CLOSING_BRACE) {
      this.#at += 1;
      return members;
    }
    do {
      this.#next();
      const key = this.#string();
      this.#next();
      this.#at += 1;
      const value = this.value();
      setMember(members, key, value);
    } while (!this.#ends(CLOSING_BRACE));
    return members;
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    this.#at += 1;
    if (this.#next() === CLOSING_BRACKET) {
      this.#at += 1;
      return items;
    }
    do items.push(this.value());
    while (!this.#ends(CLOSING_BRACKET));
    return items;
  }

  #scalar(): unknown {
    const word = /[\w.+-]+/y;
    word.lastIndex = this.#at;
    const token = word.exec(this.#text)?.[0] ?? '';
    this.#at += token.length;
    return /^[-\d]/.test(token) ? toNumber(token) : JSON.parse(token);
  }
}

/** Sets a member of any name. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    // An assignment would change the prototype.
    const attributes = { enumerable: true, configurable: true, writable: true };
    Object.defineProperty(object, name, { value, ...attributes });
  } else {
    object[name] = value;
  }
}

/** The value of a JSON number; integers are exact. */
export function toNumber(token: string): number | bigint {
  const near = Number(token);
  if (!Number.isInteger(near) || Number.isSafeInteger(near)) return near;
  if (token.length > MAX_DIGITS) return near;
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const zeros = Number(exponent) - fraction.length;
  if (zeros >= 0) return BigInt(digits) * 10n ** BigInt(zeros);
  // With a fraction it is not an integer, and the nearest double is used.
  return /[1-9]/.test(digits.slice(zeros)) ? near : BigInt(digits.slice(0, zeros));
}

/** As {@link parse}; undefined for a text that is not JSON. */
export function parseIfJson(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** True while {@link stringify} tries the native writer. */
let plainly = false;
const NOT_PLAIN = new Error('Use stringify of json.ts to write JSON');

/**
 * As `JSON.stringify`, but a bigint becomes a bare integer and a {@link JsonText} is spliced in.
 * What has no JSON form at all, such as undefined, becomes `null`.
 */
export function stringify(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (typeof value === 'bigint') return value.toString();
  // Nearly all values are plain, and the native writer is several times as fast. For the others it
  // fails at the first bigint or text, which costs little.
  try {
    plainly = true;
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (error !== NOT_PLAIN && !(error instanceof TypeError)) throw error;
  } finally {
    plainly = false;
  }
  return write(value);
}

function write(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (value instanceof JsonText) return value.text;
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += text === '' ? write(item) : `,${write(item)}`;
    return `[${text}]`;
  }
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${quote(key)}:${write(member)}`;
  }
  return `{${text}}`;
}

/** Most strings are felts and names, which need no escaping. */
function quote(text: string): string {
  return text.length < 100 && /^[\w -]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}
