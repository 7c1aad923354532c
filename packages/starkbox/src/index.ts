// Public API: a chain with its options, errors and wire types.

export {
  type ErrorName,
  type EXPLAINED as Explanation,
  METHODS,
  type NotificationName,
  type Notifications,
} from '@starkbox/spec';
export type { Account as PredeployedAccount } from './chain/genesis/accounts.js';
export type { PredeployedContract } from './chain/genesis/deployed.js';
export { UsageError } from './config/option.js';
export { type Config, type ConfigInput, defaultConfig } from './config/options.js';
export { ConfigError } from './config/rules.js';
export { RpcError } from './errors.js';
export type { DeclaredClass, DeployedContract, DeployRequest } from './library/contracts.js';
export type {
  BigNumberish,
  ContractStorage,
  StorageType,
  TimeControls,
} from './client/controls.js';
export type {
  DealOptions,
  ImpersonatedAccount,
  ListenOptions,
  LocalChain,
  MintResult,
  ServerAddress,
} from './library/local-chain.js';
export type {
  AllMethods as Methods,
  AnyMethodName as MethodName,
  Notification,
  ParamsArgument,
  SubscribeMethodName,
  TypedRpcError,
} from './client/methods.js';
export { isRpcError } from './client/methods.js';
export type { ChainSnapshot } from './library/snapshot.js';
export type { ChainSubscription } from './library/subscription.js';
export { createLog, type Log, type LogOptions, silentLog } from './log.js';
export { createChain } from './node/node.js';
export { packageVersion } from './node/version.js';
