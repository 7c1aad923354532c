// The slot of a storage variable by its name and the keys of its map, as far as they are known to exist.
import { ADDRESS_BOUND, toFelt } from '@starkbox/abi/basics';
import type { ClassVariables, KeyUnit, StorageType, Variable } from '@starkbox/abi/internal';
import { pedersenPair, starknetKeccak } from '@starkbox/engine';
import { invalidParams } from '../../errors.js';
import { nearest } from '../../nearest-word.js';

/** A variable, or an entry of a map; a key of type u256 is two felts. */
export interface VariableRequest {
  readonly variable: string;
  readonly keys?: readonly string[] | undefined;
}

/**
 * The first slot.
 *
 * @param variables of the class; undefined if it cannot be read
 * @param path of the parameters, for errors
 */
export function variableSlot(
  { variable, keys = [] }: VariableRequest,
  variables: ClassVariables | undefined,
  path: string,
): string {
  const declared = variables?.variables.find(({ name }) => name === variable);
  const base = declared?.base ?? starknetKeccak(variable);
  if (declared) checkKeys(declared, keys, path);
  else if (variables?.hasConstant?.(base) === false) {
    invalidParams(
      `${path}.variable: got "${variable}", expected a variable of the contract's class. ${advice(variable, variables)}`,
    );
  }
  if (keys.length === 0) return base;
  const hash = keys.reduce((before, key) => pedersenPair(before, key), base);
  return toFelt(BigInt(hash) % ADDRESS_BOUND);
}

/** Names in an error. */
const MAX_NAMES = 15;

function advice(variable: string, { variables, hasConstant }: ClassVariables): string {
  // Hashes of events are constants of a program too.
  const isEvent = ({ name, origin }: Variable): boolean => origin === 'abi' && /^[A-Z]/.test(name);
  const names = variables.filter((guess) => !isEvent(guess)).map(({ name }) => name);
  const isVariable = (word: string): boolean => hasConstant?.(starknetKeccak(word)) === true;
  const likely = nearest(variable, names) ?? misspellings(variable).find(isVariable);
  if (likely !== undefined) return `Did you mean "${likely}"?`;
  const listed = names.length === 0 ? '' : `It has ${names.slice(0, MAX_NAMES).join(', ')}. `;
  return `${listed}For a slot that it does not name, give the key`;
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'];

/** The words from which a name differs by one letter, because the names of private variables are not in an ABI. */
function misspellings(name: string): readonly string[] {
  return Array.from({ length: name.length + 1 }, (_, at) => {
    const [before, letter = '', next = ''] = [name.slice(0, at), name[at], name[at + 1]];
    const after = name.slice(at + 1);
    const changed = LETTERS.flatMap((other) => [
      before + other + after,
      before + other + letter + after,
    ]);
    return [before + after, before + next + letter + name.slice(at + 2), ...changed];
  })
    .flat()
    .filter((word) => word !== '');
}

function checkKeys({ name, type, origin }: Variable, keys: readonly string[], path: string): void {
  if (type.kind === 'map' && keys.length === 0 && origin !== 'abi') {
    invalidParams(`${path}.keys: expected the keys of the map "${name}", got none`);
  }
  // A well-known or guessed name may be that of another variable.
  if (origin !== 'source') return;
  const [least, most] = keyFelts(type);
  if (keys.length >= least && keys.length <= most) return;
  const count = least === most ? String(least) : `at least ${least}`;
  invalidParams(
    `${path}.keys: expected ${count} ${least === 1 ? 'felt' : 'felts'} for the keys of "${name}", got ${keys.length}. A u256 is two felts`,
  );
}

/** How many felts lead to a value, at least and at most. */
function keyFelts(type: StorageType): readonly [least: number, most: number] {
  if (type.kind === 'cells') return [0, 0];
  if (type.kind !== 'map') return [0, Number.POSITIVE_INFINITY];
  const felts = type.keys.reduce((sum, key) => sum + feltsOf(key), 0);
  const [least, most] = keyFelts(type.of);
  return [felts + least, felts + most];
}

const feltsOf = ({ kind }: KeyUnit): number => (kind === 'u256' ? 2 : 1);
