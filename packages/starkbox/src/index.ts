// Public API: a node with its options, errors and wire types.

export { UsageError } from './config/option.js';
export { type Config, type ConfigInput, defaultConfig } from './config/options.js';
export { ConfigError } from './config/rules.js';
export { RpcError } from './errors.js';
export { createLog, type Log, type LogOptions, silentLog } from './log.js';
export { createNode, type Node } from './node/node.js';
export {
  type ErrorName,
  METHODS,
  type MethodName,
  type Methods,
  type NotificationName,
  type Notifications,
} from './spec.js';
