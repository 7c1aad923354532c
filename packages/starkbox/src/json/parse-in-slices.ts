// Parser of long JSON texts that yields to the event loop between slices.

import { endSharedSlice } from '../scheduling/slices.js';
import { beginsValue, endOfString, isDigit, setMember, TooManyValues, toNumber } from './json.js';

export interface JsonLimits {
  /** How deep a text may be nested. */
  readonly depth: number;
  /** How many values it may have, the names of members included. */
  readonly values: number;
}

/** The same result as `parse` of json.ts, and the number of values. */
export async function parseInSlices(
  text: string,
  limits: JsonLimits,
): Promise<{ readonly value: unknown; readonly values: number }> {
  await checkLimits(text, limits);
  const reader = new SlicedParser(text, limits);
  for (let steps = 1; reader.step(); steps += 1) {
    if (steps % STEPS !== 0) continue;
    const pause = endSharedSlice();
    if (pause) await pause;
  }
  return { value: reader.value, values: reader.values };
}

/** Checks the limits before anything is allocated. */
async function checkLimits(text: string, limits: JsonLimits): Promise<void> {
  const survey = { at: 0, depth: 0, values: 0 };
  while (survey.at < text.length) {
    surveySlice(text, survey, limits);
    const pause = endSharedSlice();
    if (pause) await pause;
  }
}

interface Survey {
  at: number;
  depth: number;
  values: number;
}

function surveySlice(text: string, survey: Survey, limits: JsonLimits): void {
  let { at, depth, values } = survey;
  const end = Math.min(text.length, at + SLICE);
  for (; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (beginsValue(code)) {
      values += 1;
      if (values > limits.values) throw new TooManyValues(limits.values);
      if (code === QUOTE) {
        const close = endOfString(text, at);
        // The parser reports the error.
        at = close < 0 ? text.length : close;
      } else if (isDigit(code)) {
        while (isPartOfNumber(text.charCodeAt(at + 1))) at += 1;
      } else if (code === OPENING_BRACE || code === OPENING_BRACKET) {
        depth += 1;
        if (depth > limits.depth) {
          throw new SyntaxError(`Nested more than ${limits.depth} levels deep`);
        }
      }
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      depth -= 1;
    }
  }
  Object.assign(survey, { at, depth, values });
}

function isPartOfNumber(code: number): boolean {
  // Digits, and . + - e E.
  return isDigit(code) || code === 0x2e || code === 0x2b || code === 0x2d || (code | 0x20) === 0x65;
}

/** Characters between two checks of the clock. */
const SLICE = 256 * 1024;

/** Values between two checks of the clock. */
const STEPS = 512;

const QUOTE = 0x22;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

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

class SlicedParser {
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #open: Container[] = [];
  /** Names of the members whose values are being read; empty strings for elements. */
  readonly #names: string[] = [];
  #expected: Expected = 'value';
  #at = 0;
  value: unknown;
  values = 0;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
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
    this.#count();
    if (code === OPENING_BRACE) this.#begin({}, 'member');
    else if (code === OPENING_BRACKET) this.#begin([], 'element');
    else this.#ended(code === QUOTE ? this.#string() : this.#scalar());
  }

  #begin(container: Container, expected: Expected): void {
    this.#open.push(container);
    if (this.#open.length > this.#limits.depth) {
      throw new SyntaxError(`Nested more than ${this.#limits.depth} levels deep`);
    }
    this.#expected = expected;
    this.#at += 1;
  }

  #name(code: number): void {
    if (code !== QUOTE) this.#fail();
    this.#count();
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

  #count(): void {
    this.values += 1;
    if (this.values > this.#limits.values) throw new TooManyValues(this.#limits.values);
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
