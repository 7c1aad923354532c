// Methods of the paymaster (SNIP-29), and its control. A node serves the former at a path of their own too.
import type { MethodName, Methods, PAYMASTER } from '@starkbox/spec';
import { refuse } from '../../errors.js';
import type { CallContext } from '../protocol/call-context.js';
import type { HandlerGroup } from '../protocol/handlers.js';

type Params<M extends MethodName> = Methods[M]['params'];
type Result<M extends MethodName> = Methods[M]['result'];

/** A caller of the paymaster. */
export type PaymasterClient = Pick<CallContext['session'], 'apiKey' | 'signal'>;

/** The paymaster of a chain. */
export interface Paymasters {
  /** Makes the chain ready for it, such as one that began without a paymaster. */
  prepare(): Promise<void>;
  isAvailable(): Promise<boolean>;
  readonly tokens: Result<'paymaster_getSupportedTokens'>;
  build(
    request: Params<'paymaster_buildTransaction'>,
    client: PaymasterClient,
  ): Promise<Result<'paymaster_buildTransaction'>>;
  execute(
    request: Params<'paymaster_executeTransaction'>,
    client: PaymasterClient,
  ): Promise<Result<'paymaster_executeTransaction'>>;
  track(id: string): Result<'paymaster_trackingIdToLatestHash'>;
  change(change: Params<'devnet_setPaymaster'>): PAYMASTER;
  toWire(): PAYMASTER;
}

/** @param open the paymaster; undefined without one */
export function paymasterMethods(open: () => Promise<Paymasters> | undefined): HandlerGroup {
  const opened = (): Promise<Paymasters> =>
    open() ??
    refuse('The paymaster is off: start the node with --paymaster to serve it at /paymaster');
  return {
    paymaster_isAvailable: async () => (await opened()).isAvailable(),

    paymaster_getSupportedTokens: async () => (await opened()).tokens,

    paymaster_buildTransaction: async (request, { session }) =>
      (await opened()).build(request, session),

    paymaster_executeTransaction: async (request, { session }) =>
      (await opened()).execute(request, session),

    paymaster_trackingIdToLatestHash: async ({ tracking_id }) =>
      (await opened()).track(tracking_id),

    devnet_setPaymaster: async (change) => (await opened()).change(change),

    devnet_getPaymaster: async () => (await opened()).toWire(),
  };
}
