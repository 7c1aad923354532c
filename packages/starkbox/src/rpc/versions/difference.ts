// An older version of the specification as its differences from the next newer one.
import { type Members, membersOf } from '@starkbox/abi/basics';
import type { RpcError } from '../../errors.js';

export interface Version {
  /** As in paths: `v0_9`. */
  readonly name: string;
  /** The answer of `starknet_specVersion`. */
  readonly specVersion: string;
  /** The changes to the documents of the next version: a file in `documents/versions` of @starkbox/spec. */
  readonly documents: string;
  /** Brings the parameters of any standard method into the form of the next version. */
  readonly params?: (params: Members) => Members;
  /** Methods that differ; `null` for those of the next version that this one lacks. */
  readonly methods: Readonly<Record<string, MethodDifference | null>>;
}

/** Parameters are mapped from this version to the next one, everything else from the next one to this. */
export interface MethodDifference {
  /** The method of the next version that does the same, if its name is another. */
  readonly method?: string;
  readonly params?: (params: Members) => Members;
  readonly result?: (result: unknown, exchange: Exchange) => unknown;
  /** Errors that the method lacks in this version. Messages come from the documents. */
  readonly error?: (error: RpcError) => RpcError;
  /** The result of each notification, where all subscriptions get the same. */
  readonly notification?: (result: unknown) => unknown;
  /** The same, where it depends on the subscription. */
  readonly subscription?: (params: Members) => SubscriptionDifference;
}

export interface SubscriptionDifference {
  /** The name of its notifications without prefix, if it is another. */
  readonly name?: string;
  /** Undefined if this version sends no notification. */
  readonly result: (result: unknown) => unknown;
  /** Called before the subscriber is notified of a reorg. */
  readonly reorg?: () => void;
}

/** What a result may depend on besides itself. */
export interface Exchange {
  /** In the form of the newest version. */
  readonly params: Members;
  /** Calls a method of the newest version. */
  readonly ask: (method: string, params: object) => Promise<unknown>;
}

/** An object without some members. */
export function without(value: unknown, names: ReadonlySet<string>): Members {
  return Object.fromEntries(Object.entries(membersOf(value)).filter(([name]) => !names.has(name)));
}

/** An object with one member mapped, if it has it. */
export function withMember(
  value: unknown,
  name: string,
  map: (member: unknown) => unknown,
): Members {
  const members = membersOf(value);
  return name in members ? { ...members, [name]: map(members[name]) } : members;
}
