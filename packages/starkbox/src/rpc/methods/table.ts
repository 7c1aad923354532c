// Table of all handlers, by wire name.
import { encodeShortString } from '@starkbox/abi/basics';
import { METHODS } from '@starkbox/spec';
import type { BundleOptions } from '../../bundles/content/bundle.js';
import type { Chain } from '../../chain/chain.js';
import type { Explainer } from '../../chain/queries/explain.js';
import type { DumpOptions } from '../../dump/dump.js';
import type { JsonText } from '../../json/json.js';
import type { Postman } from '../../l1/postman.js';
import type { Handler, HandlerLookup, HandlerTable } from '../protocol/call-context.js';
import type { HandlerGroup } from '../protocol/handlers.js';
import type { RequestLog } from '../request-log/request-log.js';
import type { SandboxNotifications } from '../subscriptions/sandbox-notifications.js';
import type { Subscriptions } from '../subscriptions/subscriptions.js';
import { blockMethods } from './blocks.js';
import { debugMethods } from './debug.js';
import { devnetMethods, type NodeFacts, type Timeline } from './devnet.js';
import { dumpMethods } from './dump.js';
import { eventMethods } from './events.js';
import { exploreMethods } from './explore.js';
import { metaMethods } from './meta.js';
import { networkMethods } from './network.js';
import { type Paymasters, paymasterMethods } from './paymaster.js';
import { postmanMethods } from './postman.js';
import { requestMethods } from './requests.js';
import { type InstanceControls, instanceMethods, sandboxMethods } from './sandbox.js';
import { simulationMethods } from './simulate.js';
import { stateMethods } from './state.js';
import { subscribeMethods } from './subscribe.js';
import { transactionMethods } from './transactions.js';
import { mempoolMethods, writeMethods } from './write.js';

export interface Served extends NodeFacts {
  readonly chain: Chain;
  readonly timeline: Timeline;
  readonly postman: Postman;
  readonly subscriptions: Subscriptions;
  readonly dump: DumpOptions;
  readonly bundles: BundleOptions;
  /** The calls that were made, while they are recorded. */
  readonly requests: RequestLog;
  readonly explainer: Explainer;
  readonly sandbox: SandboxNotifications;
  readonly instances: InstanceControls;
  /** Opens the paymaster when it is first needed; undefined without one. */
  readonly paymaster: () => Promise<Paymasters> | undefined;
  readonly discover: () => JsonText;
}

/** Groups of handlers; a chain creates a group when one of its methods is first called. */
const GROUPS: readonly ((served: Served) => HandlerGroup)[] = [
  ({ chain, discover }) => metaMethods(() => encodeShortString(chain.options.chainId), discover),
  ({ chain }) => blockMethods(chain),
  ({ chain }) => transactionMethods(chain),
  ({ chain }) => stateMethods(chain),
  ({ chain }) => eventMethods(chain),
  ({ chain, explainer }) => simulationMethods(chain, explainer),
  ({ chain }) => writeMethods(chain),
  (served) => devnetMethods(served.chain, served, served.timeline),
  ({ chain }) => mempoolMethods(chain),
  ({ chain }) => networkMethods(chain),
  ({ chain, postman }) => postmanMethods(chain, postman),
  ({ chain, subscriptions }) => subscribeMethods(chain, subscriptions),
  ({ dump }) => dumpMethods(dump),
  ({ chain, explainer, sandbox }) => exploreMethods(chain, explainer, sandbox),
  (served) => debugMethods(served.chain, served.explainer, () => served.bundles),
  ({ sandbox, subscriptions }) => sandboxMethods(sandbox, subscriptions),
  ({ instances }) => instanceMethods(instances),
  ({ requests, subscriptions }) => requestMethods(requests, subscriptions),
  ({ paymaster }) => paymasterMethods(paymaster),
];

/** Which group has which methods: the same for all chains. */
export class MethodGroups {
  readonly #groupOf: ReadonlyMap<string, number>;

  /** @param served of any chain */
  constructor(served: Served) {
    this.#groupOf = new Map(
      GROUPS.flatMap((create, index) =>
        Object.keys(create(served)).map((name): [string, number] => [name, index]),
      ),
    );
    const missing = Object.keys(METHODS).filter((name) => !this.#groupOf.has(name));
    if (missing.length > 0) throw new Error(`No group has a handler of ${missing.join(', ')}`);
  }

  get names(): readonly string[] {
    return [...this.#groupOf.keys()];
  }

  /** Handlers of a chain, each created when it is first needed. */
  handlersOf(served: Served, wrap: (name: string, handler: Handler) => Handler): HandlerLookup {
    const groups = new Map<number, HandlerTable>();
    const wrapped = new Map<string, Handler>();
    return (name) => {
      const wrappedHandler = wrapped.get(name);
      const index = this.#groupOf.get(name);
      if (wrappedHandler || index === undefined) return wrappedHandler;
      const group: HandlerTable = groups.get(index) ?? { ...GROUPS[index]?.(served) };
      groups.set(index, group);
      const handler = group[name];
      if (!handler) return undefined;
      const result = wrap(name, handler);
      wrapped.set(name, result);
      return result;
    };
  }
}
