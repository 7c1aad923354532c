// Public API: a chain with its options, errors and wire types.

export type {
  ErrorName,
  EXPLAINED as Explanation,
  NETWORK_CONDITIONS as NetworkConditions,
  NETWORK_STATUS as NetworkStatus,
  NotificationName,
  Notifications,
} from '@starkbox/spec';
export { type BundleTarget, type OpenedBundle, openBundle } from './bundles/open.js';
export type {
  Chain,
  ChainSnapshot,
  DealOptions,
  DeclaredClass,
  DeployedContract,
  DeployRequest,
  ImpersonatedAccount,
  MineOptions,
  MintResult,
  NetworkPreset,
} from './client/chain.js';
export type {
  BigNumberish,
  ContractStorage,
  Request,
  StorageType,
  TimeControls,
} from './client/controls.js';
export type {
  AllMethods as Methods,
  AnyMethodName as MethodName,
  Notification,
  SubscribeMethodName,
  TypedRpcError,
} from './client/methods.js';
export { isRpcError } from './client/methods.js';
export type { ChainSubscription } from './client/subscription.js';
export { UsageError } from './config/option.js';
export type { Config, ConfigInput } from './config/options.js';
export { ConfigError } from './config/rules.js';
export { BundleError, RpcError } from './errors.js';
export type { DirectCall, DirectResult } from './library/call-branch.js';
export type {
  ListenOptions,
  LocalCallBranch as CallBranch,
  LocalChain,
  ServerAddress,
} from './library/local-chain.js';
export { createLog, type Log } from './log.js';
export { createChain } from './node/node.js';
export { packageVersion } from './node/version.js';
export type { PredeployedAccount, PredeployedContract } from './predeployed.js';
export { STARKNET_VERSIONS, type StarknetVersion } from './starknet-versions.js';
