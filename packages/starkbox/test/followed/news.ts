// Notifications of a node by name.
import type { Notification } from '@starkbox/conformance';
import type { NotificationName, Notifications } from '../../src/spec.js';

/** A notification; its name tells what its result is. */
export type News = {
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

/** The socket has held what came under this name against the specification of that name. */
function isNews(one: Notification): one is News {
  return Object.hasOwn(NAMES, one.method);
}

export function asNews(one: Notification): News {
  if (isNews(one)) return one;
  throw new Error(`${one.method} is no notification`);
}
