// Suggestions for names that do not exist: the nearest one that does.
import { aliasOf, canonicalName } from '@starkbox/spec';
import { distance, withFewest } from '../../nearest-word.js';

/** Names that differ in more letters are not alike. */
const MOST_DIFFERENCES = 4;
/** Longer names are not compared: they are no typing errors. */
const LONGEST = 64;

/** What other development chains call the things that this one has, without their prefixes. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['mine', 'devnet_createBlock'],
  ['generateBlock', 'devnet_createBlock'],
  ['setNextBlockTimestamp', 'devnet_setTime'],
  ['increaseNextBlockTimestamp', 'devnet_increaseTime'],
  ['predeployedAccounts', 'devnet_getPredeployedAccounts'],
  ['accounts', 'devnet_getPredeployedAccounts'],
  ['setBalance', 'devnet_mint'],
  ['getBalance', 'devnet_getAccountBalance'],
  ['setStorageAt', 'devnet_applyStateDiff'],
  ['stopImpersonatingAccount', 'devnet_stopImpersonateAccount'],
  ['autoImpersonateAccount', 'devnet_autoImpersonate'],
  ['dumpState', 'devnet_dump'],
  ['loadState', 'devnet_load'],
  ['reset', 'devnet_restart'],
  ['rollback', 'devnet_abortBlocks'],
  ['sendRawTransaction', 'starknet_addInvokeTransaction'],
  ['pendingTransactions', 'starknet_getBlockWithTxs'],
]);

/**
 * The method that was probably meant: of the same name under another prefix, or spelled nearly so. For a name with the
 * prefix of aliases it is the alias.
 */
export function nearestMethod(name: string, methods: Iterable<string>): string | undefined {
  const nearest = nearestOf(canonicalName(name), methods);
  const suggestion = nearest === undefined ? undefined : canonicalName(nearest);
  const isAlias = canonicalName(name) !== name;
  return isAlias && suggestion !== undefined ? (aliasOf(suggestion) ?? suggestion) : suggestion;
}

function nearestOf(name: string, methods: Iterable<string>): string | undefined {
  if (name.length > LONGEST) return undefined;
  const names = [...methods];
  const suffix = withoutPrefix(name);
  const elsewhere = ELSEWHERE.get(suffix);
  if (elsewhere !== undefined && names.includes(elsewhere)) return elsewhere;
  const sameRest = names.find(
    (method) => withoutPrefix(method).toLowerCase() === suffix.toLowerCase() && suffix !== '',
  );
  return (
    sameRest ?? onlyOne(names.filter((method) => isBeginning(name, method))) ?? nearest(name, names)
  );
}

function onlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

/** Whether a name is another one without its end, and more than a prefix. */
function isBeginning(name: string, whole: string): boolean {
  return withoutPrefix(name).length >= 4 && whole.startsWith(name);
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf('_') + 1);
}

/** The name with the fewest differences in spelling; undefined if all differ too much. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  if (name.length > LONGEST) return undefined;
  const lowerCase = name.toLowerCase();
  return withFewest(names, (candidate) => {
    const shorter = Math.min(name.length, candidate.length);
    const most = Math.min(Math.floor(shorter / 3), MOST_DIFFERENCES);
    const isFar = Math.abs(name.length - candidate.length) > most;
    return {
      most,
      edits: isFar ? Number.POSITIVE_INFINITY : distance(lowerCase, candidate.toLowerCase()),
    };
  });
}

/** The end of a sentence that names what does not exist. */
export function didYouMean(suggestion: string | undefined): string {
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
}
