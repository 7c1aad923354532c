// Notifications of a node by name.
import type { Notification } from '@starkbox/test-support';
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
function isNamed(notification: Notification): notification is NamedNotification {
  return Object.hasOwn(NAMES, notification.method);
}

export function asNamed(notification: Notification): NamedNotification {
  if (isNamed(notification)) return notification;
  throw new Error(`${notification.method} is no notification`);
}
