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

/** Names that can be typed: with their prefixes, and without them where one method has the rest. */
export const TYPED_NAMES: readonly string[] = [
  ...NAMES,
  ...NAMES.map(withoutPrefix).filter(
    (rest, at, all) => all.indexOf(rest) === at && all.lastIndexOf(rest) === at,
  ),
];

/** Methods with a word in their name that a message lists. */
const MAX_LISTED = 5;

function methodsWith(word: string): string | undefined {
  const names = NAMES.filter((name) => name.toLowerCase().includes(word.toLowerCase()));
  if (names.length === 0) return undefined;
  const listed = names.slice(0, MAX_LISTED).join(', ');
  const more = names.length > MAX_LISTED ? `; 'starkbox rpc --list ${word}' lists all` : '';
  return `methods with this word are ${listed}${more}`;
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
  const hints = [
    suggestion === undefined ? undefined : `did you mean ${suggestion}?`,
    methodsWith(word),
  ].filter((hint) => hint !== undefined);
  const hint = hints.join('\n') || "'starkbox rpc --list' lists the methods";
  throw new UsageError(`unknown method '${word}': ${hint}`);
}
