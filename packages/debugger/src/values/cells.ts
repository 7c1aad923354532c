// Memory cells, and the expressions by which Sierra references name them.
import { PRIME } from '@starkbox/abi/basics';

/** The prime of the field. */

export interface Pointer {
  readonly segment: number;
  readonly offset: number;
}

/** A cell as a number, as a pointer, or undefined if it was not written or not kept. */
export type Cell = bigint | Pointer | undefined;

/** Reads cells of consecutive offsets of a run's memory. */
export type MemoryReader = (
  segment: number,
  first: number,
  count: number,
) => Promise<readonly Cell[]>;

/** A register and what is added to it: a cell of the stack. */
interface StackCell {
  readonly register: 'ap' | 'fp';
  readonly offset: number;
}

type Expression =
  | { readonly kind: 'immediate'; readonly value: bigint }
  | { readonly kind: 'deref'; readonly cell: StackCell }
  | { readonly kind: 'double-deref'; readonly cell: StackCell; readonly offset: number }
  | {
      readonly kind: 'operation';
      readonly operator: string;
      readonly left: StackCell;
      readonly right: StackCell | bigint;
    };

const STACK_CELL = String.raw`\[(ap|fp) \+ (-?\d+)\]`;
const DEREF = new RegExp(`^${STACK_CELL}$`);
const DOUBLE_DEREF = new RegExp(`^\\[${STACK_CELL} \\+ (-?\\d+)\\]$`);
const OPERATION = new RegExp(`^${STACK_CELL} ([-+*/]) (?:${STACK_CELL}|(-?\\d+))$`);

const stackCell = (register: string | undefined, offset: string | undefined): StackCell => ({
  register: register === 'ap' ? 'ap' : 'fp',
  offset: Number(offset),
});

function parseExpression(text: string): Expression | undefined {
  if (/^-?\d+$/.test(text)) return { kind: 'immediate', value: modulo(BigInt(text)) };
  const deref = DEREF.exec(text);
  if (deref) return { kind: 'deref', cell: stackCell(deref[1], deref[2]) };
  const double = DOUBLE_DEREF.exec(text);
  if (double) {
    const cell = stackCell(double[1], double[2]);
    return { kind: 'double-deref', cell, offset: Number(double[3]) };
  }
  const operation = OPERATION.exec(text);
  if (!operation) return undefined;
  const [, register, offset, operator = '', otherRegister, otherOffset, immediate] = operation;
  return {
    kind: 'operation',
    operator,
    left: stackCell(register, offset),
    right:
      immediate === undefined ? stackCell(otherRegister, otherOffset) : modulo(BigInt(immediate)),
  };
}

/** Evaluates the cells of a reference with the registers right after its statement. */
export async function evaluateCells(
  expressions: readonly string[],
  registers: { readonly ap: number; readonly fp: number },
  memory: MemoryReader,
): Promise<readonly Cell[]> {
  const read = async ({ register, offset }: StackCell): Promise<Cell> =>
    (await memory(1, registers[register] + offset, 1))[0];
  const cells: Cell[] = [];
  for (const text of expressions) {
    const expression = parseExpression(text);
    cells.push(expression && (await evaluate(expression, read, memory)));
  }
  return cells;
}

async function evaluate(
  expression: Expression,
  read: (cell: StackCell) => Promise<Cell>,
  memory: MemoryReader,
): Promise<Cell> {
  switch (expression.kind) {
    case 'immediate':
      return expression.value;
    case 'deref':
      return read(expression.cell);
    case 'double-deref': {
      const pointer = await read(expression.cell);
      if (!isPointer(pointer)) return undefined;
      return (await memory(pointer.segment, pointer.offset + expression.offset, 1))[0];
    }
    case 'operation': {
      const { operator, left, right } = expression;
      return operate(
        operator,
        await read(left),
        typeof right === 'bigint' ? right : await read(right),
      );
    }
  }
}

function operate(operator: string, left: Cell, right: Cell): Cell {
  if (left === undefined || right === undefined) return undefined;
  if (isPointer(left)) {
    if (isPointer(right)) {
      return operator === '-' && left.segment === right.segment
        ? modulo(BigInt(left.offset - right.offset))
        : undefined;
    }
    const distance = Number(toSigned(right));
    if (operator === '+') return { ...left, offset: left.offset + distance };
    return operator === '-' ? { ...left, offset: left.offset - distance } : undefined;
  }
  if (isPointer(right)) {
    return operator === '+'
      ? { ...right, offset: right.offset + Number(toSigned(left)) }
      : undefined;
  }
  if (operator === '+') return modulo(left + right);
  if (operator === '-') return modulo(left - right);
  if (operator === '*') return modulo(left * right);
  return right === 0n ? undefined : modulo(left * inverse(right));
}

export function isPointer(cell: Cell): cell is Pointer {
  return typeof cell === 'object';
}

/** Numbers in the upper half of the field stand for negative ones. */
export function toSigned(value: bigint): bigint {
  return value > PRIME / 2n ? value - PRIME : value;
}

function modulo(value: bigint): bigint {
  const rest = value % PRIME;
  return rest < 0n ? rest + PRIME : rest;
}

/** By the extended algorithm of Euclid. */
function inverse(value: bigint): bigint {
  let [rest, next, factor, nextFactor] = [PRIME, value, 0n, 1n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return modulo(factor);
}
