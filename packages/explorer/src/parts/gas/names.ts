// Names of the blocks of a gas graph.

import type { Names } from '@starkbox/abi';
import { shortAddress, shortHash } from '@starkbox/abi/basics';
import {
  ALL,
  type CalledFunction,
  type GasBlock,
  type Grouping,
  keyOf,
} from '@starkbox/abi/internal';
import { functionName } from '../../format/names.js';
import { escapeText } from '../../format/untrusted-text.js';

const MAX_LENGTH = 60;

export function calledName(called: CalledFunction, names: Names, grouping: Grouping): string {
  const { selector, kind } = called;
  const what = functionName(selector);
  const where = targetName(called, names, grouping);
  const how = kind === 'DELEGATE' && grouping === 'contract' ? ' (library)' : '';
  return `${where}.${what === undefined ? shortHash(selector) : escapeText(what, MAX_LENGTH).text}${how}`;
}

/** The contract, or the class. */
function targetName(
  { contract, classHash }: CalledFunction,
  names: Names,
  grouping: Grouping,
): string {
  return grouping === 'class'
    ? (names.get(classHash) ?? `class ${shortHash(classHash)}`)
    : (names.get(contract) ?? shortAddress(contract));
}

/** The contract alone where a phase comes before it in the whole name. */
export function shortBlockName(
  { called, phase }: GasBlock,
  names: Names,
  grouping: Grouping,
): string {
  return called && phase !== undefined ? targetName(called, names, grouping) : '';
}

export function blockNamer(
  names: Names,
  options: {
    readonly whole: string;
    readonly outside: string;
    readonly grouping?: Grouping;
  },
): (block: GasBlock) => string {
  const { whole, outside, grouping = 'contract' } = options;
  return ({ id, called, phase }) => {
    if (!called) return id === ALL ? whole : outside;
    const name = calledName(called, names, grouping);
    return phase === undefined ? name : `${phase === 'constructor' ? 'deploy' : phase} ${name}`;
  };
}

/**
 * Keys of a function, the first one preferred: by its name, which survives redeployment, and by its address, because
 * names may be read later.
 */
export function lastingKeys(
  called: CalledFunction,
  names: Names,
  grouping: Grouping,
): readonly string[] {
  const key = keyOf(called, grouping);
  const name = names.get(grouping === 'class' ? called.classHash : called.contract);
  return name === undefined ? [key] : [`${name} ${called.selector} ${called.kind}`, key];
}
