// Subscription to what happens to the sandbox, and its instances.
import type { INSTANCE, INSTANCE_ROW } from '@starkbox/spec';
import { refuse } from '../../errors.js';
import type { HandlerGroup } from '../protocol/handlers.js';
import type { SandboxNotifications } from '../subscriptions/sandbox-notifications.js';
import type { Subscriptions } from '../subscriptions/subscriptions.js';

export interface InstanceRequest {
  /** Undefined for the called chain. */
  readonly from: string | undefined;
  readonly name: string | undefined;
  readonly options: object | undefined;
  /** Seconds without a request; zero keeps it. */
  readonly ttl: number | undefined;
}

export interface InstancePage {
  readonly rows: readonly INSTANCE_ROW[];
  readonly total: number;
  readonly next: string | undefined;
}

/** The instances of a node, as one of its chains creates and deletes them. */
export interface InstanceControls {
  create(wish: InstanceRequest): Promise<INSTANCE>;
  list(page: { readonly cursor: string | undefined; readonly limit: number }): InstancePage;
  /** False if there is none of that id. */
  delete(id: string): Promise<boolean>;
}

/** Rows of a page by default. */
const LIMIT = 50;

export function sandboxMethods(
  notifications: SandboxNotifications,
  subscriptions: Subscriptions,
): HandlerGroup {
  return {
    devnet_subscribeSandbox: (_params, context) =>
      subscriptions.begin(
        context,
        {
          key: 'sandbox',
          filter: '',
          pick: (notification) =>
            notification.topic === 'sandbox' ? notification.text() : undefined,
        },
        () => notifications.begin(),
      ),
  };
}

export function instanceMethods(instances: InstanceControls): HandlerGroup {
  return {
    devnet_createInstance: ({ from, name, options, ttl }) =>
      instances.create({ from, name, options, ttl }),

    devnet_listInstances({ cursor, limit = LIMIT }) {
      const { rows, total, next } = instances.list({ cursor, limit });
      return { instances: rows, total, next };
    },

    async devnet_deleteInstance({ instance_id }) {
      const isDeleted = await instances.delete(instance_id);
      if (!isDeleted) refuse(`There is no instance ${instance_id}`);
      return {};
    },
  };
}
