// Expressions of a debugger: paths to values, and comparisons of them with literals.
import type { Value, Variable } from './debugger.js';

/** A step of a path: a member, or an element by its key as it is written. */
export type PathStep = { readonly member: string } | { readonly key: string };

export interface Path {
  readonly name: string;
  readonly steps: readonly PathStep[];
  /** Where the expression goes on behind the path. */
  readonly rest: string;
}

const NAME = /^\s*([A-Za-z_]\w*)/;
/** Longer expressions are refused. */
const MAX_LETTERS = 2_000;

/** Reads `a.b[2]` from the start of a text; undefined if it begins with no name. */
export function readPath(text: string): Path | undefined {
  if (text.length > MAX_LETTERS) return undefined;
  const begin = NAME.exec(text);
  if (!begin) return undefined;
  const steps: PathStep[] = [];
  let rest = text.slice(begin[0].length);
  for (;;) {
    const step = /^\s*(?:\.\s*(\w+)|::(\w+)|\[([^\]]*)\])/.exec(rest);
    if (!step) break;
    const [all, member, variant, key] = step;
    steps.push(key === undefined ? { member: member ?? variant ?? '' } : { key: key.trim() });
    rest = rest.slice(all.length);
  }
  return { name: begin[1] ?? '', steps, rest };
}

export interface Comparison {
  readonly path: Path;
  readonly operator: string;
  readonly literal: Literal;
}

/** A number, a string or a truth value. */
type Literal = bigint | string | boolean;

const OPERATOR = /^\s*(==|!=|<=|>=|<|>)\s*/;

/** A condition: a comparison, or a path to a truth value; several are joined by `&&`. */
export function readCondition(text: string): readonly Comparison[] | undefined {
  const comparisons: Comparison[] = [];
  for (const part of text.split('&&')) {
    const isNegated = /^\s*!(?!=)/.test(part);
    const path = readPath(isNegated ? part.replace('!', '') : part);
    if (!path) return undefined;
    const operator = OPERATOR.exec(path.rest);
    if (!operator) {
      if (path.rest.trim() !== '') return undefined;
      comparisons.push({ path, operator: '==', literal: !isNegated });
      continue;
    }
    const literal = readLiteral(path.rest.slice(operator[0].length));
    if (isNegated || literal === undefined) return undefined;
    comparisons.push({ path, operator: operator[1] ?? '==', literal });
  }
  return comparisons;
}

/** A number in decimal or hexadecimal digits, a string in quotes, `true` or `false`. */
export function readLiteral(text: string): Literal | undefined {
  const trimmed = text.trim();
  if (/^-?\d[\d_]*$/.test(trimmed)) return BigInt(trimmed.replaceAll('_', ''));
  if (/^0x[\da-f]+$/i.test(trimmed)) return BigInt(trimmed);
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true';
  const quoted = /^(?:"([^"]*)"|'([^']*)')$/.exec(trimmed);
  return quoted ? (quoted[1] ?? quoted[2]) : undefined;
}

/** Whether a value compares as a condition says; undefined if the two cannot be compared. */
export function compare(value: Value, operator: string, literal: Literal): boolean | undefined {
  const text = value.text.trim();
  if (typeof literal === 'boolean') return equality(operator, text === String(literal));
  const number = readLiteral(text);
  if (typeof literal === 'string') {
    if (typeof number === 'string') return equality(operator, number === literal);
    if (typeof number === 'bigint') return equality(operator, number === feltOf(literal));
    return equality(operator, text === literal);
  }
  if (typeof number === 'string' && number.length <= 31) {
    return ordered(operator, feltOf(number), literal);
  }
  return typeof number === 'bigint' ? ordered(operator, number, literal) : undefined;
}

/** The felt of a short string. */
function feltOf(text: string): bigint {
  let felt = 0n;
  for (let at = 0; at < text.length; at += 1) felt = (felt << 8n) | BigInt(text.charCodeAt(at));
  return felt;
}

function equality(operator: string, isEqual: boolean): boolean | undefined {
  if (operator === '==') return isEqual;
  return operator === '!=' ? !isEqual : undefined;
}

function ordered(operator: string, value: bigint, bound: bigint): boolean {
  switch (operator) {
    case '<':
      return value < bound;
    case '<=':
      return value <= bound;
    case '>':
      return value > bound;
    case '>=':
      return value >= bound;
    default:
      return (value === bound) === (operator === '==');
  }
}

/** Children of one request while a member is looked up. */
const PAGE = 100;

/** The value that a path leads to, or a sentence that says where it ends. */
export async function follow(
  value: Value,
  steps: readonly PathStep[],
): Promise<{ readonly value?: Value; readonly note?: string }> {
  let at = value;
  for (const step of steps) {
    const next = await childOf(at, step);
    if (!next) {
      const name = 'key' in step ? `[${step.key}]` : `.${step.member}`;
      return { note: `There is no ${name} in a value of the type ${at.type}.` };
    }
    at = next;
  }
  return { value: at };
}

async function childOf(value: Value, step: PathStep): Promise<Value | undefined> {
  const index = 'key' in step ? readLiteral(step.key) : undefined;
  if (typeof index === 'bigint') {
    if (index < 0n || index >= BigInt(value.childCount)) return undefined;
    const [child] = await value.children(Number(index), 1);
    return child?.value;
  }
  const name = 'key' in step ? step.key : step.member;
  if (/^@*core::integer::u256$/.test(value.type)) return limbOf(value, name);
  for (let first = 0; first < value.childCount; first += PAGE) {
    const children = await value.children(first, PAGE);
    const child = children.find((variable: Variable) => variable.name === name);
    if (child) return child.value;
  }
  return undefined;
}

/** A half of a u256, which is shown as one number. */
function limbOf({ text }: Value, name: string): Value | undefined {
  const number = readLiteral(text);
  if (typeof number !== 'bigint' || (name !== 'low' && name !== 'high')) return undefined;
  const limb = name === 'low' ? BigInt.asUintN(128, number) : number >> 128n;
  return {
    type: 'core::integer::u128',
    text: limb.toString(),
    childCount: 0,
    children: async () => [],
  };
}
