// Versions that a Sierra program starts with: of Sierra and of the compiler.
import { decodeShortString } from '@starkbox/abi/basics';

export interface SierraVersions {
  readonly sierra: string;
  /** The oldest programs do not have it. */
  readonly compiler: string | undefined;
}

const PARTS = 3;
/** Larger numbers are no part of a version. */
const MAX_VERSION = 0xffff_ffffn;

/** Three felts each; the oldest programs have the version as one text. */
export function sierraVersions(program: readonly string[]): SierraVersions | undefined {
  const [first = '0x0'] = program;
  const text = decodeShortString(first);
  if (text !== undefined && /^\d+(\.\d+){2}$/.test(text))
    return { sierra: text, compiler: undefined };
  const sierra = versionIn(program.slice(0, PARTS));
  return sierra === undefined
    ? undefined
    : { sierra, compiler: versionIn(program.slice(PARTS, 2 * PARTS)) };
}

function versionIn(felts: readonly string[]): string | undefined {
  const numbers = felts.map(BigInt);
  return numbers.length === PARTS && numbers.every((part) => part <= MAX_VERSION)
    ? numbers.join('.')
    : undefined;
}
