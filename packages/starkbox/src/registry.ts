// What a registry of instances is made with: the interface that it implements, and the parts of a node that it uses.
// For packages of this repository alone: it changes with every release.

export { ERRORS, type INSTANCE_ROW, methodFacts } from '@starkbox/spec';
export { BoundedMap } from './bounded-map.js';
export { Chain } from './chain/chain.js';
export { writeBranch } from './chain/kept-branch.js';
export { readCursor } from './chain/queries/page.js';
export { realMilliseconds } from './chain/world/clock.js';
export type { World } from './chain/world/world.js';
export { token, UsageError } from './config/option.js';
export { type Config, queueTimeoutOf } from './config/options.js';
export { ConfigError } from './config/rules.js';
export {
  codeOf,
  InstanceElsewhere,
  invalidParams,
  RpcError,
  reasonOf,
  refuse,
} from './errors.js';
export { makeFolder, replaceBytes, syncFolder } from './files/durable-file.js';
export { inflateLimit } from './files/inflate-limit.js';
export { readRegular } from './files/regular-file.js';
export type { Fork } from './fork/fork.js';
export { parse, stringify } from './json/json.js';
export {
  boolean,
  count,
  integer,
  list,
  membersOf,
  object,
  objectText,
  optional,
  string,
} from './json/reader.js';
export type { Log } from './log.js';
export { stopwatch } from './probe.js';
export type { InstanceControls, InstanceWish } from './rpc/methods/sandbox.js';
export type { Delivery } from './rpc/protocol/batch.js';
export type { Handler } from './rpc/protocol/call-context.js';
export { errorAnswer, idOf } from './rpc/protocol/envelope.js';
export { ExecutionMeter } from './scheduling/execution-meter.js';
export { Semaphore } from './scheduling/semaphore.js';
export { SerialQueue } from './scheduling/serial-queue.js';
export { milliseconds } from './scheduling/slices.js';
export { NO_INSTANCE } from './server/http/request-target.js';
export { ChainService } from './service/chain-service.js';
export { baseWith, withOptionErrors } from './service/instance-chains.js';
export type {
  CollectOptions,
  FleetMember,
  HostingPackage,
  InstanceRegistry,
  InstanceStore,
  Requests,
} from './service/instance-registry.js';
export { figuresOf, instanceRow, shownInstance } from './service/shown-instance.js';
export { branchEntries } from './store/branch-entries.js';
export type { Database, Entry, EntryRange, Found } from './store/database/database.js';
export { type FixedOptions, fixedOptionsOf } from './store/directory/fixed-options.js';
export { equalFixedOptions } from './store/directory/identity.js';
export type { InstanceRecord } from './store/instance-records.js';
export { Store } from './store/store.js';
export type { StoredChain } from './store/stored-chain.js';
export type { RegistryMetric } from './telemetry/metrics.js';
