// Methods that subscribe, with the history that a subscriber gets first.

import type { ADDRESS, SUBSCRIPTION_BLOCK_ID, TXN_STATUS } from '@starkbox/spec';
import type { Chain } from '../../chain/chain.js';
import { inMempool } from '../../chain/mempool/mempool.js';
import { eventsOf, matches } from '../../chain/queries/find-events.js';
import { findBlock, latestHeader, noBlock, pendingNumber } from '../../chain/world/find-block.js';
import { findTransaction, type World } from '../../chain/world/world.js';
import { fail, invalidParams } from '../../errors.js';
import type { Fork, OriginEvent } from '../../fork/fork.js';
import { stringify } from '../../json/json.js';
import type { CallContext } from '../protocol/call-context.js';
import type { HandlerGroup } from '../protocol/handlers.js';
import {
  announce,
  eventNotification,
  headNotification,
  pastEventNotification,
  pastHeadNotification,
  poolStatusNotification,
  statusNotification,
} from '../subscriptions/chain-notifications.js';
import {
  type Notification,
  type Selection,
  Subscriptions,
} from '../subscriptions/subscriptions.js';

/** More are a mistake: each notification is compared with all of them. */
const MAX_FILTER_ADDRESSES = 1024;
const MAX_FILTER_KEYS = 1024;

/** How far back a subscription may begin. */
const DEPTH = 1024;

/** Statuses in the order a transaction goes through them. */
const ORDER: readonly TXN_STATUS[] = [
  'RECEIVED',
  'CANDIDATE',
  'PRE_CONFIRMED',
  'ACCEPTED_ON_L2',
  'ACCEPTED_ON_L1',
];

