// Expressions over the results of views: whole numbers, addresses, truth values and strings, with the operators of Cairo.
import { ServerError } from './results.js';

export type ExpressionValue = bigint | boolean | string;
export type Variables = Readonly<Record<string, ExpressionValue>>;
type Evaluate = (variables: Variables) => ExpressionValue;

const TOKEN =
  /\s*(0x[0-9a-fA-F]+|\d[\d_]*|[A-Za-z_]\w*|"[^"]*"|'[^']*'|&&|\|\||==|!=|<=|>=|[-+*/%<>!()])/y;
const MAX_LENGTH = 2_000;

/** Operators by how tightly they bind, the loosest first. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
];

/**
 * Reads an expression such as `alice + bob == total`.
 *
 * @throws ServerError if it is malformed, or names no view
 */
export function readExpression(text: string, names: readonly string[]): Evaluate {
  return new Parser(text, new Set(names)).whole();
}

class Parser {
  readonly #tokens: readonly string[];
  readonly #names: ReadonlySet<string>;
  #at = 0;

  constructor(text: string, names: ReadonlySet<string>) {
    this.#tokens = tokensOf(text);
    this.#names = names;
  }

  whole(): Evaluate {
    const evaluate = this.#level(0);
    const rest = this.#tokens[this.#at];
    if (rest !== undefined) throw new ServerError(`property: unexpected ${rest}. ${FORM}`);
    return evaluate;
  }

  #level(level: number): Evaluate {
    const operators = LEVELS[level];
    if (!operators) return this.#unary();
    let left = this.#level(level + 1);
    for (;;) {
      const operator = this.#tokens[this.#at];
      if (operator === undefined || !operators.includes(operator)) return left;
      this.#at += 1;
      const [first, second] = [left, this.#level(level + 1)];
      left = (variables) => applied(operator, first, second, variables);
    }
  }

  #unary(): Evaluate {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token === '!') {
      const operand = this.#unary();
      return (variables) => !truth(operand(variables));
    }
    if (token === '-') {
      const operand = this.#unary();
      return (variables) => -number(operand(variables));
    }
    if (token === '(') {
      const inner = this.#level(0);
      if (this.#tokens[this.#at] !== ')') throw new ServerError(`property: ) is missing. ${FORM}`);
      this.#at += 1;
      return inner;
    }
    if (token === undefined) throw new ServerError(`property: it ends too early. ${FORM}`);
    return this.#operand(token);
  }

  #operand(token: string): Evaluate {
    if (/^\d/.test(token)) {
      const value = BigInt(token.replaceAll('_', ''));
      return () => value;
    }
    if (/^["']/.test(token)) return () => token.slice(1, -1);
    if (token === 'true' || token === 'false') return () => token === 'true';
    if (!this.#names.has(token)) {
      throw new ServerError(
        `property: ${token} is not one of the views ${[...this.#names].join(', ')}. ${FORM}`,
      );
    }
    return (variables) => variables[token] ?? '';
  }
}

const FORM = 'Write a comparison of views, for example "alice + bob == total".';

function tokensOf(text: string): readonly string[] {
  if (text.length > MAX_LENGTH) {
    throw new ServerError(`property: ${text.length} characters; the limit is ${MAX_LENGTH}.`);
  }
  const tokens: string[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined)
      throw new ServerError(`property: unexpected ${text.slice(at, at + 10)}. ${FORM}`);
    tokens.push(token);
  }
  return tokens;
}

function applied(
  operator: string,
  left: Evaluate,
  right: Evaluate,
  variables: Variables,
): ExpressionValue {
  const first = left(variables);
  if (operator === '&&') return truth(first) && truth(right(variables));
  if (operator === '||') return truth(first) || truth(right(variables));
  const second = right(variables);
  if (operator === '==') return first === second;
  if (operator === '!=') return first !== second;
  const [a, b] = [number(first), number(second)];
  if ((operator === '/' || operator === '%') && b === 0n) {
    throw new ServerError(
      'property: a division by zero. Guard it, for example "b == 0 || a / b > 1".',
    );
  }
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return a % b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    default:
      return a >= b;
  }
}

export function truth(value: ExpressionValue): boolean {
  if (typeof value === 'boolean') return value;
  throw new ServerError(`property: expected true or false, got ${typeof value}. ${FORM}`);
}

function number(value: ExpressionValue): bigint {
  if (typeof value === 'bigint') return value;
  throw new ServerError(`property: expected a number, got ${typeof value}. ${FORM}`);
}

/** A decoded value for an expression; lists and structs are their JSON. */
export function expressionValue(value: unknown): ExpressionValue {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    return /^(-?\d+|0x[0-9a-fA-F]{1,64})$/.test(value) ? BigInt(value) : value;
  }
  return JSON.stringify(value);
}
