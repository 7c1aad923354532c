// Table of all handlers, by wire name.
import { encodeShortString } from '@starkbox/abi/basics';
import type { BundleOptions } from '../../bundles/content/bundle.js';
import type { Chain } from '../../chain/chain.js';
import type { Explainer } from '../../chain/queries/explain.js';
import type { DumpOptions } from '../../dump/dump.js';
import type { JsonText } from '../../json/json.js';
import type { Postman } from '../../l1/postman.js';
import type { Handler, HandlerLookup, HandlerTable } from '../protocol/call-context.js';
import type { Handlers } from '../protocol/handlers.js';
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
  readonly limits: { readonly chunk: number };
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
const GROUPS = [
  ({ chain, discover }: Served) =>
    metaMethods(() => encodeShortString(chain.options.chainId), discover),
  ({ chain }: Served) => blockMethods(chain),
  ({ chain }: Served) => transactionMethods(chain),
  ({ chain }: Served) => stateMethods(chain),
  ({ chain, limits }: Served) => eventMethods(chain, limits.chunk),
  ({ chain, explainer }: Served) => simulationMethods(chain, explainer),
  ({ chain }: Served) => writeMethods(chain),
  (served: Served) => devnetMethods(served.chain, served, served.timeline),
  ({ chain }: Served) => mempoolMethods(chain),
  ({ chain }: Served) => networkMethods(chain),
  ({ chain, postman }: Served) => postmanMethods(chain, postman),
  ({ chain, subscriptions }: Served) => subscribeMethods(chain, subscriptions),
  ({ dump }: Served) => dumpMethods(dump),
  ({ chain, explainer, sandbox }: Served) => exploreMethods(chain, explainer, sandbox),
  (served: Served) => debugMethods(served.chain, served.explainer, () => served.bundles),
  ({ sandbox, subscriptions }: Served) => sandboxMethods(sandbox, subscriptions),
  ({ instances }: Served) => instanceMethods(instances),
  ({ requests, subscriptions }: Served) => requestMethods(requests, subscriptions),
  ({ paymaster }: Served) => paymasterMethods(paymaster),
] as const;

type KeyOfEach<T> = T extends unknown ? keyof T : never;
type Created = KeyOfEach<ReturnType<(typeof GROUPS)[number]>>;

/** Not a map while a method of the documents has no handler, which then does not compile. */
type WhereComplete = Exclude<keyof Handlers, Created> extends never ? Map<string, number> : never;

/** Which group has which methods: the same for all chains. */
export class MethodGroups {
  readonly #groupOf: ReadonlyMap<string, number>;

  /** @param served of any chain */
  constructor(served: Served) {
    const groupOf: WhereComplete = new Map(
      GROUPS.flatMap((create, index) =>
        Object.keys(create(served)).map((name): [string, number] => [name, index]),
      ),
    );
    this.#groupOf = groupOf;
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
