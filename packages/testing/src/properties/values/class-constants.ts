// Numbers in the code of a class: limits, fees, delays, roles and error codes that a call may have to match.
import { memberOf, PRIME } from '@starkbox/abi/basics';

/** Flags of an instruction, from bit 48 of its word. */
const IMMEDIATE = 1n << 2n;
/** Jumps, calls and `ap +=`: their immediates are offsets in the code or the stack. */
const OFFSETS = (1n << 7n) | (1n << 8n) | (1n << 9n) | (1n << 10n) | (1n << 12n);
/** The sum of a cell and the immediate. */
const SUM = 1n << 5n;
/** The product of a cell and the immediate. */
const PRODUCT = 1n << 6n;
/** Larger factors belong to checks of ranges. */
const LARGEST_FACTOR = 1n << 32n;
const FLAGS_AT = 48n;
const INSTRUCTION_BITS = 63n;
/** Every type draws powers of two and small numbers. */
const SMALL = 4n;
const MAX_COUNT = 512;

/** Selectors of system calls, as CASM has them. */
const SYSTEM_CALLS =
  /^(StorageRead|StorageWrite|EmitEvent|CallContract|LibraryCall|Deploy|ReplaceClass|SendMessageToL1|Get[A-Z]\w+|Keccak|MetaTxV0|Secp256\w+|Sha256ProcessBlock)$/;

/**
 * The immediates of CASM bytecode, without offsets, gas costs, messages, powers of two and small numbers.
 *
 * @param casm a compiled class as JSON, parsed
 */
export function classConstants(casm: unknown): readonly bigint[] {
  const bytecode = memberOf(casm, 'bytecode');
  if (!Array.isArray(bytecode)) return [];
  const constants = new Set<bigint>();
  for (let at = 0; at < bytecode.length && constants.size < MAX_COUNT; at++) {
    const word = readWord(bytecode[at]);
    const flags = word >> FLAGS_AT;
    if (flags === 0n || word >> INSTRUCTION_BITS !== 0n) {
      // Constants that the code reads through a pointer are no instructions.
      addConstant(constants, word);
    } else if ((flags & IMMEDIATE) !== 0n) {
      at += 1;
      const immediate = readWord(bytecode[at]);
      // Gas costs and sizes of builtins are added. A constant that an argument is compared with is subtracted.
      const isAdded = (flags & SUM) !== 0n && immediate <= PRIME / 2n;
      const isFactor = (flags & PRODUCT) !== 0n && immediate > LARGEST_FACTOR;
      if ((flags & OFFSETS) === 0n && !isAdded && !isFactor) addConstant(constants, immediate);
    }
  }
  return [...constants];
}

function readWord(word: unknown): bigint {
  return typeof word === 'string' && /^-?0x[0-9a-f]+$/i.test(word) ? BigInt(word) : 0n;
}

function addConstant(constants: Set<bigint>, word: bigint): void {
  // Subtractions are additions of the negative number.
  const value = word > PRIME / 2n ? PRIME - word : word;
  if (value < SMALL || isPowerOfTwo(value) || isPowerOfTwo(value + 1n)) return;
  if (isMessage(value)) return;
  constants.add(value);
}

/** Whether a number is a short string that names no value: a text with spaces, or a system call. */
function isMessage(value: bigint): boolean {
  const digits = value.toString(16);
  const text = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  const isPrintable = text.every((byte) => byte >= 0x20 && byte < 0x7f);
  return isPrintable && (text.includes(' ') || SYSTEM_CALLS.test(text.toString('latin1')));
}

const isPowerOfTwo = (value: bigint): boolean => (value & (value - 1n)) === 0n;
