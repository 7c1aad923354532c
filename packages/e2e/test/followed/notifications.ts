// Notifications of a node by name.
import type { Notification } from '@starkbox/conformance';
import type { NotificationName, Notifications } from 'starkbox';

/** A notification; its name determines the type of its result. */
export type NamedNotification = {
  readonly [N in NotificationName]: {
    readonly method: N;
    readonly subscription: string;
    readonly result: Notifications[N]['result'];
  };
}[NotificationName];

const NAMES: Readonly<Record<NotificationName, true>> = {
  starknet_subscriptionNewHeads: true,
  starknet_subscriptionEvents: true,
  starknet_subscriptionTransactionStatus: true,
  starknet_subscriptionNewTransactionReceipts: true,
  starknet_subscriptionNewTransaction: true,
  starknet_subscriptionReorg: true,
  devnet_subscriptionSandbox: true,
  devnet_subscriptionRequests: true,
};

/** The socket has validated the result by the specification of this name. */
function isNamed(one: Notification): one is NamedNotification {
  return Object.hasOwn(NAMES, one.method);
}

export function asNamed(one: Notification): NamedNotification {
  if (isNamed(one)) return one;
  throw new Error(`${one.method} is no notification`);
}
