// Options of a chain in a browser.
import type { ConfigInput, ConfigKey } from '../config/options.js';

/** Options that need no files, no processes and no ports. */
const BROWSER_KEYS = [
  'accounts',
  'accountClass',
  'initialBalance',
  'fundAccounts',
  'seed',
  'chainId',
  'liteMode',
  'proofMode',
  'rules',
  'blockGenerationOn',
  'mempoolOrder',
  'l1Acceptance',
  'startTime',
  'chargeFee',
  'gasPriceWei',
  'gasPriceFri',
  'dataGasPriceWei',
  'dataGasPriceFri',
  'l2GasPriceWei',
  'l2GasPriceFri',
  'stateArchive',
  'forkNetwork',
  'forkBlock',
  'forkTransaction',
  'forkHeader',
  'forkTimeout',
  'recordCalls',
  'restrictedMethods',
  'timeout',
  'maximumContractClassSize',
  'maximumContractBytecodeSize',
  'maximumSierraLength',
  'maximumInstances',
] as const;
type BrowserKey = (typeof BROWSER_KEYS)[number];

/** Options of the chain itself, with the names and values that `createChain` of `starkbox` takes. */
export type BrowserConfig = Pick<ConfigInput, BrowserKey>;

export function isBrowserKey(key: ConfigKey): key is BrowserKey {
  return BROWSER_KEYS.some((name) => name === key);
}
