// Tenants of a node, and what each may call.
import { type Handler, methodFacts, RpcError } from 'starkbox/registry';
import { type QueueLimits, TenantExecutions } from './executions.js';
import type { Quotas, Tenant } from './tenant-file.js';

interface Member {
  readonly quotas: Quotas;
  readonly executions: TenantExecutions;
}

const SHARED = 'Tenants share the chain of the node and can only read it: create an instance';
const OF_THE_OPERATOR =
  'It affects more than the chains of a tenant: only the operator of the node may call it';

export class Tenants {
  /** Names by the SHA-256 of their tokens, in hexadecimal. */
  readonly byDigest: ReadonlyMap<string, string>;
  readonly #members: ReadonlyMap<string, Member>;

  constructor(tenants: readonly Tenant[], waiting: QueueLimits) {
    this.byDigest = new Map(tenants.map(({ digest, name }) => [digest, name]));
    this.#members = new Map(
      tenants.map((tenant) => [
        tenant.name,
        { quotas: tenant.quotas, executions: new TenantExecutions(tenant, waiting) },
      ]),
    );
  }

  /** None for a tenant that the file no longer has. */
  quotasOf(name: string): Partial<Quotas> {
    return this.#members.get(name)?.quotas ?? {};
  }

  /** Executions that have begun, by tenant. */
  get executions(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.#members].map(([name, { executions }]) => [name, executions.total]),
    );
  }

  /**
   * A handler that tenants call within their rules and quotas.
   *
   * @param isInstance whether the chain is an instance; a tenant reaches only its own
   */
  guarded(method: string, handler: Handler, isInstance: () => boolean): Handler {
    const facts = methodFacts(method);
    return (params, context) => {
      const { session } = context;
      const { client: tenant } = session;
      if (tenant === undefined) return handler(params, context);
      if (!facts || facts.tenants === 'nowhere') return forbid(OF_THE_OPERATOR);
      if (facts.tenants === 'own' && !isInstance()) return forbid(SHARED);
      const member = this.#members.get(tenant);
      if (!member) return handler(params, context);
      const { executions } = member;
      const work = async (): Promise<unknown> => handler(params, context);
      if (!facts.executes) return executions.metered(0, work);
      const count = facts.executes === 'sometimes' ? 0 : countIn(params, facts.feltLists);
      return executions.run(count, work, session.signal);
    };
  }
}

function forbid(reason: string): never {
  throw new RpcError(-32604, 'Method forbidden', { reason });
}

/** Each transaction of a list counts; lists may be in lists, one for each block. */
function countIn(params: object, carrier: string | undefined): number {
  const carried = carrier && new Map<string, unknown>(Object.entries(params)).get(carrier);
  const isList = Array.isArray(carried) && carried.some((element) => typeof element === 'object');
  return isList ? Math.max(1, carried.flat().length) : 1;
}
