// Sources of a transaction's statuses: a subscription of a chain, a WebSocket, or repeated calls.

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { memberOf, trust } from '@starkbox/abi/basics';
import type { Chain } from 'starkbox';
import { WebSocket } from 'ws';

export interface Status {
  readonly finality_status: string;
  readonly execution_status?: string;
}

/** Statuses of a transaction, from the present one on. It ends when the signal is aborted. */
export type StatusFeed = (hash: string, signal: AbortSignal) => AsyncIterable<Status>;

export function subscriptionFeed(chain: Pick<Chain, 'subscribe'>): StatusFeed {
  return async function* statuses(transaction_hash, signal) {
    const notifications = chain.subscribe('starknet_subscribeTransactionStatus', {
      transaction_hash,
    });
    const stop = (): void => void notifications.close();
    signal.addEventListener('abort', stop);
    try {
      for await (const { name, result } of notifications) {
        if (name === 'starknet_subscriptionTransactionStatus') yield result.status;
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
}

/** Milliseconds between two calls of a node that has no subscriptions. */
const POLL_INTERVAL = 100;

/**
 * @param nodeUrl where the node takes calls; its WebSocket is expected at the same path
 * @param read the present status; undefined while the node has no such transaction
 */
export function remoteFeed(
  nodeUrl: string,
  read: (hash: string) => Promise<Status | undefined>,
): StatusFeed {
  return async function* statuses(hash, signal) {
    yield* socketStatuses(nodeUrl.replace(/^http/, 'ws'), hash, signal);
    while (!signal.aborted) {
      const status = await read(hash);
      if (status) yield status;
      await delay(POLL_INTERVAL, undefined, { signal }).catch(() => undefined);
    }
  };
}

/** Ends without an error where the node takes no such connection or subscription. */
async function* socketStatuses(
  url: string,
  transaction_hash: string,
  signal: AbortSignal,
): AsyncGenerator<Status> {
  const socket = new WebSocket(url);
  const texts: string[] = [];
  let wake = (): void => {};
  let isOpen = true;
  const end = (): void => {
    isOpen = false;
    wake();
  };
  socket.on('message', (data) => {
    texts.push(String(data));
    wake();
  });
  socket.on('error', end);
  socket.on('close', end);
  signal.addEventListener('abort', end);
  const method = 'starknet_subscribeTransactionStatus';
  socket.on('open', () =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { transaction_hash } })),
  );
  try {
    while (isOpen || texts.length > 0) {
      const text = texts.shift();
      if (text === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const message: unknown = JSON.parse(text);
      if (memberOf(message, 'error') !== undefined) return;
      const result = memberOf(memberOf(message, 'params'), 'result');
      const status = trust<Status | undefined>(memberOf(result, 'status'));
      if (status) yield status;
    }
  } finally {
    signal.removeEventListener('abort', end);
    const closed = once(socket, 'close');
    socket.close();
    if (socket.readyState !== WebSocket.CLOSED) await closed.catch(() => undefined);
  }
}
