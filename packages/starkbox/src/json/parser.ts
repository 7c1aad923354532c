// Parser of JSON texts that can be interrupted between two values, and their survey before that.

export interface JsonLimits {
  /** How deep a text may be nested. */
  readonly depth: number;
  /** How many values it may have, the names of members included. */
  readonly values: number;
}

/** A text exceeds the limit of values. */
export class TooManyValues extends Error {
  readonly limit: number;

  constructor(limit: number) {
    super(`More than ${limit} JSON values`);
    this.limit = limit;
  }
}

/** More digits than any quantity of the protocol; longer numbers are left to `JSON.parse`. */
const MAX_DIGITS = 1000;
/** Numbers with fewer digits are exact as doubles. */
const EXACT_DIGITS = 15;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** Checks the limits before anything is allocated. */
export class Survey {
  readonly #text: string;
  readonly #limits: JsonLimits;
  #at = 0;
  #depth = 0;
  #values = 0;
  #hasLongNumber = false;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  /** Names of members included. */
  get values(): number {
    return this.#values;
  }

  /** Whether `JSON.parse` may lose precision. */
  get hasLongNumber(): boolean {
    return this.#hasLongNumber;
  }

  /** Goes on for about so many characters; false at the end. Throws if the text exceeds a limit. */
  advance(length: number): boolean {
    const text = this.#text;
    const limits = this.#limits;
    const end = Math.min(text.length, this.#at + length);
    let at = this.#at;
    let depth = this.#depth;
    let values = this.#values;
    for (; at < end; at += 1) {
      const code = text.charCodeAt(at);
      if (beginsValue(code)) {
        values += 1;
        if (values > limits.values) throw new TooManyValues(limits.values);
      }
      if (code === QUOTE) {
        const close = endOfString(text, at);
        // The parser reports the error.
        at = close < 0 ? text.length : close;
      } else if (isDigit(code)) {
        const start = at;
        let hasExponent = false;
        for (; isPartOfNumber(text.charCodeAt(at + 1)); at += 1) {
          if (isExponent(text.charCodeAt(at + 1))) hasExponent = true;
        }
        if (hasExponent || at - start >= EXACT_DIGITS) this.#hasLongNumber = true;
      } else if (code === OPENING_BRACE || code === OPENING_BRACKET) {
        depth += 1;
        if (depth > limits.depth) {
          throw new SyntaxError(`Nested more than ${limits.depth} levels deep`);
        }
      } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
        depth -= 1;
      }
    }
    this.#at = at;
    this.#depth = depth;
    this.#values = values;
    return at < text.length;
  }
}

/** Whether a value or a name begins; of a number, its first digit. */
function beginsValue(code: number): boolean {
  return (
    code === QUOTE ||
    isDigit(code) ||
    code === OPENING_BRACE ||
    code === OPENING_BRACKET ||
    // true, false, null
    code === 0x74 ||
    code === 0x66 ||
    code === 0x6e
  );
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isPartOfNumber(code: number): boolean {
  // Digits, and . + - e E.
  return isDigit(code) || code === 0x2e || code === 0x2b || code === 0x2d || isExponent(code);
}

function isExponent(code: number): boolean {
  return (code | 0x20) === 0x65;
}

/** The end of the string that opens at `open`; -1 if it is unterminated. */
function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

type Container = unknown[] | Record<string, unknown>;

/** The next expected token; `element` and `member` also allow the end of an empty container. */
type Expected = 'value' | 'element' | 'key' | 'member' | 'next' | 'nothing';

/** Parser of a text whose {@link Survey} has passed the limits; integers beyond 2^53 become exact bigints. */
export class Parser {
  readonly #text: string;
  readonly #open: Container[] = [];
  /** Names of the members whose values are being read; empty strings for elements. */
  readonly #names: string[] = [];
  #expected: Expected = 'value';
  #at = 0;
  value: unknown;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads one value, name or separator; false after the last one. */
  step(): boolean {
    const code = this.#skipSpace();
    switch (this.#expected) {
      case 'nothing':
        if (this.#at < this.#text.length) this.#fail();
        return false;
      case 'next':
        this.#separator(code);
        return true;
      case 'key':
        this.#name(code);
        return true;
      case 'member':
        if (code === CLOSING_BRACE) this.#close();
        else this.#name(code);
        return true;
      case 'element':
        if (code === CLOSING_BRACKET) this.#close();
        else this.#value(code);
        return true;
      case 'value':
        this.#value(code);
        return true;
    }
  }

  #skipSpace(): number {
    const code = this.#text.charCodeAt(this.#at);
    if (code > 0x20) return code;
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
    return this.#text.charCodeAt(this.#at);
  }

  #value(code: number): void {
    if (code === OPENING_BRACE) this.#begin({}, 'member');
    else if (code === OPENING_BRACKET) this.#begin([], 'element');
    else this.#ended(code === QUOTE ? this.#string() : this.#scalar());
  }

  #begin(container: Container, expected: Expected): void {
    this.#open.push(container);
    this.#expected = expected;
    this.#at += 1;
  }

  #name(code: number): void {
    if (code !== QUOTE) this.#fail();
    this.#names[this.#open.length] = this.#string();
    if (this.#skipSpace() !== COLON) this.#fail();
    this.#at += 1;
    this.#expected = 'value';
  }

  #separator(code: number): void {
    const isList = Array.isArray(this.#open.at(-1));
    if (code === COMMA) {
      this.#at += 1;
      this.#expected = isList ? 'value' : 'key';
    } else if (code === (isList ? CLOSING_BRACKET : CLOSING_BRACE)) {
      this.#close();
    } else {
      this.#fail();
    }
  }

  #close(): void {
    this.#at += 1;
    this.#ended(this.#open.pop());
  }

  /** Adds a complete value to its container. */
  #ended(value: unknown): void {
    const container = this.#open.at(-1);
    this.#expected = container === undefined ? 'nothing' : 'next';
    if (container === undefined) {
      this.value = value;
    } else if (Array.isArray(container)) {
      container.push(value);
    } else {
      setMember(container, this.#names[this.#open.length] ?? '', value);
    }
  }

  #string(): string {
    const open = this.#at;
    const close = endOfString(this.#text, open);
    if (close < 0) throw new SyntaxError('Unterminated string in JSON');
    this.#at = close + 1;
    // A slice would retain the whole text; `JSON.parse` copies it.
    return String(JSON.parse(this.#text.slice(open, close + 1)));
  }

  #scalar(): unknown {
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    NUMBER.lastIndex = this.#at;
    const token = NUMBER.exec(this.#text)?.[0];
    if (token === undefined) return this.#fail();
    this.#at += token.length;
    return toNumber(token);
  }

  #fail(): never {
    const character = this.#text[this.#at];
    throw new SyntaxError(
      character === undefined
        ? 'Unexpected end of JSON input'
        : `Unexpected token ${JSON.stringify(character)} in JSON at position ${this.#at}`,
    );
  }
}

/** Sets a member of any name. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    // An assignment would change the prototype.
    const attributes = { enumerable: true, configurable: true, writable: true };
    Object.defineProperty(object, name, { value, ...attributes });
  } else {
    object[name] = value;
  }
}

/** The value of a JSON number; integers are exact. */
function toNumber(token: string): number | bigint {
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
