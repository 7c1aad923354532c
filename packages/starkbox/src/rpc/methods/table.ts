// Table of all handlers, by wire name.
import type { Chain } from '../../chain/chain.js';
import type { DumpOptions } from '../../dump/dump.js';
import { shortString } from '../../felt.js';
import type { JsonText } from '../../json/json.js';
import type { Postman } from '../../l1/postman.js';
import type { Handlers } from '../protocol/handlers.js';
import type { RequestLog } from '../request-log/request-log.js';
import type { SandboxNews } from '../subscriptions/sandbox-news.js';
import type { Subscriptions } from '../subscriptions/subscriptions.js';
import { blockMethods } from './blocks.js';
import { devnetMethods, type NodeFacts, type Timeline } from './devnet.js';
import { dumpMethods } from './dump.js';
import { eventMethods } from './events.js';
import { exploreMethods } from './explore.js';
import { metaMethods } from './meta.js';
import { postmanMethods } from './postman.js';
import { requestMethods } from './requests.js';
import { sandboxMethods } from './sandbox.js';
import { simulationMethods } from './simulate.js';
import { stateMethods } from './state.js';
import { type SubscriptionLimits, subscribeMethods } from './subscribe.js';
import { transactionMethods } from './transactions.js';
import { mempoolMethods, writeMethods } from './write.js';

export interface Served extends NodeFacts {
  readonly chain: Chain;
  readonly timeline: Timeline;
  readonly postman: Postman;
  readonly subscriptions: Subscriptions;
  readonly limits: SubscriptionLimits & { readonly chunk: number };
  readonly dump: DumpOptions;
  /** The calls that were made, while they are recorded. */
  readonly requests: RequestLog;
  readonly sandbox: SandboxNews;
  readonly discover: () => JsonText;
}

export function createMethods(served: Served): Handlers {
  const { chain, timeline, postman, discover, subscriptions, limits, dump, ...others } = served;
  const { requests, sandbox, ...facts } = others;
  return {
    ...metaMethods(() => shortString(chain.options.chainId), discover),
    ...blockMethods(chain),
    ...transactionMethods(chain),
    ...stateMethods(chain),
    ...eventMethods(chain, limits.chunk),
    ...simulationMethods(chain),
    ...writeMethods(chain),
    ...devnetMethods(chain, facts, timeline),
    ...mempoolMethods(chain),
    ...postmanMethods(chain, postman),
    ...subscribeMethods(chain, subscriptions, limits),
    ...dumpMethods(dump),
    ...exploreMethods(chain),
    ...sandboxMethods(sandbox, subscriptions),
    ...requestMethods(requests, subscriptions),
  };
}
