// Search for the function that a selector of no function was probably meant to be.
import type { Abi } from '../abi.js';
import { starknetKeccak } from '../selector.js';

/** Hashes that one search may take: some ten milliseconds. */
const MAX_HASHES = 500;

export interface Mistyped {
  /** The name whose hash the selector is. */
  readonly written: string;
  readonly meant: string;
}

/**
 * Which spelling of a function's name has this selector: words joined in another way, a letter left out or doubled,
 * or two letters swapped.
 */
export function findMistyped(selector: string, { functions }: Abi): Mistyped | undefined {
  const target = BigInt(selector);
  const names = [...functions.values()].map(({ name }) => name);
  const tried = new Set<string>();
  for (const spellings of [otherCase, lessOrSwapped]) {
    for (const meant of names) {
      for (const written of spellings(meant)) {
        if (tried.has(written)) continue;
        if (tried.size >= MAX_HASHES) return undefined;
        tried.add(written);
        if (starknetKeccak(written) === target) return { written, meant };
      }
    }
  }
  return undefined;
}

function otherCase(name: string): readonly string[] {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, '');
  const camel = name.replace(/(?<=^_|[^_])_+([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [snake, camel, name.toLowerCase(), `get_${name}`, name.replace(/^get_/, '')].filter(
    (candidate) => candidate !== name && candidate !== '',
  );
}

function lessOrSwapped(name: string): readonly string[] {
  return Array.from(name, (letter, at) => [
    name.slice(0, at) + name.slice(at + 1),
    name.slice(0, at) + (name[at + 1] ?? '') + letter + name.slice(at + 2),
    name.slice(0, at) + letter + letter + name.slice(at + 1),
  ]).flat();
}
