// Public types of a chain, the same in every entry of this package.

export type {
  ErrorName,
  EXPLAINED as Explanation,
  NETWORK_CONDITIONS as NetworkConditions,
  NETWORK_STATUS as NetworkStatus,
} from '@starkbox/spec';
export type { PredeployedAccount, PredeployedContract } from '../predeployed.js';
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
} from './chain.js';
export type {
  BigNumberish,
  ContractStorage,
  Request,
  StorageType,
  TimeControls,
} from './controls.js';
export type {
  AllMethods as Methods,
  AnyMethodName as MethodName,
  Notification,
  SubscribeMethodName,
  TypedRpcError,
} from './methods.js';
export type { ChainSubscription } from './subscription.js';
