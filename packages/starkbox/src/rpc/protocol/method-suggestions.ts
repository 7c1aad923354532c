// Suggestions for names that do not exist: the nearest one that does.
import { aliasOf, canonicalName } from '@starkbox/spec';
import { distance, withFewest } from '../../nearest-word.js';

/** Names that differ in more letters are not alike. */
const MAX_DIFFERENCES = 4;
/** Longer names are not compared: they are no typing errors. */
const MAX_LENGTH = 64;

/** Methods whose name means something else under another prefix. */
const BY_FULL_NAME: ReadonlyMap<string, string> = new Map([
  ['txpool_contentFrom', 'devnet_mempoolList'],
  ['txpool_inspect', 'devnet_mempoolList'],
  ['txpool_status', 'devnet_mempoolList'],
]);

/** Methods of Anvil, Hardhat, Katana and Ethereum nodes, and names that people guess, without prefixes. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['accounts', 'devnet_getPredeployedAccounts'],
  ['addBalance', 'devnet_mint'],
  ['addErc20Balance', 'devnet_deal'],
  ['autoImpersonateAccount', 'devnet_autoImpersonate'],
  ['call', 'starknet_call'],
  ['clientVersion', 'devnet_getStatus'],
  ['content', 'devnet_mempoolList'],
  ['dealErc20', 'devnet_deal'],
  ['dropAllTransactions', 'devnet_mempoolClear'],
  ['dropTransaction', 'devnet_mempoolRemove'],
  ['dumpState', 'devnet_dump'],
  ['faucet', 'devnet_mint'],
  ['fund', 'devnet_mint'],
  ['generateBlock', 'devnet_createBlock'],
  ['getAutomine', 'devnet_getBlockSettings'],
  ['getBalance', 'devnet_getAccountBalance'],
  ['getBlockByHash', 'starknet_getBlockWithTxs'],
  ['getBlockByNumber', 'starknet_getBlockWithTxs'],
  ['getCode', 'starknet_getClassAt'],
  ['getIntervalMining', 'devnet_getBlockSettings'],
  ['getLogs', 'starknet_getEvents'],
  ['getTransactionCount', 'starknet_getNonce'],
  ['impersonate', 'devnet_impersonateAccount'],
  ['increaseNextBlockTimestamp', 'devnet_increaseTime'],
  ['loadState', 'devnet_load'],
  ['metadata', 'devnet_getStatus'],
  ['mine', 'devnet_createBlock'],
  ['mineBlock', 'devnet_createBlock'],
  ['nodeInfo', 'devnet_getStatus'],
  ['pendingTransactions', 'devnet_mempoolList'],
  ['predeployedAccounts', 'devnet_getPredeployedAccounts'],
  ['removePoolTransactions', 'devnet_mempoolRemove'],
  ['reset', 'devnet_restart'],
  ['restore', 'devnet_revert'],
  ['rollback', 'devnet_abortBlocks'],
  ['sendRawTransaction', 'starknet_addInvokeTransaction'],
  ['sendTransaction', 'starknet_addInvokeTransaction'],
  ['setAutomine', 'devnet_setBlockSettings'],
  ['setBalance', 'devnet_deal'],
  ['setClass', 'devnet_replaceClass'],
  ['setCode', 'devnet_replaceClass'],
  ['setCoinbase', 'devnet_setBlockSettings'],
  ['setErc20Balance', 'devnet_deal'],
  ['setIntervalMining', 'devnet_setBlockSettings'],
  ['setMinGasPrice', 'devnet_setGasPrice'],
  ['setNextBlockBaseFeePerGas', 'devnet_setGasPrice'],
  ['setNextBlockTimestamp', 'devnet_setTime'],
  ['setNonce', 'devnet_applyStateDiff'],
  ['setStorage', 'devnet_applyStateDiff'],
  ['setStorageAt', 'devnet_applyStateDiff'],
  ['stopImpersonatingAccount', 'devnet_stopImpersonateAccount'],
  ['warp', 'devnet_setTime'],
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
  if (name.length > MAX_LENGTH) return undefined;
  const names = [...methods];
  const suffix = withoutPrefix(name);
  const elsewhere = BY_FULL_NAME.get(name) ?? ELSEWHERE.get(suffix);
  if (elsewhere !== undefined && names.includes(elsewhere)) return elsewhere;
  const lowerCase = name.toLowerCase();
  const isSameRest = (method: string): boolean =>
    withoutPrefix(method).toLowerCase() === withoutPrefix(lowerCase) && suffix !== '';
  // `starknet_CALL` is `starknet_call` rather than `devnet_call`.
  const sameRest =
    names.find((method) => method.toLowerCase() === lowerCase) ?? names.find(isSameRest);
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
  if (name.length > MAX_LENGTH) return undefined;
  const lowerCase = name.toLowerCase();
  return withFewest(names, (candidate) => {
    const shorter = Math.min(name.length, candidate.length);
    const most = Math.min(Math.floor(shorter / 3), MAX_DIFFERENCES);
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
