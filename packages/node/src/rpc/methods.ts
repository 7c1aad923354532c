// Knows every method that is served: two clicks from a wire name to what it does.
import type { Chain } from '../chain/chain.js';
import { shortString } from '../felt.js';
import type { JsonText } from '../json.js';
import { blockMethods } from './blocks.js';
import { devnetMethods, type NodeFacts } from './devnet.js';
import { eventMethods } from './events.js';
import type { Handlers } from './handlers.js';
import { type JournalOptions, journalMethods } from './journal.js';
import { laterMethods } from './later.js';
import { metaMethods } from './meta.js';
import { postmanMethods } from './postman.js';
import { simulationMethods } from './simulate.js';
import { stateMethods } from './state.js';
import { type SubscriptionLimits, subscribeMethods } from './subscribe.js';
import type { Subscriptions } from './subscriptions.js';
import { transactionMethods } from './transactions.js';
import { writeMethods } from './write.js';

export interface Served extends NodeFacts {
  readonly chain: Chain;
  readonly subscriptions: Subscriptions;
  readonly limits: SubscriptionLimits;
  readonly journal: JournalOptions;
  readonly discover: () => JsonText;
}

export function createMethods(served: Served): Handlers {
  const { chain, discover, subscriptions, limits, journal, ...facts } = served;
  return {
    ...metaMethods(shortString(chain.options.chainId), discover),
    ...blockMethods(chain),
    ...transactionMethods(chain),
    ...stateMethods(chain),
    ...eventMethods(chain),
    ...simulationMethods(chain),
    ...writeMethods(chain),
    ...devnetMethods(chain, facts),
    ...postmanMethods(chain),
    ...subscribeMethods(chain, subscriptions, limits),
    ...journalMethods(journal),
    ...laterMethods(),
  };
}
