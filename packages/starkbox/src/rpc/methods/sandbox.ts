// Subscription to what happens to the sandbox.
import type { Group } from '../protocol/handlers.js';
import type { SandboxNews } from '../subscriptions/sandbox-news.js';
import type { Subscriptions } from '../subscriptions/subscriptions.js';

export function sandboxMethods(
  news: SandboxNews,
  subscriptions: Subscriptions,
): Group<'devnet_subscribeSandbox'> {
  return {
    devnet_subscribeSandbox: (_params, context) =>
      subscriptions.begin(
        context,
        { key: 'sandbox', pick: (one) => (one.topic === 'sandbox' ? one.text() : undefined) },
        () => news.begin(),
      ),
  };
}
