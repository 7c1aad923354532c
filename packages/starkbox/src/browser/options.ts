// Options of a chain in a browser.
import type { ConfigInput, ConfigKey } from '../config/options.js';

/** Options that need no files, no processes and no ports. */
type BrowserKey =
  | 'accounts'
  | 'accountClass'
  | 'initialBalance'
  | 'fundAccounts'
  | 'seed'
  | 'chainId'
  | 'liteMode'
  | 'proofMode'
  | 'rules'
  | 'blockGenerationOn'
  | 'mempoolOrder'
  | 'l1Acceptance'
  | 'startTime'
  | 'chargeFee'
  | 'gasPriceWei'
  | 'gasPriceFri'
  | 'dataGasPriceWei'
  | 'dataGasPriceFri'
  | 'l2GasPriceWei'
  | 'l2GasPriceFri'
  | 'stateArchive'
  | 'forkNetwork'
  | 'forkBlock'
  | 'forkTransaction'
  | 'forkHeader'
  | 'forkTimeout'
  | 'recordCalls'
  | 'restrictedMethods'
  | 'timeout'
  | 'maximumContractClassSize'
  | 'maximumContractBytecodeSize'
  | 'maximumSierraLength'
  | 'maximumSubscriptions'
  | 'maximumSnapshots'
  | 'maximumDebugSteps'
  | 'maximumDebugBytes'
  | 'maximumMempoolSize'
  | 'maximumInstances';

const BROWSER_KEYS: Readonly<Record<BrowserKey, true>> = {
  accounts: true,
  accountClass: true,
  initialBalance: true,
  fundAccounts: true,
  seed: true,
  chainId: true,
  liteMode: true,
  proofMode: true,
  rules: true,
  blockGenerationOn: true,
  mempoolOrder: true,
  l1Acceptance: true,
  startTime: true,
  chargeFee: true,
  gasPriceWei: true,
  gasPriceFri: true,
  dataGasPriceWei: true,
  dataGasPriceFri: true,
  l2GasPriceWei: true,
  l2GasPriceFri: true,
  stateArchive: true,
  forkNetwork: true,
  forkBlock: true,
  forkTransaction: true,
  forkHeader: true,
  forkTimeout: true,
  recordCalls: true,
  restrictedMethods: true,
  timeout: true,
  maximumContractClassSize: true,
  maximumContractBytecodeSize: true,
  maximumSierraLength: true,
  maximumSubscriptions: true,
  maximumSnapshots: true,
  maximumDebugSteps: true,
  maximumDebugBytes: true,
  maximumMempoolSize: true,
  maximumInstances: true,
};

/** Options of the chain itself, with the names and values that `createChain` of `starkbox` takes. */
export type BrowserConfig = Pick<ConfigInput, BrowserKey>;

export function isBrowserKey(key: ConfigKey): key is BrowserKey {
  return Object.hasOwn(BROWSER_KEYS, key);
}
