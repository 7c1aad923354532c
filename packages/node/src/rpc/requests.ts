// Knows the calls that were made lately, without the secrets that came with them.
import { stringify } from '../json.js';
import type { CallReport } from '../probe.js';
import type { REQUEST_ROW } from '../spec.js';
import type { Group } from './handlers.js';
import type { Subscriptions } from './subscriptions.js';

const MOST = 500;
const LIMIT = 50;
const LONGEST_PREVIEW = 2000;

/** Their parameters may hold private keys, or addresses of servers with a token in them. */
const SECRET: ReadonlySet<string> = new Set([
  'devnet_postmanLoad',
  'devnet_restart',
  'devnet_load',
]);

/** Whoever looks at calls does not want to see that. */
const OWN: ReadonlySet<string> = new Set(['devnet_getRequests', 'devnet_subscribeRequests']);

/** The last calls. */
export class RequestLog {
  readonly #subscriptions: Subscriptions;
  readonly #now: () => number;
  readonly #rows: REQUEST_ROW[] = [];
  #last = 0;

  /** @param now milliseconds since 1970 */
  constructor(subscriptions: Subscriptions, now: () => number) {
    this.#subscriptions = subscriptions;
    this.#now = now;
  }

  add({ method, params, transport, seconds, errorCode }: CallReport): void {
    if (OWN.has(method)) return;
    const text = params === undefined || params === null ? '' : stringify(params);
    this.#last += 1;
    const milliseconds = Math.round(seconds * 1e6) / 1e3;
    const row: REQUEST_ROW = {
      id: this.#last,
      time: Math.round(this.#now() - milliseconds),
      method,
      duration_ms: milliseconds,
      outcome: errorCode === undefined ? 'ok' : 'error',
      ...(errorCode === undefined ? {} : { code: errorCode }),
      transport,
      bytes: Buffer.byteLength(text),
      // What is no method may be one with a secret, misspelt.
      ...(text === '' || SECRET.has(method) || method === 'unknown'
        ? {}
        : { params_preview: text.slice(0, LONGEST_PREVIEW) }),
    };
    this.#rows.push(row);
    if (this.#rows.length > MOST) this.#rows.shift();
    if (!this.#subscriptions.has('requests')) return;
    this.#subscriptions.later(() =>
      this.#subscriptions.tell({ topic: 'requests', text: () => stringify(row) }),
    );
  }

  /** Newest first. */
  list(after: number, limit: number): readonly REQUEST_ROW[] {
    return this.#rows
      .filter(({ id }) => id > after)
      .slice(-limit)
      .reverse();
  }
}

export function requestMethods(
  log: RequestLog | undefined,
  subscriptions: Subscriptions,
): Group<'devnet_getRequests' | 'devnet_subscribeRequests'> {
  return {
    devnet_getRequests: ({ after = 0, limit = LIMIT }) => ({
      requests: log?.list(after, limit) ?? [],
      recording: log !== undefined,
    }),

    devnet_subscribeRequests: (_params, context) =>
      subscriptions.begin(context, {
        key: 'requests',
        pick: (one) => (one.topic === 'requests' ? one.text() : undefined),
      }),
  };
}
