// Public API: a chain with its options, errors and wire types.

export { EngineError } from '@starkbox/engine';
export type { NotificationName, Notifications } from '@starkbox/spec';
export { type BundleTarget, type OpenedBundle, openBundle } from './bundles/open.js';
export { isRpcError } from './client/methods.js';
export type * from './client/public-types.js';
export { UsageError } from './config/option.js';
export type { Config, ConfigInput } from './config/options.js';
export { ConfigError } from './config/rules.js';
export { BundleError, RpcError } from './errors.js';
export type {
  ListenOptions,
  LocalCallBranch as CallBranch,
  LocalChain,
  ServerAddress,
} from './library/local-chain.js';
export { createLog, type Log } from './log.js';
export { createChain } from './node/node.js';
export { STARKNET_VERSIONS, type StarknetVersion } from './starknet-versions.js';
