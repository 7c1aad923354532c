// Types of requests: every method under all of its names, its params, its result and its notifications.

import type { ERRORS, ErrorData, ErrorName, Methods, Notifications } from '@starkbox/spec';
import { RpcError } from '../errors.js';

/** The other name of a method. */
type AliasOf<M> = M extends `starknet_${infer Rest}`
  ? `chain_${Rest}`
  : M extends `devnet_${infer Rest}`
    ? `sandbox_${Rest}`
    : never;

/** The parameters and the result of each method, under all of its names. */
export type AllMethods = Methods & {
  readonly [M in keyof Methods as AliasOf<M>]: Methods[M];
};

/** The name of a method, under any of its prefixes. */
export type AnyMethodName = keyof AllMethods;

/** The params of a method as an argument, which may be left out where none is required. */
export type ParamsArgument<M extends AnyMethodName> =
  Record<string, never> extends AllMethods[M]['params']
    ? [params?: AllMethods[M]['params']]
    : [params: AllMethods[M]['params']];

/** Notifications of each method that subscribes. */
interface NotificationsOf {
  readonly starknet_subscribeNewHeads:
    | 'starknet_subscriptionNewHeads'
    | 'starknet_subscriptionReorg';
  readonly starknet_subscribeEvents: 'starknet_subscriptionEvents' | 'starknet_subscriptionReorg';
  readonly starknet_subscribeTransactionStatus:
    | 'starknet_subscriptionTransactionStatus'
    | 'starknet_subscriptionReorg';
  readonly starknet_subscribeNewTransactionReceipts:
    | 'starknet_subscriptionNewTransactionReceipts'
    | 'starknet_subscriptionReorg';
  readonly starknet_subscribeNewTransactions:
    | 'starknet_subscriptionNewTransaction'
    | 'starknet_subscriptionReorg';
  readonly devnet_subscribeSandbox: 'devnet_subscriptionSandbox';
  readonly devnet_subscribeRequests: 'devnet_subscriptionRequests';
}

/** The name of a method that subscribes. */
export type SubscribeMethodName = keyof NotificationsOf;

type Notified<N extends keyof Notifications> = {
  readonly [K in N]: { readonly name: K; readonly result: Notifications[K]['result'] };
}[N];

/** A notification of a subscription; its `name` says which. */
export type Notification<M extends SubscribeMethodName> = Notified<NotificationsOf[M]>;

/** An error whose `code` decides the type of its `data`. */
export type TypedRpcError = {
  readonly [N in ErrorName]: RpcError & {
    readonly code: (typeof ERRORS)[N]['code'];
    readonly data: ErrorData[N];
  };
}[ErrorName];

/** Whether a call failed with an error of the node; its `code` then decides the type of its `data`. */
export function isRpcError(error: unknown): error is TypedRpcError {
  return error instanceof RpcError;
}

/**
 * The result of a method with the type that the documents give it. Handlers are typed by the same documents,
 * and tests check every answer against their schemas.
 */
export function resultOf<M extends AnyMethodName>(
  method: M,
  result: unknown,
): AllMethods[M]['result'] {
  if (!isResultOf(method, result)) throw new TypeError(`${method} returned no result`);
  return result;
}

function isResultOf<M extends AnyMethodName>(
  _method: M,
  result: unknown,
): result is AllMethods[M]['result'] {
  return result !== undefined;
}
