// Names of methods as people type them.
import { canonicalName, METHODS, methodFacts } from '@starkbox/spec';
import { UsageError } from '../../config/option.js';
import { nearest } from '../../nearest-word.js';
import { nearestMethod } from '../../rpc/protocol/method-suggestions.js';

const NAMES = Object.keys(METHODS);

const withoutPrefix = (name: string): string => name.replace(/^[a-z]+[_.]/, '');

function nearestUnprefixed(word: string): string | undefined {
  const rest = nearest(word, NAMES.map(withoutPrefix));
  return NAMES.find((name) => withoutPrefix(name) === rest);
}

/**
 * The name to send: with a prefix, where it was left out.
 *
 * @throws UsageError if several methods have the name, or if it is a mistake
 */
export function fullName(word: string): string {
  if (methodFacts(canonicalName(word)) !== undefined) return word;
  const sameRest = NAMES.filter((name) => withoutPrefix(name) === word);
  const [only, second] = sameRest;
  if (only !== undefined && second === undefined) return only;
  if (second !== undefined) {
    throw new UsageError(`the method '${word}' is ambiguous: use ${sameRest.join(' or ')}`);
  }
  const suggestion = nearestMethod(word, NAMES) ?? nearestUnprefixed(word);
  // Another node may have methods of its own.
  if (suggestion === undefined && word.includes('_')) return word;
  const hint =
    suggestion === undefined
      ? "'starkbox rpc --list' lists the methods"
      : `did you mean ${suggestion}?`;
  throw new UsageError(`unknown method '${word}': ${hint}`);
}
