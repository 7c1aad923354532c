// Public API: a chain with its options, errors and wire types.

export {
  type ErrorName,
  type EXPLAINED as Explained,
  METHODS,
  type NotificationName,
  type Notifications,
} from '@starkbox/spec';
export type { Account as PredeployedAccount } from './chain/genesis/accounts.js';
export type { Deployed } from './chain/genesis/deployed.js';
export { UsageError } from './config/option.js';
export { type Config, type ConfigInput, defaultConfig } from './config/options.js';
export { ConfigError } from './config/rules.js';
export { RpcError } from './errors.js';
export type { DeclaredClass, DeployedContract, Deployment } from './library/contracts.js';
export type { ContractStorage, Numeric, StorageType, TimeControls } from './library/controls.js';
export type {
  AllMethods as Methods,
  AnyMethodName as MethodName,
  KnownRpcError,
  Notification,
  ParamsArgument,
  SubscribeMethodName,
} from './library/methods.js';
export { isRpcError } from './library/methods.js';
export type { ChainSnapshot } from './library/snapshot.js';
export type {
  Address,
  DealOptions,
  Impersonated,
  ListenOptions,
  Minted,
  Starkbox,
} from './library/starkbox.js';
export type { ChainSubscription } from './library/subscription.js';
export { createLog, type Log, type LogOptions, silentLog } from './log.js';
export { createNode } from './node/node.js';
export { packageVersion } from './node/version.js';
