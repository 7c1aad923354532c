// Numbers in the code of a class: limits, fees, delays, roles and error codes that a call may have to match.
import { PRIME } from '@starkbox/abi';
import type { Chain } from 'starkbox';

/** Flags of an instruction, from bit 48 of its word. */
const IMMEDIATE = 1n << 2n;
/** Jumps, calls and `ap +=`: their immediates are offsets in the code or the stack. */
const OFFSETS = (1n << 7n) | (1n << 8n) | (1n << 9n) | (1n << 10n) | (1n << 12n);
const FLAGS_AT = 48n;
const INSTRUCTION_BITS = 63n;
/** Every type draws powers of two and small numbers. */
const SMALL = 4n;
/** Gas costs and builtin sizes fill large classes; the first constants are as good as the last. */
const MOST = 512;

/**
 * The immediates of CASM bytecode, without offsets, powers of two and small numbers.
 *
 * @param casm a compiled class as JSON, parsed
 */
export function classConstants(casm: unknown): readonly bigint[] {
  const { bytecode } = Object(casm);
  if (!Array.isArray(bytecode)) return [];
  const constants = new Set<bigint>();
  for (let at = 0; at < bytecode.length && constants.size < MOST; at++) {
    const word = readWord(bytecode[at]);
    const flags = word >> FLAGS_AT;
    if (flags === 0n || word >> INSTRUCTION_BITS !== 0n) {
      // Constants that the code reads through a pointer are no instructions.
      addConstant(constants, word);
    } else if ((flags & IMMEDIATE) !== 0n) {
      at += 1;
      if ((flags & OFFSETS) === 0n) addConstant(constants, readWord(bytecode[at]));
    }
  }
  return [...constants];
}

/** The constants of the class of a contract; none if the chain has no CASM of it. */
export async function constantsAt(chain: Chain, address: string): Promise<readonly bigint[]> {
  const class_hash = await chain.request('starknet_getClassHashAt', {
    block_id: 'pre_confirmed',
    contract_address: address,
  });
  try {
    return classConstants(await chain.request('starknet_getCompiledCasm', { class_hash }));
  } catch {
    // Classes of Cairo 0 have none.
    return [];
  }
}

function readWord(word: unknown): bigint {
  return typeof word === 'string' && /^-?0x[0-9a-f]+$/i.test(word) ? BigInt(word) : 0n;
}

function addConstant(constants: Set<bigint>, word: bigint): void {
  // Subtractions are additions of the negative number.
  const value = word > PRIME / 2n ? PRIME - word : word;
  if (value < SMALL || isPowerOfTwo(value) || isPowerOfTwo(value + 1n)) return;
  constants.add(value);
}

const isPowerOfTwo = (value: bigint): boolean => (value & (value - 1n)) === 0n;