export function subscribeMethods(chain: Chain, subscriptions: Subscriptions): HandlerGroup {
  /**
   * A subscription begins when its id has been sent. A moment later its history is sent, then what happened between the
   * call and the beginning, then what has happened since.
   */
  const begin = (
    { listener, prefix, form }: CallContext,
    selection: Selection,
    past: (world: World) => Iterable<Notification> = () => [],
  ): string => {
    if (!listener) return fail('METHOD_NOT_FOUND');
    const subscription = {
      id: subscriptions.admit(listener),
      listener,
      prefix,
      form,
      ...selection,
    };
    const { world } = chain;
    const { epoch } = subscriptions;
    listener.afterAnswer(() => {
      if (!listener.isOpen || subscriptions.epoch !== epoch) return undefined;
      subscriptions.catchUp();
      const { world: beginning } = chain;
      const notifications = past(world)[Symbol.iterator]();
      let next = notifications.next();
      if (beginning === world && next.done) {
        subscriptions.add(subscription);
        return undefined;
      }
      return subscriptions.addHeld(subscription, () => {
        for (; !next.done; next = notifications.next())
          subscriptions.notifyOne(subscription, next.value);
        if (beginning === world) return;
        const alone = new Subscriptions();
        alone.add(subscription);
        announce(alone, { kind: 'step', before: world, after: beginning });
        alone.clear();
      });
    });
    return subscription.id;
  };

  /** The chain may have changed while the origin was asked: its blocks must still be the history of this chain. */
  const assertStands = (
    before: World,
    fork: Fork | undefined,
    id: SUBSCRIPTION_BLOCK_ID | undefined,
  ): void => {
    const numberIn = (world: World): number | undefined =>
      id === undefined || typeof id === 'string' ? undefined : findBlock(world, id);
    const stands = chain.options.fork === fork && numberIn(chain.world) === numberIn(before);
    if (!stands) fail('BLOCK_NOT_FOUND');
  };

  return {
    async starknet_subscribeNewHeads({ block_id }, context) {
      const { world: before, options } = chain;
      const { fork } = options;
      const { signal } = context.session;
      const first = await startOf(chain, block_id, signal);
      const older = fork && first !== undefined ? await fork.headers(first, signal) : [];
      assertStands(before, fork, block_id);
      return begin(
        context,
        {
          key: 'heads',
          filter: '',
          pick: (notification) =>
            notification.topic === 'heads' ? notification.text() : undefined,
        },
        function* (world) {
          if (first === undefined) return;
          for (const header of older) yield pastHeadNotification(header);
          const firstLocal = Math.max(first, world.history.first);
          for (let number = firstLocal; number <= latestHeader(world).number; number += 1) {
            const header = world.history.header(number);
            if (header) yield headNotification(header);
          }
        },
      );
    },

    async starknet_subscribeEvents(params, context) {
      const { from_address, keys = [], block_id, finality_status = 'ACCEPTED_ON_L2' } = params;
      const addresses = typeof from_address === 'string' ? [from_address] : from_address;
      if (addresses && addresses.length > MAX_FILTER_ADDRESSES) {
        invalidParams(`params.from_address: at most ${MAX_FILTER_ADDRESSES} addresses`);
      }
      if (keys.flat().length > MAX_FILTER_KEYS) fail('TOO_MANY_KEYS_IN_FILTER');
      const { world: before, options } = chain;
      const { fork } = options;
      const { signal } = context.session;
      const first = (await startOf(chain, block_id, signal)) ?? latestHeader(chain.world).number;
      const leastFinality = ORDER.indexOf(finality_status);
      const older: OriginEvent[] = [];
      if (fork && first < fork.next) {
        const to = Math.min(lastOf(chain.world, leastFinality), fork.block.number);
        const range = { from: first, to, addresses, keys };
        for await (const event of to < first ? [] : fork.events(range, signal)) older.push(event);
      }
      assertStands(before, fork, block_id);
      return begin(
        context,
        {
          key: 'events',
          filter: stringify([finality_status, addresses, keys]),
          pick: (notification) =>
            notification.topic === 'events' &&
            notification.finality === finality_status &&
            matches(notification.event, { addresses, keys })
              ? notification.text()
              : undefined,
        },
        function* (world) {
          for (const event of older) yield pastEventNotification(event, finality_status);
          const last = pendingNumber(world);
          const to =
            leastFinality <= ORDER.indexOf('PRE_CONFIRMED') ? last : lastOf(world, leastFinality);
          const filter = { from: first, to: Math.min(to, last - 1), addresses, keys };
          const blocks = [...world.history.eventBlocks(filter)];
          for (const block of to === last ? [...blocks, last] : blocks) {
            for (const event of eventsOf(world, block)) {
              yield eventNotification(world, event, finality_status);
            }
          }
        },
      );
    },

    starknet_subscribeTransactionStatus: ({ transaction_hash }, context) =>
      begin(
        context,
        {
          key: `status ${transaction_hash}`,
          filter: '',
          pick: (notification) =>
            notification.topic === 'status' ? notification.text() : undefined,
        },
        function* (world) {
          const waiting = inMempool(world.mempool, transaction_hash);
          if (waiting) yield poolStatusNotification(waiting);
          const located = findTransaction(world, transaction_hash);
          if (located) yield statusNotification(world, located);
        },
      ),

    starknet_subscribeNewTransactions({ finality_status, sender_address, tags }, context) {
      checkAddresses(sender_address);
      const passesFilter = transactionFilter(finality_status, sender_address);
      const proofFacts = tags?.includes('INCLUDE_PROOF_FACTS') ?? false;
      return begin(context, {
        key: 'transactions',
        filter: stringify([finality_status, sender_address, proofFacts]),
        pick: (notification) =>
          notification.topic === 'transactions' && passesFilter(notification)
            ? notification.text(proofFacts)
            : undefined,
      });
    },

    starknet_subscribeNewTransactionReceipts({ finality_status, sender_address }, context) {
      checkAddresses(sender_address);
      const passesFilter = transactionFilter(finality_status, sender_address);
      return begin(context, {
        key: 'receipts',
        filter: stringify([finality_status, sender_address]),
        pick: (notification) =>
          notification.topic === 'receipts' && passesFilter(notification)
            ? notification.text()
            : undefined,
      });
    },

    starknet_unsubscribe({ subscription_id }, { listener }) {
      subscriptions.catchUp();
      const ended = listener && subscriptions.remove(listener, subscription_id);
      return ended || fail('INVALID_SUBSCRIPTION_ID');
    },
  };
}

/** The block that a subscription begins with; `undefined` where it begins with what comes next. */
async function startOf(
  { world, options }: Chain,
  id: SUBSCRIPTION_BLOCK_ID | undefined,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  if (id === undefined || id === 'latest') return undefined;
  if (typeof id === 'string') invalidParams(`Subscription block cannot be '${id}'`);
  const first =
    findBlock(world, id) ??
    (await options.fork?.find(id, world.acceptedOnL1, signal)) ??
    noBlock(world);
  if (latestHeader(world).number - first > DEPTH) fail('TOO_MANY_BLOCKS_BACK');
  return first;
}

/** The newest block whose transactions are at least that final. */
function lastOf(world: World, leastFinality: number): number {
  return leastFinality === ORDER.indexOf('ACCEPTED_ON_L1')
    ? (world.acceptedOnL1 ?? world.history.first - 1)
    : latestHeader(world).number;
}

function checkAddresses(addresses: readonly ADDRESS[] | undefined): void {
  if (addresses && addresses.length > MAX_FILTER_ADDRESSES) fail('TOO_MANY_ADDRESSES_IN_FILTER');
}

/** An empty list of either is no restriction. */
function transactionFilter(
  finalities: readonly string[] = ['ACCEPTED_ON_L2'],
  senders: readonly ADDRESS[] = [],
): (notification: { readonly finality: string; readonly sender: () => string }) => boolean {
  const statuses = new Set(finalities);
  const addresses = new Set(senders);
  return ({ finality, sender }) =>
    (statuses.size === 0 || statuses.has(finality)) &&
    (addresses.size === 0 || addresses.has(sender()));
}
