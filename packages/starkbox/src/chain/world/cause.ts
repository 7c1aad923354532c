// Cause of a change of the chain: the JSON-RPC call that requested it.
import { stringify } from '../../json/json.js';

/** A JSON-RPC call with the canonical name of its method. */
export interface Cause {
  readonly jsonrpc: unknown;
  readonly method: string;
  readonly params: object | null | undefined;
  readonly id: unknown;
}

/** Journal entry of a call. */
export function journalEntry({ jsonrpc, method, params, id }: Cause): string {
  return stringify({ jsonrpc, method, params: params ?? null, id: id ?? null });
}
