// Instructions of CASM as text, from the words of a program.
import { PRIME } from '@starkbox/abi/basics';
import type { Instruction, SourceLocation } from './debugger.js';
import type { Cell } from './trace/recorded-trace.js';

const BIAS = 0x8000;

export interface DecodedInstruction {
  readonly text: string;
  /** The number of words. */
  readonly size: number;
}

const bit = (flags: number, index: number): boolean => ((flags >> index) & 1) === 1;

/**
 * The instruction that begins with a word; undefined if it encodes none.
 *
 * @param next the word behind it, which an immediate value takes
 */
export function decodeInstruction(word: Cell, next: Cell): DecodedInstruction | undefined {
  if (word === null || word.includes(':')) return undefined;
  const encoded = BigInt(word);
  const extension = Number(encoded >> 63n);
  if (extension > 3) return undefined;
  const offset = (shift: bigint): number => Number((encoded >> shift) & 0xffffn) - BIAS;
  const flags = Number((encoded >> 48n) & 0x7fffn);
  const dst = cell(bit(flags, 0) ? 'fp' : 'ap', offset(0n));
  const op0 = cell(bit(flags, 1) ? 'fp' : 'ap', offset(16n));
  const [isImmediate, isFp, isAp] = [bit(flags, 2), bit(flags, 3), bit(flags, 4)];
  const size = isImmediate ? 2 : 1;
  let op1 = `[${op0}${withSign(offset(32n))}]`;
  if (isImmediate) op1 = next === null ? '?' : immediate(next);
  else if (isFp) op1 = cell('fp', offset(32n));
  else if (isAp) op1 = cell('ap', offset(32n));
  const res = resultText(flags, op0, op1);
  const text = operationText(flags, { dst, op0, op1, res });
  if (text === undefined) return undefined;
  const name = ['', 'blake2s ', 'blake2s_last ', 'qm31 '][extension] ?? '';
  return { text: `${name}${text}`, size };
}

const withSign = (offset: number): string =>
  offset === 0 ? '' : offset < 0 ? ` - ${-offset}` : ` + ${offset}`;
const cell = (register: string, offset: number): string => `[${register}${withSign(offset)}]`;

function immediate(word: string): string {
  if (word.includes(':')) return word;
  const value = BigInt(word);
  return String(value > PRIME / 2n ? value - PRIME : value);
}

function resultText(flags: number, op0: string, op1: string): string {
  if (bit(flags, 5)) return `${op0} + ${op1}`;
  return bit(flags, 6) ? `${op0} * ${op1}` : op1;
}

function operationText(
  flags: number,
  { dst, op0, op1, res }: Readonly<Record<'dst' | 'op0' | 'op1' | 'res', string>>,
): string | undefined {
  const step = bit(flags, 11) ? ', ap++' : '';
  const isRelative = bit(flags, 8);
  if (bit(flags, 13)) return 'ret';
  if (bit(flags, 12)) return `call ${isRelative ? 'rel' : 'abs'} ${res}`;
  if (bit(flags, 9)) return `jmp rel ${op1} if ${dst} != 0${step}`;
  if (bit(flags, 7) || isRelative) return `jmp ${isRelative ? 'rel' : 'abs'} ${res}${step}`;
  if (bit(flags, 10)) return `ap += ${res}`;
  if (bit(flags, 14)) return `${dst} = ${res}${step}`;
  return flags === 0 || bit(flags, 11) ? `nop ${op0}${step}` : undefined;
}

interface Around {
  /** The offset of the first word. */
  readonly first: number;
  readonly pc: number;
  /** Instructions before the pc, and from it on. */
  readonly before: number;
  readonly count: number;
}

/** Instructions around a pc, from consecutive words of a program. */
export function instructionsAround(
  words: readonly (string | null)[],
  { first, pc, before, count }: Around,
  locationAt: (pc: number) => SourceLocation | undefined,
): readonly Instruction[] {
  const decode = (from: number, most: number): readonly Instruction[] => {
    const instructions: Instruction[] = [];
    let at = from;
    while (instructions.length < most && at - first < words.length - 1) {
      const word = words[at - first] ?? null;
      const decoded = decodeInstruction(word, words[at - first + 1] ?? null);
      const location = locationAt(at);
      const text = decoded?.text ?? (word === null ? '(not recorded)' : `dw ${word}`);
      instructions.push({ pc: at, text, ...(location ? { location } : {}) });
      at += decoded?.size ?? 1;
    }
    return instructions;
  };
  // Words of immediate values look like instructions: a start is right if the pc is reached from it.
  for (let start = first; start <= pc; start += 1) {
    const earlier = decode(start, Number.POSITIVE_INFINITY);
    const index = earlier.findIndex((instruction) => instruction.pc === pc);
    if (index < 0) continue;
    const around = earlier.slice(Math.max(0, index - before), index + count);
    if (index >= before || start === 0 || start === first) return around;
  }
  return decode(pc, count);
}
