// Cause of a change of the chain: the JSON-RPC call that requested it.
import { stringify } from '../../json/json.js';

/** A JSON-RPC call with the canonical name of its method. */
export interface Cause {
  readonly jsonrpc: unknown;
  readonly method: string;
  readonly params: object | null | undefined;
  readonly id: unknown;
}

/** The cause of a change that the node makes itself: the call that would make it. */
export function callCause(method: string, params: Cause['params']): Cause {
  return { jsonrpc: '2.0', method, params, id: 0 };
}

/** Journal entry of a call. */
export function journalEntry({ jsonrpc, method, params, id }: Cause): string {
  return stringify({ jsonrpc, method, params: params ?? null, id: id ?? null });
}
